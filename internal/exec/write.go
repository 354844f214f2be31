package exec

import (
	"errors"
	"fmt"
	"slices"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/design"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// maxAttempts is how often a write is tried when others change its row at the same time.
const maxAttempts = 32

// write runs a statement that changes rows: the rows it must read first, then its writes
// for each of them.
func (c *call) write() error {
	var reads, writes []*design.Request
	for _, r := range c.plan.Requests {
		if len(r.Writes) == 0 {
			reads = append(reads, r)
		} else {
			writes = append(writes, r)
		}
	}
	c.result.describe(c.returning())
	if len(reads) == 0 {
		return c.writeRow(nil, writes, nil)
	}
	records, err := c.readTargets(reads)
	if err != nil {
		return err
	}
	if len(records) == 0 && c.plan.Pattern.Insert != nil {
		return c.writeRow(nil, writes, nil)
	}
	for _, rec := range records {
		again := func() (*record, error) { return c.readAgain(reads, rec) }
		if err := c.writeRow(rec, writes, again); err != nil {
			return err
		}
	}
	return nil
}

// target is the model entity that the statement changes.
func (c *call) target() string {
	switch p := c.plan.Pattern; {
	case p.Insert != nil:
		return p.Insert.Entity
	case p.Update != nil:
		return p.Update.Entity
	default:
		return p.Delete.Entity
	}
}

func (c *call) returning() []*model.Output {
	switch p := c.plan.Pattern; {
	case p.Insert != nil:
		return p.Insert.Returning
	case p.Update != nil:
		return p.Update.Returning
	default:
		return p.Delete.Returning
	}
}

// readTargets reads the rows that the statement speaks of.
func (c *call) readTargets(reads []*design.Request) ([]*record, error) {
	f := &fetch{call: c, records: make([][]*record, 1)}
	for _, r := range reads {
		if err := f.request(r); err != nil {
			return nil, err
		}
	}
	var out []*record
	for _, rec := range f.records[0] {
		ok, err := c.all(c.plan.Client.Filter, c.writeScope(rec))
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, rec)
		}
	}
	return out, nil
}

// readAgain reads a row once more; nil when the statement no longer speaks of it.
func (c *call) readAgain(reads []*design.Request, old *record) (*record, error) {
	records, err := c.readTargets(reads)
	if err != nil {
		return nil, err
	}
	for _, rec := range records {
		if rec.key == old.key {
			return rec, nil
		}
	}
	return nil, nil
}

// writeScope resolves columns of the target row as it was read, or as the statement's
// equalities identify it, and those of the row proposed for insertion.
func (c *call) writeScope(rec *record) *Scope {
	s := c.scope(drive{})
	s.Column = func(col *model.Column) (dynamo.Value, error) {
		if col.Source == 1 && c.plan.Pattern.Insert != nil {
			for _, a := range c.plan.Pattern.Insert.Values {
				if a.Attribute == col.Attribute {
					return s.Eval(a.Value)
				}
			}
		}
		if rec != nil {
			return rec.value(col.Attribute)
		}
		if e := c.identity(col.Attribute); e != nil {
			return s.Eval(e)
		}
		return dynamo.Value{}, c.fault("the plan needs column %s of a row it has not read", col.Attribute)
	}
	return s
}

// identity returns what the statement's WHERE equates a column with, or nil.
func (c *call) identity(column string) model.Expr {
	var where []model.Expr
	switch p := c.plan.Pattern; {
	case p.Update != nil:
		where = p.Update.Where
	case p.Delete != nil:
		where = p.Delete.Where
	}
	for _, e := range where {
		b, ok := e.(*model.Binary)
		if !ok || b.Op != model.OpEq {
			continue
		}
		for _, side := range [][2]model.Expr{{b.Left, b.Right}, {b.Right, b.Left}} {
			col, isColumn := side[0].(*model.Column)
			if isColumn && col.Attribute == column && !hasColumns(side[1]) {
				return side[1]
			}
		}
	}
	return nil
}

func hasColumns(e model.Expr) bool {
	found := false
	model.Walk(e, func(e model.Expr) bool {
		if _, ok := e.(*model.Column); ok {
			found = true
		}
		return !found
	})
	return found
}

