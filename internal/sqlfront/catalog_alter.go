package sqlfront

import (
	"strings"

	"github.com/keyfold-dev/keyfold/internal/model"
)

// alterTable applies what a dump says about a table after it is created.
func (l *loader) alterTable(p *parser, n *alterTable) {
	t := l.find(p.statement, n.table, &l.diags)
	if t == nil {
		return
	}
	keys := len(t.keys)
	for _, c := range n.columns {
		l.addColumn(p, t, c)
		l.columnConstraints(p, t, c)
	}
	for _, k := range n.constraints {
		l.addConstraint(p, t, k)
	}
	for _, c := range n.changes {
		l.changeColumn(p, t, c)
	}
	l.alterHints(p, t, n, t.keys[keys:])
}

func (l *loader) changeColumn(p *parser, t *table, c columnChange) {
	a := attribute(p.statement, t.entity, c.column, &l.diags)
	if a == nil {
		return
	}
	switch {
	case c.drop:
		a.Default = nil
	case c.constraint.kind == notNull:
		a.NotNull = true
	case c.constraint.kind == nullable:
		a.NotNull = false
	case c.constraint.kind == defaultValue:
		l.setDefault(p, t, a, c.constraint.x)
	case c.constraint.kind == identity:
		a.NotNull = true
		l.sequence(p, t, a, c.span)
	}
}

// alterHints applies the hints of an ALTER TABLE to the columns and foreign keys it adds.
func (l *loader) alterHints(p *parser, t *table, n *alterTable, keys []*pendingKey) {
	hs := p.hints()
	if len(n.columns) == 0 && len(keys) == 0 {
		misplaced(p.statement, &l.diags, hs)
		return
	}
	for _, h := range hs {
		if len(n.columns) == 0 {
			for _, k := range keys {
				h.apply(p.statement, &l.diags, "a foreign key", keyRules(k))
			}
			continue
		}
		for _, c := range n.columns {
			l.columnHint(p, t, c, h)
		}
	}
}

// tableHints gives each hint of a CREATE TABLE to the table or to one of its elements.
func (l *loader) tableHints(p *parser, t *table, n *createTable) {
	for _, h := range p.hints() {
		i := h.anchor
		if h.trailing && i < len(p.tokens) && p.tokens[i].text == "," {
			i--
		}
		if i == n.body.to && !h.trailing {
			misplaced(p.statement, &l.diags, []hint{h})
			continue
		}
		if i < n.body.from || i >= n.body.to {
			h.apply(p.statement, &l.diags, "a table", tableRules(t.entity))
			continue
		}
		for _, c := range n.columns {
			if i >= c.from && i < c.to {
				l.columnHint(p, t, c, h)
			}
		}
		for _, k := range n.constraints {
			if i < k.from || i >= k.to {
				continue
			}
			if key := t.keyAt(k.span); key != nil {
				h.apply(p.statement, &l.diags, "a foreign key", keyRules(key))
			} else {
				misplaced(p.statement, &l.diags, []hint{h})
			}
		}
	}
}

// columnHint applies a hint to a column; one that is a foreign key takes its keys too.
func (l *loader) columnHint(p *parser, t *table, c columnDef, h hint) {
	a := t.entity.Attribute(c.name.name)
	rules := columnRules(a)
	on := "a column"
	for _, key := range t.keys {
		if len(key.columns) == 1 && key.columns[0].name == a.Name {
			rules = append(rules, keyRules(key)...)
			on = "a foreign key column"
		}
	}
	if on == "a column" && (h.key == "per_parent" || h.key == "max") {
		l.diags.Errorf(codeHintPlace, p.place(h.start, h.end), "put it on a column with REFERENCES", "%s speaks of a foreign key, which %s is not", h.key, a.Name)
		return
	}
	h.apply(p.statement, &l.diags, on, rules)
	if h.key == "ttl" && a.TTL {
		l.checkTTL(p, t, a, h)
	}
}

func (l *loader) checkTTL(p *parser, t *table, a *model.Attribute, h hint) {
	switch a.Type.Kind {
	case model.Integer, model.Decimal, model.Timestamp, model.TimestampTZ:
		if !a.Type.Array {
			for _, other := range t.entity.Attributes {
				if other != a && other.TTL {
					l.diags.Errorf(codeTTL, p.place(h.start, h.end), "", "%s has a ttl column already: %s", t.entity.Name, other.Name)
					a.TTL = false
				}
			}
			return
		}
	}
	a.TTL = false
	l.diags.Errorf(codeTTL, p.place(h.start, h.end), "use bigint (seconds since 1970) or timestamptz", "a %s column cannot say when a row expires", a.Type)
}

// keyAt returns the foreign key that was written at a span.
func (t *table) keyAt(s span) *pendingKey {
	for _, k := range t.keys {
		if k.st == t.defined && k.span == s {
			return k
		}
	}
	return nil
}

// commentAbove is the plain comment directly above the statement: line comments without
// an empty line between them or before the statement.
func (st *statement) commentAbove() string {
	var lines []string
	line := st.lineOf(st.tokens[0].start)
	for i := len(st.comments) - 1; i >= 0; i-- {
		c := st.comments[i]
		if c.next != 0 {
			continue
		}
		text := st.text[c.start:c.end]
		if !strings.HasPrefix(text, "--") || st.lineOf(c.start) != line-1 {
			break
		}
		line--
		text = strings.TrimSpace(strings.TrimLeft(text, "-"))
		if !strings.HasPrefix(text, "keyfold:") {
			lines = append([]string{text}, lines...)
		}
	}
	return strings.TrimSpace(strings.Join(lines, " "))
}
