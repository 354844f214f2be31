package design

import (
	"slices"
	"strings"

	"github.com/keyfold-dev/keyfold/internal/model"
)

// Facts are what a query's conjuncts say, closed under equality between columns. They
// are derived here again, apart from the planner's own reading.
type facts struct {
	p      *Plan
	values map[place][]string // operands that a column must equal, as printed
	links  map[place][]place  // columns it must equal
}

// A place is a column of a source.
type place struct {
	source int
	column string
}

func newFacts(p *Plan) *facts {
	f := &facts{p: p, values: map[place][]string{}, links: map[place][]place{}}
	for _, c := range p.Query.Where {
		f.learn(c, -1)
	}
	for i, s := range p.Query.Sources {
		for _, c := range s.On {
			f.learn(c, i)
		}
	}
	for changed := true; changed; {
		changed = false
		for a, others := range f.links {
			for _, b := range others {
				for _, v := range f.values[b] {
					if !slices.Contains(f.values[a], v) {
						f.values[a] = append(f.values[a], v)
						changed = true
					}
				}
			}
		}
	}
	return f
}

// learn takes in one conjunct; those of a left join's ON speak of its own source only.
func (f *facts) learn(c model.Expr, on int) {
	if col := nullTested(c); col != nil && (on < 0 || col.Source == on) {
		at := place{col.Source, col.Attribute}
		f.values[at] = append(f.values[at], "NULL")
	}
	if col, list := listTested(c); col != nil && (on < 0 || col.Source == on) {
		at := place{col.Source, col.Attribute}
		for _, e := range list {
			f.values[at] = append(f.values[at], e.String())
		}
	}
	b, ok := c.(*model.Binary)
	if !ok || b.Op != model.OpEq {
		return
	}
	for _, side := range [][2]model.Expr{{b.Left, b.Right}, {b.Right, b.Left}} {
		col, ok := side[0].(*model.Column)
		if !ok || on >= 0 && col.Source != on {
			continue
		}
		at := place{col.Source, col.Attribute}
		if other, ok := side[1].(*model.Column); ok {
			f.links[at] = append(f.links[at], place{other.Source, other.Attribute})
		} else {
			f.values[at] = append(f.values[at], side[1].String())
		}
	}
}

// nullTested returns the column of col IS NULL, or nil.
func nullTested(c model.Expr) *model.Column {
	u, ok := c.(*model.Unary)
	if !ok || u.Op != model.OpIsNull {
		return nil
	}
	col, _ := u.X.(*model.Column)
	return col
}

// listTested returns the column and the elements of col IN (...), or nil.
func listTested(c model.Expr) (*model.Column, []model.Expr) {
	in, ok := c.(*model.In)
	if !ok {
		return nil, nil
	}
	col, _ := in.X.(*model.Column)
	return col, in.List
}

// covers checks that the requests together ask for every element of a list that their
// keys hold one element of each.
func (c *checker) covers(p *Plan) {
	for _, conjunct := range p.Query.Where {
		col, list := listTested(conjunct)
		if col == nil || len(list) < 2 || contains(p.Client.Filter, conjunct) {
			continue
		}
		for _, e := range list {
			if !slices.ContainsFunc(p.Requests, func(r *Request) bool { return r.asksFor(e) || contains(r.Filter, conjunct) }) {
				c.fault(CodeUnderRead, "no request asks for %s = %s", col, e)
			}
		}
	}
}

// asksFor reports whether a key of the request holds the value.
func (r *Request) asksFor(e model.Expr) bool {
	found := false
	r.rewrite(func(x model.Expr) model.Expr {
		found = found || x.String() == e.String()
		return x
	})
	return found
}

// says reports whether the query makes the column equal to the value.
func (f *facts) says(at place, value model.Expr) bool {
	if c, ok := value.(*model.Column); ok {
		seen := map[place]bool{at: true}
		for todo := []place{at}; len(todo) > 0; todo = todo[1:] {
			if todo[0] == (place{c.Source, c.Attribute}) {
				return true
			}
			for _, next := range f.links[todo[0]] {
				if !seen[next] {
					seen[next] = true
					todo = append(todo, next)
				}
			}
		}
		return false
	}
	return slices.Contains(f.values[at], value.String())
}

