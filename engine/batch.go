package engine

import (
	"context"
	"strings"

	"github.com/keyfold-dev/keyfold/dynamo"
)

// BatchGetItem reads up to 100 items of one or more tables. What does not fit in 16 MB is
// left unprocessed.
func (db *DB) BatchGetItem(ctx context.Context, in *dynamo.BatchGetItemInput) (*dynamo.BatchGetItemOutput, error) {
	gets, err := db.batchGets(in)
	if err != nil {
		return nil, err
	}
	if err := db.enter(ctx); err != nil {
		return nil, err
	}
	defer db.leave()
	for i := range gets {
		if err := gets[i].resolve(db); err != nil {
			return nil, err
		}
	}
	out := &dynamo.BatchGetItemOutput{}
	var costs tallies
	left := dynamo.MaxBatchGetSize
	for i := range gets {
		if err := gets[i].read(ctx, db, out, &costs, &left); err != nil {
			return nil, err
		}
	}
	out.ConsumedCapacity = costs.consumed(in.ReturnConsumedCapacity, noTransaction)
	return out, nil
}

// A batchGet is one table's part of BatchGetItem.
type batchGet struct {
	*dynamo.BatchGetTable
	choose func(dynamo.Item) dynamo.Item
	table  *table
}

// batchGets checks the request; faults are those of the request alone.
func (db *DB) batchGets(in *dynamo.BatchGetItemInput) ([]batchGet, error) {
	if len(in.Tables) == 0 {
		return nil, invalid(oneError+"Value at 'RequestItems' failed to satisfy constraint: "+textLengthAtLeast, 1)
	}
	if err := checkDetail(in.ReturnConsumedCapacity); err != nil {
		return nil, err
	}
	gets := make([]batchGet, len(in.Tables))
	total := 0
	for i := range in.Tables {
		t := &in.Tables[i]
		if err := checkTableName(nameOf(t.TableName)); err != nil {
			return nil, err
		}
		if err := checkKeyCount(t); err != nil {
			return nil, err
		}
		total += len(t.Keys)
		p, err := db.projection(t.ProjectionExpression, &t.Expressions, t.AttributesToGet)
		if err != nil {
			return nil, err
		}
		gets[i] = batchGet{BatchGetTable: t, choose: func(it dynamo.Item) dynamo.Item { return project(p, it) }}
	}
	if total > dynamo.MaxBatchGetKeys {
		return nil, invalid("Too many items requested for the BatchGetItem call")
	}
	return gets, nil
}

func checkKeyCount(t *dynamo.BatchGetTable) error {
	at := oneError + "Value at 'RequestItems." + t.TableName + ".member.Keys' failed to satisfy constraint: "
	switch n := len(t.Keys); {
	case n == 0:
		return invalid("%s"+textLengthAtLeast, at, 1)
	case n > dynamo.MaxBatchGetKeys:
		return invalid("%s"+textLengthAtMost, at, dynamo.MaxBatchGetKeys)
	}
	return nil
}

func (g *batchGet) resolve(db *DB) (err error) {
	if g.table, err = db.table(g.TableName); err != nil {
		return err
	}
	seen := make(map[string]bool, len(g.Keys))
	for _, key := range g.Keys {
		if err := g.table.checkKey(key); err != nil {
			return err
		}
		k, _ := g.table.base.AppendKey(nil, key)
		if seen[string(k)] {
			return invalid(textDuplicateKeys)
		}
		seen[string(k)] = true
	}
	return nil
}

// read reads the table's items while left lasts.
func (g *batchGet) read(ctx context.Context, db *DB, out *dynamo.BatchGetItemOutput, costs *tallies, left *int) error {
	found := dynamo.TableItems{TableName: g.TableName, Items: []dynamo.Item{}}
	c := costs.of(g.table)
	view := db.store.Now()
	for i, key := range g.Keys {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		it, size, err := g.table.get(view, key)
		if err != nil {
			return err
		}
		if size > *left {
			*left = 0
			rest := *g.BatchGetTable
			rest.Keys = g.Keys[i:]
			out.Unprocessed = append(out.Unprocessed, rest)
			break
		}
		*left -= size
		c.units += dynamo.ReadUnits(size, g.ConsistentRead)
		if it != nil {
			found.Items = append(found.Items, g.choose(it))
		}
	}
	out.Tables = append(out.Tables, found)
	return nil
}

