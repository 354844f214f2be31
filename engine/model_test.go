package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/engine/internal/store"
	"pgregory.net/rapid"
)

// modelTable has every kind of index: local and global, of one and of several attributes,
// with each projection.
var modelTable = &dynamo.Table{
	Name: "model", BillingMode: "PAY_PER_REQUEST",
	Attributes: []dynamo.AttributeDefinition{{Name: "p", Type: "S"}, {Name: "s", Type: "N"}, {Name: "a", Type: "S"},
		{Name: "b", Type: "N"}, {Name: "c", Type: "B"}},
	Keys: []dynamo.KeyElement{{Name: "p"}, {Name: "s", Sort: true}},
	LocalIndexes: []dynamo.Index{{Name: "local", Keys: []dynamo.KeyElement{{Name: "p"}, {Name: "b", Sort: true}},
		Projection: dynamo.Projection{Type: dynamo.ProjectKeysOnly}}},
	GlobalIndexes: []dynamo.Index{
		{Name: "inverted", Keys: []dynamo.KeyElement{{Name: "s"}, {Name: "p", Sort: true}},
			Projection: dynamo.Projection{Type: dynamo.ProjectAll}},
		{Name: "include", Keys: []dynamo.KeyElement{{Name: "a"}},
			Projection: dynamo.Projection{Type: dynamo.ProjectInclude, Attributes: []string{"x", "c"}}},
		{Name: "several", Keys: []dynamo.KeyElement{{Name: "a"}, {Name: "c"}, {Name: "b", Sort: true}, {Name: "p", Sort: true}},
			Projection: dynamo.Projection{Type: dynamo.ProjectKeysOnly}},
	},
}

// A machine drives a database and a map side by side.
type machine struct {
	t     *rapid.T
	disk  *store.Disk
	db    *DB
	model map[string]dynamo.Item // by printed key
}

func (m *machine) open() {
	db, err := Open(Options{disk: m.disk, ExpiryInterval: -1})
	if err != nil {
		m.t.Fatal(err)
	}
	m.db = db
}

func keyText(it dynamo.Item) string {
	return it.Get("p").Str() + "/" + it.Get("s").Str()
}

func keyOf(it dynamo.Item) dynamo.Item {
	return dynamo.Item{{Name: "p", Value: it.Get("p")}, {Name: "s", Value: it.Get("s")}}
}

var (
	genKey = rapid.Custom(func(t *rapid.T) dynamo.Item {
		return dynamo.Item{{Name: "p", Value: dynamo.String(rapid.SampledFrom([]string{"u", "u\x00", "v"}).Draw(t, "p"))},
			{Name: "s", Value: dynamo.Int(rapid.Int64Range(-2, 2).Draw(t, "s"))}}
	})
	genAttribute = map[string]*rapid.Generator[dynamo.Value]{
		"a": rapid.Map(rapid.SampledFrom([]string{"k", "kk", "\x00"}), dynamo.String),
		"b": rapid.Map(rapid.Int64Range(-1, 1), dynamo.Int),
		"c": rapid.Map(rapid.SampledFrom([]string{"\x00", "\xff"}), func(s string) dynamo.Value { return dynamo.Binary([]byte(s)) }),
		"x": rapid.Map(rapid.IntRange(0, 2), func(n int) dynamo.Value { return dynamo.String(strings.Repeat("x", n*700)) }),
		"y": rapid.Map(rapid.Bool(), dynamo.Bool),
	}
	genItem = rapid.Custom(func(t *rapid.T) dynamo.Item {
		it := genKey.Draw(t, "key")
		for _, name := range []string{"a", "b", "c", "x", "y"} {
			if rapid.Bool().Draw(t, "has "+name) {
				it = it.Set(name, genAttribute[name].Draw(t, name))
			}
		}
		return it
	})
)

func (m *machine) put(t *rapid.T) {
	it := genItem.Draw(t, "item")
	old := m.model[keyText(it)]
	out, err := m.db.PutItem(context.Background(), &dynamo.PutItemInput{TableName: "model", Item: it, ReturnValues: dynamo.ReturnAllOld})
	if err != nil {
		t.Fatal(err)
	}
	m.same(out.Attributes, old)
	m.model[keyText(it)] = it
}

// A conditional put only stores an item where there is none with y.
func (m *machine) conditionalPut(t *rapid.T) {
	it := genItem.Draw(t, "item")
	old := m.model[keyText(it)]
	_, err := m.db.PutItem(context.Background(), &dynamo.PutItemInput{TableName: "model", Item: it, ConditionExpression: "attribute_not_exists(y)"})
	var fault *dynamo.Error
	switch refused := errors.As(err, &fault) && fault.Code == dynamo.CodeConditionalCheckFailed; {
	case err != nil && !refused, refused != !old.Get("y").IsAbsent():
		t.Fatalf("condition on %v: %v", old, err)
	case !refused:
		m.model[keyText(it)] = it
	}
}

