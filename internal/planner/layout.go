package planner

import (
	"slices"
	"strconv"
	"strings"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/design"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// A layout spells a choice: it gives paths their slots and templates and builds the
// plans on them.
type layout struct {
	m      *model.Model
	w      *workload
	c      *choice
	table  string
	prefix map[string]string
	slots  []*slot // the base table first
	seats  []*seat
	d      *design.Design
}

// A slot is the base table or one index.
type slot struct {
	index  string // "" for the base table
	local  bool
	pk, sk string // key attributes
}

// A seat is one path of one kind of item in a slot.
type seat struct {
	slot   *slot
	entity *model.Entity
	guard  *guard // of a guard item
	path   path
	ds     []*demand
	pkT    design.Template
	skT    design.Template
	lead   string // literal that begins the sort key
}

func newLayout(m *model.Model, w *workload, c *choice, table string) *layout {
	l := &layout{m: m, w: w, c: c, table: table, prefix: prefixes(m)}
	l.slots = []*slot{{pk: "PK", sk: "SK"}}
	for _, e := range m.Entities {
		o := c.options[e.Name]
		l.seats = append(l.seats, &seat{slot: l.slots[0], entity: e, path: o.base, ds: o.inBase})
		for _, g := range l.guards(e) {
			l.seats = append(l.seats, &seat{slot: l.slots[0], entity: e, guard: g, path: path{h: g.unique}, ds: g.ds})
		}
	}
	l.assignIndexes()
	l.spell()
	return l
}

// guards returns the unique keys that take an item of their own: those that the choice
// reads by, and those that a write could otherwise break.
func (l *layout) guards(e *model.Entity) []*guard {
	var out []*guard
	for _, unique := range e.Unique {
		g := &guard{unique: unique}
		for _, chosen := range l.c.options[e.Name].guards {
			if slices.Equal(chosen.unique, unique) {
				g.ds = chosen.ds
			}
		}
		if len(g.ds) > 0 || l.w.guards(e, unique) {
			out = append(out, g)
		}
	}
	return out
}

// assignIndexes opens the index slots of the choice and seats the paths in them.
func (l *layout) assignIndexes() {
	at := map[slotRef]*slot{}
	for i := range l.c.slots.global {
		n := strconv.Itoa(i + 1)
		s := &slot{index: "GSI" + n, pk: "GSI" + n + "PK", sk: "GSI" + n + "SK"}
		at[slotRef{n: i}] = s
		l.slots = append(l.slots, s)
	}
	for i := range l.c.slots.locals {
		n := strconv.Itoa(i + 1)
		s := &slot{index: "LSI" + n, local: true, pk: "PK", sk: "LSI" + n + "SK"}
		at[slotRef{local: true, n: i}] = s
		l.slots = append(l.slots, s)
	}
	for _, e := range l.m.Entities {
		o := l.c.options[e.Name]
		for i := range o.indexes {
			g := &o.indexes[i]
			l.seats = append(l.seats, &seat{slot: at[l.c.slots.at[g]], entity: e, path: g.path, ds: g.ds})
		}
	}
}

// spell writes the templates of all seats: partition keys first, then sort keys, whose
// first literal must tell the kinds in one partition apart.
func (l *layout) spell() {
	spaces := map[string][]*seat{}
	var order []string
	for _, s := range l.seats {
		s.pkT = l.partition(s)
		space := s.slot.index + " " + shapeText(s.pkT)
		if spaces[space] == nil {
			order = append(order, space)
		}
		spaces[space] = append(spaces[space], s)
	}
	for _, space := range order {
		seats := spaces[space]
		for _, s := range seats {
			s.skT = l.sort(s, "")
		}
		for _, s := range seats {
			if slices.ContainsFunc(seats, func(o *seat) bool { return o != s && (overlap(s.lead, o.lead)) }) {
				s.skT = nil
			}
		}
		for _, s := range seats {
			if s.skT == nil {
				s.skT = l.sort(s, l.prefix[s.entity.Name]+"#")
			}
		}
	}
}

// overlap reports whether keys that begin with one literal can begin with the other.
func overlap(a, b string) bool { return strings.HasPrefix(a, b) || strings.HasPrefix(b, a) }

// shapeText is a template with its columns blanked: partitions of one shape can meet.
func shapeText(t design.Template) string {
	var b strings.Builder
	for _, p := range t {
		if p.Value != nil {
			b.WriteString("{}")
		}
		b.WriteString(p.Literal)
	}
	return b.String()
}

func (l *layout) column(e *model.Entity, attr string) design.Part {
	a := e.Attribute(attr)
	return design.Part{Value: model.NewColumn(model.At(a.Type, a.Pos), 0, "", attr), Type: a.Type}
}

func (l *layout) partition(s *seat) design.Template {
	if len(s.path.h) == 0 {
		return design.Template{{Literal: strings.ToUpper(s.entity.Name)}}
	}
	var t design.Template
	for _, x := range shape(l.m, l.prefix, s.entity, s.path.h, 8) {
		literal := x.text
		if len(t) > 0 {
			literal = design.Delimiter + literal
		}
		if literal != "" {
			t = append(t, design.Part{Literal: literal})
		}
		part := l.column(s.entity, x.attr)
		part.Nullable = slices.ContainsFunc(s.ds, func(d *demand) bool { return d.wantsNull(x.attr) })
		t = append(t, part)
	}
	return t
}

// sort spells a seat's sort key behind lead. Without a lead the key begins with the label
// of its first column, or with the entity's prefix when that has none.
func (l *layout) sort(s *seat, lead string) design.Template {
	own := l.prefix[s.entity.Name] + "#"
	if s.guard != nil {
		s.lead = "UNIQUE#" + own + strings.ToUpper(strings.Join(s.guard.unique, "#"))
		return design.Template{{Literal: s.lead}}
	}
	if len(s.path.s) == 0 {
		s.lead = "METADATA"
		if lead != "" {
			s.lead = strings.ToUpper(s.entity.Name)
		}
		return design.Template{{Literal: s.lead}}
	}
	labels := make([]string, len(s.path.s))
	for i, c := range s.path.s {
		labels[i] = sortLabel(l.m, l.prefix, s.entity, c.attr)
	}
	if lead == "" && labels[0] == "" {
		lead = own
	}
	var t design.Template
	s.lead = lead + labels[0]
	for i, c := range s.path.s {
		literal := labels[i]
		if lead == own && literal == own {
			literal = ""
		}
		if i == 0 {
			literal = lead + literal
		} else {
			literal = design.Delimiter + literal
		}
		part := l.column(s.entity, c.attr)
		part.Desc, part.Nullable = c.desc, c.nullable
		t = append(t, design.Part{Literal: literal}, part)
	}
	if lead == own {
		s.lead = own
	}
	if s.closed() {
		t = append(t, design.Part{Literal: design.Delimiter})
	}
	return t
}

// closed reports whether the sort key must end with the delimiter: its last column has a
// range with an exclusive upper end, which BETWEEN can only stop before if something
// follows the column.
func (s *seat) closed() bool {
	last := s.path.s[len(s.path.s)-1]
	return slices.ContainsFunc(s.ds, func(d *demand) bool {
		return d.span != nil && d.span.attr == last.attr && d.span.high != nil && !d.span.highIn
	})
}

// design builds tables and kinds of items.
func (l *layout) design() *design.Design {
	str := func(name string) design.KeyAttribute { return design.KeyAttribute{Name: name, Type: dynamo.TypeString} }
	t := &design.Table{Name: l.table, PartitionKey: str("PK"), SortKey: str("SK")}
	for _, s := range l.slots[1:] {
		ix := &design.Index{Name: s.index, Local: s.local,
			PartitionKey: []design.KeyAttribute{str(s.pk)}, SortKey: []design.KeyAttribute{str(s.sk)}}
		if s.local {
			t.LSIs = append(t.LSIs, ix)
		} else {
			t.GSIs = append(t.GSIs, ix)
		}
	}
	d := &design.Design{Tables: []*design.Table{t}}
	for _, e := range l.m.Entities {
		d.Entities = append(d.Entities, l.entity(t, e))
	}
	for _, s := range l.seats {
		if s.guard != nil {
			d.Entities = append(d.Entities, l.guardEntity(s))
		}
	}
	l.d = d
	return d
}
