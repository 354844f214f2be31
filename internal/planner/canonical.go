package planner

import (
	"slices"

	"github.com/keyfold-dev/keyfold/internal/model"
)

// canonical returns a query of p with the fewest and strictest joins. A parent that an
// inner join reaches by a foreign key, and of which only the key is used, adds nothing to
// its child's rows; that leans on the foreign key: every child has its parent.
func canonical(m *model.Model, p *model.AccessPattern, q *model.Query) *model.Query {
	q = innerJoins(m, p, q)
	for {
		next, ok := dropParent(m, q)
		if !ok {
			return q
		}
		q = next
	}
}

// innerJoins makes inner joins of the left joins whose rows without a partner the WHERE
// drops.
func innerJoins(m *model.Model, p *model.AccessPattern, q *model.Query) *model.Query {
	for i, s := range q.Sources {
		if !s.Left || !slices.ContainsFunc(q.Where, func(c model.Expr) bool { return needsRow(p, c, i) }) {
			continue
		}
		inner := *s
		inner.Left, inner.On = false, nil
		next := *q
		next.Sources = slices.Clone(q.Sources)
		next.Sources[i] = &inner
		entity := m.Entity(s.Entity)
		next.Where = slices.DeleteFunc(slices.Concat(q.Where, s.On), func(c model.Expr) bool {
			u, ok := c.(*model.Unary)
			if !ok || u.Op != model.OpIsNotNull {
				return false
			}
			col, ok := u.X.(*model.Column)
			return ok && col.Source == i && entity.Attribute(col.Attribute).NotNull
		})
		return innerJoins(m, p, &next)
	}
	return q
}

// needsRow reports whether a conjunct is never true of a source without a row: it compares
// one of its columns, which is then NULL, and no argument switches it off.
func needsRow(p *model.AccessPattern, c model.Expr, source int) bool {
	optional := false
	model.Walk(c, func(e model.Expr) bool {
		ref, ok := e.(*model.ParamRef)
		optional = optional || ok && p.Param(ref.Name) != nil && p.Param(ref.Name).Optional
		return true
	})
	of := func(e model.Expr) bool {
		col, ok := e.(*model.Column)
		return ok && col.Source == source
	}
	switch c := c.(type) {
	case *model.Binary:
		return !optional && c.Op != model.OpAnd && c.Op != model.OpOr && (of(c.Left) || of(c.Right))
	case *model.In:
		return !optional && of(c.X)
	case *model.Unary:
		return c.Op == model.OpIsNotNull && of(c.X)
	}
	return false
}

func dropParent(m *model.Model, q *model.Query) (*model.Query, bool) {
	if len(q.Sources) < 2 {
		return q, false
	}
	for parent := range q.Sources {
		if q.Sources[parent].Left {
			continue
		}
		for child := range q.Sources {
			if child == parent || q.Sources[child].Left {
				continue
			}
			for _, rel := range m.Relationships {
				if rel.Parent == q.Sources[parent].Entity && rel.Child == q.Sources[child].Entity &&
					joins(q, rel, child, parent) && onlyKeyUsed(q, rel, parent) {
					return withoutSource(m, q, rel, child, parent), true
				}
			}
		}
	}
	return q, false
}

// joins reports whether the query equates every column of the foreign key with its
// parent's.
func joins(q *model.Query, rel *model.Relationship, child, parent int) bool {
	for i, attr := range rel.ChildAttrs {
		want := [2]ref{{child, attr}, {parent, rel.ParentAttrs[i]}}
		if !slices.ContainsFunc(q.Where, func(c model.Expr) bool {
			a, b, ok := columnPair(c)
			return ok && (a == want[0] && b == want[1] || a == want[1] && b == want[0])
		}) {
			return false
		}
	}
	return true
}

