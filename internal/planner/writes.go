package planner

import (
	"slices"
	"strings"

	"github.com/keyfold-dev/keyfold/internal/design"
	"github.com/keyfold-dev/keyfold/internal/diag"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// A writer builds the plan of one write: the row's own item, the items that guard its
// unique keys, and a read before them when the parameters do not say enough.
type writer struct {
	l   *layout
	w   *write
	row *design.Entity
	set map[string]model.Expr // new values of assigned columns
	// old lists the columns that only the row as it is can tell.
	old []string
	// computed says why an assignment needs them, "" when it is keys that do.
	computed string
	writes   []*design.Write
}

func (l *layout) planWrite(out *design.Plan, w *write) {
	x := &writer{l: l, w: w, row: l.d.Entity(w.entity.Name), set: map[string]model.Expr{}}
	switch {
	case w.insert:
		x.insert(out)
	case w.update:
		x.update()
		out.Strategy = "primary key + UpdateItem"
	default:
		x.delete()
		out.Strategy = "primary key + DeleteItem"
	}
	if out.Refused {
		return
	}
	x.assemble(out)
}

// assemble makes requests of the writes: one alone, several as a transaction, behind a
// read where the old row is needed.
func (x *writer) assemble(out *design.Plan) {
	if len(x.old) > 0 {
		for _, w := range x.writes {
			if w.Kind.Entity == x.row.Name && w.Op != design.PutItem {
				w.Unchanged = x.old
			}
		}
		out.Requests = append(out.Requests, &design.Request{Op: design.GetItem, Table: x.l.table, Each: -1, Consistent: true,
			Gets: []design.Get{{Kind: design.Kind{Entity: x.row.Name, Source: -1}, PK: x.writes[0].PK, SK: x.writes[0].SK}}})
		out.Strategy = "read, then guarded write"
		out.Reason = "the keys to write are made of columns that the parameters do not give, so the row is read first and must not change in between"
		text := "keys to change are made of " + strings.Join(x.old, ", ") + ", which the statement does not give"
		hint := "name " + strings.Join(x.old, ", ") + " in the WHERE, with the values that the row has, to save the read"
		if x.computed != "" {
			out.Reason = x.computed + ", so the row is read first and must not change in between"
			text, hint = x.computed, "add or subtract a number, or give the new value as a parameter, to save the read"
		}
		x.l.w.findings = append(x.l.w.findings, finding{x.w.pattern, diag.Warning, CodeRequests, x.w.pattern.Pos,
			"the row is read before it is written: " + text, hint})
	}
	op := x.writes[0].Op
	if len(x.writes) > 1 {
		op = design.TransactWriteItems
		out.Strategy = "unique key items + TransactWriteItems"
	}
	out.Requests = append(out.Requests, &design.Request{Op: op, Table: x.l.table, Each: -1, Writes: x.writes})
	if out.Reason == "" {
		out.Reason = "the parameters make the whole key " + x.writes[0].PK.String() + " / " + x.writes[0].SK.String()
	}
}

func (x *writer) kind(e *design.Entity) design.Kind { return design.Kind{Entity: e.Name, Source: -1} }

// template binds one of e's own key attributes.
func (x *writer) template(e *design.Entity, attribute string, value func(string) model.Expr) design.Template {
	k := e.Key(attribute)
	if k == nil {
		return nil
	}
	return k.Template.Bind(value)
}

// current gives a column's value before the write: from the WHERE, or from the row.
func (x *writer) current(attr string) model.Expr {
	for _, f := range x.w.eq {
		if f.attr == attr {
			return f.expr
		}
	}
	if !slices.Contains(x.old, attr) {
		x.old = append(x.old, attr)
	}
	return nil
}

// next gives a column's value after the write. An expression over the row as it was
// needs that row.
func (x *writer) next(attr string) model.Expr {
	e, ok := x.set[attr]
	if !ok {
		return x.current(attr)
	}
	for _, c := range columnsIn(nil, e, 0) {
		if !slices.Contains(x.old, c) {
			x.old = append(x.old, c)
		}
	}
	return e
}

func (x *writer) update() {
	w := &design.Write{Op: design.UpdateItem, Kind: x.kind(x.row), Exists: true, Condition: x.conditions()}
	for _, s := range x.w.pattern.Update.Set {
		w.Set = append(w.Set, *s)
		x.set[s.Attribute] = s.Value
	}
	w.PK, w.SK = x.template(x.row, "PK", x.current), x.template(x.row, "SK", x.current)
	for _, k := range x.row.Keys {
		if k.Attribute == "PK" || k.Attribute == "SK" || !slices.ContainsFunc(k.Template.Columns(), x.assigned) {
			continue
		}
		w.Keys = append(w.Keys, &design.Key{Attribute: k.Attribute, Template: k.Template.Bind(x.next)})
	}
	x.readNullable(w)
	x.writes = append(x.writes, w)
	for _, g := range x.l.d.Guards(x.row.Name) {
		x.updateGuard(g)
	}
}

func (x *writer) assigned(attr string) bool { _, ok := x.set[attr]; return ok }

// readNullable reads the row first where an assignment computes with a column that may
// be NULL, or in a way that an update expression cannot.
func (x *writer) readNullable(w *design.Write) {
	for _, s := range w.Set {
		cols := columnsIn(nil, s.Value, 0)
		err := x.row.ExpressibleSet(&s)
		if len(cols) == 0 || err == nil {
			continue
		}
		if len(x.old) == 0 {
			x.computed = err.Error()
		}
		for _, c := range cols {
			if !slices.Contains(x.old, c) {
				x.old = append(x.old, c)
			}
		}
	}
}

// updateGuard keeps the item of a unique key in step: moved when the key changes, changed
// when it repeats an assigned column.
func (x *writer) updateGuard(g *design.Entity) {
	if slices.ContainsFunc(g.Unique, x.assigned) {
		for _, a := range g.Attributes {
			x.current(a.Column)
		}
		x.deleteGuard(g)
		w := &design.Write{Op: design.PutItem, Kind: x.kind(g), Absent: true, ErrorOnFail: true, Optional: true,
			PK: x.template(g, "PK", x.next), SK: x.template(g, "SK", x.next)}
		for _, a := range g.Attributes {
			w.Set = append(w.Set, model.Assignment{Attribute: a.Column, Value: x.value(a.Column)})
		}
		x.writes = append(x.writes, w)
		return
	}
	w := &design.Write{Op: design.UpdateItem, Kind: x.kind(g), Optional: true}
	for _, s := range x.w.pattern.Update.Set {
		if g.Column(s.Attribute) != nil {
			w.Set = append(w.Set, *s)
		}
	}
	if len(w.Set) > 0 {
		w.PK, w.SK = x.template(g, "PK", x.current), x.template(g, "SK", x.current)
		x.writes = append(x.writes, w)
	}
}

// value is the new value of a column as an expression, the column itself when it stays.
func (x *writer) value(attr string) model.Expr {
	if e := x.next(attr); e != nil {
		return e
	}
	a := x.w.entity.Attribute(attr)
	return model.NewColumn(model.At(a.Type, a.Pos), 0, "", attr)
}

func (x *writer) deleteGuard(g *design.Entity) {
	x.writes = append(x.writes, &design.Write{Op: design.DeleteItem, Kind: x.kind(g), Optional: true,
		PK: x.template(g, "PK", x.current), SK: x.template(g, "SK", x.current)})
}

func (x *writer) delete() {
	x.writes = append(x.writes, &design.Write{Op: design.DeleteItem, Kind: x.kind(x.row), Exists: true,
		Condition: x.conditions(), PK: x.template(x.row, "PK", x.current), SK: x.template(x.row, "SK", x.current)})
	for _, g := range x.l.d.Guards(x.row.Name) {
		x.deleteGuard(g)
	}
}

// conditions are what the WHERE says beyond the base key.
func (x *writer) conditions() []model.Expr {
	out := slices.Clone(x.w.rest)
	base := x.l.baseSeat(x.w.entity).path
	for _, f := range x.w.eq {
		if base.has(f.attr) {
			continue
		}
		a := x.w.entity.Attribute(f.attr)
		col := model.NewColumn(model.At(a.Type, f.expr.Pos()), 0, "", f.attr)
		out = append(out, f.conjunct(x.w.pattern, col))
	}
	return out
}
