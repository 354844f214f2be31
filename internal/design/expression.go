package design

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/diag"
	"github.com/keyfold-dev/keyfold/internal/expr"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// Expressions are what one request says in DynamoDB's expression language. Names and
// Values belong to all of its expressions together; an expression that is not needed is
// "". Placeholders speak: a parameter @id is :id, a key template goes by its attribute.
type Expressions struct {
	KeyCondition string
	Filter       string
	Condition    string
	Update       string
	Names        []dynamo.NameBinding
	Values       []Binding
	// Never is set when a condition or filter cannot hold for any item: no request is
	// needed. It happens with known arguments only (a NULL, an empty list).
	Never bool
}

// A Binding says what a placeholder stands for: a value of the key attribute Attribute when
// Template is set, otherwise the value of an expression, which is put to a Use with a
// column of Type.
type Binding struct {
	Placeholder string
	Attribute   string
	Template    Template
	Value       model.Expr
	Type        model.Type
	Use         Use
}

// A Use says what is done with a value, and so how it is converted to a column's type.
type Use uint8

// The uses: a compared number keeps its decimals, an assigned one is rounded to the
// column's scale, and one that is added in place must not need rounding.
const (
	Compared Use = iota
	Assigned
	Added
)

// A Known gives the value of an expression without columns of the item that a condition
// speaks of: parameters, constants, columns of rows read before. An absent value is NULL.
type Known func(model.Expr) (dynamo.Value, error)

// Express spells the key condition and the filter of a Query of p. With known, what
// depends on the arguments is decided: a comparison with NULL does not hold, a conjunct
// whose optional argument is NULL is left out, a list has its elements. Without it (nil)
// every argument counts as given, and a list as one placeholder: the form for people and
// generated code. Errors tell of conjuncts that are not Expressible.
func (d *Design) Express(p *Plan, r *Request, known Known) (*Expressions, error) {
	if r.Op != Query {
		panic("keyfold: internal error: Express of a " + string(r.Op))
	}
	x := &expresser{known: known, pattern: p.Pattern, source: -1, rowExists: true}
	var terms []string
	for _, k := range r.Partition {
		terms = append(terms, x.name(k.Attribute)+" = "+x.key(k.Attribute, "", k.Value))
	}
	if r.Sort != nil {
		if term := x.sortCondition(r.Sort); term != "" {
			terms = append(terms, term)
		}
	}
	x.out.KeyCondition = strings.Join(terms, " AND ")
	filter, err := x.filter(d, r)
	if err != nil {
		return nil, err
	}
	x.out.Never = filter.isNever()
	x.out.Filter = filter.text
	x.out.prune()
	return &x.out, nil
}

// ExpressWrite spells the condition and, for an UpdateItem, the update of a write. In
// known the columns of Source 0 are the row as an earlier request read it; an in-place
// change (c = c + @n) does not ask for it. See Express.
func (d *Design) ExpressWrite(p *Plan, w *Write, known Known) (*Expressions, error) {
	e := d.Entity(w.Kind.Entity)
	if e == nil {
		return nil, fmt.Errorf("the design has no kind of item %q", w.Kind.Entity)
	}
	x := &expresser{known: known, pattern: p.Pattern, entity: e, write: true, rowExists: w.Exists, unchanging: p.unchanging()}
	if w.Op == UpdateItem {
		if err := x.update(w); err != nil {
			return nil, err
		}
	}
	cond, err := x.writeCondition(d.Table(e.Table), w)
	if err != nil {
		return nil, err
	}
	x.out.Never = cond.isNever()
	x.out.Condition = cond.text
	x.out.prune()
	return &x.out, nil
}

// prune drops the names and values of clauses that were decided without asking the item;
// DynamoDB rejects placeholders that no expression uses.
func (x *Expressions) prune() {
	used := map[string]bool{}
	for _, text := range []string{x.KeyCondition, x.Filter, x.Condition, x.Update} {
		for _, tok := range tokenize(text) {
			used[tok] = true
		}
	}
	x.Names = slices.DeleteFunc(x.Names, func(n dynamo.NameBinding) bool { return !used[n.Placeholder] })
	x.Values = slices.DeleteFunc(x.Values, func(b Binding) bool { return !used[b.Placeholder] })
	if len(x.Names) == 0 {
		x.Names = nil // an empty list is a fault, too
	}
}

