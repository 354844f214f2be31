package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/keyfold-dev/keyfold/internal/design"
)

// keyTable is the table of the articles: one row per kind of item, one column per key
// attribute.
func keyTable(d *design.Design) *table {
	t := &table{head: []string{"Entity"}}
	for _, e := range d.Entities {
		for _, k := range e.Keys {
			if !slices.Contains(t.head, k.Attribute) {
				t.head = append(t.head, k.Attribute)
			}
		}
	}
	slices.SortStableFunc(t.head[1:], func(a, b string) int {
		return slices.Index(keyOrder(d), a) - slices.Index(keyOrder(d), b)
	})
	for _, e := range d.Entities {
		row := []string{e.Name}
		for _, attribute := range t.head[1:] {
			cell := ""
			if k := e.Key(attribute); k != nil {
				cell = k.Template.String()
			}
			row = append(row, cell)
		}
		if e.EmbeddedIn != "" {
			row[1] = "(inside " + e.EmbeddedIn + ")"
		}
		t.add(row...)
	}
	return t
}

// keyOrder lists the key attributes of the tables, then of their indexes.
func keyOrder(d *design.Design) []string {
	var out []string
	for _, t := range d.Tables {
		out = append(out, t.PartitionKey.Name, t.SortKey.Name)
		for _, ix := range slices.Concat(t.GSIs, t.LSIs) {
			out = append(out, indexKeys(ix)...)
		}
	}
	return out
}

func indexKeys(ix *design.Index) []string {
	var out []string
	for _, k := range slices.Concat(ix.PartitionKey, ix.SortKey) {
		out = append(out, k.Name)
	}
	return out
}

func indexTable(d *design.Design) *table {
	t := &table{head: []string{"Index", "Keys", "Holds", "Serves"}, details: 2}
	for _, tab := range d.Tables {
		for _, ix := range slices.Concat(tab.GSIs, tab.LSIs) {
			t.add(ix.Name, strings.Join(indexKeys(ix), ", "), projectionText(ix), strings.Join(users(d, ix.Name), ", "))
		}
	}
	return t
}

func projectionText(ix *design.Index) string {
	s := string(ix.Projection.Type)
	if len(ix.Projection.Attributes) > 0 {
		s += " " + strings.Join(ix.Projection.Attributes, ", ")
	}
	return s
}

// users names the patterns that read an index.
func users(d *design.Design, index string) []string {
	var out []string
	for _, p := range d.Plans {
		if slices.ContainsFunc(p.Requests, func(r *design.Request) bool { return r.Index == index }) {
			out = append(out, p.Pattern.Name)
		}
	}
	return out
}

func planTable(d *design.Design) *table {
	t := &table{head: []string{"Access pattern", "Request", "Index", "Strategy", "Key condition"}, details: 2}
	for _, p := range d.Plans {
		if !p.Refused {
			t.add(p.Pattern.Name, operations(p), indexes(p), p.Strategy, keyConditions(d, p))
		}
	}
	return t
}

// operations names the requests of a plan: "Query", "Query + BatchGetItem".
func operations(p *design.Plan) string {
	var out []string
	for _, r := range p.Requests {
		out = append(out, string(r.Op))
	}
	return strings.Join(out, " + ")
}

// indexes names where the requests of a plan read or write, each once.
func indexes(p *design.Plan) string {
	var out []string
	for _, r := range p.Requests {
		name := r.Index
		if name == "" {
			name = "table"
		}
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return strings.Join(out, " + ")
}

func keyConditions(d *design.Design, p *design.Plan) string {
	var out []string
	for _, r := range p.Requests {
		out = append(out, keyCondition(d, r))
	}
	return strings.Join(out, "; ")
}

// keyCondition says which items a request reads or writes.
func keyCondition(d *design.Design, r *design.Request) string {
	if len(r.Writes) == 0 {
		return d.KeyConditionText(r)
	}
	var out []string
	for _, w := range r.Writes {
		key := &design.Request{Op: design.GetItem, Table: r.Table, Gets: []design.Get{{PK: w.PK, SK: w.SK}}}
		out = append(out, d.KeyConditionText(key))
	}
	return strings.Join(out, "; ")
}

// costText spells an estimate in capacity units, and says when it rests on assumptions.
func costText(c design.Cost) string {
	var parts []string
	if c.ReadUnits > 0 {
		parts = append(parts, quantity(c.ReadUnits, "read unit"))
	}
	if c.WriteUnits > 0 {
		parts = append(parts, quantity(c.WriteUnits, "write unit"))
	}
	if len(parts) == 0 {
		parts = append(parts, "nothing")
	}
	s := strings.Join(parts, " and ")
	if c.Items > 0 {
		s += " for about " + quantity(math.Ceil(c.Items), "item")
	}
	if c.Assumed {
		s += " (sizes and counts assumed)"
	}
	return s
}

// number prints a quantity as people write it: 0.5, 12, 1250.
func number(x float64) string {
	s := fmt.Sprintf("%.2f", x)
	return strings.TrimRight(strings.TrimRight(s, "0"), ".")
}

// summary is the design in one line.
func summary(d *design.Design) string {
	gsis, lsis, refused := 0, 0, 0
	for _, t := range d.Tables {
		gsis += len(t.GSIs)
		lsis += len(t.LSIs)
	}
	for _, p := range d.Plans {
		if p.Refused {
			refused++
		}
	}
	s := count(len(d.Tables), "table")
	if gsis > 0 {
		s += ", " + count(gsis, "global index")
	}
	if lsis > 0 {
		s += ", " + count(lsis, "local index")
	}
	if gsis+lsis == 0 {
		s += ", no index"
	}
	if len(d.Plans) == 0 {
		return s + ", and no access pattern yet: queries.sql has no statement"
	}
	s += ", " + count(len(d.Plans), "access pattern")
	if refused == 0 {
		return s + ", all served"
	}
	return fmt.Sprintf("%s, %d of them refused", s, refused)
}

func count(n int, noun string) string { return quantity(float64(n), noun) }

// quantity spells a number of things: "1 index", "0.5 read units".
func quantity(x float64, noun string) string {
	switch {
	case x == 1:
	case strings.HasSuffix(noun, "x"):
		noun += "es"
	default:
		noun += "s"
	}
	return number(x) + " " + noun
}
