package verify

import (
	"slices"
	"strings"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/exec"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// args draws arguments: mostly those that some row of the answer asks for, sometimes with
// one of them slightly off, sometimes any.
func (g *generator) args(p *model.AccessPattern) exec.Args {
	selects := branches(p)
	uses := g.uses(p, selects)
	var rows []exec.Row
	var query *model.Query
	if len(selects) > 0 {
		query = choose(g, selects)
		rows = g.tuple(query)
	}
	var fresh exec.Row
	switch {
	case p.Insert != nil:
		fresh = g.fresh(g.model.Entity(p.Insert.Entity))
	case p.Update != nil && g.moves(p.Update) && g.rng.IntN(4) > 0:
		fresh = g.fresh(g.model.Entity(p.Update.Entity))
	}
	mode := g.rng.IntN(10)
	out := exec.Args{}
	for _, q := range p.Params {
		var own []use
		for _, u := range uses {
			if u.param == q.Name {
				own = append(own, u)
			}
		}
		out[q.Name] = g.arg(q, own, query, rows, fresh, mode >= 8)
	}
	if mode >= 6 && mode < 8 && len(p.Params) > 0 {
		q := choose(g, p.Params)
		if !q.List && !usedAsPattern(uses, q.Name) && p.Insert == nil {
			if v := g.near(q.Type, out[q.Name]); fits(q, v) {
				out[q.Name] = v
			}
		}
	}
	return out
}

// moves reports whether an UPDATE gives rows another parent, which has to be there.
func (g *generator) moves(u *model.Update) bool {
	return slices.ContainsFunc(u.Set, func(a *model.Assignment) bool {
		return slices.ContainsFunc(g.model.Relationships, func(r *model.Relationship) bool {
			return r.Child == u.Entity && slices.Contains(r.ChildAttrs, a.Attribute)
		})
	})
}

func usedAsPattern(uses []use, param string) bool {
	return slices.ContainsFunc(uses, func(u use) bool { return u.param == param && (u.op == model.OpLike || u.count) })
}

func fits(q *model.Param, v dynamo.Value) bool {
	return !v.IsAbsent() && !v.IsNull() && exec.CheckValue(q.Type, v) == nil
}

// arg draws one argument.
func (g *generator) arg(q *model.Param, uses []use, query *model.Query, rows []exec.Row, fresh exec.Row, any bool) dynamo.Value {
	if len(uses) == 0 {
		return g.value(q.Type)
	}
	u := choose(g, uses)
	switch {
	case u.count:
		return dynamo.Int(int64(g.rng.IntN(6)))
	case u.op == "" && u.column == nil:
		return g.value(q.Type)
	case u.op == "":
		return g.assigned(q, u, fresh)
	case q.Optional && g.rng.IntN(3) == 0, g.rng.IntN(40) == 0 && !q.List && onlyCompared(uses):
		return dynamo.Null()
	}
	base := g.known(u, query, rows, any)
	if q.List {
		return g.list(q, u, base)
	}
	switch u.op {
	case model.OpLike:
		return dynamo.String(g.beginning(base.Str()))
	case model.OpLt, model.OpLe, model.OpGt, model.OpGe:
		base = g.bound(u, base)
	}
	if !fits(q, base) {
		return g.value(q.Type)
	}
	return base
}

func onlyCompared(uses []use) bool {
	return !slices.ContainsFunc(uses, func(u use) bool { return u.op == "" || u.count })
}

// known is the value of the use's column in the chosen rows, or in any row.
func (g *generator) known(u use, query *model.Query, rows []exec.Row, any bool) dynamo.Value {
	if any && g.rng.IntN(2) == 0 {
		return g.pick(u.column)
	}
	if !any && u.query == query && rows != nil && rows[u.source] != nil {
		if v := rows[u.source].Get(u.column.Name); !v.IsAbsent() {
			return v
		}
	}
	all := g.current.of(u.query.Sources[u.source].Entity)
	if len(all) > 0 {
		if v := choose(g, all).Get(u.column.Name); !v.IsAbsent() {
			return v
		}
	}
	return g.pick(u.column)
}

// bound draws the end of a range, mostly on the side that keeps the value.
func (g *generator) bound(u use, v dynamo.Value) dynamo.Value {
	other := g.pick(u.column)
	if g.rng.IntN(3) == 0 {
		return v
	}
	c, ok := dynamo.Compare(other, v)
	lower := u.op == model.OpGt || u.op == model.OpGe
	if ok && (c < 0) != lower && g.rng.IntN(5) > 0 {
		return v
	}
	return other
}

// list draws a list around a value: with others, duplicates, or empty.
func (g *generator) list(q *model.Param, u use, v dynamo.Value) dynamo.Value {
	t := q.Type
	t.Array = false
	one := &model.Param{Type: t}
	var out []dynamo.Value
	if g.rng.IntN(10) == 0 {
		return dynamo.List()
	}
	for range 1 + g.rng.IntN(4) {
		if fits(one, v) {
			out = append(out, v)
		}
		if v = g.known(u, u.query, nil, false); g.rng.IntN(4) == 0 {
			v = g.pick(u.column)
		}
	}
	return dynamo.List(out...)
}

// beginning cuts a text at some place, and before any wildcard.
func (g *generator) beginning(s string) string {
	if i := strings.IndexAny(s, `%_\`); i >= 0 {
		s = s[:i]
	}
	r := []rune(s)
	return string(r[:g.rng.IntN(len(r)+1)])
}

// assigned draws a value for a column: of the row to insert, or one that other rows have,
// or a new one.
func (g *generator) assigned(q *model.Param, u use, fresh exec.Row) dynamo.Value {
	v := g.pick(u.column)
	if fresh != nil {
		v = fresh.Get(u.column.Name)
	} else if q.Nullable && g.rng.IntN(6) == 0 {
		return dynamo.Null()
	}
	switch {
	case v.IsAbsent() && q.Nullable:
		return dynamo.Null()
	case !fits(q, v):
		return g.value(q.Type)
	}
	return v
}

// fresh makes a row to insert: mostly one whose keys are free, sometimes one with a key
// that is taken.
func (g *generator) fresh(e *model.Entity) exec.Row {
	keys := newKeySet(e)
	existing := g.current.of(e.Name)
	for _, r := range existing {
		keys.add(r)
	}
	var row exec.Row
	for range 30 {
		made, ok := g.row(e)
		if !ok {
			continue
		}
		row = made
		if keys.add(row) {
			break
		}
	}
	if row == nil {
		row = exec.Row{}
	}
	if len(existing) > 0 && g.rng.IntN(4) == 0 {
		key := choose(g, append([][]string{e.PrimaryKey}, e.Unique...))
		old := choose(g, existing)
		for _, c := range key {
			row = row.Set(c, old.Get(c))
		}
	}
	return row
}

// tuple chooses a row for each source of a query, joined where rows allow; nil where no
// row fits.
func (g *generator) tuple(q *model.Query) []exec.Row {
	out := make([]exec.Row, len(q.Sources))
	chosen := make([]bool, len(q.Sources))
	for range q.Sources {
		next := g.nextSource(q, chosen)
		var fit []exec.Row
		for _, r := range g.current.of(q.Sources[next].Entity) {
			if g.joins(q, out, chosen, next, r) {
				fit = append(fit, r)
			}
		}
		if len(fit) > 0 {
			out[next] = choose(g, fit)
		}
		chosen[next] = true
	}
	return out
}

// nextSource starts anywhere and prefers sources that a condition ties to a chosen one.
func (g *generator) nextSource(q *model.Query, chosen []bool) int {
	start := g.rng.IntN(len(chosen))
	fallback := -1
	for i := range chosen {
		s := (start + i) % len(chosen)
		if chosen[s] {
			continue
		}
		if fallback < 0 {
			fallback = s
		}
		for _, pair := range links(q) {
			if pair[0].Source == s && chosen[pair[1].Source] || pair[1].Source == s && chosen[pair[0].Source] {
				return s
			}
		}
	}
	return fallback
}

func (g *generator) joins(q *model.Query, rows []exec.Row, chosen []bool, source int, r exec.Row) bool {
	for _, pair := range links(q) {
		for _, p := range [][2]*model.Column{pair, {pair[1], pair[0]}} {
			if p[0].Source == source && chosen[p[1].Source] && rows[p[1].Source] != nil &&
				!dynamo.Equal(r.Get(p[0].Attribute), rows[p[1].Source].Get(p[1].Attribute)) {
				return false
			}
		}
	}
	return true
}
