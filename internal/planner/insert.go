package planner

import (
	"slices"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/design"
	"github.com/keyfold-dev/keyfold/internal/diag"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// insert plans an INSERT: a put that must find no item, with a guard for each further
// unique key, or an update that may make the item, for ON CONFLICT DO UPDATE.
func (x *writer) insert(out *design.Plan) {
	ins := x.w.pattern.Insert
	for _, v := range ins.Values {
		x.set[v.Attribute] = v.Value
	}
	c := ins.Conflict
	if c != nil && c.Set != nil {
		x.upsert(out, ins)
		return
	}
	out.Strategy = "primary key + PutItem"
	own := c == nil || c.Target != nil && !sameSet(c.Target, x.w.entity.PrimaryKey)
	put := x.put(x.row, own)
	x.writes = []*design.Write{put}
	for _, g := range x.l.d.Guards(x.row.Name) {
		fails := c == nil || c.Target != nil && !sameSet(c.Target, g.Unique)
		x.writes = append(x.writes, x.put(g, fails))
	}
}

// put spells a whole new item of a kind.
func (x *writer) put(e *design.Entity, fails bool) *design.Write {
	w := &design.Write{Op: design.PutItem, Kind: x.kind(e), Absent: true, ErrorOnFail: fails, Optional: e.Of != "",
		PK: x.template(e, "PK", x.inserted), SK: x.template(e, "SK", x.inserted)}
	for _, v := range x.w.pattern.Insert.Values {
		if e.Column(v.Attribute) != nil {
			w.Set = append(w.Set, *v)
		}
	}
	for _, k := range e.Keys {
		if k.Attribute != "PK" && k.Attribute != "SK" {
			w.Keys = append(w.Keys, &design.Key{Attribute: k.Attribute, Template: k.Template.Bind(x.inserted)})
		}
	}
	return w
}

func (x *writer) inserted(attr string) model.Expr { return x.set[attr] }

// upsert plans ON CONFLICT (primary key) DO UPDATE as one UpdateItem: what it assigns on a
// conflict must be what it would insert, or an increment of it; columns it does not
// assign keep their value if the row is there.
func (x *writer) upsert(out *design.Plan, ins *model.Insert) {
	out.Strategy = "primary key + UpdateItem (upsert)"
	if why, pos := x.upsertFault(ins); why != "" {
		x.l.w.findings = append(x.l.w.findings, finding{x.w.pattern, diag.Error, CodeWriteShape, pos, why,
			"assign EXCLUDED values or counters in DO UPDATE, or split the statement into an INSERT and an UPDATE"})
		out.Refused = true
		return
	}
	w := &design.Write{Op: design.UpdateItem, Kind: x.kind(x.row), Upsert: true,
		PK: x.template(x.row, "PK", x.inserted), SK: x.template(x.row, "SK", x.inserted)}
	for _, v := range ins.Values {
		e := v.Value
		if s := assignment(ins.Conflict.Set, v.Attribute); s != nil {
			e, _ = merged(s.Value, v.Value, x.set)
		} else if !slices.Contains(x.w.entity.PrimaryKey, v.Attribute) {
			if isNull(v.Value) {
				continue
			}
			e = ifNotExists(x.w.entity.Attribute(v.Attribute), v.Value)
		}
		w.Set = append(w.Set, model.Assignment{Attribute: v.Attribute, Value: e, Pos: v.Pos})
	}
	for _, k := range x.row.Keys {
		if k.Attribute != "PK" && k.Attribute != "SK" {
			w.Keys = append(w.Keys, &design.Key{Attribute: k.Attribute, Template: k.Template.Bind(x.inserted)})
		}
	}
	x.writes = []*design.Write{w}
}

func assignment(set []*model.Assignment, attr string) *model.Assignment {
	for _, s := range set {
		if s.Attribute == attr {
			return s
		}
	}
	return nil
}

// upsertFault says why one update cannot do what the statement wants.
func (x *writer) upsertFault(ins *model.Insert) (string, diag.Pos) {
	c := ins.Conflict
	switch {
	case !sameSet(c.Target, x.w.entity.PrimaryKey):
		return "DO UPDATE needs the primary key as its conflict target, whose item the parameters name", c.Pos
	case len(c.Where) > 0:
		return "a WHERE in DO UPDATE would have to hold only if the row exists", c.Pos
	case len(x.l.d.Guards(x.row.Name)) > 0:
		return "a further UNIQUE key would have to be claimed only if the row is new", c.Pos
	}
	for _, v := range ins.Values {
		s := assignment(c.Set, v.Attribute)
		if s != nil {
			if _, ok := merged(s.Value, v.Value, x.set); !ok {
				return v.Attribute + " gets one value in a new row and another in an old one, which one update cannot tell apart", s.Pos
			}
		}
		if s == nil && !isNull(v.Value) && !x.w.entity.Attribute(v.Attribute).NotNull {
			return v.Attribute + " may be NULL in an existing row, which looks the same as a row that is not there", c.Pos
		}
		constant := s != nil && len(columnsIn(nil, s.Value, 0)) == 0 || slices.Contains(x.w.entity.PrimaryKey, v.Attribute)
		if !constant && x.inIndexKey(v.Attribute) {
			return v.Attribute + " is part of an index key and an existing row may hold another value of it", c.Pos
		}
	}
	return "", diag.Pos{}
}

func (x *writer) inIndexKey(attr string) bool {
	return slices.ContainsFunc(x.row.Keys, func(k *design.Key) bool {
		return k.Attribute != "PK" && k.Attribute != "SK" && slices.Contains(k.Template.Columns(), attr)
	})
}

// merged returns one expression that gives a new row its inserted value and an old row
// its assigned one.
func merged(assigned, inserted model.Expr, excluded map[string]model.Expr) (model.Expr, bool) {
	e := model.Map(assigned, func(c *model.Column) model.Expr {
		if c.Source == 1 {
			return excluded[c.Attribute]
		}
		return c
	})
	cols := columnsIn(nil, e, 0)
	if len(cols) == 0 {
		return e, e.String() == inserted.String()
	}
	b, ok := e.(*model.Binary)
	if !ok || b.Op != model.OpAdd || len(cols) != 1 {
		return nil, false
	}
	col, ok := b.Left.(*model.Column)
	if !ok || b.Right.String() != inserted.String() {
		return nil, false
	}
	zero := model.NewLiteral(model.At(col.Type(), col.Pos()), dynamo.Int(0))
	call := model.NewCall(model.At(col.Type(), col.Pos()), "if_not_exists", []model.Expr{col, zero}, false, false)
	return model.NewBinary(model.At(b.Type(), b.Pos()), model.OpAdd, call, b.Right), true
}

func isNull(e model.Expr) bool {
	l, ok := e.(*model.Literal)
	return ok && l.Value.IsNull()
}

// ifNotExists keeps a column's value if the item has one.
func ifNotExists(a *model.Attribute, v model.Expr) model.Expr {
	col := model.NewColumn(model.At(a.Type, a.Pos), 0, "", a.Name)
	return model.NewCall(model.At(a.Type, v.Pos()), "if_not_exists", []model.Expr{col, v}, false, false)
}