func (m *machine) update(t *rapid.T) {
	key := genKey.Draw(t, "key")
	name := rapid.SampledFrom([]string{"a", "b", "c", "x", "y"}).Draw(t, "name")
	in := &dynamo.UpdateItemInput{TableName: "model", Key: key, ReturnValues: dynamo.ReturnAllNew}
	want := m.model[keyText(key)].Clone()
	if rapid.Bool().Draw(t, "set") {
		v := genAttribute[name].Draw(t, "value")
		in.UpdateExpression = "SET " + name + " = :v"
		in.Expressions.Values = dynamo.Item{{Name: ":v", Value: v}}
		if want == nil {
			want = key.Clone()
		}
		want = want.Set(name, v)
	} else {
		in.UpdateExpression = "REMOVE " + name
		want = want.Set(name, dynamo.Value{})
	}
	out, err := m.db.UpdateItem(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	m.same(out.Attributes, want)
	if want != nil {
		m.model[keyText(key)] = want
	}
}

func (m *machine) delete(t *rapid.T) {
	key := genKey.Draw(t, "key")
	out, err := m.db.DeleteItem(context.Background(), &dynamo.DeleteItemInput{TableName: "model", Key: key, ReturnValues: dynamo.ReturnAllOld})
	if err != nil {
		t.Fatal(err)
	}
	m.same(out.Attributes, m.model[keyText(key)])
	delete(m.model, keyText(key))
}

func (m *machine) batch(t *rapid.T) {
	items := rapid.SliceOfNDistinct(genItem, 1, 6, keyText).Draw(t, "items")
	table := dynamo.BatchWriteTable{TableName: "model"}
	for _, it := range items {
		if rapid.Bool().Draw(t, "delete") {
			table.Requests = append(table.Requests, dynamo.WriteRequest{Delete: keyOf(it)})
			delete(m.model, keyText(it))
		} else {
			table.Requests = append(table.Requests, dynamo.WriteRequest{Put: it})
			m.model[keyText(it)] = it
		}
	}
	if _, err := m.db.BatchWriteItem(context.Background(), &dynamo.BatchWriteItemInput{Tables: []dynamo.BatchWriteTable{table}}); err != nil {
		t.Fatal(err)
	}
}

// A transaction moves items; it is cancelled when one of them is not there.
func (m *machine) transact(t *rapid.T) {
	items := rapid.SliceOfNDistinct(genItem, 1, 4, keyText).Draw(t, "items")
	in := &dynamo.TransactWriteItemsInput{}
	possible := true
	for _, it := range items {
		in.Actions = append(in.Actions, dynamo.TransactAction{Put: &dynamo.PutItemInput{TableName: "model", Item: it, ConditionExpression: "attribute_exists(p)"}})
		possible = possible && m.model[keyText(it)] != nil
	}
	_, err := m.db.TransactWriteItems(context.Background(), in)
	if (err == nil) != possible {
		t.Fatalf("transaction of %d items: %v", len(items), err)
	}
	for _, it := range items {
		if possible {
			m.model[keyText(it)] = it
		}
	}
}

func (m *machine) reopen(t *rapid.T) {
	if err := m.db.Close(); err != nil {
		t.Fatal(err)
	}
	m.open()
}

func (m *machine) get(t *rapid.T) {
	key := genKey.Draw(t, "key")
	out, err := m.db.GetItem(context.Background(), &dynamo.GetItemInput{TableName: "model", Key: key})
	if err != nil {
		t.Fatal(err)
	}
	m.same(out.Item, m.model[keyText(key)])
}

// A scan page by page, in segments, of the table or an index, has every item once.
func (m *machine) scan(t *rapid.T) {
	indexName := rapid.SampledFrom([]string{"", "local", "inverted", "include", "several"}).Draw(t, "index")
	segments := rapid.Int64Range(1, 4).Draw(t, "segments")
	limit := rapid.Int64Range(1, 7).Draw(t, "limit")
	var got []string
	for segment := range segments {
		in := &dynamo.ScanInput{TableName: "model", IndexName: indexName, Segment: &segment, TotalSegments: &segments, Limit: &limit}
		for {
			out, err := m.db.Scan(context.Background(), in)
			if err != nil {
				t.Fatal(err)
			}
			for _, it := range out.Items {
				got = append(got, keyText(it))
			}
			if in.ExclusiveStartKey = out.LastEvaluatedKey; in.ExclusiveStartKey == nil {
				break
			}
		}
	}
	var want []string
	for text, it := range m.model {
		if indexName == "" || indexed(indexName, it) {
			want = append(want, text)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Fatalf("scan of %q in %d segments: got %q, want %q", indexName, segments, got, want)
	}
}

func indexed(name string, it dynamo.Item) bool {
	ix, _ := modelTable.Index(name)
	return !slices.ContainsFunc(ix.Keys, func(k dynamo.KeyElement) bool { return it.Get(k.Name).IsAbsent() })
}

// A query page by page has the partition's items in the order of the sort key, or the
// other way round.
func (m *machine) query(t *rapid.T) {
	p := genKey.Draw(t, "partition").Get("p")
	low := rapid.Int64Range(-2, 2).Draw(t, "low")
	limit := rapid.Int64Range(1, 4).Draw(t, "limit")
	index := rapid.SampledFrom([]string{"", "local"}).Draw(t, "index")
	sort := map[string]string{"": "s", "local": "b"}[index]
	in := &dynamo.QueryInput{TableName: "model", IndexName: index, KeyConditionExpression: "p = :p AND " + sort + " >= :low", Limit: &limit,
		Backward: rapid.Bool().Draw(t, "backward"), Select: "ALL_ATTRIBUTES",
		Expressions: dynamo.Expressions{Values: dynamo.Item{{Name: ":low", Value: dynamo.Int(low)}, {Name: ":p", Value: p}}}}
	var got []dynamo.Item
	for {
		out, err := m.db.Query(context.Background(), in)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, out.Items...)
		if in.ExclusiveStartKey = out.LastEvaluatedKey; in.ExclusiveStartKey == nil {
			break
		}
	}
	var want []dynamo.Item
	for _, it := range m.model {
		if it.Get("p") == p && !it.Get(sort).IsAbsent() && dynamo.CompareNumbers(it.Get(sort), dynamo.Int(low)) >= 0 {
			want = append(want, it)
		}
	}
	slices.SortFunc(want, func(x, y dynamo.Item) int {
		if n := dynamo.CompareNumbers(x.Get(sort), y.Get(sort)); n != 0 {
			return n
		}
		return dynamo.CompareNumbers(x.Get("s"), y.Get("s"))
	})
	if in.Backward {
		slices.Reverse(want)
	}
	if diff := cmp.Diff(printAll(want), printAll(got)); diff != "" {
		t.Fatalf("query of %q (-want +got):\n%s", index, diff)
	}
}

func printAll(items []dynamo.Item) (out []string) {
	for _, it := range items {
		out = append(out, string(dynamo.AppendItemJSON(nil, it)))
	}
	return out
}

func (m *machine) same(got, want dynamo.Item) {
	if !dynamo.EqualItems(got, want) {
		m.t.Fatalf("got %s, want %s", dynamo.AppendItemJSON(nil, got), dynamo.AppendItemJSON(nil, want))
	}
}

// check compares the whole table with the model, and every index with the table.
func (m *machine) check(t *rapid.T) {
	m.t = t
	all := entries(t, m.db.store.Now(), &m.db.tables["model"].base.Tree)
	if len(all) != len(m.model) {
		t.Fatalf("%d items, want %d", len(all), len(m.model))
	}
	for _, e := range all {
		m.same(e.item, m.model[keyText(e.item)])
	}
	checkIndexes(t, m.db)
	checkStats(t, m.db)
}

// TestModel holds the database to a map under random operations.
func TestModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := &machine{t: rt, disk: store.NewDisk(), model: map[string]dynamo.Item{}}
		m.open()
		defer func() { m.db.Close() }()
		if _, err := m.db.CreateTable(context.Background(), modelTable); err != nil {
			rt.Fatal(err)
		}
		rt.Repeat(map[string]func(*rapid.T){"put": m.put, "put if": m.conditionalPut, "update": m.update, "delete": m.delete,
			"batch": m.batch, "transact": m.transact, "reopen": m.reopen, "get": m.get, "scan": m.scan, "query": m.query, "": m.check})
	})
}

