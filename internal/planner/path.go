package planner

import (
	"slices"

	"github.com/keyfold-dev/keyfold/internal/model"
)

// A path is one way to key an entity: the columns of the partition key and those of the
// sort key in order. An empty h is a constant partition that holds all rows.
type path struct {
	h []string
	s []comp
}

// A comp is one column of a sort key.
type comp struct {
	attr     string
	desc     bool
	nullable bool // rows with NULL stay in: NULL is spelled
}

func (p path) has(attr string) bool {
	return slices.Contains(p.h, attr) || slices.ContainsFunc(p.s, func(c comp) bool { return c.attr == attr })
}

func (p path) columns() []string {
	out := slices.Clone(p.h)
	for _, c := range p.s {
		out = append(out, c.attr)
	}
	return out
}

// A progress is how far a demand has got along a sort key under construction.
type progress struct {
	d    *demand
	left []string // fixed columns not yet in the key
	seq  []ordered
}

// done reports whether the key so far serves the demand, whatever columns follow.
func (g progress) done() bool {
	if len(g.seq) > 0 {
		return false
	}
	if len(g.left) == 0 {
		return true
	}
	if !g.d.soft {
		return false
	}
	for _, attr := range g.d.unique {
		if slices.Contains(g.left, attr) {
			return false
		}
	}
	return true
}

// take returns the progress after one more column, or false when the demand cannot
// accept that column at this place.
func (g progress) take(c comp) (progress, bool) {
	if i := slices.Index(g.left, c.attr); i >= 0 {
		g.left = slices.Delete(slices.Clone(g.left), i, i+1)
		return g, true
	}
	if g.done() {
		return g, true
	}
	if len(g.left) > 0 && !g.d.soft || len(g.seq) == 0 || g.seq[0].attr != c.attr || g.seq[0].desc != c.desc {
		return g, false
	}
	g.left, g.seq = nil, g.seq[1:]
	return g, true
}

// wants returns the columns that bring the demand forward.
func (g progress) wants() []comp {
	var out []comp
	for _, attr := range g.left {
		out = append(out, comp{attr: attr})
	}
	if len(g.seq) > 0 && (len(g.left) == 0 || g.d.soft) {
		out = append(out, comp{attr: g.seq[0].attr, desc: g.seq[0].desc})
	}
	return out
}

// paths returns the ways to key e that serve all of ds: one for each possible set of
// partition columns. An empty ds has none.
func paths(e *model.Entity, ds []*demand) []path {
	var out []path
	for _, h := range partitions(e, ds) {
		state := make([]progress, len(ds))
		for i, d := range ds {
			state[i] = progress{d: d, seq: d.seq}
			for _, f := range d.eq {
				if !slices.Contains(h, f.attr) {
					state[i].left = append(state[i].left, f.attr)
				}
			}
		}
		if s, ok := arrange(state, nil); ok {
			p := path{h: h, s: s}
			p.complete(e, ds)
			out = append(out, p)
		}
	}
	return out
}

// complete ends the sort key with the rest of the primary key, so that no two rows have
// one key, and settles how NULLs are spelled.
func (p *path) complete(e *model.Entity, ds []*demand) {
	for i, c := range p.s {
		p.s[i].nullable = !e.Attribute(c.attr).NotNull &&
			slices.ContainsFunc(ds, func(d *demand) bool { return !d.excludesNull(c.attr) })
	}
	for _, attr := range e.PrimaryKey {
		if !p.has(attr) {
			p.s = append(p.s, comp{attr: attr})
		}
	}
}

// arrange finds an order of columns that serves every demand: depth first, the columns
// of the first unfinished demand in its written order.
func arrange(state []progress, key []comp) ([]comp, bool) {
	i := slices.IndexFunc(state, func(g progress) bool { return !g.done() })
	if i < 0 {
		return key, true
	}
	for _, c := range state[i].wants() {
		next := make([]progress, 0, len(state))
		for _, g := range state {
			n, ok := g.take(c)
			if !ok {
				break
			}
			next = append(next, n)
		}
		if len(next) < len(state) {
			continue
		}
		if out, ok := arrange(next, append(slices.Clone(key), c)); ok {
			return out, true
		}
	}
	return nil, false
}

// partitions enumerates the sets of partition columns that all demands fix, the largest
// first: more columns spread better. With nothing in common it is the constant partition.
func partitions(e *model.Entity, ds []*demand) [][]string {
	if len(ds) == 0 {
		return nil
	}
	for _, d := range ds {
		if d.exact == nil {
			continue
		}
		for _, o := range ds {
			if o.exact != nil && !slices.Equal(o.exact, d.exact) ||
				slices.ContainsFunc(d.exact, func(a string) bool { return !o.fixes(a) || o.wantsNull(a) }) {
				return nil
			}
		}
		return [][]string{d.exact}
	}
	var common []string
	for _, a := range e.Attributes {
		if !slices.ContainsFunc(ds, func(d *demand) bool { return !d.fixes(a.Name) }) {
			common = append(common, a.Name)
		}
	}
	if len(common) > 6 {
		common = common[:6]
	}
	out := subsets(common)
	slices.SortStableFunc(out, func(a, b []string) int { return len(b) - len(a) })
	if len(common) > 0 {
		out = out[:len(out)-1] // the empty set
	}
	return out
}

func subsets(cols []string) [][]string {
	var out [][]string
	for mask := 1<<len(cols) - 1; mask >= 0; mask-- {
		set := []string{}
		for i, c := range cols {
			if mask&(1<<i) != 0 {
				set = append(set, c)
			}
		}
		out = append(out, set)
	}
	return out
}
