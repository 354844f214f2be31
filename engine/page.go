package engine

import (
	"context"
	"errors"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/engine/internal/store"
	"github.com/keyfold-dev/keyfold/internal/expr"
)

// A selection says what a Query or a Scan gives back of the items it reads. It is made of
// the request alone, and completed when the table is known.
type selection struct {
	tableName  string
	indexName  string
	choice     string // Select
	filter     *expr.Condition
	projection *expr.Projection
	limit      int64 // items to evaluate; 0 for no limit
	consistent bool
	detail     dynamo.CapacityDetail
	start      dynamo.Item // ExclusiveStartKey

	table *table
	index *index // nil for the table itself
	fetch bool   // the rest of each item is read from the table
}

// The values of Select.
const (
	selectAll       = "ALL_ATTRIBUTES"
	selectProjected = "ALL_PROJECTED_ATTRIBUTES"
	selectSpecific  = "SPECIFIC_ATTRIBUTES"
	selectCount     = "COUNT"
)

// check finds faults of the request alone.
func (s *selection) check() error {
	if err := checkTableName(nameOf(s.tableName)); err != nil {
		return err
	}
	if err := checkDetail(s.detail); err != nil {
		return err
	}
	switch s.choice {
	case "", selectAll, selectProjected, selectSpecific, selectCount:
		return nil
	}
	return unlike(s.choice, "select", textEnum, "[SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES]")
}

// checkChoice checks that Select suits the projection. verb is what the operation does.
func (s *selection) checkChoice(parameterName, verb string) error {
	switch chosen := s.projection != nil; {
	case s.choice == selectSpecific && !chosen:
		text := "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES"
		if verb == "Querying" {
			text = oneError + text
		}
		return invalid("%s", text)
	case chosen && s.choice == selectCount:
		return invalid("Cannot specify the %s when choosing to get only the Count", parameterName)
	case chosen && s.choice != "" && s.choice != selectSpecific:
		return invalid("Cannot specify the %s when choosing to get %s", parameterName, s.choice)
	case s.choice == selectProjected && s.indexName == "":
		return invalid("ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName")
	}
	return nil
}

// resolve ties the selection to its table and index.
func (s *selection) resolve(db *DB) (err error) {
	if s.table, err = db.table(s.tableName); err != nil || s.indexName == "" {
		return err
	}
	if s.index = s.table.index(s.indexName); s.index == nil {
		return invalid("The table does not have the specified index: %s", s.indexName)
	}
	if s.index.building {
		return invalid("Cannot read from backfilling global secondary index: %s", s.indexName)
	}
	if s.consistent && !s.index.local {
		return invalid("Consistent reads are not supported on global secondary indexes")
	}
	var missing []string
	if s.projection != nil {
		for _, name := range s.projection.Attributes() {
			if !s.index.holds(name) {
				missing = append(missing, name)
			}
		}
	}
	everything := s.choice == selectAll && !s.index.all
	switch {
	case s.index.local:
		s.fetch = everything || missing != nil
	case everything:
		return invalid(parametersInvalid+"Select type ALL_ATTRIBUTES is not supported for global secondary index %s because its projection type is not ALL", s.indexName)
	case missing != nil:
		return invalid(parametersInvalid+"Global secondary index %s does not project %s", s.indexName, list(missing))
	}
	return nil
}

func list(names []string) string {
	out := "["
	for i, n := range names {
		if i > 0 {
			out += ", "
		}
		out += n
	}
	return out + "]"
}

// tree is the tree to read.
func (s *selection) tree() *store.Tree {
	if s.index != nil {
		return &s.index.Tree
	}
	return &s.table.base.Tree
}

