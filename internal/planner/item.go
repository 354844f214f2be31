package planner

import (
	"slices"
	"strings"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/design"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// entity describes the items that hold an entity's rows.
func (l *layout) entity(t *design.Table, e *model.Entity) *design.Entity {
	out := &design.Entity{Name: e.Name, Tag: e.Name, Table: t.Name}
	for _, s := range l.slots {
		for _, seat := range l.seats {
			if seat.slot == s && seat.entity == e && seat.guard == nil {
				out.Keys = append(out.Keys, seat.keys()...)
			}
		}
	}
	for _, a := range e.Attributes {
		out.Attributes = append(out.Attributes, l.attribute(a))
		if a.TTL && a.Type.IsNumber() {
			t.TTLAttribute = l.attributeName(a.Name)
		}
	}
	out.Reason = l.reason(e)
	return out
}

func (s *seat) keys() []*design.Key {
	sk := &design.Key{Attribute: s.slot.sk, Template: s.skT}
	if s.slot.local {
		return []*design.Key{sk}
	}
	return []*design.Key{{Attribute: s.slot.pk, Template: s.pkT}, sk}
}

func (l *layout) attribute(a *model.Attribute) *design.Attribute {
	return &design.Attribute{Name: l.attributeName(a.Name), Column: a.Name, Type: a.Type, NotNull: a.NotNull}
}

// attributeName is the column's name, unless a key attribute has it.
func (l *layout) attributeName(column string) string {
	for _, s := range l.slots {
		if column == s.pk || column == s.sk || column == design.TypeAttribute {
			return column + "_"
		}
	}
	return column
}

// guardEntity describes the items that keep a unique key and hold the row for reads by
// that key.
func (l *layout) guardEntity(s *seat) *design.Entity {
	name := s.entity.Name + "." + strings.Join(s.guard.unique, "_")
	out := &design.Entity{Name: name, Of: s.entity.Name, Tag: name, Table: l.table, Unique: s.guard.unique, Keys: s.keys(),
		Reason: "UNIQUE (" + strings.Join(s.guard.unique, ", ") + ") takes an item for each value; it holds the row's columns, which saves an index"}
	hold := slices.Concat(s.entity.PrimaryKey, s.guard.unique)
	for _, d := range s.ds {
		hold = append(hold, d.needs...)
	}
	for _, a := range s.entity.Attributes {
		if slices.Contains(hold, a.Name) {
			out.Attributes = append(out.Attributes, l.attribute(a))
		}
	}
	return out
}

// reason says in a sentence why an entity's base key is what it is.
func (l *layout) reason(e *model.Entity) string {
	o := l.c.options[e.Name]
	var names []string
	for _, d := range o.inBase {
		if !slices.Contains(names, d.pattern.Name) {
			names = append(names, d.pattern.Name)
		}
	}
	switch {
	case len(names) == 0:
		return "no read asks for it by another key, so the primary key is the key"
	case len(o.base.h) == 0:
		return "one partition for all rows, read by " + strings.Join(names, ", ")
	}
	return "serves " + strings.Join(names, ", ")
}

// project lists for every index the attributes that its readers need, and nothing else.
func (l *layout) project(d *design.Design) {
	t := d.Tables[0]
	total := 0
	for _, p := range d.Plans {
		for _, branch := range p.Branches() {
			for _, r := range branch.Requests {
				if ix := t.Index(r.Index); r.Op == design.Query && ix != nil {
					l.projectRequest(ix, d, branch, r)
				}
			}
		}
	}
	for _, ix := range slices.Concat(t.GSIs, t.LSIs) {
		ix.Projection.Type = dynamo.ProjectInclude
		slices.Sort(ix.Projection.Attributes)
		total += len(ix.Projection.Attributes)
	}
	if total <= projectionLimit {
		return
	}
	for _, ix := range slices.Concat(t.GSIs, t.LSIs) {
		ix.Projection = dynamo.Projection{Type: dynamo.ProjectAll}
	}
}

// projectionLimit is the number of attributes that all INCLUDE projections of a table may
// name together (Developer Guide, "Quotas in Amazon DynamoDB", secondary indexes).
const projectionLimit = 100

func (l *layout) projectRequest(ix *design.Index, d *design.Design, p *design.Plan, r *design.Request) {
	add := func(name string) {
		if !slices.Contains(ix.Projection.Attributes, name) {
			ix.Projection.Attributes = append(ix.Projection.Attributes, name)
		}
	}
	add(design.TypeAttribute)
	for _, k := range r.Kinds {
		e := d.Entity(k.Entity)
		columns := neededColumns(p.Query, k.Source)
		for _, f := range r.Filter {
			columns = columnsIn(columns, f, k.Source)
		}
		for _, f := range p.Client.Filter {
			columns = columnsIn(columns, f, k.Source)
		}
		for _, next := range p.Requests {
			if next.Each == k.Source {
				for _, g := range next.Gets {
					columns = append(columns, g.PK.Columns()...)
					columns = append(columns, g.SK.Columns()...)
				}
			}
		}
		for _, c := range columns {
			if a := e.Column(c); a != nil {
				add(a.Name)
			}
		}
	}
}
