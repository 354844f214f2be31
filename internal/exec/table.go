package exec

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/design"
)

// CreateTables makes the design's tables with their indexes, billed by request. A table
// that is there already is an error (ResourceInUseException).
func CreateTables(ctx context.Context, c Client, d *design.Design) error {
	for _, t := range d.Tables {
		if _, err := c.CreateTable(ctx, TableDefinition(t)); err != nil {
			return fmt.Errorf("create table %s: %w", t.Name, err)
		}
	}
	return nil
}

// TableDefinition is the CreateTable request of a table of a design.
func TableDefinition(t *design.Table) *dynamo.Table {
	out := &dynamo.Table{Name: t.Name, BillingMode: "PAY_PER_REQUEST"}
	declare := func(keys []design.KeyAttribute, sort bool) []dynamo.KeyElement {
		var elements []dynamo.KeyElement
		for _, k := range keys {
			elements = append(elements, dynamo.KeyElement{Name: k.Name, Sort: sort})
			if out.AttributeType(k.Name) == dynamo.Absent {
				out.Attributes = append(out.Attributes, dynamo.AttributeDefinition{Name: k.Name, Type: k.Type})
			}
		}
		return elements
	}
	out.Keys = declare([]design.KeyAttribute{t.PartitionKey}, false)
	if t.SortKey.Name != "" {
		out.Keys = append(out.Keys, declare([]design.KeyAttribute{t.SortKey}, true)...)
	}
	for _, list := range []struct {
		from []*design.Index
		to   *[]dynamo.Index
	}{{t.GSIs, &out.GlobalIndexes}, {t.LSIs, &out.LocalIndexes}} {
		for _, ix := range list.from {
			keys := append(declare(ix.PartitionKey, false), declare(ix.SortKey, true)...)
			*list.to = append(*list.to, dynamo.Index{Name: ix.Name, Keys: keys, Projection: ix.Projection})
		}
	}
	return out
}

// Load writes rows of an entity, with the further items that each row needs, 25 items at
// a time. Rows with the same key replace what is there; two of them in one call are a
// *DuplicateError. Other errors are those of Item and of the client.
func Load(ctx context.Context, c Client, d *design.Design, entity string, rows []Row) error {
	base := d.Entity(entity)
	if base == nil || base.Of != "" {
		return fmt.Errorf("the design has no entity %q", entity)
	}
	var puts []put
	seen := map[string]bool{}
	for _, row := range rows {
		for _, e := range append([]*design.Entity{base}, d.Guards(entity)...) {
			it, err := Item(d, e, row)
			if err != nil {
				return err
			}
			if it == nil {
				continue
			}
			fp := e.Table + fingerprint(dynamo.Map(baseKey(d.Table(e.Table), it)))
			if seen[fp] {
				return &DuplicateError{Pattern: "load", Entity: entity, Columns: e.Unique}
			}
			seen[fp] = true
			puts = append(puts, put{e.Table, it})
		}
	}
	for part := range slices.Chunk(puts, dynamo.MaxBatchWrites) {
		if err := putBatch(ctx, c, part); err != nil {
			return err
		}
	}
	return nil
}

// A put is an item to store.
type put struct {
	table string
	item  dynamo.Item
}

// putBatch writes one batch and what the service leaves unprocessed of it.
func putBatch(ctx context.Context, c Client, puts []put) error {
	var tables []dynamo.BatchWriteTable
	for _, p := range puts {
		i := slices.IndexFunc(tables, func(t dynamo.BatchWriteTable) bool { return t.TableName == p.table })
		if i < 0 {
			i = len(tables)
			tables = append(tables, dynamo.BatchWriteTable{TableName: p.table})
		}
		tables[i].Requests = append(tables[i].Requests, dynamo.WriteRequest{Put: p.item})
	}
	for attempt := 0; len(tables) > 0; attempt++ {
		if attempt > 0 {
			if err := backOff(ctx, attempt-1); err != nil {
				return err
			}
		}
		out, err := c.BatchWriteItem(ctx, &dynamo.BatchWriteItemInput{Tables: tables})
		if err != nil {
			return err
		}
		tables = out.Unprocessed
	}
	return nil
}

// A StateError says that the items in the tables are not those that the rows need.
type StateError struct {
	Faults []string // at most ten
	More   int      // how many further faults there are
}

