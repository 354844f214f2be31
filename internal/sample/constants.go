package sample

import (
	"slices"
	"strings"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/exec"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// A comparison is a conjunct that compares a column with constants: =, IN, or LIKE with a
// constant beginning.
type comparison struct {
	column *model.Column
	values []dynamo.Value
	prefix bool // LIKE: values hold one beginning
}

// comparisonOf reads a conjunct; ok is false for any other form.
func comparisonOf(e model.Expr) (c comparison, ok bool) {
	switch e := e.(type) {
	case *model.In:
		column, isColumn := e.X.(*model.Column)
		for _, x := range e.List {
			if l := constant(x); l != nil {
				c.values = append(c.values, l.Value)
			}
		}
		c.column = column
		return c, isColumn && len(c.values) == len(e.List)
	case *model.Binary:
		column, isColumn := e.Left.(*model.Column)
		l := constant(e.Right)
		if !isColumn || l == nil || e.Op != model.OpEq && e.Op != model.OpLike {
			return c, false
		}
		c = comparison{column, []dynamo.Value{l.Value}, e.Op == model.OpLike}
		if c.prefix {
			start, _, _ := strings.Cut(l.Value.Str(), "%")
			c.values[0] = dynamo.String(start)
		}
		return c, true
	}
	return c, false
}

// holds reports whether a row of the column's source satisfies the comparison.
func (c comparison) holds(row exec.Row) bool {
	v := row.Get(c.column.Attribute)
	return slices.ContainsFunc(c.values, func(want dynamo.Value) bool {
		if c.prefix {
			return v.Type() == dynamo.TypeString && strings.HasPrefix(v.Str(), want.Str())
		}
		return equal(v, want)
	})
}

// suits reports whether a row of a source satisfies all comparisons with constants.
func suits(conjuncts []model.Expr, source int, row exec.Row) bool {
	for _, e := range conjuncts {
		if c, ok := comparisonOf(e); ok && c.column.Source == source && !c.holds(row) {
			return false
		}
	}
	return true
}

// constantsOf collects what the reads compare each column with, so that made-up rows have
// some of it: by entity and column.
func constantsOf(m *model.Model) map[[2]string][]dynamo.Value {
	out := map[[2]string][]dynamo.Value{}
	for _, p := range m.Patterns {
		if p.Query == nil {
			continue
		}
		for _, q := range append([]*model.Query{p.Query}, p.Query.Union...) {
			for _, e := range q.Where {
				c, ok := comparisonOf(e)
				if !ok || c.column.Source < 0 {
					continue
				}
				key := [2]string{q.Sources[c.column.Source].Entity, c.column.Attribute}
				for _, v := range c.values {
					if !isNull(v) && !slices.ContainsFunc(out[key], func(have dynamo.Value) bool { return equal(have, v) }) {
						out[key] = append(out[key], v)
					}
				}
			}
		}
	}
	return out
}
