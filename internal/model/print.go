package model

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// String prints the model in its canonical form: entities, relationships and access
// patterns in the model's order, one fact a line. A statistic that is assumed ends in "?".
// Positions are left out. Equal models print equal text.
func (m *Model) String() string {
	p := &printer{}
	for _, e := range m.Entities {
		p.entity(e)
	}
	for _, r := range m.Relationships {
		p.relationship(r)
	}
	for _, a := range m.Patterns {
		p.pattern(a)
	}
	return p.b.String()
}

// String prints the entity as Model.String does.
func (e *Entity) String() string {
	p := &printer{}
	p.entity(e)
	return p.b.String()
}

// String prints the relationship as Model.String does.
func (r *Relationship) String() string {
	p := &printer{}
	p.relationship(r)
	return p.b.String()
}

// String prints the pattern as Model.String does.
func (p *AccessPattern) String() string {
	w := &printer{}
	w.pattern(p)
	return w.b.String()
}

// String prints the number, with "?" when it is assumed and "-" when there is none.
func (s Stat) String() string {
	text := "-"
	if s.Value != 0 {
		text = formatNumber(s.Value)
	}
	if s.Assumed && s.Value != 0 {
		text += "?"
	}
	return text
}

func formatNumber(f float64) string {
	if f == math.Trunc(f) && math.Abs(f) < 1e15 {
		return strconv.FormatFloat(f, 'f', 0, 64)
	}
	return strconv.FormatFloat(f, 'g', 6, 64)
}

type printer struct{ b strings.Builder }

// line writes one line, indented by depth.
func (p *printer) line(depth int, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	p.b.WriteString(strings.Repeat("    ", depth) + strings.TrimRight(text, " ") + "\n")
}

func (p *printer) entity(e *Entity) {
	head := "entity " + e.Name + " rows=" + e.Rows.String()
	if e.Prefix != "" {
		head += " prefix=" + e.Prefix
	}
	head += flag(e.Embed, " embed") + flag(e.Immutable, " immutable")
	p.line(0, "%s", head)
	if e.Comment != "" {
		p.line(1, "comment %q", e.Comment)
	}
	for _, a := range e.Attributes {
		p.attribute(a)
	}
	p.line(1, "primary key (%s)", strings.Join(e.PrimaryKey, ", "))
	for _, u := range e.Unique {
		p.line(1, "unique (%s)", strings.Join(u, ", "))
	}
	for _, c := range e.Checks {
		p.line(1, "check %s", c)
	}
}

func (p *printer) attribute(a *Attribute) {
	text := a.Name + " " + a.Type.String()
	if a.Type.Kind == Enum {
		text += " (" + quoteLabels(a.Type.Labels) + ")"
	}
	text += flag(a.NotNull, " not null")
	if a.Default != nil {
		text += " default " + a.Default.String()
	}
	text += flag(a.TTL, " ttl") + flag(a.Immutable, " immutable")
	p.line(1, "%s size=%s distinct=%s", text, a.Size, a.Distinct)
}

func flag(set bool, text string) string {
	if set {
		return text
	}
	return ""
}

func (p *printer) relationship(r *Relationship) {
	p.line(0, "relationship %s: %s (%s) -> %s (%s) per_parent=%s max=%s", r.Name,
		r.Child, strings.Join(r.ChildAttrs, ", "), r.Parent, strings.Join(r.ParentAttrs, ", "), r.PerParent, r.Max)
}

func (p *printer) pattern(a *AccessPattern) {
	p.line(0, "pattern %s %s%s", a.Name, a.Cardinality, a.Hints.text())
	for _, q := range a.Params {
		p.line(1, "param %s %s%s%s%s", q.Name, q.Type, flag(q.List, " list"), flag(q.Optional, " optional"), flag(q.Nullable, " nullable"))
	}
	switch {
	case a.Query != nil:
		p.query(a.Query, 1)
	case a.Insert != nil:
		p.insert(a.Insert)
	case a.Update != nil:
		p.line(1, "update %s", a.Update.Entity)
		p.assignments("set", 1, a.Update.Set)
		p.exprs("where", 1, a.Update.Where)
		p.outputs("returning", 1, a.Update.Returning)
	case a.Delete != nil:
		p.line(1, "delete %s", a.Delete.Entity)
		p.exprs("where", 1, a.Delete.Where)
		p.outputs("returning", 1, a.Delete.Returning)
	}
	p.line(1, "reference %s", a.Reference)
}

func (h Hints) text() string {
	s := fmt.Sprintf(" rate=%s peak=%s page=%s", h.Rate, h.Peak, h.Page)
	s += flag(h.Strong, " consistency=strong") + flag(h.AllowFilter, " filter=allow")
	if h.Requests > 0 {
		s += fmt.Sprintf(" requests=%d", h.Requests)
	}
	if h.Shards > 0 {
		s += fmt.Sprintf(" shards=%d", h.Shards)
	}
	if h.Copy != "" {
		s += " copy=" + h.Copy
	}
	return s
}

func (p *printer) query(q *Query, depth int) {
	p.outputs("select"+flag(q.Distinct, " distinct"), depth, q.Columns)
	for _, s := range q.Sources {
		text := flag(s.Left, "left ") + "from " + s.Entity
		if s.Alias != s.Entity {
			text += " as " + s.Alias
		}
		p.line(depth, "%s", text)
		p.exprs("on", depth+1, s.On)
	}
	p.exprs("where", depth, q.Where)
	p.exprs("group by", depth, q.GroupBy)
	p.exprs("having", depth, q.Having)
	for _, u := range q.Union {
		p.line(depth, "union all")
		p.query(u, depth+1)
	}
	for _, o := range q.OrderBy {
		text := o.Expr.String() + flag(o.Desc, " desc") + " nulls last"
		if o.NullsFirst {
			text = strings.TrimSuffix(text, "last") + "first"
		}
		p.line(depth, "order by %s", text)
	}
	if q.Limit != nil {
		p.line(depth, "limit %s", q.Limit)
	}
	if q.Offset != nil {
		p.line(depth, "offset %s", q.Offset)
	}
}

func (p *printer) outputs(word string, depth int, out []*Output) {
	for _, o := range out {
		p.line(depth, "%s %s %s = %s", word, o.Name, o.Type, o.Expr)
	}
}

func (p *printer) exprs(word string, depth int, list []Expr) {
	for _, x := range list {
		p.line(depth, "%s %s", word, x)
	}
}

func (p *printer) assignments(word string, depth int, list []*Assignment) {
	for _, a := range list {
		p.line(depth, "%s %s = %s", word, a.Attribute, a.Value)
	}
}

func (p *printer) insert(i *Insert) {
	p.line(1, "insert %s (%s)", i.Entity, strings.Join(i.Given, ", "))
	p.assignments("value", 1, i.Values)
	if c := i.Conflict; c != nil {
		action := "nothing"
		if len(c.Set) > 0 {
			action = "update"
		}
		p.line(1, "on conflict (%s) do %s", strings.Join(c.Target, ", "), action)
		p.assignments("set", 2, c.Set)
		p.exprs("where", 2, c.Where)
	}
	p.outputs("returning", 1, i.Returning)
}
