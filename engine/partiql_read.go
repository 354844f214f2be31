package engine

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"slices"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/engine/internal/store"
	"github.com/keyfold-dev/keyfold/internal/partiql"
)

// A reading is a SELECT on its way through the queries that answer it.
type reading struct {
	db    *DB
	in    *dynamo.ExecuteStatementInput
	table *table
	bound *partiql.Bound
	limit int64 // items to evaluate; 0 for no limit

	out       dynamo.ExecuteStatementOutput
	cost      tally
	evaluated int64
	bytes     int // of what was evaluated
}

// run reads one page. The limit and the size of a page are for all queries together.
func (r *reading) run(ctx context.Context) (*dynamo.ExecuteStatementOutput, error) {
	read, err := r.bound.Read(&r.table.stored.Definition)
	if err != nil {
		return nil, err
	}
	if ix := r.table.index(r.bound.Index()); ix != nil && !ix.local {
		if err := r.checkGlobal(ix, read.Columns); err != nil {
			return nil, err
		}
	}
	at, err := r.position(max(1, len(read.Queries)))
	if err != nil {
		return nil, err
	}
	r.cost.of = r.table
	r.out.Items = []dynamo.Item{}
	if read.Scan != nil {
		err = r.scan(ctx, read, at)
	} else {
		err = r.queries(ctx, read, at)
	}
	if err != nil {
		return nil, err
	}
	r.out.ConsumedCapacity = r.cost.consumed(r.in.ReturnConsumedCapacity, 1)
	return &r.out, nil
}

// checkGlobal refuses what only the table has. The service lists the columns that a global
// index lacks in the order of the statement, unlike those of a Query.
func (r *reading) checkGlobal(ix *index, columns []partiql.Column) error {
	if r.in.ConsistentRead {
		return invalid(textConsistentGlobal)
	}
	var missing []string
	for _, c := range columns {
		if name := c.Path[0].Name; !ix.holds(name) && !slices.Contains(missing, name) {
			missing = append(missing, name)
		}
	}
	if missing != nil {
		return invalid(parametersInvalid+"Global secondary index %s does not project %s", ix.def.Name, list(missing))
	}
	return nil
}

func (r *reading) scan(ctx context.Context, read *partiql.Read, at pagePosition) error {
	in := read.Scan
	in.ExclusiveStartKey, in.ConsistentRead = at.start, r.in.ConsistentRead
	s, err := r.db.scanSelection(in)
	if err != nil {
		return err
	}
	if err := s.resolve(r.db); err != nil {
		return err
	}
	keys, err := s.scanRange(in)
	if err != nil {
		return at.fault(err)
	}
	return r.page(ctx, s, read, keys, pageOrder{})
}

func (r *reading) queries(ctx context.Context, read *partiql.Read, at pagePosition) error {
	for i := at.query; i < len(read.Queries) && r.out.LastEvaluatedKey == nil; i++ {
		in := &read.Queries[i]
		in.ConsistentRead = r.in.ConsistentRead
		if i == at.query {
			in.ExclusiveStartKey = at.start
		}
		s, terms, err := r.db.querySelection(in)
		if err != nil {
			return err
		}
		if err := s.resolve(r.db); err != nil {
			return err
		}
		keys, err := s.queryRange(terms, in.Backward)
		if err != nil {
			return at.fault(err)
		}
		if !read.Alternatives {
			if err := s.checkFilterProjected(); err != nil {
				return err
			}
		}
		if err := r.page(ctx, s, read, keys, pageOrder{query: i, backward: in.Backward}); err != nil {
			return err
		}
	}
	return nil
}

// A pageOrder says which query a page is of and in which order it is read.
type pageOrder struct {
	query    int
	backward bool
}

// page reads the items of one query, as far as they fit.
func (r *reading) page(ctx context.Context, s *selection, read *partiql.Read, keys store.Range, order pageOrder) error {
	s.projection = nil // the columns choose instead, for they rename
	if r.limit > 0 {
		s.limit = r.limit - r.evaluated
	}
	snapshot := r.db.store.Snapshot()
	defer snapshot.Close()
	p := page{selection: s, out: &dynamo.PageOutput{}, view: snapshot.View, bytes: r.bytes}
	c, err := p.view.Cursor(ctx, keys, order.backward)
	if err != nil {
		return err
	}
	if err := errors.Join(p.fill(ctx, c), c.Close()); err != nil {
		return err
	}
	for _, it := range p.out.Items {
		r.out.Items = append(r.out.Items, partiql.Apply(read.Columns, it))
	}
	r.charge(&p)
	r.evaluated += p.evaluated
	r.bytes = p.bytes
	if r.out.LastEvaluatedKey = p.out.LastEvaluatedKey; r.out.LastEvaluatedKey != nil {
		r.out.NextToken = r.token(pagePosition{query: order.query, start: r.out.LastEvaluatedKey})
	}
	return nil
}

// charge adds what a page costs: as much as the Query or Scan by itself.
func (r *reading) charge(p *page) {
	units := dynamo.ReadUnits(p.bytes-r.bytes, p.consistent)
	if p.index == nil {
		r.cost.units += units
		return
	}
	r.cost.units += p.fetched
	for i, ix := range r.table.indexes {
		if ix == p.index {
			r.cost.addIndex(i, units)
		}
	}
}

// A pagePosition is where the next page of a SELECT begins: after the item with a key, in
// one of its queries.
type pagePosition struct {
	query int
	start dynamo.Item // nil for the beginning
}

// fault is the error of a token that holds a key which the query cannot start from.
func (at pagePosition) fault(err error) error {
	if at.start == nil {
		return err
	}
	return invalid(textInvalidToken)
}

const textInvalidToken = "Invalid NextToken"

// token makes the token of a position. It begins with a digest of the statement and its
// parameters, which the next page has to be asked for with.
func (r *reading) token(at pagePosition) string {
	digest := r.digest()
	b := binary.AppendUvarint(digest[:], uint64(at.query))
	return base64.StdEncoding.EncodeToString(dynamo.AppendItem(b, at.start))
}

// position reads the request's token. There are so many queries.
func (r *reading) position(queries int) (at pagePosition, err error) {
	if r.in.NextToken == "" {
		return at, nil
	}
	b, err := base64.StdEncoding.DecodeString(r.in.NextToken)
	if err != nil || len(b) < sha256.Size {
		return at, invalid(textInvalidToken)
	}
	if [sha256.Size]byte(b) != r.digest() {
		return at, invalid("NextToken does not match request")
	}
	query, n := binary.Uvarint(b[sha256.Size:])
	if n <= 0 || query >= uint64(queries) {
		return at, invalid(textInvalidToken)
	}
	if at.start, err = dynamo.DecodeItem(b[sha256.Size+n:]); err != nil {
		return at, invalid(textInvalidToken)
	}
	at.query = int(query)
	return at, nil
}

func (r *reading) digest() [sha256.Size]byte {
	b := dynamo.AppendKey(nil, dynamo.String(r.in.Statement))
	return sha256.Sum256(dynamo.AppendValue(b, dynamo.List(r.in.Parameters...)))
}
