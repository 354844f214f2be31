package planner

import (
	"slices"

	"github.com/keyfold-dev/keyfold/internal/model"
)

// A place is where a demand's path must lie.
type place uint8

const (
	anywhere place = iota
	inBase
	inIndex
)

// An option is one way to key an entity for its demands.
type option struct {
	base    path
	inBase  []*demand
	indexes []group
	guards  []guard
	cost    float64
}

// A group is a path in an index and the demands it serves.
type group struct {
	path  path
	ds    []*demand
	local bool // must be a local index: it serves a strongly consistent demand
}

// A guard is an item for each value of a unique key, which holds the row's columns, so
// that the row can be got by that key.
type guard struct {
	unique []string
	ds     []*demand
}

// A task is one entity's part of the search.
type task struct {
	w     *workload
	e     *model.Entity
	ds    []*demand
	gets  []get
	bases map[int]*scored
	cache map[int]*scored
	plans map[int]*covered
}

type scored struct {
	path path
	cost float64
}

type covered struct {
	groups []int // masks
	cost   float64
}

// exactLimit is the number of demands of one entity up to which every way to share
// indexes is compared.
const exactLimit = 12

// options returns the cheapest option for each number of indexes that has one, fewest
// first; none when the constraints exclude each other.
func (t *task) options() []option {
	t.bases, t.cache, t.plans = map[int]*scored{}, map[int]*scored{}, map[int]*covered{}
	best := map[int]option{}
	for _, mask := range t.baseMasks() {
		base := t.basePath(mask)
		if base == nil {
			continue
		}
		for _, guarded := range t.guardMasks(mask) {
			rest := t.all() &^ mask &^ guarded
			if t.has(rest, inBase) {
				continue
			}
			plan := t.cover(rest, base.path)
			if plan == nil {
				continue
			}
			cost := base.cost + plan.cost + t.guardCost(guarded)
			if old, ok := best[len(plan.groups)]; !ok || cost < old.cost-1e-12 {
				best[len(plan.groups)] = t.option(base, mask, guarded, plan, cost)
			}
		}
	}
	var out []option
	for n := 0; n <= len(t.ds); n++ {
		if o, ok := best[n]; ok {
			out = append(out, o)
		}
	}
	return out
}

func (t *task) all() int { return 1<<len(t.ds) - 1 }

func (t *task) pick(mask int) []*demand {
	var out []*demand
	for i, d := range t.ds {
		if mask&(1<<i) != 0 {
			out = append(out, d)
		}
	}
	return out
}

func (t *task) has(mask int, at place) bool {
	return slices.ContainsFunc(t.pick(mask), func(d *demand) bool { return d.at == at })
}

// baseMasks are the sets of demands the base key is tried for: all of them while they
// are few, otherwise each demand alone and what can join it.
func (t *task) baseMasks() []int {
	var out []int
	if len(t.ds) <= exactLimit {
		for mask := 0; mask <= t.all(); mask++ {
			if !t.has(mask, inIndex) {
				out = append(out, mask)
			}
		}
		return out
	}
	out = append(out, 0)
	for i := range t.ds {
		mask := 1 << i
		for j := range t.ds {
			if t.basePath(mask|1<<j) != nil {
				mask |= 1 << j
			}
		}
		if !t.has(mask, inIndex) && !slices.Contains(out, mask) {
			out = append(out, mask)
		}
	}
	return out
}

// basePath returns the best base key that serves the demands of mask, or nil.
func (t *task) basePath(mask int) *scored {
	if s, ok := t.bases[mask]; ok {
		return s
	}
	ds := t.pick(mask)
	candidates := paths(t.e, ds)
	if mask == 0 {
		candidates = []path{{h: inOrder(t.e, t.e.PrimaryKey)}}
	}
	var best *scored
	for _, p := range candidates {
		if !t.canBeBase(p) {
			continue
		}
		cost := t.readCost(p, ds)
		for _, attr := range p.columns() {
			if !slices.Contains(t.e.PrimaryKey, attr) {
				cost += 0.02
			}
		}
		if best == nil || cost < best.cost-1e-12 {
			best = &scored{p, cost}
		}
	}
	t.bases[mask] = best
	return best
}

func inOrder(e *model.Entity, cols []string) []string {
	var out []string
	for _, a := range e.Attributes {
		if slices.Contains(cols, a.Name) {
			out = append(out, a.Name)
		}
	}
	return out
}

// canBeBase reports whether p can be the base key: it is no single partition for more than
// one partition takes; no column is ever NULL; columns beyond
// the primary key never change and no statement inserts rows (the key alone could then no
// longer keep the primary key unique); every write and get can compute it.
func (t *task) canBeBase(p path) bool {
	if len(p.h) == 0 && t.w.crowded(t.e) {
		return false
	}
	for _, attr := range p.columns() {
		if !t.e.Attribute(attr).NotNull {
			return false
		}
		if slices.Contains(t.e.PrimaryKey, attr) {
			continue
		}
		if t.w.updates(t.e.Name, attr) || t.w.inserts(t.e.Name) {
			return false
		}
		for _, w := range t.w.writes {
			if w.entity == t.e && !slices.ContainsFunc(w.eq, func(f fixed) bool { return f.attr == attr }) {
				return false
			}
		}
		for _, g := range t.gets {
			if g.from[attr] == nil {
				return false
			}
		}
	}
	return true
}