// fixed reports whether the query gives the column one value.
func (f *facts) fixed(at place) bool { return len(f.values[at]) > 0 }

// isNull reports whether the query asks for rows with a NULL in the column.
func (f *facts) isNull(at place) bool { return slices.Contains(f.values[at], "NULL") }

// local returns the conjuncts that speak of one source alone.
func (f *facts) local(source int) []model.Expr {
	var out []model.Expr
	q := f.p.Query
	for _, c := range slices.Concat(q.Where, q.Sources[source].On) {
		alone, any := true, false
		model.Walk(c, func(x model.Expr) bool {
			if col, ok := x.(*model.Column); ok {
				any = true
				alone = alone && col.Source == source
			}
			return true
		})
		if alone && any {
			out = append(out, c)
		}
	}
	return out
}

// compare holds what the keys say against what the WHERE says, both ways.
func (c *checker) compare(p *Plan, r *Request, k Kind, b *bounds, f *facts) {
	if k.Source < 0 {
		return
	}
	for _, x := range b.equals {
		if !f.says(place{k.Source, x.column}, x.value) {
			c.fault(CodeUnderRead, "the key fixes %s.%s to %s, the WHERE does not", k.Entity, x.column, x.value)
		}
	}
	var filters []model.Expr
	if r != nil {
		filters = r.Filter
	}
	for _, conjunct := range f.local(k.Source) {
		if p.Client.Join && contains(p.Query.Sources[k.Source].On, conjunct) {
			continue // the join applies it
		}
		if !c.guaranteed(p, k, b, f, conjunct) && !contains(filters, conjunct) && !contains(p.Client.Filter, conjunct) {
			c.fault(CodeOverRead, "nothing keeps out rows without %s", conjunct)
		}
	}
	for _, x := range []struct {
		b     *bound
		upper bool
	}{{b.low, false}, {b.high, true}} {
		if x.b != nil && !slices.ContainsFunc(f.local(k.Source), func(e model.Expr) bool { return isBound(e, x.b, x.upper) }) {
			c.fault(CodeUnderRead, "the key bounds %s by %s, the WHERE does not", x.b.column, x.b.value)
		}
	}
	if b.like != nil && !slices.ContainsFunc(f.local(k.Source), func(e model.Expr) bool { return isPrefixOf(e, b.like) }) {
		c.fault(CodeUnderRead, "the key searches %s by a prefix, the WHERE does not", b.like.column)
	}
}

func contains(list []model.Expr, e model.Expr) bool {
	return slices.ContainsFunc(list, func(x model.Expr) bool { return x.String() == e.String() })
}

// guaranteed reports whether the key condition alone implies a conjunct.
func (c *checker) guaranteed(p *Plan, k Kind, b *bounds, f *facts, e model.Expr) bool {
	if col := nullTested(e); col != nil {
		return slices.ContainsFunc(b.equals, func(x bound) bool { return x.column == col.Attribute && x.value.String() == "NULL" })
	}
	if col, list := listTested(e); col != nil {
		return slices.ContainsFunc(b.equals, func(x bound) bool { return x.column == col.Attribute && contains(list, x.value) })
	}
	bin, ok := e.(*model.Binary)
	if !ok {
		return false
	}
	if bin.Op == model.OpEq {
		return slices.ContainsFunc(b.equals, func(x bound) bool {
			return isEquality(bin, k.Source, x.column, x.value)
		}) || c.filteredEqual(p, k, bin)
	}
	return b.low != nil && isBound(e, b.low, false) || b.high != nil && isBound(e, b.high, true) ||
		b.like != nil && isPrefixOf(e, b.like)
}

// filteredEqual recognises an equality that a request's filter repeats with the sides the
// other way round.
func (c *checker) filteredEqual(p *Plan, k Kind, e *model.Binary) bool {
	for _, r := range p.Requests {
		for _, f := range r.Filter {
			b, ok := f.(*model.Binary)
			if ok && b.Op == model.OpEq && b.Left.String() == e.Right.String() && b.Right.String() == e.Left.String() {
				return true
			}
		}
	}
	return false
}

