package verify

import (
	"slices"

	"github.com/keyfold-dev/keyfold/internal/model"
)

// A use is one place where a parameter meets a column, or stands for a number of rows.
type use struct {
	param  string
	query  *model.Query // the SELECT, or the WHERE of a write as one
	source int
	column *model.Attribute // nil when it meets none
	op     model.Op         // a comparison, LIKE, or "" for an assignment
	count  bool             // LIMIT or OFFSET
}

// eachExpr calls f for every expression of a pattern.
func eachExpr(p *model.AccessPattern, f func(model.Expr)) {
	all := func(list []model.Expr) {
		for _, e := range list {
			f(e)
		}
	}
	outputs := func(list []*model.Output) {
		for _, o := range list {
			f(o.Expr)
		}
	}
	assignments := func(list []*model.Assignment) {
		for _, a := range list {
			f(a.Value)
		}
	}
	for _, q := range branches(p) {
		for _, s := range q.Sources {
			all(s.On)
		}
		all(q.Where)
		all(q.GroupBy)
		all(q.Having)
		outputs(q.Columns)
		for _, o := range q.OrderBy {
			f(o.Expr)
		}
	}
	if p.Insert != nil {
		assignments(p.Insert.Values)
		outputs(p.Insert.Returning)
		if c := p.Insert.Conflict; c != nil {
			assignments(c.Set)
			all(c.Where)
		}
	}
	if p.Update != nil {
		assignments(p.Update.Set)
		outputs(p.Update.Returning)
	}
}

// branches gives the SELECTs of a pattern, or the WHERE of a write as one.
func branches(p *model.AccessPattern) []*model.Query {
	switch {
	case p.Query != nil:
		return append([]*model.Query{p.Query}, p.Query.Union...)
	case p.Update != nil:
		return []*model.Query{{Sources: []*model.Source{{Entity: p.Update.Entity}}, Where: p.Update.Where}}
	case p.Delete != nil:
		return []*model.Query{{Sources: []*model.Source{{Entity: p.Delete.Entity}}, Where: p.Delete.Where}}
	}
	return nil
}

// uses finds where the parameters of a pattern stand, in the SELECTs given.
func (g *generator) uses(p *model.AccessPattern, selects []*model.Query) []use {
	var out []use
	for _, q := range selects {
		conjuncts := slices.Clone(q.Where)
		for _, s := range q.Sources {
			conjuncts = append(conjuncts, s.On...)
		}
		for _, c := range conjuncts {
			model.Walk(c, func(e model.Expr) bool {
				out = append(out, g.comparison(q, e)...)
				return true
			})
		}
		for _, e := range []model.Expr{q.Limit, q.Offset} {
			if ref, ok := e.(*model.ParamRef); ok {
				out = append(out, use{param: ref.Name, count: true})
			}
		}
	}
	assign := func(entity string, list []*model.Assignment) {
		for _, a := range list {
			for _, name := range paramsIn(a.Value) {
				u := use{param: name}
				if _, alone := a.Value.(*model.ParamRef); alone {
					u.column = g.model.Entity(entity).Attribute(a.Attribute)
				}
				out = append(out, u)
			}
		}
	}
	if p.Update != nil {
		assign(p.Update.Entity, p.Update.Set)
	}
	if p.Insert != nil {
		assign(p.Insert.Entity, p.Insert.Values)
		if p.Insert.Conflict != nil {
			assign(p.Insert.Entity, p.Insert.Conflict.Set)
		}
	}
	return out
}

func paramsIn(e model.Expr) []string {
	var out []string
	model.Walk(e, func(e model.Expr) bool {
		if ref, ok := e.(*model.ParamRef); ok {
			out = append(out, ref.Name)
		}
		return true
	})
	return out
}

// comparison finds the uses in one comparison of a column.
func (g *generator) comparison(q *model.Query, e model.Expr) []use {
	var col *model.Column
	var others []model.Expr
	var op model.Op
	switch e := e.(type) {
	case *model.In:
		col, _ = e.X.(*model.Column)
		op, others = model.OpEq, e.List
	case *model.Binary:
		op = e.Op
		if c, ok := e.Left.(*model.Column); ok {
			col, others = c, []model.Expr{e.Right}
		} else if c, ok := e.Right.(*model.Column); ok {
			col, others = c, []model.Expr{e.Left}
			op = mirror(op)
		}
	}
	if col == nil || col.Source < 0 || col.Source >= len(q.Sources) {
		return nil
	}
	var out []use
	for _, o := range others {
		for _, name := range paramsIn(o) {
			out = append(out, use{param: name, query: q, source: col.Source, op: op,
				column: g.model.Entity(q.Sources[col.Source].Entity).Attribute(col.Attribute)})
		}
	}
	return out
}

func mirror(op model.Op) model.Op {
	switch op {
	case model.OpLt:
		return model.OpGt
	case model.OpLe:
		return model.OpGe
	case model.OpGt:
		return model.OpLt
	case model.OpGe:
		return model.OpLe
	}
	return op
}

// links are the equalities between columns of two sources.
func links(q *model.Query) [][2]*model.Column {
	var out [][2]*model.Column
	conjuncts := slices.Clone(q.Where)
	for _, s := range q.Sources {
		conjuncts = append(conjuncts, s.On...)
	}
	for _, c := range conjuncts {
		b, ok := c.(*model.Binary)
		if !ok || b.Op != model.OpEq {
			continue
		}
		l, lok := b.Left.(*model.Column)
		r, rok := b.Right.(*model.Column)
		if lok && rok && l.Source != r.Source {
			out = append(out, [2]*model.Column{l, r})
		}
	}
	return out
}