// startKey makes the key of ExclusiveStartKey, which has to have exactly the key
// attributes of the table and of the index.
func (s *selection) startKey(wrongCount string) (store.Key, error) {
	tr := s.tree()
	names := 0
	for _, part := range [][]store.KeyAttribute{tr.Partition, tr.Sort} {
		for _, k := range part {
			names++
			if s.index == nil {
				continue
			}
			switch s.start.Get(k.Name).Type() {
			case dynamo.Absent:
				return nil, invalid(textStartKeyInvalid)
			case k.Type:
			default:
				return nil, invalid(textSchemaMismatch)
			}
		}
	}
	for _, k := range tr.Base {
		if !tr.Has(k.Name) {
			names++
		}
	}
	if len(s.start) != names {
		return nil, invalid("%s", wrongCount)
	}
	key, ok := tr.AppendKey(nil, s.start)
	if !ok {
		return nil, invalid(textStartKeyInvalid + ": " + textSchemaMismatch)
	}
	var fault *dynamo.Error
	if err := s.table.checkKeyValues(s.start); errors.As(err, &fault) {
		return nil, invalid("%s", textStartKeyInvalid+": "+fault.Message)
	}
	return key, nil
}

// A page is one answer in the making.
type page struct {
	*selection
	out              *dynamo.PageOutput
	bytes            int     // of what was evaluated
	fetched          float64 // units for what was read from the table besides
	view             store.View
	count, evaluated int64
}

// read reads a page of the range.
func (s *selection) read(ctx context.Context, db *DB, r store.Range, backward bool) (*dynamo.PageOutput, error) {
	p := page{selection: s, out: &dynamo.PageOutput{}, view: db.store.Now()}
	if s.fetch {
		// Entries and items have to be of one moment.
		snapshot := db.store.Snapshot()
		defer snapshot.Close()
		p.view = snapshot.View
	}
	if s.choice != selectCount {
		p.out.Items = []dynamo.Item{}
	}
	c, err := p.view.Cursor(ctx, r, backward)
	if err != nil {
		return nil, err
	}
	err = p.fill(ctx, c)
	if err := errors.Join(err, c.Close()); err != nil {
		return nil, err
	}
	p.out.Count, p.out.ScannedCount = p.count, p.evaluated
	p.out.ConsumedCapacity = p.consumed()
	return p.out, nil
}

// fill evaluates items until the range, the limit or the page's size is at an end; the
// item that reaches 1 MB is the last one.
func (p *page) fill(ctx context.Context, c *store.Cursor) error {
	for c.Next() {
		row := c.Row()
		p.evaluated++
		p.bytes += row.Size
		full := p.evaluated == p.limit || p.bytes >= dynamo.MaxPageSize
		var it dynamo.Item
		if full || p.choice != selectCount || p.filter != nil {
			var err error
			if it, err = row.Item(); err != nil {
				return err
			}
		}
		if full {
			p.out.LastEvaluatedKey = p.keyOf(it)
		}
		if err := p.take(it); err != nil {
			return err
		}
		if full {
			return nil
		}
		if p.evaluated%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// take adds an item that has been read to the answer, if it passes the filter.
func (p *page) take(it dynamo.Item) error {
	if p.fetch {
		whole, size, err := p.table.get(p.view, it)
		if err != nil {
			return err
		}
		it = whole
		p.fetched += dynamo.ReadUnits(size, p.consistent)
	}
	if p.filter != nil && !p.filter.Eval(it) {
		return nil
	}
	p.count++
	if p.choice != selectCount {
		p.out.Items = append(p.out.Items, project(p.projection, it))
	}
	return nil
}

// keyOf makes the LastEvaluatedKey of an item or entry.
func (p *page) keyOf(it dynamo.Item) dynamo.Item {
	tr := p.tree()
	key := make(dynamo.Item, 0, len(tr.Partition)+len(tr.Sort)+len(tr.Base))
	for _, a := range it {
		if tr.Has(a.Name) || tr.HasBase(a.Name) {
			key = append(key, a)
		}
	}
	return key
}

func (p *page) consumed() *dynamo.ConsumedCapacity {
	if p.detail == "" || p.detail == dynamo.CapacityNone {
		return nil
	}
	c := tally{of: p.table}
	units := dynamo.ReadUnits(p.bytes, p.consistent)
	if p.index == nil {
		c.units = units
		return c.consumed(p.detail, 1)
	}
	c.units = p.fetched
	for i, ix := range c.of.indexes {
		if ix == p.index {
			c.addIndex(i, units)
		}
	}
	return c.consumed(p.detail, 1)
}
