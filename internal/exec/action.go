package exec

import (
	"errors"
	"fmt"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/design"
)

// An action is one write with its values filled in.
type action struct {
	write     *design.Write
	entity    *design.Entity
	op        design.Op
	key       dynamo.Item
	item      dynamo.Item // of a put
	update    string
	condition string
	names     dynamo.Expressions
	never     bool        // the condition cannot hold
	returned  dynamo.Item // what the service gave back
}

// prepare fills in one write. It is nil for an optional one whose key has a NULL.
func (c *call) prepare(w *design.Write, rec *record) (*action, error) {
	e := c.Design.Entity(w.Kind.Entity)
	if e == nil {
		return nil, c.fault("the design has no kind of item %q", w.Kind.Entity)
	}
	a := &action{write: w, entity: e, op: w.Op}
	t := c.Design.Table(e.Table)
	scope := c.writeScope(rec)
	var err error
	if a.key, err = c.writeKey(w, e, scope); err != nil {
		var bad *ValueError
		switch isNull := errors.Is(err, design.ErrNullKey); {
		case isNull && w.Optional:
			return nil, nil
		case w.Op != design.PutItem && (isNull || errors.As(err, &bad)):
			// No row has such a key.
			a.never = true
			return a, nil
		case isNull:
			return nil, &ValueError{e.RowEntity(), w.PK.String(), "NULL in a key"}
		}
		return nil, err
	}
	if err := c.checkSet(w, e, scope); err != nil {
		return nil, err
	}
	if w.Op == design.PutItem {
		if a.item, err = c.putItem(w, e, a.key, scope); err != nil {
			return nil, err
		}
	}
	x, err := c.Design.ExpressWrite(c.plan, w, scope.Eval)
	if err != nil {
		return nil, c.asArgument(err)
	}
	a.update, a.condition, a.never = x.Update, x.Condition, x.Never
	a.names, err = bind(x, scope, func(b design.Binding) (dynamo.Value, error) {
		return newKey(t, e, b.Attribute, b.Template, assignKey, scope)
	})
	return a, err
}

// newKey spells the value that a key attribute gets.
func newKey(t *design.Table, e *design.Entity, attribute string, tpl design.Template, as convert, s *Scope) (dynamo.Value, error) {
	v, err := encodeKey(keyType(t, attribute), tpl, as, s.Eval)
	if err != nil {
		return v, err
	}
	if n := len(v.Str()); n == 0 || n > keyLimit(t, attribute) {
		return v, &ValueError{e.RowEntity(), tpl.String(),
			fmt.Sprintf("the key would have %d bytes; DynamoDB stores 1 to %d", n, keyLimit(t, attribute))}
	}
	return v, nil
}

// writeKey spells the base key of a write.
func (c *call) writeKey(w *design.Write, e *design.Entity, s *Scope) (dynamo.Item, error) {
	t := c.Design.Table(e.Table)
	key := dynamo.Item{}
	as := soughtKey
	if w.Op == design.PutItem || w.Upsert {
		as = assignKey
	}
	for _, part := range []struct {
		attribute string
		template  design.Template
	}{{t.PartitionKey.Name, w.PK}, {t.SortKey.Name, w.SK}} {
		if part.attribute == "" {
			continue
		}
		v, err := newKey(t, e, part.attribute, part.template, as, s)
		if err != nil {
			return nil, err
		}
		key = key.Set(part.attribute, v)
	}
	return key, nil
}

// checkSet checks the assigned values that do not depend on the item against their
// columns.
func (c *call) checkSet(w *design.Write, e *design.Entity, s *Scope) error {
	for _, set := range w.Set {
		a := e.Column(set.Attribute)
		if a == nil {
			continue
		}
		if w.Op == design.UpdateItem && hasColumns(set.Value) {
			continue
		}
		v, err := s.Eval(set.Value)
		if err != nil {
			return err
		}
		if v.IsNull() {
			if a.NotNull {
				return &ValueError{e.RowEntity(), a.Column, "NULL in a NOT NULL column"}
			}
			continue
		}
		if _, err := assign(a.Type, v); err != nil {
			return &ValueError{e.RowEntity(), a.Column, err.Error()}
		}
	}
	return nil
}

// putItem builds the item of a put: its columns, its tag and the keys the write names.
func (c *call) putItem(w *design.Write, e *design.Entity, key dynamo.Item, s *Scope) (dynamo.Item, error) {
	t := c.Design.Table(e.Table)
	item := key.Clone().Set(design.TypeAttribute, dynamo.String(e.Tag))
	for _, set := range w.Set {
		a := e.Column(set.Attribute)
		if a == nil {
			continue
		}
		v, err := s.Eval(set.Value)
		if err != nil {
			return nil, err
		}
		if v.IsNull() {
			continue
		}
		if v, err = assign(a.Type, v); err != nil {
			return nil, &ValueError{e.RowEntity(), a.Column, err.Error()}
		}
		item = item.Set(a.Name, v)
	}
	for _, k := range w.Keys {
		if isBaseKey(t, k.Attribute) {
			continue
		}
		v, err := newKey(t, e, k.Attribute, k.Template, assignKey, s)
		if errors.Is(err, design.ErrNullKey) {
			continue
		}
		if err != nil {
			return nil, err
		}
		item = item.Set(k.Attribute, v)
	}
	return item, nil
}