// Pages end with the item that reaches 1 MB, whatever passes the filter.
func TestPageSize(t *testing.T) {
	ctx := context.Background()
	db, err := Open(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.CreateTable(ctx, modelTable); err != nil {
		t.Fatal(err)
	}
	for i := range 30 {
		it := dynamo.NewItem(dynamo.Attr{Name: "p", Value: dynamo.String("p")}, dynamo.Attr{Name: "s", Value: dynamo.Int(int64(i))},
			dynamo.Attr{Name: "pad", Value: dynamo.String(strings.Repeat("x", 100_000))})
		if _, err := db.PutItem(ctx, &dynamo.PutItemInput{TableName: "model", Item: it}); err != nil {
			t.Fatal(err)
		}
	}
	in := &dynamo.QueryInput{TableName: "model", KeyConditionExpression: "p = :p", FilterExpression: "attribute_exists(zzz)",
		ReturnConsumedCapacity: "TOTAL", ConsistentRead: true, Expressions: dynamo.Expressions{Values: dynamo.Item{{Name: ":p", Value: dynamo.String("p")}}}}
	var pages []string
	for {
		out, err := db.Query(ctx, in)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, fmt.Sprint(out.Count, out.ScannedCount, out.ConsumedCapacity.Units, len(out.LastEvaluatedKey)))
		if in.ExclusiveStartKey = out.LastEvaluatedKey; in.ExclusiveStartKey == nil {
			break
		}
	}
	want := []string{"0 11 269 2", "0 11 269 2", "0 8 196 0"}
	if diff := cmp.Diff(want, pages); diff != "" {
		t.Fatal(diff)
	}
}
