package planner

import (
	"slices"

	"github.com/keyfold-dev/keyfold/internal/design"
	"github.com/keyfold-dev/keyfold/internal/diag"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// conjunctsOf returns the conjuncts that speak of one source alone and say which of its
// rows to read: of the WHERE, or of its own ON for a left join, whose WHERE speaks of the
// rows after the join.
func conjunctsOf(q *model.Query, source int) []model.Expr {
	var out []model.Expr
	list := q.Where
	if q.Sources[source].Left {
		list = q.Sources[source].On
	}
	for _, c := range list {
		if s := sourcesIn(c); len(s) == 0 && source == 0 || len(s) == 1 && s[source] {
			out = append(out, c)
		}
	}
	return out
}

func sourcesIn(e model.Expr) map[int]bool {
	out := map[int]bool{}
	model.Walk(e, func(x model.Expr) bool {
		if c, ok := x.(*model.Column); ok {
			out[c.Source] = true
		}
		return true
	})
	return out
}

// columnsIn adds the columns of a source that e names, in order, each once.
func columnsIn(out []string, e model.Expr, source int) []string {
	model.Walk(e, func(x model.Expr) bool {
		if c, ok := x.(*model.Column); ok && c.Source == source && !slices.Contains(out, c.Attribute) {
			out = append(out, c.Attribute)
		}
		return true
	})
	return out
}

// neededColumns returns the columns of a source that the query's result is made of. A
// join looks at the columns of its conditions too.
func neededColumns(q *model.Query, source int) []string {
	var out []string
	eachExpr(q, func(e model.Expr) { out = columnsIn(out, e, source) })
	if len(q.Sources) > 1 {
		return out
	}
	out = nil
	for _, c := range q.Columns {
		out = columnsIn(out, c.Expr, source)
	}
	for _, list := range [][]model.Expr{q.GroupBy, q.Having} {
		for _, e := range list {
			out = columnsIn(out, e, source)
		}
	}
	for _, o := range q.OrderBy {
		out = columnsIn(out, o.Expr, source)
	}
	return out
}

// impliedNotNull returns the columns that cannot be NULL in a row that c keeps.
func impliedNotNull(c model.Expr) []string {
	switch c := c.(type) {
	case *model.Unary:
		if col, ok := c.X.(*model.Column); ok && c.Op == model.OpIsNotNull {
			return []string{col.Attribute}
		}
	case *model.Binary:
		if c.Op == model.OpAnd || c.Op == model.OpOr {
			return nil
		}
		var out []string
		for _, side := range []model.Expr{c.Left, c.Right} {
			if col, ok := side.(*model.Column); ok {
				out = append(out, col.Attribute)
			}
		}
		return out
	}
	return nil
}

// takeFilter makes c a filter where that is allowed and can be said in an expression.
func (d *demand) takeFilter(c model.Expr) (finding, bool) {
	if d.soft && design.Expressible(c) == nil {
		d.filter = append(d.filter, c)
		for _, col := range columnsIn(nil, c, d.source) {
			if !slices.Contains(d.needs, col) {
				d.needs = append(d.needs, col)
			}
		}
		return finding{}, true
	}
	f := finding{pattern: d.pattern, severity: diag.Error, code: CodeFilter, pos: c.Pos(),
		message: "no key can express " + c.String() + ", so DynamoDB would read and bill rows that the condition then drops",
		hint:    "write `-- keyfold: filter=allow` above the query to accept that, or ask by equality or one range"}
	if col := unkeyable(c); col != nil {
		f.code = CodeKeyType
		f.message = col.Type().String() + " has no order, so " + col.Attribute + " cannot be part of a key"
		f.hint = "store what you search by in a column of its own, or accept a filter with `-- keyfold: filter=allow`"
		return f, false
	}
	switch x := c.(type) {
	case *model.In:
		f.code = CodeIn
		f.message = c.String() + " asks for several keys at once, which needs a request for each of them"
		f.hint = "pass the values as one list, = ANY(@list), for a request for each, or accept a filter with `-- keyfold: filter=allow`"
	case *model.Binary:
		switch x.Op {
		case model.OpOr:
			f.code = CodeOr
			f.message = "OR joins conditions that lie in different ranges of keys, and one Query reads one range"
			f.hint = "write one query for each side of the OR, or accept a filter with `-- keyfold: filter=allow`"
		case model.OpLike:
			f.code = CodeLike
			f.message = c.String() + " is not a fixed prefix, and keys can only be searched by their beginning"
			f.hint = "use LIKE 'abc%' or @prefix || '%'; text search needs another system beside DynamoDB"
		case model.OpLt, model.OpLe, model.OpGt, model.OpGe:
			if d.span != nil {
				f.code = CodeRanges
				f.message = "a key condition has one range, and " + d.span.attr + " has taken it; " + c.String() + " is a second"
				f.hint = "keep one range in the key and accept the other as a filter with `-- keyfold: filter=allow`"
			}
		}
	}
	return f, false
}

// takeOrder makes the ORDER BY part of the demand, or leaves it to the client when the
// whole answer is read anyway.
func (d *demand) takeOrder(q *model.Query) []finding {
	if d.span != nil {
		d.seq = []ordered{{attr: d.span.attr}}
	}
	if len(q.Sources) > 1 || d.unique != nil || len(q.OrderBy) == 0 || aggregates(q) {
		return nil
	}
	if d.lists {
		d.sorts = true
		return nil
	}
	seq, back, why := d.keyOrder(q)
	if why == "" {
		d.seq, d.back = seq, back
		return nil
	}
	if q.Limit == nil && d.pattern.Cardinality != model.One {
		d.sorts = true
		return nil
	}
	return []finding{{pattern: d.pattern, severity: diag.Error, code: CodeOrder, pos: q.OrderBy[0].Pos, message: why,
		hint: "order by stored columns of the rows, the range's column first; without LIMIT the rows can be sorted after reading them all"}}
}

// keyOrder returns the columns that the sort key must spell after the fixed ones so that
// its order is the ORDER BY, and whether it is read backwards. why is set when no key can.
func (d *demand) keyOrder(q *model.Query) (seq []ordered, back bool, why string) {
	known := func(attr string) bool {
		return d.fixes(attr) || slices.ContainsFunc(seq, func(o ordered) bool { return o.attr == attr })
	}
	for _, o := range q.OrderBy {
		if uniqueKey(d.entity, func(attr string) bool { return known(attr) && !d.wantsNull(attr) }) != nil {
			break
		}
		c, ok := o.Expr.(*model.Column)
		switch {
		case !ok:
			return nil, false, "the order is by an expression, " + o.Expr.String() + ", that no row stores"
		case known(c.Attribute):
			continue
		case !keyable(c.Type()):
			return nil, false, "a " + c.Type().String() + " column has no order in a key"
		case o.NullsFirst != o.Desc && !d.entity.Attribute(c.Attribute).NotNull && !d.excludesNull(c.Attribute):
			return nil, false, "a key sorts NULLs last ascending and first descending, as PostgreSQL does by default"
		}
		if len(seq) == 0 {
			back = o.Desc
		}
		seq = append(seq, ordered{attr: c.Attribute, desc: o.Desc != back})
	}
	if d.span != nil && (len(seq) == 0 || seq[0].attr != d.span.attr) {
		if len(seq) > 0 {
			return nil, false, "the range on " + d.span.attr + " must come first in the key, so rows cannot also come in the order of " + seq[0].attr
		}
		seq = []ordered{{attr: d.span.attr}}
	}
	return seq, back, ""
}

// aggregates reports whether q computes over groups of rows.
func aggregates(q *model.Query) bool {
	if len(q.GroupBy) > 0 {
		return true
	}
	found := false
	for _, c := range q.Columns {
		model.Walk(c.Expr, func(x model.Expr) bool {
			if call, ok := x.(*model.Call); ok && call.IsAggregate() {
				found = true
			}
			return !found
		})
	}
	return found
}

// unkeyable returns a column of c whose type cannot be part of a key, or nil.
func unkeyable(c model.Expr) *model.Column {
	var found *model.Column
	model.Walk(c, func(x model.Expr) bool {
		if col, ok := x.(*model.Column); ok && !keyable(col.Type()) {
			found = col
		}
		return found == nil
	})
	return found
}
