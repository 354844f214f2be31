package conformance

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestEndpointRandom sends random requests to the endpoint and to this engine. A
// difference that is not known ends the run after a few, for the tables may differ then.
func TestEndpointRandom(t *testing.T) {
	if *address == "" {
		t.Skip("no -endpoint")
	}
	us, them := openInProcess(t), side(&endpoint{*address})
	names := tableNames()
	makeTables(t, us, names)
	makeTables(t, them, names)
	g := newGenerator(*seed)
	failures, known, outcomes := 0, map[string]int{}, map[string]int{}
	for i := 0; i < *requests && failures < 20; i++ {
		c := g.next()
		e := exchange{op: c.op, request: parseRequest(t, encode(t, c.request))}
		e.ours, e.theirs = c.run(t, us), c.run(t, them)
		outcomes[c.op+" "+e.ours.code()]++
		if !e.differs() && !c.unsure {
			continue
		}
		if !e.differs() {
			c.forget(t, us, them)
			continue
		}
		if d := e.known(); d != nil {
			known[d.name]++
		} else {
			failures++
			t.Errorf("request %d: %s %.3000s\n(-endpoint +keyfold):\n%s", i, c.op, compact(e.request), cmp.Diff(e.theirs.text(), e.ours.text()))
		}
		c.forget(t, us, them)
	}
	for _, name := range names {
		dropTable(t, them, name)
	}
	logCounts(t, "answers", outcomes)
	logCounts(t, "known differences", known)
}

func logCounts(t *testing.T, title string, counts map[string]int) {
	var names []string
	for name := range counts {
		names = append(names, name)
	}
	slices.Sort(names)
	text := title + ":\n"
	for _, name := range names {
		text += fmt.Sprintf("%8d %s\n", counts[name], name)
	}
	t.Log(text)
}

// forget brings the sides to the same state of the items that a request may have written.
func (c *call) forget(t *testing.T, sides ...side) {
	for _, s := range sides {
		for _, at := range c.touched {
			remove(t, s, at)
		}
	}
}

func remove(t *testing.T, s side, at touch) {
	s.send(t, "DeleteItem", encode(t, map[string]any{"TableName": at.table, "Key": at.key}))
}

// run sends the request; a Query or a Scan is read page by page to its end.
func (c *call) run(t *testing.T, s side) answer {
	if c.tree == nil {
		return s.send(t, c.op, encode(t, c.request)).sorted(c.op)
	}
	request := merge(c.request)
	var pages, items []any
	for range 1000 {
		a := s.send(t, c.op, encode(t, request))
		page, ok := a.body.(map[string]any)
		if !ok || a.status != http.StatusOK {
			return a
		}
		if list, ok := page["Items"].([]any); ok {
			items = append(items, list...)
		}
		delete(page, "Items")
		pages = append(pages, page)
		next := page["LastEvaluatedKey"]
		if next == nil {
			break
		}
		request["ExclusiveStartKey"] = next
	}
	return c.whole(pages, items)
}

// whole makes one answer of all pages. Where the order of items is left to the
// implementation (a Scan; the items of an index with one key), so are the limits of pages.
func (c *call) whole(pages, items []any) answer {
	body := map[string]any{"Items": items, "Pages": pages}
	if c.op == "Query" && c.tree.isTable() {
		return answer{http.StatusOK, body}
	}
	if c.op == "Query" {
		var order []any
		for _, it := range items {
			order = append(order, it.(map[string]any)[c.tree.sort.name])
		}
		body["Order"] = order
	}
	sortByText(items)
	var count int64
	_, limited := c.request["Limit"]
	for _, p := range pages {
		page := p.(map[string]any)
		n, _ := page["Count"].(json.Number).Int64()
		count += n
		delete(page, "Count")
		if _, more := page["LastEvaluatedKey"]; more {
			page["LastEvaluatedKey"] = "some"
		}
		if limited {
			delete(page, "ConsumedCapacity")
		}
	}
	body["Count"] = json.Number(fmt.Sprint(count))
	return answer{http.StatusOK, body}
}
