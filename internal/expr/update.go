package expr

import (
	"fmt"

	"github.com/keyfold-dev/keyfold/dynamo"
)

// An Update is a parsed UpdateExpression.
type Update struct {
	actions []action
	nodes   int
	legacy  bool // made of AttributeUpdates
	tree    []branch
}

// An action changes what its path leads to.
type action struct {
	verb  verb
	path  Path  // as written
	at    Path  // as bound
	value *node // of set, add and delete
}

type verb uint8

const (
	verbSet verb = iota
	verbRemove
	verbAdd
	verbDelete
)

var verbNames = [...]string{verbSet: "SET", verbRemove: "REMOVE", verbAdd: "ADD", verbDelete: "DELETE"}

// ParseUpdate parses an UpdateExpression (Developer Guide, "Using update expressions in
// DynamoDB").
func ParseUpdate(src string) (*Update, error) {
	p := newParser(UpdateExpression, updateGrammar, src)
	u := &Update{}
	var seen [len(verbNames)]bool
	for more := p.err == nil; more; more = p.err == nil && p.tok.kind != tokEOF {
		v := verb(p.tok.kind - tokSet)
		if p.tok.kind < tokSet || p.tok.kind > tokDelete {
			p.syntax()
			break
		}
		if seen[v] {
			p.note(repeatedSection, faultSection, verbNames[v])
		}
		seen[v] = true
		p.advance()
		u.actions = append(u.actions, p.action(v))
		for p.take(tokComma) {
			u.actions = append(u.actions, p.action(v))
		}
	}
	if err := p.finish(updateFaults[:]); err != nil {
		return nil, err
	}
	u.nodes = p.count
	return u, nil
}

func (p *parser) action(v verb) action {
	a := action{verb: v, path: p.readPath()}
	switch v {
	case verbSet:
		p.expect(tokEq)
		a.value = p.sum()
		p.asOperand(a.value, false)
	case verbAdd, verbDelete:
		a.value = p.value()
	}
	return a
}

// sum reads an operand, or two joined by + or -.
func (p *parser) sum() *node {
	left := p.operand()
	o := opPlus
	switch p.tok.kind {
	case tokMinus:
		o = opMinus
	case tokPlus:
	default:
		return left
	}
	p.advance()
	p.operator()
	right := p.operand()
	p.asOperand(left, false)
	p.asOperand(right, false)
	return p.node(o, left, right)
}

// String prints the update as an expression that parses to the same.
func (u *Update) String() string {
	var dst []byte
	for i, a := range u.actions {
		switch {
		case i == 0:
			dst = append(append(dst, verbNames[a.verb]...), ' ')
		case a.verb != u.actions[i-1].verb:
			dst = append(append(append(dst, ' '), verbNames[a.verb]...), ' ')
		default:
			dst = append(dst, ", "...)
		}
		dst = a.path.appendText(dst)
		switch a.verb {
		case verbSet:
			dst = append(dst, " = "...)
		case verbAdd, verbDelete:
			dst = append(dst, ' ')
		}
		if a.value != nil {
			dst = a.value.appendText(dst)
		}
	}
	return string(dst)
}

// Bind resolves the placeholders of u in s.
func (u *Update) Bind(s *Scope) (*Update, error) {
	b := newBinder(UpdateExpression, s, u.nodes)
	bound := &Update{actions: make([]action, len(u.actions)), nodes: u.nodes}
	for i, a := range u.actions {
		a.at = b.path(a.path)
		if a.value != nil {
			a.value = b.resolve(a.value)
		}
		bound.actions[i] = a
	}
	if err := b.checkUpdate(bound.actions); err != nil {
		return nil, err
	}
	bound.tree = grow(bound.Paths())
	return bound, nil
}

// checkUpdate looks for faults in the service's order: placeholders, paths that meet,
// operands of ADD and DELETE, operands of functions.
func (b *binder) checkUpdate(actions []action) error {
	if b.err != nil {
		return b.err
	}
	if fault := checkPaths(actionPaths(actions)); fault != "" {
		b.fail("%s", fault)
	}
	for _, a := range actions {
		b.checkOperand(a)
	}
	for _, a := range actions {
		if a.verb == verbSet && b.err == nil {
			b.counts(a.value)
		}
	}
	for _, a := range actions {
		if a.verb == verbSet && b.err == nil {
			b.types(a.value)
		}
	}
	return b.err
}

// Long names of types, as the service uses them for operands of ADD and DELETE.
var longTypes = map[dynamo.Type]string{dynamo.TypeString: "STRING", dynamo.TypeNumber: "NUMBER",
	dynamo.TypeBinary: "BINARY", dynamo.TypeNull: "NULL", dynamo.TypeBool: "BOOLEAN",
	dynamo.TypeList: "LIST", dynamo.TypeMap: "MAP"}

func (b *binder) checkOperand(a action) {
	if a.verb != verbAdd && a.verb != verbDelete {
		return
	}
	v := a.value.value
	if v.IsSet() || a.verb == verbAdd && v.Type() == dynamo.TypeNumber {
		return
	}
	name := verbNames[a.verb]
	b.fail(faultActionType, name, longTypes[v.Type()], name)
}

func actionPaths(actions []action) []Path {
	paths := make([]Path, len(actions))
	for i, a := range actions {
		paths[i] = a.at
	}
	return paths
}

// Paths returns the paths that the bound update may change, in the order written.
func (u *Update) Paths() []Path { return actionPaths(u.actions) }

// Attributes returns the top-level attributes that the bound update may change, sorted.
func (u *Update) Attributes() []string { return roots(u.Paths(), false) }

// Nested returns the top-level attributes that the bound update looks into by a document
// path, to change or to read, sorted. Key attributes must not be among them.
func (u *Update) Nested() []string {
	paths := u.Paths()
	for _, a := range u.actions {
		if a.value != nil {
			paths = a.value.paths(paths)
		}
	}
	return roots(paths, true)
}

// Computes reports whether the bound update sets a top-level attribute to anything but a
// value of the request.
func (u *Update) Computes(attribute string) bool {
	for _, a := range u.actions {
		if len(a.at) == 1 && a.at[0].Name == attribute {
			return a.verb != verbSet || a.value.op != opValue
		}
	}
	return false
}

// OnlyRemoves reports whether the update cannot make an attribute, so that updating an item
// that does not exist makes none. An update without actions does make the item.
func (u *Update) OnlyRemoves() bool {
	for _, a := range u.actions {
		if a.verb == verbSet || a.verb == verbAdd {
			return false
		}
	}
	return len(u.actions) > 0
}

// errorf makes a ValidationException that is found out only with the item at hand.
func errorf(format string, args ...any) error { return dynamo.Invalid(fmt.Sprintf(format, args...)) }
