package design

import (
	"slices"
	"strings"

	"github.com/keyfold-dev/keyfold/internal/model"
)

// otherKinds checks that items of no further kind can lie in the range a Query reads,
// unless it skips them.
func (c *checker) otherKinds(r *Request) {
	if r.SkipKinds {
		return
	}
	for _, o := range c.d.Entities {
		if o.Table != r.Table || slices.ContainsFunc(r.Kinds, func(k Kind) bool { return k.Entity == o.Name }) {
			continue
		}
		meets := true
		for _, cond := range r.Partition {
			key := o.Key(cond.Attribute)
			meets = meets && key != nil && canMeet(key.Template, cond.Value)
		}
		if !meets || r.Index != "" && !inIndex(o, c.d.Table(r.Table).Index(r.Index)) {
			continue
		}
		if r.Sort == nil || canSelect(r.Sort, o.Key(r.Sort.Attribute)) {
			c.fault(CodeKinds, "items of %s can lie in the range that is read", o.Name)
		}
	}
}

func inIndex(e *Entity, ix *Index) bool {
	return !slices.ContainsFunc(ix.SortKey, func(k KeyAttribute) bool { return e.Key(k.Name) == nil })
}

// canMeet reports whether two templates can spell one key. Components never contain the
// delimiter, so both are compared piece by piece between delimiters.
func canMeet(a, b Template) bool {
	x, y := pieces(a), pieces(b)
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if x[i] != y[i] && !strings.Contains(x[i], "\x00") && !strings.Contains(y[i], "\x00") {
			return false
		}
	}
	return true
}

func pieces(t Template) []string {
	var b strings.Builder
	for _, p := range t {
		if p.Value != nil {
			b.WriteByte(0)
		}
		b.WriteString(p.Literal)
	}
	return strings.Split(b.String(), Delimiter)
}

// canSelect reports whether a key that begins with the other kind's literal can satisfy
// the condition.
func canSelect(s *SortCondition, k *Key) bool {
	if k == nil {
		return false
	}
	lead := leadOf(k.Template)
	low, high := leadOf(s.Low), leadOf(s.High)
	if s.Op != SortBetween {
		return strings.HasPrefix(lead, low) || strings.HasPrefix(low, lead)
	}
	reachesLow := lead >= low || strings.HasPrefix(low, lead)
	startsBelowHigh := lead <= high || strings.HasPrefix(lead, high) && !isLiteral(s.High)
	return reachesLow && startsBelowHigh
}

// order checks that rows come back as the ORDER BY wants them.
func (c *checker) order(p *Plan, r *Request, f *facts) {
	q := p.Query
	if len(q.OrderBy) == 0 || p.Client.Sort || p.Client.Aggregate || len(r.Kinds) != 1 || r.Kinds[0].Source < 0 {
		return
	}
	source := r.Kinds[0].Source
	e := c.d.Entity(r.Kinds[0].Entity)
	entity := c.m.Entity(e.RowEntity())
	settled := map[string]bool{}
	for _, a := range entity.Attributes {
		settled[a.Name] = f.fixed(place{source, a.Name})
	}
	key := e.Key(c.sortAttribute(r))
	var rest Template
	if key != nil {
		rest = key.Template
	}
	for _, o := range q.OrderBy {
		if c.oneRow(entity, func(a string) bool { return settled[a] && !f.isNull(place{source, a}) }) {
			return
		}
		col, ok := o.Expr.(*model.Column)
		if ok && settled[col.Attribute] {
			continue
		}
		for len(rest) > 0 && !isOpen(rest[0], settled) {
			rest = rest[1:]
		}
		if !ok || len(rest) == 0 || rest[0].Value.(*model.Column).Attribute != col.Attribute ||
			(rest[0].Desc != r.Descending) != o.Desc {
			c.fault(CodeOrdering, "rows come in the order of %s, not by %s", c.sortAttribute(r), o.Expr)
			return
		}
		a := entity.Attribute(col.Attribute)
		if rest[0].Nullable && o.NullsFirst != o.Desc && !a.NotNull {
			c.fault(CodeOrdering, "NULLs of %s come at the other end", col.Attribute)
		}
		settled[col.Attribute] = true
		rest = rest[1:]
	}
}

// isOpen reports whether a part is a column that the query does not fix.
func isOpen(p Part, settled map[string]bool) bool {
	c, ok := p.Value.(*model.Column)
	return ok && !settled[c.Attribute]
}

// oneRow reports whether columns with one value each leave at most one row. A UNIQUE key
// lets any number of rows be NULL.
func (c *checker) oneRow(e *model.Entity, settled func(string) bool) bool {
	for _, key := range append([][]string{e.PrimaryKey}, e.Unique...) {
		if len(key) > 0 && !slices.ContainsFunc(key, func(a string) bool { return !settled(a) }) {
			return true
		}
	}
	return false
}

func (c *checker) sortAttribute(r *Request) string {
	t := c.d.Table(r.Table)
	if ix := t.Index(r.Index); ix != nil && len(ix.SortKey) > 0 {
		return ix.SortKey[0].Name
	}
	return t.SortKey.Name
}

// write checks that a write spells anew every key that its assignments change, and keeps
// the guards of unique keys in step.
func (c *checker) write(p *Plan) {
	for _, r := range p.Requests {
		for _, w := range r.Writes {
			c.maintains(w)
		}
	}
	var entity string
	var assigned []string
	switch {
	case p.Pattern.Insert != nil:
		entity = p.Pattern.Insert.Entity
	case p.Pattern.Update != nil:
		entity = p.Pattern.Update.Entity
		for _, s := range p.Pattern.Update.Set {
			assigned = append(assigned, s.Attribute)
		}
	default:
		entity = p.Pattern.Delete.Entity
	}
	for _, g := range c.d.Guards(entity) {
		touches := p.Pattern.Update == nil || slices.ContainsFunc(assigned, func(a string) bool { return g.Column(a) != nil })
		if touches && !c.writesKind(p, g.Name) {
			c.fault(CodeMaintain, "the items of %s are not kept in step", g.Name)
		}
	}
}

func (c *checker) writesKind(p *Plan, kind string) bool {
	return slices.ContainsFunc(p.Requests, func(r *Request) bool {
		return slices.ContainsFunc(r.Writes, func(w *Write) bool { return w.Kind.Entity == kind })
	})
}

func (c *checker) maintains(w *Write) {
	e := c.d.Entity(w.Kind.Entity)
	t := c.d.Table(e.Table)
	if w.Op == DeleteItem || w.Op == ConditionCheck {
		return
	}
	for _, k := range e.Keys {
		if k.Attribute == t.PartitionKey.Name || k.Attribute == t.SortKey.Name {
			continue
		}
		changed := w.Op == PutItem || w.Upsert || slices.ContainsFunc(w.Set, func(s model.Assignment) bool {
			return slices.Contains(k.Template.Columns(), s.Attribute)
		})
		if changed && !slices.ContainsFunc(w.Keys, func(x *Key) bool { return x.Attribute == k.Attribute }) {
			c.fault(CodeMaintain, "%s of %s is not spelled anew", k.Attribute, e.Name)
		}
	}
}