// An expresser spells the expressions of one request.
type expresser struct {
	out     Expressions
	known   Known
	pattern *model.AccessPattern
	// entity is the kind of item that columns of source belong to; nil takes any column
	// as an attribute of its own name.
	entity *Entity
	source int
	write  bool
	// rowExists is false when the condition is also asked of an item that is not there,
	// whose NOT NULL attributes are missing.
	rowExists bool
	// unchanging lists the columns that the writes find as an earlier request read them.
	unchanging []string
}

// name returns an attribute's name as an expression spells it.
func (x *expresser) name(attribute string) string {
	if isPlainName(attribute) && !expr.IsReserved(attribute) {
		return attribute
	}
	base := "#" + placeholderText(strings.TrimLeft(attribute, "_"))
	for i := 0; ; i++ {
		holder := numbered(base, i)
		taken := false
		for _, b := range x.out.Names {
			if b.Placeholder == holder {
				if b.Name == attribute {
					return holder
				}
				taken = true
			}
		}
		if !taken {
			x.out.Names = append(x.out.Names, dynamo.NameBinding{Placeholder: holder, Name: attribute})
			return holder
		}
	}
}

// isPlainName reports whether a name may stand in an expression without a placeholder:
// letters, digits and underscores after a letter.
func isPlainName(s string) bool {
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
		case i > 0 && (c == '_' || c >= '0' && c <= '9'):
		default:
			return false
		}
	}
	return s != ""
}

// placeholderText drops what a placeholder may not hold.
func placeholderText(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return -1
	}, s)
	if s == "" {
		return "x"
	}
	return s[:min(len(s), 200)]
}

func numbered(base string, i int) string {
	if i == 0 {
		return base
	}
	return base + "_" + strconv.Itoa(i+1)
}

// bind returns a placeholder for b, the same one for equal bindings.
func (x *expresser) bind(base string, b Binding) string {
	base = ":" + placeholderText(base)
	for i := 0; ; i++ {
		b.Placeholder = numbered(base, i)
		taken := false
		for at, have := range x.out.Values {
			if have.Placeholder == b.Placeholder {
				if use, ok := shared(have, b); ok {
					x.out.Values[at].Use = use
					return b.Placeholder
				}
				taken = true
			}
		}
		if !taken {
			x.out.Values = append(x.out.Values, b)
			return b.Placeholder
		}
	}
}

// shared reports whether one value serves two bindings, and to which use it is then put.
// A number that is added as it is may be compared as well, a text that is assigned too.
func shared(a, b Binding) (Use, bool) {
	low, high := min(a.Use, b.Use), max(a.Use, b.Use)
	a.Use, b.Use = Compared, Compared
	switch {
	case a.String() != b.String():
		return 0, false
	case low == high, low == Compared && high == Added:
		return high, true
	}
	return high, low == Compared && !a.Type.IsNumber() && a.Type.Length == 0
}

// String prints what the placeholder stands for: a template or an SQL expression with
// its type.
func (b Binding) String() string {
	if b.Template != nil {
		return b.Template.String()
	}
	return b.Value.String() + "::" + b.Type.String() + [...]string{"", " assigned", " added"}[b.Use]
}

// key binds a value of a key attribute; end tells the two of a BETWEEN apart.
func (x *expresser) key(attribute, end string, t Template) string {
	return x.bind(attribute+end, Binding{Attribute: attribute, Template: t})
}

// constant binds an expression without columns of the item, named by its parameter when
// it has one. like is the column it is compared with or stored in, "" for none.
func (x *expresser) constant(e model.Expr, t model.Type, like string, use Use) string {
	base := like
	if p, ok := e.(*model.ParamRef); ok {
		base = p.Name
	}
	return x.bind(base, Binding{Value: e, Type: t, Use: use})
}

