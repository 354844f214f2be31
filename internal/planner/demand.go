package planner

import (
	"slices"

	"github.com/keyfold-dev/keyfold/internal/model"
)

// A demand is what one read asks of one entity.
type demand struct {
	pattern *model.AccessPattern
	query   *model.Query // canonical
	source  int
	entity  *model.Entity

	eq   []fixed   // columns fixed by equality, in written order
	span *span     // the one range, or nil
	seq  []ordered // the columns that must follow the fixed ones in the sort key: the range's, then ORDER BY's
	back bool      // the sort key is read backwards

	lists   bool         // some column is fixed to each element of a list in turn
	unique  []string     // a unique key whose columns are all fixed: at most one row
	soft    bool         // fixed columns that do not fit the key may be filtered
	filter  []model.Expr // conjuncts that are filtered, knowingly or on at most one row
	notNull []string     // columns that some conjunct keeps from being NULL
	at      place        // where its path must lie
	strong  bool         // must be strongly consistent
	exact   []string     // the partition columns, given: a collection read
	needs   []string     // the columns it returns or looks at
	sorts   bool         // ORDER BY is left to the client
}

type fixed struct {
	attr string
	expr model.Expr
}

// A span is a range over one column. Nil bounds are open ends.
type span struct {
	attr           string
	low, high      model.Expr
	lowIn, highIn  bool // the bound itself belongs to the range
	prefix         model.Expr
	lowE, highE, e model.Expr // the conjuncts they came from
}

type ordered struct {
	attr string
	desc bool // relative to the first of the sequence
}

// conjunct says again, as a condition on col, what f fixes.
func (f fixed) conjunct(p *model.AccessPattern, col *model.Column) model.Expr {
	at := model.At(model.Type{Kind: model.Boolean}, f.expr.Pos())
	switch {
	case isNull(f.expr):
		return model.NewUnary(at, model.OpIsNull, col)
	case elements(f.expr) != nil:
		return model.NewIn(at, col, elements(f.expr))
	case isList(p, f.expr):
		return model.NewIn(at, col, []model.Expr{f.expr})
	}
	return model.NewBinary(at, model.OpEq, col, f.expr)
}

func (d *demand) fixes(attr string) bool {
	return slices.ContainsFunc(d.eq, func(f fixed) bool { return f.attr == attr })
}

func (d *demand) value(attr string) model.Expr {
	for _, f := range d.eq {
		if f.attr == attr {
			return f.expr
		}
	}
	return nil
}

// wantsNull reports whether d asks for the rows with a NULL in attr.
func (d *demand) wantsNull(attr string) bool {
	e := d.value(attr)
	return e != nil && isNull(e)
}

// isList reports whether e stands for several values, one after the other.
func isList(p *model.AccessPattern, e model.Expr) bool {
	if elements(e) != nil {
		return true
	}
	ref, ok := e.(*model.ParamRef)
	return ok && p.Param(ref.Name) != nil && p.Param(ref.Name).List
}

// excludesNull reports whether no row with a NULL in attr can match d.
func (d *demand) excludesNull(attr string) bool {
	return d.fixes(attr) && !d.wantsNull(attr) || d.span != nil && d.span.attr == attr || slices.Contains(d.notNull, attr)
}

// uniqueKey returns the first unique key of e whose columns are all in has.
func uniqueKey(e *model.Entity, has func(string) bool) []string {
	for _, key := range append([][]string{e.PrimaryKey}, e.Unique...) {
		if len(key) > 0 && !slices.ContainsFunc(key, func(a string) bool { return !has(a) }) {
			return key
		}
	}
	return nil
}

// single reads the demand of one source off a canonical query. Conjuncts that link it to
// other sources are not its business. Findings say what cannot be served.
func (a *analysis) single(p *model.AccessPattern, q *model.Query, source int, eq *equalities) (*demand, []finding) {
	e := a.m.Entity(q.Sources[source].Entity)
	d := &demand{pattern: p, query: q, source: source, entity: e, strong: p.Hints.Strong}
	var found []finding
	for _, f := range eq.fixedOf(source) {
		d.eq = append(d.eq, f)
		d.lists = d.lists || isList(p, f.expr)
	}
	if !d.lists {
		d.unique = uniqueKey(e, func(attr string) bool { return d.fixes(attr) && !d.wantsNull(attr) })
	}
	d.soft = d.unique != nil || p.Hints.AllowFilter
	var rest []model.Expr
	for _, c := range conjunctsOf(q, source) {
		if eq.explains(c) {
			continue
		}
		if !d.takeRange(c) {
			rest = append(rest, c)
		}
	}
	if d.unique != nil && d.span != nil {
		// One row at most: the range is a check on that row, not a reason for a sort key.
		rest = append(rest, d.span.conjuncts()...)
		d.span = nil
	}
	for _, c := range rest {
		d.notNull = append(d.notNull, impliedNotNull(c)...)
		if f, ok := d.takeFilter(c); !ok {
			found = append(found, f)
		}
	}
	d.needs = append(d.needs, neededColumns(q, source)...)
	if d.soft {
		// Fixed columns that do not fit the key are looked at in the row.
		for _, f := range d.eq {
			d.needs = append(d.needs, f.attr)
		}
	}
	found = append(found, d.takeOrder(q)...)
	return d, found
}

// takeRange makes c part of the demand's one range, if it is a range and there is room.
func (d *demand) takeRange(c model.Expr) bool {
	b, ok := c.(*model.Binary)
	if !ok {
		return false
	}
	col, other, op := columnSide(b)
	if col == nil || !isOperand(d.pattern, other) || !keyable(col.Type()) {
		return false
	}
	if d.fixes(col.Attribute) {
		return false
	}
	if op == model.OpLike {
		prefix, ok := likePrefix(d.pattern, other)
		if !ok || d.span != nil || col.Type().Kind != model.Text {
			return false
		}
		d.span = &span{attr: col.Attribute, prefix: prefix, e: c}
		return true
	}
	if d.span != nil && (d.span.attr != col.Attribute || d.span.prefix != nil) {
		return false
	}
	s := d.span
	if s == nil {
		s = &span{attr: col.Attribute}
	}
	switch {
	case (op == model.OpGt || op == model.OpGe) && s.low == nil:
		s.low, s.lowIn, s.lowE = other, op == model.OpGe, c
	case (op == model.OpLt || op == model.OpLe) && s.high == nil:
		s.high, s.highIn, s.highE = other, op == model.OpLe, c
	default:
		return false
	}
	d.span = s
	return true
}

func (s *span) conjuncts() []model.Expr {
	var out []model.Expr
	for _, e := range []model.Expr{s.lowE, s.highE, s.e} {
		if e != nil {
			out = append(out, e)
		}
	}
	return out
}

// keyable reports whether values of t can be components of a key.
func keyable(t model.Type) bool { return !t.Array && t.Kind != model.JSON }