// BatchWriteItem puts and deletes up to 25 items. They become visible and durable
// together, which is more than the service promises.
func (db *DB) BatchWriteItem(ctx context.Context, in *dynamo.BatchWriteItemInput) (*dynamo.BatchWriteItemOutput, error) {
	actions, err := batchWrites(in)
	if err != nil {
		return nil, err
	}
	if err := db.enter(ctx); err != nil {
		return nil, err
	}
	defer db.leave()
	for _, a := range actions {
		if err := a.resolve(db); err != nil {
			return nil, err
		}
	}
	if err := locateBatch(actions); err != nil {
		return nil, err
	}
	failed, err := db.commit(ctx, actions, nil)
	if err != nil {
		return nil, err
	}
	if failed != nil {
		panic("keyfold: internal error: a write without condition was refused")
	}
	var costs tallies
	for _, a := range actions {
		costs.of(a.table).write(&a.cost)
	}
	return &dynamo.BatchWriteItemOutput{ConsumedCapacity: costs.consumed(in.ReturnConsumedCapacity, noTransaction),
		Collections: collections(actions, in.ReturnItemCollectionMetrics)}, nil
}

// batchWrites makes the actions of a request; faults are those of the request alone.
func batchWrites(in *dynamo.BatchWriteItemInput) ([]*action, error) {
	if len(in.Tables) == 0 {
		return nil, invalid("The requestItems parameter is required for BatchWriteItem")
	}
	if err := several(detailFault(in.ReturnConsumedCapacity), metricsFault(in.ReturnItemCollectionMetrics)); err != nil {
		return nil, err
	}
	var actions []*action
	for i := range in.Tables {
		t := &in.Tables[i]
		if err := checkTableName(nameOf(t.TableName)); err != nil {
			return nil, err
		}
		if n := len(t.Requests); n == 0 || n > dynamo.MaxBatchWrites {
			dump := "{" + t.TableName + "=[" + strings.TrimSuffix(strings.Repeat("WriteRequest, ", n), ", ") + "]}"
			return nil, unlike(dump, "requestItems", "Map value must satisfy constraint: ["+textLengthAtMost+", "+textLengthAtLeast+"]", dynamo.MaxBatchWrites, 1)
		}
		for _, r := range t.Requests {
			a, err := batchWrite(t.TableName, r)
			if err != nil {
				return nil, err
			}
			actions = append(actions, a)
		}
	}
	if len(actions) > dynamo.MaxBatchWrites {
		return nil, invalid("Too many items requested for the BatchWriteItem call")
	}
	return actions, nil
}

func batchWrite(tableName string, r dynamo.WriteRequest) (*action, error) {
	switch {
	case r.Put != nil && r.Delete != nil:
		return nil, invalid("Supplied WriteRequest has more than one request set, must contain exactly one of PutRequest and DeleteRequest")
	case r.Delete != nil:
		return &action{op: opDelete, tableName: tableName, item: r.Delete}, nil
	case r.Put == nil:
		return nil, invalid("Supplied WriteRequest is empty, must contain exactly one of PutRequest and DeleteRequest")
	}
	a := &action{op: opPut, tableName: tableName, item: r.Put, newSize: dynamo.ItemSize(r.Put)}
	if a.newSize > dynamo.MaxItemSize {
		return nil, invalid(textItemTooLarge)
	}
	return a, checkDepth(r.Put)
}

// locateBatch checks the keys of a batch's actions and finds their places. Unlike PutItem,
// the service calls an item without a fitting key by the text for keys.
func locateBatch(actions []*action) error {
	seen := make(map[string]bool, len(actions))
	for _, a := range actions {
		if a.op == opPut {
			for _, k := range a.table.keys {
				if a.item.Get(k.Name).Type() != k.Type {
					return invalid(textSchemaMismatch)
				}
			}
		}
		if err := a.checkTypes(); err != nil {
			return err
		}
		if err := a.checkValues(); err != nil {
			return err
		}
		a.locate()
		if seen[string(a.key)] {
			return invalid(textDuplicateKeys)
		}
		seen[string(a.key)] = true
	}
	return nil
}
