package engine

import (
	"context"
	"slices"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/engine/internal/store"
	"github.com/keyfold-dev/keyfold/internal/expr"
)

// The expressions that each request can have, for the service's texts.
var (
	projectionOnly = []expr.Kind{expr.ProjectionExpression}
	conditionOnly  = []expr.Kind{expr.ConditionExpression}
	updateKinds    = []expr.Kind{expr.UpdateExpression, expr.ConditionExpression}
	queryKinds     = []expr.Kind{expr.FilterExpression, expr.KeyConditionExpression}
	scanKinds      = []expr.Kind{expr.FilterExpression}
)

// PutItem stores a whole item, in place of one with the same key.
func (db *DB) PutItem(ctx context.Context, in *dynamo.PutItemInput) (*dynamo.WriteOutput, error) {
	if err := checkWrite(in.TableName, in.ReturnValuesOnConditionCheckFailure); err != nil {
		return nil, err
	}
	if err := several(detailFault(in.ReturnConsumedCapacity), returnsFault(in.ReturnValues), metricsFault(in.ReturnItemCollectionMetrics)); err != nil {
		return nil, err
	}
	a, err := db.put(in)
	if err != nil {
		return nil, enveloped(err)
	}
	if in.ReturnValues != "" && in.ReturnValues != dynamo.ReturnNone && in.ReturnValues != dynamo.ReturnAllOld {
		return nil, invalid(oneError + "ReturnValues can only be ALL_OLD or NONE")
	}
	if a.newSize > dynamo.MaxItemSize {
		return nil, invalid(textItemTooLarge)
	}
	return db.writeOne(ctx, &a, in.ReturnConsumedCapacity, in.ReturnItemCollectionMetrics)
}

// put makes the action of a request to put; faults are those of the request alone.
func (db *DB) put(in *dynamo.PutItemInput) (a action, err error) {
	if err := checkDepth(in.Item); err != nil {
		return a, err
	}
	a = action{op: opPut, tableName: in.TableName, item: in.Item, newSize: dynamo.ItemSize(in.Item),
		returns: in.ReturnValues, failure: in.ReturnValuesOnConditionCheckFailure == dynamo.ReturnAllOld}
	a.condition, err = db.condition(in.ConditionExpression, &in.Expressions, in.Expected, in.ConditionalOperator)
	return a, err
}

// condition makes the condition of a request to put or delete, nil if it has none.
func (db *DB) condition(src string, x *dynamo.Expressions, expected []dynamo.ExpectedAttribute, operator string) (*expr.Condition, error) {
	if err := notMixed([]parameter{{"ConditionalOperator", operator != ""}, {"Expected", expected != nil}},
		[]parameter{{"ConditionExpression", src != ""}}); err != nil {
		return nil, err
	}
	set, err := db.parsed.bind(expressionTexts{condition: src}, x, conditionOnly)
	if err != nil || src != "" {
		return set.condition, err
	}
	return legacyExpected(expected, operator)
}

func legacyExpected(expected []dynamo.ExpectedAttribute, operator string) (*expr.Condition, error) {
	if len(expected) == 0 {
		if operator != "" {
			return nil, invalid("ConditionalOperator cannot be used without Filter or Expected")
		}
		return nil, nil
	}
	return expr.LegacyExpected(expected, operator)
}

// DeleteItem removes one item, if there is one.
func (db *DB) DeleteItem(ctx context.Context, in *dynamo.DeleteItemInput) (*dynamo.WriteOutput, error) {
	if err := checkWrite(in.TableName, in.ReturnValuesOnConditionCheckFailure); err != nil {
		return nil, err
	}
	if err := several(detailFault(in.ReturnConsumedCapacity), returnsFault(in.ReturnValues), metricsFault(in.ReturnItemCollectionMetrics)); err != nil {
		return nil, err
	}
	a, err := db.delete(in, opDelete)
	if err != nil {
		return nil, enveloped(err)
	}
	if in.ReturnValues != "" && in.ReturnValues != dynamo.ReturnNone && in.ReturnValues != dynamo.ReturnAllOld {
		return nil, invalid(oneError + "ReturnValues can only be ALL_OLD or NONE")
	}
	return db.writeOne(ctx, &a, in.ReturnConsumedCapacity, in.ReturnItemCollectionMetrics)
}

