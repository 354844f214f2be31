package design

import (
	"slices"
	"strings"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/diag"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// KeyConditionText is the key condition of a Query for people, with templates in place of
// placeholders: GSI1PK = B#{@brand_id} AND begins_with(GSI1SK, C#{@category_id}#). For
// GetItem and BatchGetItem it is the key: PK = P#{@id} AND SK = METADATA. "" for writes.
func (d *Design) KeyConditionText(r *Request) string {
	var terms []string
	switch {
	case r.Op == Query:
		for _, k := range r.Partition {
			terms = append(terms, k.Attribute+" = "+k.Value.String())
		}
		if r.Sort != nil {
			terms = append(terms, r.Sort.String())
		}
	case len(r.Gets) > 0:
		alternatives := make([]string, len(r.Gets))
		for i, g := range r.Gets {
			alternatives[i] = d.keyText(d.Table(r.Table), g.PK, g.SK)
		}
		return strings.Join(alternatives, " OR ")
	}
	return strings.Join(terms, " AND ")
}

// String prints the condition with templates: begins_with(SK, C#{@category_id}#).
func (s *SortCondition) String() string {
	switch s.Op {
	case SortBeginsWith:
		return "begins_with(" + s.Attribute + ", " + s.Low.String() + ")"
	case SortBetween:
		return s.Attribute + " BETWEEN " + s.Low.String() + " AND " + s.High.String()
	}
	return s.Attribute + " = " + s.Low.String()
}

func (d *Design) keyText(t *Table, pk, sk Template) string {
	s := t.PartitionKey.Name + " = " + pk.String()
	if sk != nil {
		s += " AND " + t.SortKey.Name + " = " + sk.String()
	}
	return s
}

// FilterText is the FilterExpression of a Query of p for people, with constants and
// parameters in place of placeholders: _type = 'P' AND status = @status. "" for none.
func (d *Design) FilterText(p *Plan, r *Request) string {
	if r.Op != Query {
		return ""
	}
	x, err := d.Express(p, r, nil)
	if err != nil {
		return ""
	}
	return x.plain(x.Filter)
}

// A Statement is a request in PartiQL. Text has a '?' for each of Parameters, in order.
type Statement struct {
	Text       string
	Parameters []Binding
}

// String prints the statement for people: every '?' is replaced by what stands there, in
// quotes a key template as the design prints it ('B#{@brand_id}'), constants as they are,
// parameters as @name.
func (s Statement) String() string {
	var b strings.Builder
	next := 0
	for _, part := range strings.SplitAfter(s.Text, "?") {
		text, isHole := strings.CutSuffix(part, "?")
		b.WriteString(text)
		if isHole && next < len(s.Parameters) {
			b.WriteString(s.Parameters[next].sql())
			next++
		}
	}
	return b.String()
}

// sql prints what a binding stands for as SQL would show it.
func (b Binding) sql() string {
	if b.Template != nil {
		return "'" + strings.ReplaceAll(b.Template.String(), "'", "''") + "'"
	}
	return b.Value.String()
}

// PartiQL returns the statements equivalent to a request of p, one for each item that a
// BatchGetItem or a transaction speaks of. LIMIT is no part of PartiQL's text, nor are
// counting and reading once for each row of another source: the statement is that of one
// read. A put that replaces an item has no equivalent and is left out, as is an update
// with if_not_exists.
func (d *Design) PartiQL(p *Plan, r *Request) []Statement {
	switch {
	case r.Op == Query:
		if s, err := d.selectRange(p, r); err == nil {
			return []Statement{s}
		}
		return nil
	case len(r.Writes) > 0:
		var out []Statement
		for _, w := range r.Writes {
			if s, err := d.writeStatement(p, w); err == nil && s.Text != "" {
				out = append(out, s)
			}
		}
		return out
	}
	out := make([]Statement, len(r.Gets))
	for i, g := range r.Gets {
		t := d.Table(r.Table)
		w := &statement{}
		w.add("SELECT " + d.selectList(p, g.Kind) + " FROM " + quoteName(r.Table) + " WHERE ")
		w.wholeKey(t, g.PK, g.SK)
		out[i] = w.Statement
	}
	return out
}

// A statement is a Statement being written.
type statement struct{ Statement }

func (w *statement) add(s string) { w.Text += s }

func (w *statement) hole(b Binding) {
	w.Text += "?"
	w.Parameters = append(w.Parameters, b)
}

func (w *statement) wholeKey(t *Table, pk, sk Template) {
	w.add(quoteName(t.PartitionKey.Name) + " = ")
	w.hole(Binding{Attribute: t.PartitionKey.Name, Template: pk})
	if sk != nil {
		w.add(" AND " + quoteName(t.SortKey.Name) + " = ")
		w.hole(Binding{Attribute: t.SortKey.Name, Template: sk})
	}
}

// expression adds an expression of x in PartiQL's spelling: holes for placeholders, quoted
// names, IS MISSING for attribute_not_exists, a SET for every assignment.
func (w *statement) expression(x *Expressions, text string) {
	tokens := tokenize(text)
	clause, depth := "", 0
	for i := 0; i < len(tokens); i++ {
		tok := tokens[i]
		switch {
		case tok == "attribute_exists" || tok == "attribute_not_exists":
			w.add(quoteName(x.attribute(tokens[i+2])) + missing[tok])
			i += len("(") + len(")") + 1
		case strings.HasPrefix(tok, ":"):
			at := slices.IndexFunc(x.Values, func(b Binding) bool { return b.Placeholder == tok })
			w.hole(x.Values[at])
		case tok == "," && clause != "" && depth == 0:
			w.add(" " + clause)
		case isWord(tok) && !words[tok]:
			w.add(quoteName(x.attribute(tok)))
		default:
			w.add(tok)
			switch tok {
			case "SET", "REMOVE":
				clause = tok
			case "(":
				depth++
			case ")":
				depth--
			}
		}
	}
}

var missing = map[string]string{
	"attribute_exists":     " IS NOT MISSING",
	"attribute_not_exists": " IS MISSING",
}

// words are those of the expression language that are no names; names that are reserved
// have placeholders.
var words = map[string]bool{"AND": true, "OR": true, "NOT": true, "IN": true, "BETWEEN": true,
	"SET": true, "REMOVE": true, "begins_with": true, "contains": true, "if_not_exists": true}

// tokenize cuts an expression we have spelled into words and single other characters.
func tokenize(s string) []string {
	var out []string
	for i := 0; i < len(s); {
		n := 1
		for isWord(s[i:i+1]) && i+n < len(s) && isWord(s[i+n:i+n+1]) {
			n++
		}
		out = append(out, s[i:i+n])
		i += n
	}
	return out
}

func isWord(s string) bool {
	c := s[0]
	return c == '#' || c == ':' || c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// attribute returns the name that a token of an expression stands for.
func (x *Expressions) attribute(tok string) string {
	for _, n := range x.Names {
		if n.Placeholder == tok {
			return n.Name
		}
	}
	return tok
}

// plain spells an expression for people: names and constants in place of placeholders.
func (x *Expressions) plain(text string) string {
	var b strings.Builder
	for _, tok := range tokenize(text) {
		switch {
		case strings.HasPrefix(tok, ":"):
			at := slices.IndexFunc(x.Values, func(b Binding) bool { return b.Placeholder == tok })
			b.WriteString(x.Values[at].sql())
		case strings.HasPrefix(tok, "#"):
			b.WriteString(x.attribute(tok))
		default:
			b.WriteString(tok)
		}
	}
	return b.String()
}

func quoteName(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

func (d *Design) selectRange(p *Plan, r *Request) (Statement, error) {
	x, err := d.Express(p, r, nil)
	if err != nil {
		return Statement{}, err
	}
	w := &statement{}
	list := "*"
	if len(r.Kinds) == 1 {
		list = d.selectList(p, r.Kinds[0])
	}
	w.add("SELECT " + list + " FROM " + quoteName(r.Table))
	if r.Index != "" {
		w.add("." + quoteName(r.Index))
	}
	w.add(" WHERE ")
	w.expression(x, x.KeyCondition)
	if x.Filter != "" {
		w.add(" AND ")
		w.expression(x, x.Filter)
	}
	if sort := d.sortKeyName(r); r.Descending && sort != "" {
		w.add(" ORDER BY " + quoteName(sort) + " DESC")
	}
	return w.Statement, nil
}

func (d *Design) sortKeyName(r *Request) string {
	t := d.Table(r.Table)
	if ix := t.Index(r.Index); ix != nil {
		if len(ix.SortKey) == 0 {
			return ""
		}
		return ix.SortKey[0].Name
	}
	return t.SortKey.Name
}

// selectList names the attributes that the query takes from a source, '*' when that
// cannot be said.
func (d *Design) selectList(p *Plan, k Kind) string {
	e := d.Entity(k.Entity)
	if p.Query == nil || e == nil || len(p.Query.Union) > 0 {
		return "*"
	}
	used := map[string]bool{}
	note := func(x model.Expr) {
		model.Walk(x, func(x model.Expr) bool {
			if c, ok := x.(*model.Column); ok && c.Source == k.Source {
				used[c.Attribute] = true
			}
			return true
		})
	}
	for _, o := range p.Query.Columns {
		note(o.Expr)
	}
	for _, o := range p.Query.OrderBy {
		note(o.Expr)
	}
	var names []string
	for _, a := range e.Attributes {
		if used[a.Column] {
			names = append(names, quoteName(a.Name))
		}
	}
	if len(names) == 0 {
		return "*"
	}
	return strings.Join(names, ", ")
}

func (d *Design) writeStatement(p *Plan, wr *Write) (Statement, error) {
	x, err := d.ExpressWrite(p, wr, nil)
	if err != nil {
		return Statement{}, err
	}
	e := d.Entity(wr.Kind.Entity)
	t := d.Table(e.Table)
	w := &statement{}
	switch wr.Op {
	case PutItem:
		if !wr.Absent {
			return Statement{}, nil
		}
		w.insert(d, e, wr)
		return w.Statement, nil
	case UpdateItem:
		if strings.Contains(x.Update, "if_not_exists(") {
			return Statement{}, nil
		}
		w.add("UPDATE " + quoteName(e.Table) + " ")
		w.expression(x, x.Update)
		w.add(" WHERE ")
	case DeleteItem:
		w.add("DELETE FROM " + quoteName(e.Table) + " WHERE ")
	case ConditionCheck:
		w.add("EXISTS(SELECT * FROM " + quoteName(e.Table) + " WHERE ")
	}
	w.wholeKey(t, wr.PK, wr.SK)
	if cond := wr.beyondExists(x.Condition); cond != "" {
		w.add(" AND ")
		w.expression(x, cond)
	}
	if wr.Op == ConditionCheck {
		w.add(")")
	}
	return w.Statement, nil
}

// beyondExists takes off a condition what PartiQL's UPDATE and DELETE ask by themselves,
// that the item is there.
func (w *Write) beyondExists(condition string) string {
	if !w.Exists || w.Op == ConditionCheck {
		return condition
	}
	_, rest, _ := strings.Cut(condition, ")")
	return strings.TrimPrefix(rest, " AND ")
}

// insert writes INSERT INTO "t" VALUE {'PK': ?, ...}. It fails when the item is there.
func (w *statement) insert(d *Design, e *Entity, wr *Write) {
	t := d.Table(e.Table)
	w.add("INSERT INTO " + quoteName(e.Table) + " VALUE {")
	field := func(name string, b Binding) {
		if !strings.HasSuffix(w.Text, "{") {
			w.add(", ")
		}
		w.add("'" + strings.ReplaceAll(name, "'", "''") + "': ")
		w.hole(b)
	}
	field(t.PartitionKey.Name, Binding{Attribute: t.PartitionKey.Name, Template: wr.PK})
	if wr.SK != nil {
		field(t.SortKey.Name, Binding{Attribute: t.SortKey.Name, Template: wr.SK})
	}
	for _, k := range wr.Keys {
		if k.Attribute != t.PartitionKey.Name && k.Attribute != t.SortKey.Name {
			field(k.Attribute, Binding{Attribute: k.Attribute, Template: k.Template})
		}
	}
	tag := model.NewLiteral(model.At(model.Type{}, diag.Pos{}), dynamo.String(e.Tag))
	field(TypeAttribute, Binding{Value: tag})
	for _, a := range wr.Set {
		if c := e.Column(a.Attribute); c != nil {
			field(c.Name, Binding{Value: a.Value, Type: c.Type})
		}
	}
	w.add("}")
}