func onlyKeyUsed(q *model.Query, rel *model.Relationship, parent int) bool {
	ok := true
	eachExpr(q, func(e model.Expr) {
		model.Walk(e, func(x model.Expr) bool {
			if c, is := x.(*model.Column); is && c.Source == parent && !slices.Contains(rel.ParentAttrs, c.Attribute) {
				ok = false
			}
			return ok
		})
	})
	return ok
}

// withoutSource replaces the parent's key columns by the child's and takes the parent
// out of FROM. A nullable foreign key keeps its meaning as IS NOT NULL.
func withoutSource(m *model.Model, q *model.Query, rel *model.Relationship, child, parent int) *model.Query {
	shift := func(s int) int {
		if s > parent {
			return s - 1
		}
		return s
	}
	swap := func(c *model.Column) model.Expr {
		source, alias, attr := c.Source, c.Alias, c.Attribute
		if source == parent {
			source, alias = child, q.Sources[child].Alias
			attr = rel.ChildAttrs[slices.Index(rel.ParentAttrs, attr)]
		}
		return model.NewColumn(model.At(c.Type(), c.Pos()), shift(source), alias, attr)
	}
	out := mapQuery(q, swap)
	out.Sources = slices.Delete(out.Sources, parent, parent+1)
	out.Where = slices.DeleteFunc(out.Where, isTrivial)
	entity := m.Entity(rel.Child)
	for i, attr := range rel.ChildAttrs {
		a := entity.Attribute(attr)
		if a.NotNull || comparesTo(out, shift(child), attr) {
			continue
		}
		col := model.NewColumn(model.At(a.Type, q.Sources[parent].Pos), shift(child), q.Sources[child].Alias, rel.ChildAttrs[i])
		out.Where = append(out.Where, model.NewUnary(model.At(model.Type{Kind: model.Boolean}, col.Pos()), model.OpIsNotNull, col))
	}
	return out
}

// comparesTo reports whether a conjunct fixes the column, which rules out NULL.
func comparesTo(q *model.Query, source int, attr string) bool {
	return slices.ContainsFunc(q.Where, func(c model.Expr) bool {
		b, ok := c.(*model.Binary)
		if !ok || b.Op != model.OpEq {
			return false
		}
		col, _, _ := columnSide(b)
		return col != nil && col.Source == source && col.Attribute == attr
	})
}

// isTrivial recognises x = x, which the replacement of a join condition leaves behind.
func isTrivial(c model.Expr) bool {
	b, ok := c.(*model.Binary)
	if !ok || b.Op != model.OpEq {
		return false
	}
	l, lok := b.Left.(*model.Column)
	r, rok := b.Right.(*model.Column)
	return lok && rok && l.Source == r.Source && l.Attribute == r.Attribute
}

// eachExpr calls f for every expression of q.
func eachExpr(q *model.Query, f func(model.Expr)) {
	for _, s := range q.Sources {
		for _, e := range s.On {
			f(e)
		}
	}
	for _, list := range [][]model.Expr{q.Where, q.GroupBy, q.Having} {
		for _, e := range list {
			f(e)
		}
	}
	for _, c := range q.Columns {
		f(c.Expr)
	}
	for _, o := range q.OrderBy {
		f(o.Expr)
	}
}

// mapQuery copies q with every column replaced.
func mapQuery(q *model.Query, f func(*model.Column) model.Expr) *model.Query {
	out := *q
	out.Sources = nil
	for _, s := range q.Sources {
		c := *s
		c.On = model.MapAll(s.On, f)
		out.Sources = append(out.Sources, &c)
	}
	out.Where, out.GroupBy, out.Having = model.MapAll(q.Where, f), model.MapAll(q.GroupBy, f), model.MapAll(q.Having, f)
	out.Columns, out.OrderBy = nil, nil
	for _, c := range q.Columns {
		d := *c
		d.Expr = model.Map(c.Expr, f)
		out.Columns = append(out.Columns, &d)
	}
	for _, o := range q.OrderBy {
		d := *o
		d.Expr = model.Map(o.Expr, f)
		out.OrderBy = append(out.OrderBy, &d)
	}
	return &out
}
