package sample

import (
	"slices"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/exec"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// proposals is how many ways of choosing arguments Arguments gives at most.
const proposals = 12

// Arguments proposes arguments for an access pattern, the most promising first, each
// different. For a read they are taken from rows that the joins and equalities connect, so
// that most find something; for an INSERT they make a new row with parents that exist; an
// UPDATE or DELETE speaks of a row that is there.
func (d *Data) Arguments(p *model.AccessPattern) []exec.Args {
	var out []exec.Args
	for i := range proposals {
		a := &arguer{data: d, pattern: p, args: exec.Args{}, number: i}
		if !a.propose() {
			continue
		}
		a.rest()
		if !slices.ContainsFunc(out, func(have exec.Args) bool { return sameArgs(have, a.args) }) {
			out = append(out, a.args)
		}
	}
	return out
}

func sameArgs(a, b exec.Args) bool {
	for name, v := range a {
		if Text(v) != Text(b[name]) {
			return false
		}
	}
	return true
}

// An arguer chooses arguments for one pattern.
type arguer struct {
	data    *Data
	pattern *model.AccessPattern
	args    exec.Args
	number  int // of the proposal
}

// propose reports false when there is nothing to take arguments from.
func (a *arguer) propose() bool {
	switch p := a.pattern; {
	case p.Query != nil:
		ok := a.query(p.Query)
		for _, branch := range p.Query.Union {
			ok = a.query(branch) && ok
		}
		return ok
	case p.Insert != nil:
		return a.insert(p.Insert)
	case p.Update != nil:
		return a.assign(p.Update.Entity, p.Update.Set) && a.target(p.Update.Entity, p.Update.Where)
	default:
		return a.target(p.Delete.Entity, p.Delete.Where)
	}
}

// query chooses one row for every source, the first by the proposal's number and the
// others so that the joins hold, and takes the arguments of comparisons from them.
func (a *arguer) query(q *model.Query) bool {
	world := make([]exec.Row, len(q.Sources))
	for i, s := range q.Sources {
		rows := a.data.rows(s.Entity)
		if len(rows) == 0 {
			if s.Left {
				continue
			}
			return a.number == 0
		}
		all := slices.Concat(q.Where, s.On)
		fit := slices.DeleteFunc(slices.Clone(rows), func(r exec.Row) bool {
			return !joins(all, world[:i], r) || !suits(all, i, r)
		})
		switch {
		case len(fit) > 0:
			world[i] = fit[a.number%len(fit)]
		case !s.Left:
			return a.number == 0
		}
	}
	for _, e := range q.Where {
		a.compare(e, q.Sources, world)
	}
	for i := range q.Sources {
		for _, e := range q.Sources[i].On {
			a.compare(e, q.Sources, world)
		}
	}
	a.count(q.Limit, 10)
	a.count(q.Offset, 0)
	return true
}

// joins reports whether row, as the next row of world, satisfies the equalities between
// columns of different sources.
func joins(conjuncts []model.Expr, world []exec.Row, row exec.Row) bool {
	next := len(world)
	for _, e := range conjuncts {
		b, ok := e.(*model.Binary)
		if !ok || b.Op != model.OpEq {
			continue
		}
		left, ok1 := b.Left.(*model.Column)
		right, ok2 := b.Right.(*model.Column)
		if !ok1 || !ok2 || left.Source == right.Source || max(left.Source, right.Source) != next {
			continue
		}
		mine, other := left, right
		if right.Source == next {
			mine, other = right, left
		}
		if world[other.Source] != nil && !equal(row.Get(mine.Attribute), world[other.Source].Get(other.Attribute)) {
			return false
		}
	}
	return true
}

func (a *arguer) count(e model.Expr, n int64) {
	if p, ok := e.(*model.ParamRef); ok {
		a.set(p, dynamo.Int(n))
	}
}

// set gives a parameter its first value.
func (a *arguer) set(p *model.ParamRef, v dynamo.Value) {
	if _, ok := a.args[p.Name]; !ok && !isNull(v) {
		a.args[p.Name] = v
	}
}

// compare takes arguments from a condition. An OR is satisfied by any side, so both give.
func (a *arguer) compare(e model.Expr, sources []*model.Source, world []exec.Row) {
	switch e := e.(type) {
	case *model.Binary:
		if e.Op == model.OpAnd || e.Op == model.OpOr {
			a.compare(e.Left, sources, world)
			a.compare(e.Right, sources, world)
			return
		}
		a.compareSides(e.Op, e.Left, e.Right, sources, world)
		a.compareSides(mirror[e.Op], e.Right, e.Left, sources, world)
	case *model.Unary:
		a.compare(e.X, sources, world)
	case *model.In:
		for _, x := range e.List {
			a.compareSides(model.OpEq, e.X, x, sources, world)
		}
	}
}

var mirror = map[model.Op]model.Op{model.OpEq: model.OpEq, model.OpNe: model.OpNe, model.OpLt: model.OpGt,
	model.OpLe: model.OpGe, model.OpGt: model.OpLt, model.OpGe: model.OpLe}

// compareSides handles column op parameter, where the column may be inside a function, and
// column LIKE parameter || '%'.
func (a *arguer) compareSides(op model.Op, side, with model.Expr, sources []*model.Source, world []exec.Row) {
	p, ok := with.(*model.ParamRef)
	any := "%"
	if concat, isConcat := with.(*model.Binary); isConcat && op == model.OpLike && concat.Op == model.OpConcat {
		p, ok = concat.Left.(*model.ParamRef)
		any = ""
	}
	column := firstColumn(side)
	if !ok || column == nil || column.Source < 0 || column.Source >= len(world) || world[column.Source] == nil {
		return
	}
	v := world[column.Source].Get(column.Attribute)
	switch op {
	case model.OpLt, model.OpLe:
		_, v = a.bounds(sources[column.Source].Entity, column)
	case model.OpGt, model.OpGe:
		v, _ = a.bounds(sources[column.Source].Entity, column)
	case model.OpLike:
		if text := []rune(v.Str()); v.Type() == dynamo.TypeString && len(text) > 0 {
			v = dynamo.String(string(text[:min(2, len(text))]) + any)
		}
	}
	if q := a.pattern.Param(p.Name); q != nil && q.List && !isNull(v) {
		v = dynamo.List(v)
	}
	a.set(p, v)
}

func firstColumn(e model.Expr) *model.Column {
	var found *model.Column
	model.Walk(e, func(x model.Expr) bool {
		if c, ok := x.(*model.Column); ok && found == nil {
			found = c
		}
		return true
	})
	return found
}

// bounds are the least and the greatest value of a column, so that a range between them
// takes all rows.
func (a *arguer) bounds(entity string, c *model.Column) (least, greatest dynamo.Value) {
	for _, r := range a.data.rows(entity) {
		v := r.Get(c.Attribute)
		if isNull(v) {
			continue
		}
		if isNull(least) || less(v, least) {
			least = v
		}
		if isNull(greatest) || less(greatest, v) {
			greatest = v
		}
	}
	return least, greatest
}

func less(a, b dynamo.Value) bool {
	order, ok := dynamo.Compare(a, b)
	return ok && order < 0
}

func (a *arguer) target(entity string, where []model.Expr) bool {
	rows := a.data.rows(entity)
	if len(rows) == 0 {
		return false
	}
	world := []exec.Row{rows[a.number%len(rows)]}
	sources := []*model.Source{{Entity: entity}}
	for _, e := range where {
		a.compare(e, sources, world)
	}
	return true
}

// assign gives new values: a parameter that becomes a column gets a value made up for it,
// one inside arithmetic a small number.
func (a *arguer) assign(entity string, set []*model.Assignment) bool {
	t := a.data.Table(entity)
	fresh, ok := a.data.fresh(t, len(t.Rows)+a.number)
	for _, s := range set {
		if p, isParam := s.Value.(*model.ParamRef); isParam && ok {
			a.set(p, fresh.Get(s.Attribute))
			continue
		}
		model.Walk(s.Value, func(x model.Expr) bool {
			if p, isParam := x.(*model.ParamRef); isParam && p.Type().IsNumber() {
				a.set(p, dynamo.Int(1))
			}
			return true
		})
	}
	return true
}

func (a *arguer) insert(in *model.Insert) bool {
	t := a.data.Table(in.Entity)
	row, ok := a.data.fresh(t, len(t.Rows)+a.number)
	if !ok {
		return false
	}
	for _, v := range in.Values {
		if p, isParam := v.Value.(*model.ParamRef); isParam {
			a.set(p, row.Get(v.Attribute))
		}
	}
	return true
}

// rest makes up the arguments that nothing else has given.
func (a *arguer) rest() {
	for _, p := range a.pattern.Params {
		if _, ok := a.args[p.Name]; ok || p.Nullable || p.Optional {
			continue
		}
		t := p.Type
		t.Array = t.Array && !p.List
		v := made("", p.Name, t, a.number)
		if p.List {
			v = dynamo.List(v)
		}
		a.args[p.Name] = v
	}
}