// cover splits the demands of mask into the fewest groups that can share an index each,
// the cheapest such split. Nil when a demand cannot lie in an index.
func (t *task) cover(mask int, base path) *covered {
	if mask == 0 {
		return &covered{}
	}
	strong := slices.ContainsFunc(t.pick(mask), func(d *demand) bool { return d.strong })
	if c, ok := t.plans[mask]; ok && !strong {
		return c
	}
	var best *covered
	for _, sub := range t.groupsOf(mask, base) {
		g := t.indexPath(sub, base)
		if g == nil {
			continue
		}
		c := t.cover(mask&^sub, base)
		if c == nil {
			continue
		}
		cost := c.cost + g.cost
		if best == nil || len(c.groups)+1 < len(best.groups) ||
			len(c.groups)+1 == len(best.groups) && cost < best.cost-1e-12 {
			best = &covered{append([]int{sub}, c.groups...), cost}
		}
	}
	if !strong {
		t.plans[mask] = best
	}
	return best
}

// groupsOf returns the groups that the first demand of mask may be in: all of them while
// the search is exact, otherwise the one that grows greedily.
func (t *task) groupsOf(mask int, base path) []int {
	lowest := mask & -mask
	if len(t.ds) <= exactLimit {
		var out []int
		rest := mask &^ lowest
		for sub := rest; ; sub = (sub - 1) & rest {
			out = append(out, sub|lowest)
			if sub == 0 {
				return out
			}
		}
	}
	group := lowest
	for i := range t.ds {
		if bit := 1 << i; mask&bit != 0 && t.indexPath(group|bit, base) != nil {
			group |= bit
		}
	}
	return []int{group}
}

// indexPath returns the best index key that serves the demands of mask, or nil.
func (t *task) indexPath(mask int, base path) *scored {
	if s, ok := t.cache[mask]; ok {
		return s
	}
	ds := t.pick(mask)
	strong := slices.ContainsFunc(ds, func(d *demand) bool { return d.strong })
	var best *scored
	for _, p := range paths(t.e, ds) {
		if strong && !sameSet(p.h, base.h) {
			continue
		}
		if len(p.h) == 0 && t.w.crowded(t.e) && slices.ContainsFunc(ds, func(d *demand) bool { return len(d.eq) > 0 }) {
			continue // a read that can do with less must not share one partition of all rows
		}
		cost := t.readCost(p, ds) + t.writeCost(p, ds)
		if best == nil || cost < best.cost-1e-12 {
			best = &scored{p, cost}
		}
	}
	if !strong {
		t.cache[mask] = best
	}
	return best
}

func (t *task) option(base *scored, mask, guarded int, plan *covered, cost float64) option {
	o := option{base: base.path, inBase: t.pick(mask), cost: cost}
	for _, g := range plan.groups {
		ds := t.pick(g)
		o.indexes = append(o.indexes, group{path: t.indexPath(g, base.path).path, ds: ds,
			local: slices.ContainsFunc(ds, func(d *demand) bool { return d.strong })})
	}
	for _, d := range t.pick(guarded) {
		i := slices.IndexFunc(o.guards, func(g guard) bool { return slices.Equal(g.unique, d.unique) })
		if i < 0 {
			i = len(o.guards)
			o.guards = append(o.guards, guard{unique: d.unique})
		}
		o.guards[i].ds = append(o.guards[i].ds, d)
	}
	return o
}

// guardMasks are the sets of demands that guard items may serve: all of those that can,
// or none.
func (t *task) guardMasks(base int) []int {
	eligible := 0
	for i, d := range t.ds {
		if base&(1<<i) == 0 && t.guardable(d) {
			eligible |= 1 << i
		}
	}
	var out []int
	for sub := eligible; ; sub = (sub - 1) & eligible {
		out = append(out, sub)
		if sub == 0 {
			return out
		}
	}
}

// guardable reports whether a guard of a UNIQUE key can hold the row for d: nothing
// changes a column it would repeat beyond the key itself, with which it moves.
func (t *task) guardable(d *demand) bool {
	if d.at != anywhere || d.unique == nil || sameSet(d.unique, t.e.PrimaryKey) {
		return false
	}
	return !slices.ContainsFunc(d.needs, func(attr string) bool {
		return t.w.updates(t.e.Name, attr) && !slices.Contains(d.unique, attr)
	})
}

// guardCost weighs the guards of the demands: a second item in a transaction for every
// insert and delete, unless the key must be guarded anyway.
func (t *task) guardCost(mask int) float64 {
	cost := 0.0
	for _, d := range t.pick(mask) {
		cost += 0.005
		if t.w.guards(t.e, d.unique) {
			continue
		}
		for _, w := range t.w.writes {
			if w.entity == t.e && !w.update {
				cost += 2 * w.pattern.Hints.Rate.Value
			}
		}
	}
	return cost
}