// mergeActions makes one action of a delete and a put of the same key, which a row that
// keeps its key under a statement that could change it leads to: the put, under the
// conditions of the delete.
func mergeActions(actions []*action) []*action {
	var out []*action
	at := map[string]int{}
	for _, a := range actions {
		fp := a.entity.Table + fingerprint(dynamo.Map(a.key))
		i, ok := at[fp]
		if !ok {
			at[fp] = len(out)
			out = append(out, a)
			continue
		}
		deleted, put := out[i], a
		if put.op == design.DeleteItem {
			deleted, put = put, deleted
		}
		if deleted.op != design.DeleteItem || put.op != design.PutItem {
			out = append(out, a)
			continue
		}
		merged := *deleted
		merged.op, merged.item = design.PutItem, put.item
		out[i] = &merged
	}
	return out
}

// writeEach sends writes one by one.
func (c *call) writeEach(r *design.Request, actions []*action) ([]*design.Write, error) {
	sent := Sent{Op: r.Op, Table: r.Table}
	for _, a := range actions {
		out, err := c.sendWrite(a)
		sent.Pages++
		if isFailedCondition(err) {
			// A failed condition costs as much as the write would have, which the answer
			// does not tell.
			c.sent(sent)
			return []*design.Write{a.write}, nil
		}
		if err != nil {
			return nil, err
		}
		sent.Items++
		sent.add(out.ConsumedCapacity)
		a.returned = out.Attributes
	}
	c.sent(sent)
	return nil, nil
}

func isFailedCondition(err error) bool {
	var e *dynamo.Error
	return errors.As(err, &e) && e.Code == dynamo.CodeConditionalCheckFailed
}

func (c *call) sendWrite(a *action) (*dynamo.WriteOutput, error) {
	switch a.op {
	case design.PutItem:
		return c.Client.PutItem(c.ctx, a.put())
	case design.UpdateItem:
		in := a.updateInput()
		in.ReturnValues = dynamo.ReturnAllNew
		return c.Client.UpdateItem(c.ctx, in)
	case design.DeleteItem:
		in := a.deleteInput()
		in.ReturnValues = dynamo.ReturnAllOld
		return c.Client.DeleteItem(c.ctx, in)
	}
	return nil, c.fault("%s is not a write of its own", a.op)
}

func (a *action) put() *dynamo.PutItemInput {
	return &dynamo.PutItemInput{TableName: a.entity.Table, Item: a.item, ConditionExpression: a.condition,
		Expressions: a.names, ReturnConsumedCapacity: dynamo.CapacityTotal}
}

func (a *action) updateInput() *dynamo.UpdateItemInput {
	return &dynamo.UpdateItemInput{TableName: a.entity.Table, Key: a.key, UpdateExpression: a.update,
		ConditionExpression: a.condition, Expressions: a.names, ReturnConsumedCapacity: dynamo.CapacityTotal}
}

func (a *action) deleteInput() *dynamo.DeleteItemInput {
	return &dynamo.DeleteItemInput{TableName: a.entity.Table, Key: a.key, ConditionExpression: a.condition,
		Expressions: a.names, ReturnConsumedCapacity: dynamo.CapacityTotal}
}

// transact sends all writes as one transaction.
func (c *call) transact(r *design.Request, actions []*action) ([]*design.Write, error) {
	in := &dynamo.TransactWriteItemsInput{ReturnConsumedCapacity: dynamo.CapacityTotal}
	for _, a := range actions {
		var t dynamo.TransactAction
		switch a.op {
		case design.PutItem:
			t.Put = a.put()
		case design.UpdateItem:
			t.Update = a.updateInput()
		case design.DeleteItem:
			t.Delete = a.deleteInput()
		case design.ConditionCheck:
			t.Check = a.deleteInput()
		}
		in.Actions = append(in.Actions, t)
	}
	sent := Sent{Op: r.Op, Table: r.Table, Pages: 1}
	out, err := c.Client.TransactWriteItems(c.ctx, in)
	var e *dynamo.Error
	if errors.As(err, &e) && e.Code == dynamo.CodeTransactionCanceled && !isConflict(err) {
		var failed []*design.Write
		for i, reason := range e.Reasons {
			if reason.Code == "ConditionalCheckFailed" && i < len(actions) {
				failed = append(failed, actions[i].write)
			}
		}
		if len(failed) > 0 {
			c.sent(sent)
			return failed, nil
		}
	}
	if err != nil {
		return nil, err
	}
	sent.Items = len(actions)
	for i := range out.ConsumedCapacity {
		sent.add(&out.ConsumedCapacity[i])
	}
	c.sent(sent)
	return nil, nil
}

// after returns the row that the action left behind, or removed; nil when there was none.
func (a *action) after(c *call, before *record) (*record, error) {
	t := c.Design.Table(a.entity.Table)
	switch {
	case a.op == design.PutItem:
		return decodeItem(t, nil, a.entity, a.item)
	case a.returned != nil:
		return decodeItem(t, nil, a.entity, a.returned)
	case a.op == design.DeleteItem || before == nil:
		return before, nil
	}
	row := before.row.Clone()
	scope := c.writeScope(before)
	for _, set := range a.write.Set {
		v, err := scope.Eval(set.Value)
		if err != nil {
			return nil, err
		}
		if col := a.entity.Column(set.Attribute); col != nil && !v.IsNull() {
			if v, err = assign(col.Type, v); err != nil {
				return nil, &ValueError{a.entity.RowEntity(), set.Attribute, err.Error()}
			}
		}
		if v.IsNull() {
			v = dynamo.Value{}
		}
		row = row.Set(set.Attribute, v)
	}
	return &record{entity: a.entity, row: row, unknown: before.unknown, key: before.key}, nil
}