// delete makes the action of a request to delete an item, or only to check a condition.
func (db *DB) delete(in *dynamo.DeleteItemInput, op operation) (a action, err error) {
	a = action{op: op, tableName: in.TableName, item: in.Key,
		returns: in.ReturnValues, failure: in.ReturnValuesOnConditionCheckFailure == dynamo.ReturnAllOld}
	a.condition, err = db.condition(in.ConditionExpression, &in.Expressions, in.Expected, in.ConditionalOperator)
	return a, err
}

// UpdateItem changes attributes of one item; if there is none, it makes one of the key and
// what the update sets.
func (db *DB) UpdateItem(ctx context.Context, in *dynamo.UpdateItemInput) (*dynamo.WriteOutput, error) {
	if err := checkWrite(in.TableName, in.ReturnValuesOnConditionCheckFailure); err != nil {
		return nil, err
	}
	// Unlike PutItem and DeleteItem, the service reports this one alone.
	if err := several(returnsFault(in.ReturnValues)); err != nil {
		return nil, err
	}
	if err := several(detailFault(in.ReturnConsumedCapacity), metricsFault(in.ReturnItemCollectionMetrics)); err != nil {
		return nil, err
	}
	a, err := db.updateAction(in)
	if err != nil {
		return nil, enveloped(err)
	}
	return db.writeOne(ctx, &a, in.ReturnConsumedCapacity, in.ReturnItemCollectionMetrics)
}

func (db *DB) updateAction(in *dynamo.UpdateItemInput) (a action, err error) {
	a = action{op: opUpdate, tableName: in.TableName, item: in.Key,
		returns: in.ReturnValues, failure: in.ReturnValuesOnConditionCheckFailure == dynamo.ReturnAllOld}
	if err := notMixed([]parameter{{"AttributeUpdates", in.AttributeUpdates != nil},
		{"ConditionalOperator", in.ConditionalOperator != ""}, {"Expected", in.Expected != nil}},
		[]parameter{{"UpdateExpression", in.UpdateExpression != ""}, {"ConditionExpression", in.ConditionExpression != ""}}); err != nil {
		return a, err
	}
	if err := checkDepth(in.Expressions.Values); err != nil {
		return a, err
	}
	texts := expressionTexts{condition: in.ConditionExpression, update: in.UpdateExpression}
	set, err := db.parsed.bind(texts, &in.Expressions, updateKinds)
	if err != nil {
		return a, err
	}
	a.condition, a.update = set.condition, set.update
	if a.condition == nil {
		if a.condition, err = legacyExpected(in.Expected, in.ConditionalOperator); err != nil {
			return a, err
		}
	}
	if len(in.AttributeUpdates) > 0 {
		a.update, err = expr.LegacyUpdate(in.AttributeUpdates)
	}
	return a, err
}

// checkWrite checks the table's name and how a failed condition is to be answered.
func checkWrite(tableName string, onFailure dynamo.ReturnValues) error {
	if err := checkTableName(nameOf(tableName)); err != nil {
		return err
	}
	switch onFailure {
	case "", dynamo.ReturnNone, dynamo.ReturnAllOld:
		return nil
	}
	return unlike(onFailure, "returnValuesOnConditionCheckFailure", textEnum, "[ALL_OLD, NONE]")
}

func checkDetail(detail dynamo.CapacityDetail) error { return several(detailFault(detail)) }

// writeOne carries out the only action of a request.
func (db *DB) writeOne(ctx context.Context, a *action, detail dynamo.CapacityDetail, metrics dynamo.CollectionDetail) (*dynamo.WriteOutput, error) {
	if err := db.enter(ctx); err != nil {
		return nil, err
	}
	defer db.leave()
	if err := a.resolve(db); err != nil {
		return nil, err
	}
	if err := a.checkTypes(); err != nil {
		return nil, err
	}
	if err := a.checkValues(); err != nil {
		return nil, err
	}
	a.locate()
	failed, err := db.commit(ctx, []*action{a}, nil)
	if err != nil {
		return nil, err
	}
	if failed != nil {
		return nil, failed[0]
	}
	out := a.output(detail)
	if metrics == dynamo.CollectionSize {
		out.Collection = a.collection()
	}
	return out, nil
}

// collection estimates the size of the item collection that was written to, for tables
// with a local index (Developer Guide, "Item collections in Local Secondary Indexes"). The
// service's estimates are in steps of a gigabyte.
func (a *action) collection() *dynamo.ItemCollectionMetrics {
	if !slices.ContainsFunc(a.table.indexes, func(ix *index) bool { return ix.local }) || a.op == opCheck {
		return nil
	}
	name := a.table.keys[0].Name
	return &dynamo.ItemCollectionMetrics{Key: dynamo.Item{{Name: name, Value: a.item.Get(name)}}, LowGB: 0, HighGB: 1}
}

