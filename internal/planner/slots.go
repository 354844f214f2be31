package planner

import (
	"slices"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// A slotRef names an index slot: the n-th global or local index, from 0.
type slotRef struct {
	local bool
	n     int
}

// A slotting gives every index path its slot.
type slotting struct {
	at             map[*group]slotRef
	global, locals int
}

// A knot is a set of index paths of different entities that must share a slot, because a
// collection read wants them in one Query. Most knots are one path.
type knot struct {
	groups   []*group
	entities []string
	rank     int // the first pattern served
	local    bool
	flexible bool // may lie in a local index: its partition is the table's
}

// slots seats the index paths of the options: knots bound to a kind of index first, in
// the order of the patterns they serve, each in the first slot free for all its entities;
// then those that may lie in either kind, which open a local index rather than a global
// one. It counts the collection reads that it could not keep together because one slot
// would have to hold two paths of an entity.
func slots(m *model.Model, options map[string]option) (*slotting, int) {
	s := &slotting{at: map[*group]slotRef{}}
	taken := map[string]map[slotRef]bool{}
	for _, e := range m.Entities {
		taken[e.Name] = map[slotRef]bool{}
	}
	knots, apart := knots(m, options)
	for _, flexible := range []bool{false, true} {
		for _, k := range knots {
			if k.flexible == flexible {
				s.seat(k, taken)
			}
		}
	}
	return s, apart
}

func (s *slotting) seat(k *knot, taken map[string]map[slotRef]bool) {
	free := func(r slotRef) bool {
		return !slices.ContainsFunc(k.entities, func(e string) bool { return taken[e][r] })
	}
	pick := slotRef{local: k.local}
	for !free(pick) {
		pick.n++
	}
	if k.flexible && pick.n >= s.global {
		inside := slotRef{local: true}
		for !free(inside) {
			inside.n++
		}
		if inside.n < dynamo.MaxLocalIndexes {
			pick = inside
		}
	}
	for i, g := range k.groups {
		s.at[g] = pick
		taken[k.entities[i]][pick] = true
	}
	if pick.local {
		s.locals = max(s.locals, pick.n+1)
	} else {
		s.global = max(s.global, pick.n+1)
	}
}

// knots ties the index paths together that serve one collection read.
func knots(m *model.Model, options map[string]option) (out []*knot, apart int) {
	byPattern := map[*model.AccessPattern]*knot{}
	for _, e := range m.Entities {
		o := options[e.Name]
		for i := range o.indexes {
			g := &o.indexes[i]
			k := &knot{groups: []*group{g}, entities: []string{e.Name}, rank: len(m.Patterns), local: g.local,
				flexible: !g.local && sameSet(g.path.h, o.base.h)}
			out = append(out, k)
			for _, d := range g.ds {
				k.rank = min(k.rank, slices.Index(m.Patterns, d.pattern))
			}
			for _, d := range g.ds {
				if d.at != inIndex {
					continue
				}
				k.flexible = false
				if other := byPattern[d.pattern]; other != nil && other != k {
					if !other.join(k) {
						apart++
						continue
					}
					out = slices.DeleteFunc(out, func(x *knot) bool { return x == k })
					for p, x := range byPattern {
						if x == k {
							byPattern[p] = other
						}
					}
					k = other
				}
				byPattern[d.pattern] = k
			}
		}
	}
	slices.SortStableFunc(out, func(a, b *knot) int { return a.rank - b.rank })
	return out, apart
}

// join takes over another knot's paths unless an entity has one in both.
func (k *knot) join(o *knot) bool {
	for _, e := range o.entities {
		if slices.Contains(k.entities, e) {
			return false
		}
	}
	k.groups = append(k.groups, o.groups...)
	k.entities = append(k.entities, o.entities...)
	k.rank = min(k.rank, o.rank)
	k.local = k.local || o.local
	return true
}
