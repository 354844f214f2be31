package sqlfront

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/keyfold-dev/keyfold/internal/model"
)

// ordering lowers one term of ORDER BY: a result column by position or name, else an
// expression of the tables' columns. Of a union only result columns can be named.
func (l *lowerer) ordering(o orderTerm, union bool) *model.Ordering {
	m := &model.Ordering{Desc: o.desc, NullsFirst: o.nullsFirst, Pos: l.pos(o.span)}
	out := l.outputOf(o.x)
	switch {
	case l.broken && out == nil && isPosition(o.x):
	case out != nil && union:
		m.Expr = model.NewColumn(model.At(out.Type, l.pos(o.x.tokens())), -1, "", out.Name)
	case out != nil:
		m.Expr = out.Expr
	case union:
		l.errorf(codeOrder, o.x.tokens(), "name a column of the first branch", "ORDER BY of a UNION takes result columns only")
	default:
		l.aggregate = mayAggregate
		m.Expr = l.expr(o.x, nil)
	}
	if m.Expr == nil {
		return m
	}
	switch t := m.Expr.Type(); {
	case isConstant(m.Expr) && out == nil:
		l.errorf(codeOrder, o.x.tokens(), "", "ORDER BY a constant has no meaning")
	case t.Array || t.Kind == model.JSON:
		l.errorf(codeOrder, o.x.tokens(), "", "rows cannot be ordered by %s", t)
	case t.Kind == model.Enum && !slices.IsSorted(t.Labels) && l.final:
		l.spellEnumOrder(o.x.tokens(), t)
	}
	return m
}

// spellEnumOrder orders by the position of a label, as PostgreSQL orders enums.
func (l *lowerer) spellEnumOrder(s span, t model.Type) {
	var b strings.Builder
	for i, label := range t.Labels {
		fmt.Fprintf(&b, " WHEN %s THEN %d", quoteString(label), i)
	}
	l.output[s.from].before = "CASE " + l.output[s.from].before
	l.output[s.to-1].after = b.String() + " END" + l.output[s.to-1].after
}

func isConstant(x model.Expr) bool {
	switch x.(type) {
	case *model.Literal, *model.ParamRef:
		return true
	}
	return false
}

func isPosition(e expr) bool {
	c, ok := e.(*constant)
	return ok && c.kind == numberConstant
}

// outputOf finds the result column that a bare name or a position means.
func (l *lowerer) outputOf(e expr) *model.Output {
	switch e := e.(type) {
	case *columnRef:
		if e.table != "" {
			return nil
		}
		for _, o := range l.outputs {
			if o.Name == e.column {
				return o
			}
		}
	case *constant:
		n, err := strconv.Atoi(e.text)
		if e.kind != numberConstant {
			return nil
		}
		if err != nil || n < 1 || n > len(l.outputs) {
			l.errorf(codeOrder, e.span, "the query has "+plural(len(l.outputs), "column"), "there is no result column %s", e.text)
			return nil
		}
		return l.outputs[n-1]
	}
	return nil
}

// groupTerm lowers one term of GROUP BY, where a column goes before a result column.
func (l *lowerer) groupTerm(e expr) model.Expr {
	if c, ok := e.(*columnRef); ok && c.table == "" {
		for _, v := range l.visible {
			if v.attr.Name == c.column {
				return l.column(c)
			}
		}
	}
	if o := l.outputOf(e); o != nil {
		if containsAggregate(o.Expr) {
			l.errorf(codeAggregate, e.tokens(), "", "GROUP BY cannot use an aggregate")
			return nil
		}
		return o.Expr
	}
	if isPosition(e) {
		return nil
	}
	return l.expr(e, nil)
}

func containsAggregate(x model.Expr) bool {
	found := false
	model.Walk(x, func(e model.Expr) bool {
		if c, ok := e.(*model.Call); ok && c.IsAggregate() {
			found = true
		}
		return !found
	})
	return found
}

// checkGroups demands that, beside aggregates, only grouped columns are used.
func (l *lowerer) checkGroups(q *model.Query) {
	var exprs []model.Expr
	for _, o := range q.Columns {
		exprs = append(exprs, o.Expr)
	}
	exprs = append(exprs, q.Having...)
	for _, o := range q.OrderBy {
		if o.Expr != nil {
			exprs = append(exprs, o.Expr)
		}
	}
	if len(q.GroupBy) == 0 && len(q.Having) == 0 && !slices.ContainsFunc(exprs, containsAggregate) {
		return
	}
	grouped := map[string]bool{}
	for _, g := range q.GroupBy {
		grouped[g.String()] = true
	}
	for i, s := range l.sources {
		// The columns of a table depend on its primary key.
		whole := !slices.ContainsFunc(s.entity.PrimaryKey, func(c string) bool {
			return !grouped[l.columnOf(i, s.entity.Attribute(c), span{0, 1}).String()]
		})
		for _, a := range s.entity.Attributes {
			if whole {
				grouped[l.columnOf(i, a, span{0, 1}).String()] = true
			}
		}
	}
	for _, x := range exprs {
		l.checkGrouped(x, grouped)
	}
}

func (l *lowerer) checkGrouped(x model.Expr, grouped map[string]bool) {
	model.Walk(x, func(e model.Expr) bool {
		if c, ok := e.(*model.Call); ok && c.IsAggregate() || grouped[e.String()] {
			return false
		}
		if c, ok := e.(*model.Column); ok {
			l.broken = true
			l.report.Errorf(codeGroup, c.Pos(), "add it to GROUP BY or put it inside an aggregate", "%s is neither grouped nor inside an aggregate", c)
		}
		return true
	})
}

// checkDistinct demands that DISTINCT rows are ordered by what they show.
func (l *lowerer) checkDistinct(q *model.Query) {
	if !q.Distinct {
		return
	}
	for _, o := range q.OrderBy {
		shown := o.Expr != nil && slices.ContainsFunc(q.Columns, func(c *model.Output) bool { return c.Expr.String() == o.Expr.String() })
		if !shown {
			l.broken = true
			l.report.Errorf(codeOrder, o.Pos, "add it to the select list", "with DISTINCT, ORDER BY can only use result columns")
		}
	}
}