// Error lists the faults, one a line.
func (e *StateError) Error() string {
	s := "the stored items are not what the rows need:\n\t" + strings.Join(e.Faults, "\n\t")
	if e.More > 0 {
		s += fmt.Sprintf("\n\tand %d more", e.More)
	}
	return s
}

func (e *StateError) add(format string, args ...any) {
	const most = 10
	if len(e.Faults) == most {
		e.More++
		return
	}
	e.Faults = append(e.Faults, fmt.Sprintf(format, args...))
}

// Dump reads all rows of all entities, by entity, in no promised order. It checks that
// every row's items are there, with exactly the attributes and index keys that Item gives
// them, and no others: a *StateError comes with the rows.
func Dump(ctx context.Context, c Client, d *design.Design) (map[string][]Row, error) {
	s := &snapshot{design: d, rows: map[string][]Row{}, wanted: map[string]stored{}}
	for _, t := range d.Tables {
		in := &dynamo.ScanInput{TableName: t.Name, ConsistentRead: true}
		for {
			out, err := c.Scan(ctx, in)
			if err != nil {
				return nil, err
			}
			for _, it := range out.Items {
				s.found = append(s.found, stored{table: t, item: it})
			}
			if in.ExclusiveStartKey = out.LastEvaluatedKey; in.ExclusiveStartKey == nil {
				break
			}
		}
	}
	s.readRows()
	s.compare()
	if len(s.faults.Faults) > 0 {
		return s.rows, &s.faults
	}
	return s.rows, nil
}

// A snapshot is the content of all tables, and what it should be.
type snapshot struct {
	design *design.Design
	found  []stored
	rows   map[string][]Row
	wanted map[string]stored // by key
	order  []string          // of wanted
	faults StateError
}

type stored struct {
	table *design.Table
	item  dynamo.Item
}

func (s stored) key() string { return s.table.Name + fingerprint(dynamo.Map(baseKey(s.table, s.item))) }

// readRows takes the rows out of the items, and computes the items the rows need.
func (s *snapshot) readRows() {
	for _, f := range s.found {
		e := kindOf(s.design, f.table.Name, f.item)
		if e == nil {
			s.faults.add("an item of no known kind: %s", describeItem(f.item))
			continue
		}
		if e.Of != "" {
			continue
		}
		rec, err := decodeItem(f.table, nil, e, f.item)
		if err != nil {
			s.faults.add("%v", err)
			continue
		}
		s.rows[e.Name] = append(s.rows[e.Name], rec.row)
		for _, k := range append([]*design.Entity{e}, s.design.Guards(e.Name)...) {
			it, err := Item(s.design, k, rec.row)
			var bad *ValueError
			if errors.As(err, &bad) {
				s.faults.add("a row that cannot be: %v: %s", err, describeItem(rec.row))
				continue
			}
			if err != nil {
				s.faults.add("%v", err)
				continue
			}
			if it != nil {
				w := stored{s.design.Table(k.Table), it}
				s.wanted[w.key()] = w
				s.order = append(s.order, w.key())
			}
		}
	}
}

func (s *snapshot) compare() {
	have := map[string]bool{}
	for _, f := range s.found {
		have[f.key()] = true
		w, ok := s.wanted[f.key()]
		switch {
		case kindOf(s.design, f.table.Name, f.item) == nil:
		case !ok:
			s.faults.add("an item that no row needs: %s", describeItem(f.item))
		case !dynamo.EqualItems(f.item, w.item):
			s.faults.add("an item is %s\n\t\tand should be %s", describeItem(f.item), describeItem(w.item))
		}
	}
	for _, key := range s.order {
		if !have[key] {
			s.faults.add("an item is missing: %s", describeItem(s.wanted[key].item))
		}
	}
}

// describeItem prints an item on one line: PK="P#1" stock=5.
func describeItem(it dynamo.Item) string {
	parts := make([]string, len(it))
	for i, a := range it {
		parts[i] = a.Name + "=" + describeValue(a.Value)
	}
	return strings.Join(parts, " ")
}

func describeValue(v dynamo.Value) string {
	switch v.Type() {
	case dynamo.TypeString:
		return fmt.Sprintf("%q", v.Str())
	case dynamo.TypeNumber:
		return v.Str()
	case dynamo.TypeBool:
		return fmt.Sprint(v.IsTrue())
	case dynamo.TypeNull:
		return "NULL"
	}
	return fingerprint(v)
}