// sortCondition spells the condition on the sort key. A bound that is known to be the
// empty string, which DynamoDB takes for no key, is no bound.
func (x *expresser) sortCondition(s *SortCondition) string {
	name := x.name(s.Attribute)
	switch s.Op {
	case SortBeginsWith:
		if x.isEmptyKey(s.Low) {
			return ""
		}
		return "begins_with(" + name + ", " + x.key(s.Attribute, "", s.Low) + ")"
	case SortBetween:
		if x.isEmptyKey(s.Low) {
			return name + " <= " + x.key(s.Attribute, "_high", s.High)
		}
		return name + " BETWEEN " + x.key(s.Attribute, "_low", s.Low) +
			" AND " + x.key(s.Attribute, "_high", s.High)
	}
	return name + " = " + x.key(s.Attribute, "", s.Low)
}

func (x *expresser) isEmptyKey(t Template) bool {
	if x.known == nil {
		return false
	}
	s, err := t.Encode(x.known)
	return err == nil && s == ""
}

// filter joins the conjuncts over rows of the first kind with the choice of kinds. Items
// of further kinds pass whatever the conjuncts say.
func (x *expresser) filter(d *Design, r *Request) (clause, error) {
	if len(r.Filter) == 0 && !r.SkipKinds || len(r.Kinds) == 0 {
		return always, nil
	}
	// The row that a write reads first is Source 0 of its statement.
	x.source, x.write = r.Kinds[0].Source, r.Kinds[0].Source < 0
	x.entity = d.Entity(r.Kinds[0].Entity)
	rows, err := x.conjuncts(r.Filter)
	if err != nil {
		return never, err
	}
	first, rest := kindTags(d, r.Kinds)
	switch {
	case len(rest) == 0 && !r.SkipKinds:
		return rows, nil
	case len(rest) == 0 || len(r.Filter) == 0:
		return conjunction(x.kinds(append([]string{first}, rest...)), rows), nil
	}
	return disjunction(conjunction(x.kinds([]string{first}), rows), x.kinds(rest)), nil
}

// kindTags returns the tag of the first kind and those of the others, each once.
func kindTags(d *Design, kinds []Kind) (first string, rest []string) {
	seen := map[string]bool{}
	for i, k := range kinds {
		tag := k.Entity
		if e := d.Entity(k.Entity); e != nil {
			tag = e.Tag
		}
		if i == 0 {
			first = tag
		} else if !seen[tag] {
			rest = append(rest, tag)
		}
		seen[tag] = true
	}
	return first, rest
}

func (x *expresser) kinds(tags []string) clause {
	holders := make([]string, len(tags))
	for i, tag := range tags {
		v := model.NewLiteral(model.At(model.Type{}, diag.Pos{}), dynamo.String(tag))
		holders[i] = x.bind("type", Binding{Value: v})
	}
	if len(holders) == 1 {
		return text(x.name(TypeAttribute) + " = " + holders[0])
	}
	return text(x.name(TypeAttribute) + " IN (" + strings.Join(holders, ", ") + ")")
}

// writeCondition joins what a write asks of the item as it is.
func (x *expresser) writeCondition(t *Table, w *Write) (clause, error) {
	all := always
	switch {
	case w.Exists:
		all = text("attribute_exists(" + x.name(t.PartitionKey.Name) + ")")
	case w.Absent:
		all = text("attribute_not_exists(" + x.name(t.PartitionKey.Name) + ")")
	}
	rest, err := x.conjuncts(w.Condition)
	if err != nil {
		return never, err
	}
	all = conjunction(all, rest)
	for _, column := range w.Unchanged {
		c, err := x.unchanged(column)
		if err != nil {
			return never, err
		}
		all = conjunction(all, c)
	}
	return all, nil
}

func (x *expresser) unchanged(column string) (clause, error) {
	a := x.entity.Column(column)
	if a == nil {
		return never, fmt.Errorf("items of %s do not hold column %s", x.entity.Name, column)
	}
	read := model.NewColumn(model.At(a.Type, x.pattern.Pos), 0, "read", column)
	if x.known != nil {
		v, err := x.known(read)
		if err != nil {
			return never, err
		}
		if v.IsAbsent() || v.IsNull() {
			return text("attribute_not_exists(" + x.name(a.Name) + ")"), nil
		}
	}
	return text(x.name(a.Name) + " = " + x.bind(column+"_read", Binding{Value: read, Type: a.Type})), nil
}