func mentions(e *model.Binary, column string) bool {
	for _, side := range []model.Expr{e.Left, e.Right} {
		if col, ok := side.(*model.Column); ok && col.Attribute == column {
			return true
		}
	}
	return false
}

func isEquality(e *model.Binary, source int, column string, value model.Expr) bool {
	for _, side := range [][2]model.Expr{{e.Left, e.Right}, {e.Right, e.Left}} {
		if col, ok := side[0].(*model.Column); ok && col.Source == source && col.Attribute == column &&
			side[1].String() == value.String() {
			return true
		}
	}
	return false
}

// isBound reports whether e is the comparison that a bound stands for.
func isBound(e model.Expr, b *bound, upper bool) bool {
	bin, ok := e.(*model.Binary)
	if !ok {
		return false
	}
	want := map[[2]bool]model.Op{{false, false}: model.OpGe, {false, true}: model.OpGt, {true, false}: model.OpLe, {true, true}: model.OpLt}[[2]bool{upper, b.open}]
	mirror := map[model.Op]model.Op{model.OpGe: model.OpLe, model.OpGt: model.OpLt, model.OpLe: model.OpGe, model.OpLt: model.OpGt}[want]
	matches := func(col, val model.Expr, op, wanted model.Op) bool {
		c, ok := col.(*model.Column)
		return ok && c.Attribute == b.column && val.String() == b.value.String() && op == wanted
	}
	return matches(bin.Left, bin.Right, bin.Op, want) || matches(bin.Right, bin.Left, bin.Op, mirror)
}

func isPrefixOf(e model.Expr, b *bound) bool {
	bin, ok := e.(*model.Binary)
	if !ok || bin.Op != model.OpLike {
		return false
	}
	col, ok := bin.Left.(*model.Column)
	if !ok || col.Attribute != b.column {
		return false
	}
	switch x := bin.Right.(type) {
	case *model.Literal:
		v, ok := b.value.(*model.Literal)
		return ok && x.Value.Str() == v.Value.Str()+"%" && !strings.ContainsAny(v.Value.Str(), `%_\`)
	case *model.Binary:
		tail, ok := x.Right.(*model.Literal)
		plain := true
		model.Walk(x.Left, func(e model.Expr) bool {
			l, ok := e.(*model.Literal)
			plain = plain && !(ok && strings.ContainsAny(l.Value.Str(), `%_\`))
			return plain
		})
		return ok && plain && x.Op == model.OpConcat && tail.Value.Str() == "%" && x.Left.String() == b.value.String()
	}
	return false
}

// sparse checks that no row the WHERE keeps is missing from the index for a NULL.
func (c *checker) sparse(p *Plan, r *Request, k Kind, e *Entity, f *facts) {
	ix := c.d.Table(r.Table).Index(r.Index)
	if ix == nil {
		return
	}
	entity := c.m.Entity(e.RowEntity())
	for _, ka := range slices.Concat(ix.PartitionKey, ix.SortKey) {
		key := e.Key(ka.Name)
		if key == nil {
			c.fault(CodeSparse, "%s is never in %s", e.Name, ix.Name)
			continue
		}
		for _, part := range key.Template {
			col, ok := part.Value.(*model.Column)
			if !ok || part.Nullable || entity.Attribute(col.Attribute).NotNull || f.fixed(place{k.Source, col.Attribute}) {
				continue
			}
			if !slices.ContainsFunc(f.local(k.Source), func(e model.Expr) bool { return rejectsNull(e, col.Attribute) }) {
				c.fault(CodeSparse, "%s holds no row of %s whose %s is NULL, and the WHERE keeps them", ix.Name, e.Name, col.Attribute)
			}
		}
	}
}

// rejectsNull reports whether e is not true for a NULL in the column.
func rejectsNull(e model.Expr, column string) bool {
	switch e := e.(type) {
	case *model.Unary:
		c, ok := e.X.(*model.Column)
		return ok && e.Op == model.OpIsNotNull && c.Attribute == column
	case *model.Binary:
		return e.Op != model.OpAnd && e.Op != model.OpOr && mentions(e, column)
	}
	return false
}
