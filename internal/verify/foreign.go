package verify

import (
	"slices"
	"sort"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/exec"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// parents returns the foreign keys of an entity, those with the most columns first.
func (g *generator) parents(e *model.Entity) []*model.Relationship {
	var out []*model.Relationship
	for _, r := range g.model.Relationships {
		if r.Child == e.Name {
			out = append(out, r)
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return len(out[i].ChildAttrs) > len(out[j].ChildAttrs) })
	return out
}

// refer sets the columns of a foreign key to those of a parent that agrees with the
// columns set before, or to NULL. Some parents get no children.
func (g *generator) refer(e *model.Entity, r *model.Relationship, row exec.Row, set map[string]bool) (exec.Row, bool) {
	var open []string
	for _, c := range r.ChildAttrs {
		if !set[c] {
			open = append(open, c)
		}
	}
	nullable := func(c string) bool { return isNullable(e.Attribute(c)) }
	if i := slices.IndexFunc(open, nullable); i >= 0 && g.rng.IntN(4) == 0 {
		set[open[i]] = true
		return row, true
	}
	parents := g.current.of(r.Parent)
	var fit []exec.Row
	for i, p := range parents {
		barren := i%4 == 3 && len(parents) > 4 && r.Parent != e.Name
		if !barren && agrees(r, row, p, set) {
			fit = append(fit, p)
		}
	}
	if len(fit) == 0 {
		if i := slices.IndexFunc(open, nullable); i >= 0 {
			set[open[i]] = true
			return row, true
		}
		return row, r.Parent == e.Name || len(open) == 0 && g.hasParent(r, row)
	}
	p := fit[g.rng.IntN(len(fit))]
	for i, c := range r.ChildAttrs {
		row = row.Set(c, p.Get(r.ParentAttrs[i]))
		set[c] = true
	}
	return row, true
}

// agrees reports whether the columns of a foreign key that are set are those of the
// parent.
func agrees(r *model.Relationship, row, parent exec.Row, set map[string]bool) bool {
	for i, c := range r.ChildAttrs {
		v := parent.Get(r.ParentAttrs[i])
		if v.IsAbsent() || set[c] && !dynamo.Equal(row.Get(c), v) {
			return false
		}
	}
	return true
}

// hasParent reports whether a row's foreign key is NULL or leads to a row.
func (g *generator) hasParent(r *model.Relationship, row exec.Row) bool {
	for _, c := range r.ChildAttrs {
		if row.Get(c).IsAbsent() {
			return true
		}
	}
	return slices.ContainsFunc(g.current.of(r.Parent), func(p exec.Row) bool { return matches(r, row, p) })
}

func matches(r *model.Relationship, child, parent exec.Row) bool {
	for i, c := range r.ChildAttrs {
		if !dynamo.Equal(child.Get(c), parent.Get(r.ParentAttrs[i])) {
			return false
		}
	}
	return true
}

func (g *generator) refersToItself(r *model.Relationship, row exec.Row) bool {
	return matches(r, row, row)
}

// closeCycles gives some of the foreign keys that were left NULL, because their parents
// came later, a parent.
func (g *generator) closeCycles() {
	for i := range g.current {
		t := &g.current[i]
		for _, r := range g.parents(t.entity) {
			free := !slices.ContainsFunc(r.ChildAttrs, func(c string) bool {
				return !isNullable(t.entity.Attribute(c)) || slices.Contains(t.entity.PrimaryKey, c) || inUnique(t.entity, c)
			})
			parents := g.current.of(r.Parent)
			if !free || len(parents) == 0 {
				continue
			}
			for j, row := range t.rows {
				if g.rng.IntN(3) == 0 {
					p := parents[g.rng.IntN(len(parents))]
					next := row.Clone()
					for k, c := range r.ChildAttrs {
						next = next.Set(c, p.Get(r.ParentAttrs[k]))
					}
					if g.consistent(t.entity, next) && g.satisfies(t.entity, next) {
						t.rows[j] = next
					}
				}
			}
		}
	}
}

func inUnique(e *model.Entity, column string) bool {
	return slices.ContainsFunc(e.Unique, func(u []string) bool { return slices.Contains(u, column) })
}

// consistent reports whether all foreign keys of a row lead somewhere.
func (g *generator) consistent(e *model.Entity, row exec.Row) bool {
	for _, r := range g.parents(e) {
		if !g.hasParent(r, row) && !(r.Parent == e.Name && g.refersToItself(r, row)) {
			return false
		}
	}
	return true
}
