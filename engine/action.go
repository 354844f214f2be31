package engine

import (
	"context"
	"errors"
	"sync"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/engine/internal/store"
	"github.com/keyfold-dev/keyfold/internal/expr"
)

// An operation is what an action does to its item.
type operation uint8

const (
	opPut operation = iota
	opUpdate
	opDelete
	opCheck // no change: the condition only
)

// An action is one write of one item, or one condition on it: PutItem, UpdateItem and
// DeleteItem have one, batches and transactions many. It goes through three steps: the
// request makes it, resolve ties it to a table, and commit carries it out.
type action struct {
	op        operation
	tableName string
	item      dynamo.Item // the item to put; otherwise the key
	condition *expr.Condition
	update    *expr.Update
	returns   dynamo.ReturnValues
	failure   bool                   // a failed condition returns the item
	still     func(dynamo.Item) bool // a further condition, of the database's own
	expired   bool                   // the database removes it, because its time to live is over

	table *table
	key   store.Key

	old, new         dynamo.Item
	found            bool // there was an item
	oldSize, newSize int
	touched          []expr.Path // what the update set or removed
	cost             writeCost
}

// A writeCost is what a write costs and changes, on the table and on each of its indexes
// in their order.
type writeCost struct {
	table   change
	indexes []change
}

// A change is the cost of a write to one tree, in write units, and what it adds to the
// tree's statistics.
type change struct {
	units        float64
	items, bytes int64
}

// resolve finds the table and makes the key, which has been checked.
func (a *action) resolve(db *DB) error {
	t, err := db.table(a.tableName)
	if err != nil {
		return err
	}
	a.table = t
	return nil
}

// checkValues finds the faults that are the request's even in a transaction.
func (a *action) checkValues() error {
	if err := a.table.checkKeyValues(a.item); err != nil {
		return err
	}
	if a.op == opPut {
		return a.table.checkIndexValues(a.item, false)
	}
	if a.op == opUpdate && a.update != nil {
		for _, name := range a.update.Attributes() {
			if a.table.isKey(name) {
				return invalid(parametersInvalid+"Cannot update attribute %s. This attribute is part of the key", name)
			}
		}
	}
	return nil
}

// checkTypes finds the faults that cancel a transaction.
func (a *action) checkTypes() error {
	if a.op == opPut {
		return a.table.checkItemTypes(a.item)
	}
	return a.table.checkKeyTypes(a.item)
}

// locate makes the key. The types have been checked.
func (a *action) locate() {
	key, ok := a.table.base.AppendKey(make(store.Key, 0, 96), a.item)
	if !ok {
		panic("keyfold: internal error: no key in a checked item")
	}
	a.key = key
}

// needsOld reports whether the item as it was matters beyond its size.
func (a *action) needsOld() bool {
	return a.condition != nil || a.still != nil || a.op == opUpdate || a.returns == dynamo.ReturnAllOld || len(a.table.indexes) > 0 || a.table.stream != nil
}

// evaluate reads the item as it is, checks the condition and finds what the item becomes.
// The item is locked.
func (a *action) evaluate(v store.View) error {
	err := v.Get(a.key, func(r store.Row) (err error) {
		a.found, a.oldSize = r.Found(), r.Size
		if a.needsOld() {
			a.old, err = r.Item()
		}
		return err
	})
	if err != nil {
		return err
	}
	if a.condition != nil && !a.condition.Eval(a.old) || a.still != nil && !a.still(a.old) {
		return a.conditionFailed()
	}
	switch a.op {
	case opPut:
		a.new = a.item
	case opUpdate:
		return a.applyUpdate()
	case opCheck:
		a.new, a.newSize = a.old, a.oldSize
	}
	return nil
}

func (a *action) conditionFailed() error {
	a.cost.table.units = dynamo.WriteUnits(a.oldSize)
	e := &dynamo.Error{Code: dynamo.CodeConditionalCheckFailed, Message: textConditionFailed}
	if a.failure {
		e.Item = a.old
	}
	return e
}

// A requestFault is found while an action is carried out and yet is the fault of the whole
// request, not the reason why a transaction is cancelled.
type requestFault struct{ error }

func (a *action) applyUpdate() (err error) {
	a.new = a.old
	switch {
	case a.update == nil:
	case a.found:
		a.new, a.touched, err = a.update.Apply(a.old)
	default:
		a.new, a.touched, err = a.update.ApplyNew(a.item)
	}
	if err != nil {
		return err
	}
	if !a.found {
		if a.update != nil && a.update.OnlyRemoves() {
			a.new = nil
			return nil
		}
		a.new = a.new.Clone()
		for _, k := range a.item {
			a.new = a.new.Set(k.Name, k.Value)
		}
	}
	if err := a.table.checkIndexValues(a.new, true); err != nil {
		return requestFault{err}
	}
	if err := a.checkUpdatedTypes(); err != nil {
		return err
	}
	if a.newSize = dynamo.ItemSize(a.new); a.newSize > dynamo.MaxItemSize {
		return invalid(textUpdateTooLarge)
	}
	return checkDepth(a.new)
}