// writeRow does the writes of one row. again reads the row once more after a conflict; it
// is nil when the plan reads nothing.
func (c *call) writeRow(rec *record, writes []*design.Request, again func() (*record, error)) error {
	clear(c.uuids)
	for attempt := range maxAttempts {
		failed, row, err := c.tryWrite(rec, writes)
		conflict := isConflict(err)
		switch {
		case err != nil && !conflict:
			return err
		case err == nil && len(failed) == 0:
			c.result.Affected++
			return c.returnRow(row)
		case err == nil && again == nil:
			return c.failure(failed)
		}
		if attempt > 0 || conflict {
			if err := backOff(c.ctx, attempt); err != nil {
				return err
			}
		}
		if again == nil {
			continue
		}
		next, err := again()
		switch {
		case err != nil || next == nil:
			return err
		case !conflict && dynamo.EqualItems(next.row, rec.row):
			return c.failure(failed)
		}
		rec = next
	}
	return fmt.Errorf("%s: others changed the row at each of %d attempts", c.plan.Pattern.Name, maxAttempts)
}

// isConflict reports whether another transaction was at the same item.
func isConflict(err error) bool {
	var e *dynamo.Error
	if !errors.As(err, &e) {
		return false
	}
	return e.Code == dynamo.CodeTransactionConflict || e.Code == dynamo.CodeTransactionCanceled &&
		slices.ContainsFunc(e.Reasons, func(r dynamo.CancellationReason) bool { return r.Code == "TransactionConflict" })
}

// failure says what failed conditions mean for the statement. A row that is not there or
// does not satisfy the WHERE comes before a duplicate.
func (c *call) failure(failed []*design.Write) error {
	for _, w := range failed {
		if !w.ErrorOnFail {
			return nil
		}
	}
	w := failed[0]
	e := c.Design.Entity(w.Kind.Entity)
	dup := &DuplicateError{Pattern: c.plan.Pattern.Name, Entity: e.RowEntity(), Columns: e.Unique}
	if e.Of == "" {
		dup.Columns = nil
		for _, k := range e.Keys {
			if isBaseKey(c.Design.Table(e.Table), k.Attribute) {
				dup.Columns = append(dup.Columns, k.Template.Columns()...)
			}
		}
	}
	return dup
}

// tryWrite sends the writes of one row, and returns those whose condition did not hold
// or the row as it is afterwards (of a DELETE: as it was).
func (c *call) tryWrite(rec *record, requests []*design.Request) ([]*design.Write, *record, error) {
	var row *record
	for _, r := range requests {
		var actions []*action
		for _, w := range r.Writes {
			a, err := c.prepare(w, rec)
			if err != nil {
				return nil, nil, err
			}
			if a != nil {
				actions = append(actions, a)
			}
		}
		if actions = mergeActions(actions); len(actions) == 0 {
			continue
		}
		if never := slices.IndexFunc(actions, func(a *action) bool { return a.never }); never >= 0 {
			return []*design.Write{actions[never].write}, nil, nil
		}
		var failed []*design.Write
		var err error
		if r.Op == design.TransactWriteItems {
			failed, err = c.transact(r, actions)
		} else {
			failed, err = c.writeEach(r, actions)
		}
		if err != nil || len(failed) > 0 {
			return failed, nil, err
		}
		if len(actions) == 1 && actions[0].op == design.DeleteItem && r.Op == design.DeleteItem && actions[0].returned == nil {
			// The item was not there.
			return []*design.Write{{Op: design.DeleteItem}}, nil, nil
		}
		if row, err = c.rowAfter(actions, rec, row); err != nil {
			return nil, nil, err
		}
	}
	return nil, row, nil
}

// rowAfter returns the row that RETURNING speaks of: as a put or update of the target left
// it, or else as a delete found it.
func (c *call) rowAfter(actions []*action, before, row *record) (*record, error) {
	if len(c.returning()) == 0 {
		return nil, nil
	}
	for _, a := range actions {
		if a.entity.Name != c.target() || row != nil && a.op == design.DeleteItem {
			continue
		}
		var err error
		if row, err = a.after(c, before); err != nil {
			return nil, err
		}
	}
	return row, nil
}

// returnRow adds the row of a RETURNING clause.
func (c *call) returnRow(row *record) error {
	outputs := c.returning()
	if len(outputs) == 0 {
		return nil
	}
	if row == nil {
		return c.fault("the plan's writes do not give back the row that RETURNING asks for")
	}
	s := c.writeScope(row)
	values := make([]dynamo.Value, len(outputs))
	for i, o := range outputs {
		v, err := s.Eval(o.Expr)
		if err != nil {
			return err
		}
		values[i] = v
	}
	c.result.Rows = append(c.result.Rows, values)
	return nil
}
