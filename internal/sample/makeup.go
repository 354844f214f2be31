package sample

import (
	"slices"
	"strconv"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/exec"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// tries is how many numbers are tried for one row before it is left out. From the half on
// columns of keys take numbered values instead of the words of their lists.
const tries = 50

// makeUp fills t. An entity without parents gets fewer rows, so that their children come
// in groups.
func (d *Data) makeUp(t *Table, n int) {
	if len(d.references(t.Entity.Name)) == 0 && d.hasChildren(t.Entity.Name) {
		n = max(min(n, 3), n/4)
	}
	for i := range n {
		if row, ok := d.fresh(t, i); ok {
			t.Rows = append(t.Rows, row)
		}
	}
}

func (d *Data) hasChildren(entity string) bool {
	return slices.ContainsFunc(d.model.Relationships, func(r *model.Relationship) bool {
		return r.Parent == entity && r.Child != entity
	})
}

// fresh makes row number i, or the next one that no unique key forbids.
func (d *Data) fresh(t *Table, i int) (exec.Row, bool) {
	for try := range tries {
		row, ok := d.row(t, i+try, try >= tries/2)
		if ok && !slices.ContainsFunc(uniqueKeys(t.Entity), func(key []string) bool {
			return t.has(key, pick(row, key))
		}) {
			return row, true
		}
	}
	return nil, false
}

// row makes row number i: foreign keys first, then every other column. The first row of
// an entity that must refer to itself refers to itself.
func (d *Data) row(t *Table, i int, numbered bool) (exec.Row, bool) {
	row, ok := d.parentsOf(t, i)
	if !ok {
		return nil, false
	}
	for _, a := range t.Entity.Attributes {
		if !row.Get(a.Name).IsAbsent() || d.isReference(t.Entity.Name, a.Name) {
			continue
		}
		if !a.NotNull && i%5 == 4 {
			continue
		}
		row = row.Set(a.Name, d.value(t.Entity, a, i, numbered))
	}
	for _, ref := range d.references(t.Entity.Name) {
		if ref.Parent == ref.Child && needs(t.Entity, ref, row) {
			for j, c := range ref.ChildAttrs {
				row = row.Set(c, row.Get(ref.ParentAttrs[j]))
			}
		}
	}
	return row, true
}

func (d *Data) isReference(entity, column string) bool {
	return slices.ContainsFunc(d.references(entity), func(r *model.Relationship) bool {
		return slices.Contains(r.ChildAttrs, column)
	})
}

// parentsOf chooses a parent for every foreign key: for the first by turns, for the others
// by turns that shift with every round, so that children spread over all of them and
// combinations come late again. Foreign keys that share columns get parents that agree.
// Where there is no parent the columns stay NULL, or the row is not possible.
func (d *Data) parentsOf(t *Table, i int) (exec.Row, bool) {
	var row exec.Row
	round := 0
	for _, ref := range d.references(t.Entity.Name) {
		fit := d.fitting(row, ref)
		if len(fit) == 0 {
			if ref.Parent != ref.Child && needs(t.Entity, ref, row) {
				return nil, false
			}
			continue
		}
		parent := fit[(i+round)%len(fit)]
		round = round/len(fit) + i/len(fit)
		for j, c := range ref.ChildAttrs {
			row = row.Set(c, parent.Get(ref.ParentAttrs[j]))
		}
	}
	return row, true
}

// fitting are the parents that agree with the columns row has already.
func (d *Data) fitting(row exec.Row, ref *model.Relationship) []exec.Row {
	all := d.rows(ref.Parent)
	free := !slices.ContainsFunc(ref.ChildAttrs, func(c string) bool { return !row.Get(c).IsAbsent() })
	if parent := d.model.Entity(ref.Parent); free && slices.Equal(parent.PrimaryKey, ref.ParentAttrs) {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(p exec.Row) bool { return !agrees(row, ref, p) })
}

func (d *Data) rows(entity string) []exec.Row {
	if t := d.Table(entity); t != nil {
		return t.Rows
	}
	return nil
}

// needs reports whether a foreign key must not be NULL and is not there yet.
func needs(e *model.Entity, ref *model.Relationship, row exec.Row) bool {
	return slices.ContainsFunc(ref.ChildAttrs, func(c string) bool {
		return e.Attribute(c).NotNull && row.Get(c).IsAbsent()
	})
}

func agrees(row exec.Row, ref *model.Relationship, parent exec.Row) bool {
	for j, c := range ref.ChildAttrs {
		if have := row.Get(c); !have.IsAbsent() && !equal(have, parent.Get(ref.ParentAttrs[j])) {
			return false
		}
		if isNull(parent.Get(ref.ParentAttrs[j])) {
			return false
		}
	}
	return true
}

// value makes up a value of a column. With numbered, values of key columns differ for
// different i as far as their type allows. Constants that queries ask for take turns with
// other values.
func (d *Data) value(e *model.Entity, a *model.Attribute, i int, numbered bool) dynamo.Value {
	if labels := checkedLabels(e, a); len(labels) > 0 {
		return labels[i%len(labels)]
	}
	isKey := slices.ContainsFunc(uniqueKeys(e), func(key []string) bool { return slices.Contains(key, a.Name) })
	alone := slices.ContainsFunc(uniqueKeys(e), func(key []string) bool { return slices.Equal(key, []string{a.Name}) })
	if asked := d.constants[[2]string{e.Name, a.Name}]; !alone && i%(len(asked)+1) < len(asked) {
		return asked[i%(len(asked)+1)]
	}
	if !a.Distinct.Assumed && a.Distinct.Value >= 1 && !isKey {
		i %= int(a.Distinct.Value)
	}
	v := made(e.Name, a.Name, a.Type, i)
	if numbered && isKey && v.Type() == dynamo.TypeString && a.Type.Kind == model.Text {
		v = dynamo.String(shorten(v.Str()+" "+strconv.Itoa(i+1), a.Type.Length, i))
	}
	return v
}

// checkedLabels are the constants of a CHECK (column IN (...)).
func checkedLabels(e *model.Entity, a *model.Attribute) []dynamo.Value {
	for _, check := range e.Checks {
		in, ok := check.(*model.In)
		if !ok {
			continue
		}
		if c, ok := in.X.(*model.Column); !ok || c.Attribute != a.Name {
			continue
		}
		var out []dynamo.Value
		for _, x := range in.List {
			if l, ok := x.(*model.Literal); ok {
				out = append(out, l.Value)
			}
		}
		return out
	}
	return nil
}