// collections does so for the actions of a batch or a transaction, by table.
func collections(actions []*action, metrics dynamo.CollectionDetail) map[string][]dynamo.ItemCollectionMetrics {
	if metrics != dynamo.CollectionSize {
		return nil
	}
	var out map[string][]dynamo.ItemCollectionMetrics
	for _, a := range actions {
		m := a.collection()
		if m == nil {
			continue
		}
		if out == nil {
			out = map[string][]dynamo.ItemCollectionMetrics{}
		}
		list := out[a.table.name()]
		if !slices.ContainsFunc(list, func(o dynamo.ItemCollectionMetrics) bool { return dynamo.EqualItems(o.Key, m.Key) }) {
			out[a.table.name()] = append(list, *m)
		}
	}
	return out
}

func (a *action) output(detail dynamo.CapacityDetail) *dynamo.WriteOutput {
	out := &dynamo.WriteOutput{}
	switch a.returns {
	case dynamo.ReturnAllOld:
		out.Attributes = a.old
	case dynamo.ReturnAllNew:
		out.Attributes = a.new
	case dynamo.ReturnUpdatedOld:
		out.Attributes = a.updated(a.old)
	case dynamo.ReturnUpdatedNew:
		out.Attributes = a.updated(a.new)
	}
	if detail == dynamo.CapacityTotal || detail == dynamo.CapacityIndexes {
		c := tally{of: a.table}
		c.write(&a.cost)
		out.ConsumedCapacity = c.consumed(detail, 1)
	}
	return out
}

// updated returns the parts of it that the update touched, nil if there are none.
func (a *action) updated(it dynamo.Item) dynamo.Item {
	if len(a.touched) == 0 || it == nil {
		return nil
	}
	if parts := expr.Project(a.touched).Apply(it); len(parts) > 0 {
		return parts
	}
	return nil
}

// GetItem reads one item by its whole key.
func (db *DB) GetItem(ctx context.Context, in *dynamo.GetItemInput) (*dynamo.GetItemOutput, error) {
	if err := checkTableName(nameOf(in.TableName)); err != nil {
		return nil, err
	}
	if err := checkDetail(in.ReturnConsumedCapacity); err != nil {
		return nil, err
	}
	p, err := db.projection(in.ProjectionExpression, &in.Expressions, in.AttributesToGet)
	if err != nil {
		return nil, err
	}
	if err := db.enter(ctx); err != nil {
		return nil, err
	}
	defer db.leave()
	t, err := db.table(in.TableName)
	if err != nil {
		return nil, err
	}
	if err := t.checkKey(in.Key); err != nil {
		return nil, err
	}
	it, size, err := t.get(db.store.Now(), in.Key)
	if err != nil {
		return nil, err
	}
	out := &dynamo.GetItemOutput{Item: project(p, it)}
	if in.ReturnConsumedCapacity != "" {
		c := tally{of: t, units: dynamo.ReadUnits(size, in.ConsistentRead)}
		out.ConsumedCapacity = c.consumed(in.ReturnConsumedCapacity, 1)
	}
	return out, nil
}

// checkKey checks a key in a request to read.
func (t *table) checkKey(key dynamo.Item) error {
	if err := t.checkKeyTypes(key); err != nil {
		return err
	}
	return t.checkKeyValues(key)
}

// get reads the item with a checked key, and its size.
func (t *table) get(v store.View, key dynamo.Item) (dynamo.Item, int, error) {
	var space [128]byte
	k, _ := t.base.AppendKey(space[:0], key)
	return v.Item(k)
}

// projection makes the projection of a request to read, nil if it has none.
func (db *DB) projection(src string, x *dynamo.Expressions, names []string) (*expr.Projection, error) {
	if err := notMixed([]parameter{{"AttributesToGet", names != nil}}, []parameter{{"ProjectionExpression", src != ""}}); err != nil {
		return nil, err
	}
	set, err := db.parsed.bind(expressionTexts{projection: src}, x, projectionOnly)
	if err != nil || names == nil {
		return set.projection, err
	}
	return expr.LegacyProjection(names)
}

func project(p *expr.Projection, it dynamo.Item) dynamo.Item {
	if p == nil || it == nil {
		return it
	}
	// An item that exists is an answer even if nothing of it is chosen.
	if it = p.Apply(it); it == nil {
		it = dynamo.Item{}
	}
	return it
}