// checkUpdatedTypes is checkIndexTypes for an update, which has another text for values that
// it has computed.
func (a *action) checkUpdatedTypes() error {
	err := a.table.checkIndexTypes(a.new)
	if err == nil || a.update == nil {
		return err
	}
	for _, ix := range a.table.indexes {
		for _, part := range [...][]store.KeyAttribute{ix.Partition, ix.Sort} {
			for _, k := range part {
				actual := a.new.Get(k.Name).Type()
				if actual != k.Type && actual != dynamo.Absent && a.update.Computes(k.Name) {
					return invalid("The update expression attempted to update the secondary index key to unsupported type")
				}
			}
		}
	}
	return err
}

// A writer is the memory that carrying out actions needs; it is used again.
type writer struct {
	value   store.Value
	indexes indexWriter
}

var writers = sync.Pool{New: func() any { return new(writer) }}

// write adds the changes of an evaluated action to b and finds its cost.
func (a *action) write(b *store.Batch, w *writer) {
	c := &a.cost.table
	c.units = dynamo.WriteUnits(max(a.oldSize, a.newSize))
	if a.op == opCheck {
		return
	}
	c.bytes = int64(a.newSize - a.oldSize)
	switch {
	case a.new != nil:
		w.value = store.AppendValue(w.value[:0], a.new, a.newSize)
		b.Put(a.key, w.value)
		if !a.found {
			c.items = 1
		}
	case a.found:
		b.Delete(a.key)
		c.items = -1
	}
	if len(a.table.indexes) == 0 {
		return
	}
	a.cost.indexes = make([]change, len(a.table.indexes))
	for i, ix := range a.table.indexes {
		a.cost.indexes[i] = w.indexes.write(b, ix, a.old, a.new)
	}
}

// count brings the statistics in step with a write that has been applied.
func (a *action) count() {
	a.table.base.add(a.cost.table.items, a.cost.table.bytes)
	for i, c := range a.cost.indexes {
		if c != (change{}) {
			a.table.indexes[i].add(c.items, c.bytes)
		}
	}
}

// commit carries out the actions, all or none, and waits until they are on disk. When
// some cannot be, failed says with what fault; err is for faults of the whole. Nothing is
// done when the client token, if there is one, has been used before.
func (db *DB) commit(ctx context.Context, actions []*action, use *tokenUse) (failed []error, err error) {
	b, failed, err := db.applyLocked(ctx, actions, use)
	if b == nil {
		return failed, err
	}
	// What follows in the log cannot get to disk before this does, so others may go on
	// with these items while it is on its way.
	defer b.Release()
	return nil, b.Wait()
}

func (db *DB) applyLocked(ctx context.Context, actions []*action, use *tokenUse) (b *store.Batch, failed []error, err error) {
	var locks lockSet
	for _, a := range actions {
		locks.add(&db.items, a.key)
	}
	if use != nil {
		locks.add(&db.items, []byte(use.token))
	}
	locks.lock()
	defer locks.unlock()
	return db.apply(ctx, actions, use)
}

// apply evaluates the actions and applies their changes. b is nil when there is nothing to wait for.
func (db *DB) apply(ctx context.Context, actions []*action, use *tokenUse) (b *store.Batch, failed []error, err error) {
	if use != nil {
		if done, err := use.seen(db); done || err != nil {
			return nil, nil, err
		}
	}
	if failed, err = db.evaluate(ctx, actions); failed != nil || err != nil {
		return nil, failed, err
	}
	b = db.store.Batch()
	w := writers.Get().(*writer)
	var records []pendingRecord
	for _, a := range actions {
		a.write(b, w)
		if a.table.stream != nil {
			records = a.appendRecord(records)
		}
	}
	writers.Put(w)
	if use != nil {
		err = use.keep(db, b)
	}
	switch {
	case err != nil:
	case records != nil:
		err = db.applyRecords(b, records)
	default:
		err = b.Apply()
	}
	if err != nil {
		b.Release()
		return nil, nil, err
	}
	for _, a := range actions {
		a.count()
		if invariants {
			a.verify(db.store.Now())
		}
	}
	return b, nil, nil
}

// evaluate evaluates all actions; failed has the faults that the service reports, nil if
// there are none.
func (db *DB) evaluate(ctx context.Context, actions []*action) (failed []error, err error) {
	view := db.store.Now()
	for i, a := range actions {
		if i > 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err := a.evaluate(view); err != nil {
			var whole requestFault
			if errors.As(err, &whole) {
				return nil, whole.error
			}
			var fault *dynamo.Error
			if !errors.As(err, &fault) {
				return nil, err
			}
			if failed == nil {
				failed = make([]error, len(actions))
			}
			failed[i] = fault
		}
	}
	return failed, nil
}
