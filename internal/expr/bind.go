package expr

import (
	"fmt"
	"slices"
	"strings"

	"github.com/keyfold-dev/keyfold/dynamo"
)

// A Scope holds what the placeholders of one request's expressions stand for, and which of
// them have been used. It belongs to one goroutine.
type Scope struct {
	x          *dynamo.Expressions
	names      map[string]int // position in x.Names, when there are many
	usedNames  []bool
	usedValues []bool
}

const manyNames = 16

// NewScope returns the scope of a request. It keeps x. The error tells of placeholders
// that are not well formed and of empty lists of them (not nil but of length 0).
func NewScope(x *dynamo.Expressions) (*Scope, error) {
	if fault := checkPlaceholders(x); fault != "" {
		return nil, dynamo.Invalid(fault)
	}
	s := &Scope{x: x, usedNames: make([]bool, len(x.Names)), usedValues: make([]bool, len(x.Values))}
	if len(x.Names) > manyNames {
		s.names = make(map[string]int, len(x.Names))
		for i, n := range x.Names {
			s.names[n.Placeholder] = i
		}
	}
	return s, nil
}

func checkPlaceholders(x *dynamo.Expressions) string {
	const names, values = "ExpressionAttributeNames", "ExpressionAttributeValues"
	if x.Names != nil && len(x.Names) == 0 {
		return names + " must not be empty"
	}
	for _, n := range x.Names {
		if fault := checkPlaceholder(names, n.Placeholder, "#"); fault != "" {
			return fault
		}
		if n.Name == "" {
			return names + " contains invalid value: Empty attribute name for key " + n.Placeholder
		}
	}
	if x.Values != nil && len(x.Values) == 0 {
		return values + " must not be empty"
	}
	for _, v := range x.Values {
		if fault := checkPlaceholder(values, v.Name, ":"); fault != "" {
			return fault
		}
	}
	return ""
}

func checkPlaceholder(parameter, key, sigil string) string {
	switch {
	case len(key) > dynamo.MaxPlaceholderSize:
		return fmt.Sprintf("%s contains invalid key: The expression attribute map contains a key that is too long; size of key: %d",
			parameter, len(key))
	case !isPlaceholder(key, sigil):
		return fmt.Sprintf("%s contains invalid key: Syntax error; key: \"%s\"", parameter, key)
	}
	return ""
}

// Unused returns an error when a name or a value was given that no expression bound in
// this scope uses, nil otherwise. Call it when all expressions are bound.
func (s *Scope) Unused() error {
	var names, values []string
	for i, used := range s.usedNames {
		if !used {
			names = append(names, s.x.Names[i].Placeholder)
		}
	}
	for i, used := range s.usedValues {
		if !used {
			values = append(values, s.x.Values[i].Name)
		}
	}
	const unused = "Value provided in %s unused in expressions: keys: {%s}"
	switch {
	case names != nil:
		return dynamo.Invalid(fmt.Sprintf(unused, "ExpressionAttributeNames", strings.Join(names, ", ")))
	case values != nil:
		return dynamo.Invalid(fmt.Sprintf(unused, "ExpressionAttributeValues", strings.Join(values, ", ")))
	}
	return nil
}

// NotAllowed returns an error when names or values are given but the request has none of
// the expressions it could have, which are kinds; nil otherwise.
func NotAllowed(x *dynamo.Expressions, kinds ...Kind) error {
	const text = " can only be specified when using expressions"
	if x.Names != nil {
		return dynamo.Invalid("ExpressionAttributeNames" + text)
	}
	if x.Values == nil {
		return nil
	}
	// Only reads name the expressions that could have had values.
	var missing []string
	for _, k := range kinds {
		if k == FilterExpression || k == KeyConditionExpression {
			missing = append(missing, string(k))
		}
	}
	switch len(missing) {
	case 0:
		return dynamo.Invalid("ExpressionAttributeValues" + text)
	case 1:
		return dynamo.Invalid("ExpressionAttributeValues" + text + ": " + missing[0] + " is null")
	}
	slices.Sort(missing)
	return dynamo.Invalid("ExpressionAttributeValues" + text + ": " + strings.Join(missing, " and ") + " are null")
}

func (s *Scope) name(placeholder string) (string, bool) {
	if s.x == nil {
		return "", false
	}
	i, ok := s.names[placeholder]
	if s.names == nil {
		i = slices.IndexFunc(s.x.Names, func(n dynamo.NameBinding) bool { return n.Placeholder == placeholder })
		ok = i >= 0
	}
	if !ok {
		return "", false
	}
	s.usedNames[i] = true
	return s.x.Names[i].Name, true
}

func (s *Scope) value(placeholder string) (dynamo.Value, bool) {
	if s.x == nil {
		return dynamo.Value{}, false
	}
	i, ok := slices.BinarySearchFunc(s.x.Values, placeholder, func(a dynamo.Attr, name string) int {
		return strings.Compare(a.Name, name)
	})
	if !ok {
		return dynamo.Value{}, false
	}
	s.usedValues[i] = true
	return s.x.Values[i].Value, true
}

// A binder copies a tree with names and values put in. After the first error the rest of
// the copy is of no use.
type binder struct {
	kind  Kind
	scope *Scope
	nodes []node  // memory for the copy
	args  []*node // memory for its lists of operands
	err   error
}

func newBinder(kind Kind, s *Scope, nodes int) *binder {
	return &binder{kind: kind, scope: s, nodes: make([]node, nodes), args: make([]*node, nodes)}
}

func (b *binder) fail(format string, args ...any) {
	if b.err == nil {
		b.err = b.kind.invalid(fmt.Sprintf(format, args...))
	}
}

func (b *binder) copy(n *node) *node {
	m := &b.nodes[0]
	b.nodes = b.nodes[1:]
	*m = *n
	// No node has more than one parent, so there are fewer arguments than nodes.
	m.args = b.args[:len(n.args):len(n.args)]
	b.args = b.args[len(n.args):]
	return m
}

// resolve copies n, resolving placeholders in the order they are written.
func (b *binder) resolve(n *node) *node {
	m := b.copy(n)
	switch n.op {
	case opPath:
		m.at = b.path(n.path)
	case opValue:
		v, ok := b.scope.value(n.name)
		if !ok {
			b.fail(faultValue, n.name)
		}
		m.value = v
	}
	for i, a := range n.args {
		m.args[i] = b.resolve(a)
	}
	return m
}

func (b *binder) path(p Path) Path {
	bound := p
	for i, s := range p {
		if !strings.HasPrefix(s.Name, "#") {
			continue
		}
		name, ok := b.scope.name(s.Name)
		if !ok {
			b.fail(faultName, s.Name)
			return p
		}
		if &bound[0] == &p[0] {
			bound = slices.Clone(p)
		}
		bound[i].Name = name
	}
	return bound
}

// condition copies a condition. The service checks each predicate by itself, and there
// first the placeholders, then what follows in the order below.
func (b *binder) condition(n *node) *node {
	switch n.op {
	case opAnd, opOr, opNot:
		m := b.copy(n)
		for i, a := range n.args {
			m.args[i] = b.condition(a)
		}
		return m
	}
	m := b.resolve(n)
	if b.err == nil {
		b.counts(m)
	}
	if b.err == nil {
		b.distinct(m)
	}
	if b.err == nil {
		b.types(m)
	}
	return m
}

// counts checks the number of operands.
func (b *binder) counts(n *node) {
	for _, a := range n.args {
		b.counts(a)
	}
	switch {
	case n.op == opCall && len(n.args) != functions[n.fn].operands:
		b.fail(faultOperands, n.name, len(n.args))
	case n.op == opIn && len(n.args)-1 > dynamo.MaxInOperands:
		b.fail(faultIn, len(n.args)-1)
	}
}

// distinct checks that the first operand, if a path, is none of the others.
func (b *binder) distinct(n *node) {
	for _, a := range n.args {
		b.distinct(a)
	}
	if len(n.args) < 2 || n.args[0].op != opPath {
		return
	}
	name := n.name
	if n.op != opCall {
		name = opNames[n.op]
	}
	for _, a := range n.args[1:] {
		if a.op == opPath && slices.Equal(a.at, n.args[0].at) {
			b.fail(faultDistinct, name, a.at)
		}
	}
}

// types checks operands whose type is known whatever the item is.
func (b *binder) types(n *node) {
	for _, a := range n.args {
		b.types(a)
	}
	switch n.op {
	case opLt, opLe, opGt, opGe:
		b.allow(n, opNames[n.op], ordered)
	case opBetween:
		b.allow(n, opNames[n.op], ordered)
		b.bounds(n.args[1], n.args[2])
	case opPlus, opMinus:
		b.allow(n, opNames[n.op], numbers)
	case opCall:
		b.callTypes(n)
	}
}

var (
	ordered = []dynamo.Type{dynamo.TypeString, dynamo.TypeNumber, dynamo.TypeBinary}
	numbers = []dynamo.Type{dynamo.TypeNumber}
	lists   = []dynamo.Type{dynamo.TypeList}
	texts   = []dynamo.Type{dynamo.TypeString, dynamo.TypeBinary}
	sized   = []dynamo.Type{dynamo.TypeString, dynamo.TypeBinary, dynamo.TypeList, dynamo.TypeMap,
		dynamo.TypeStringSet, dynamo.TypeNumberSet, dynamo.TypeBinarySet}
)

// allow checks that operands of a known type have one of types.
func (b *binder) allow(n *node, name string, types []dynamo.Type) {
	for _, a := range n.args {
		if t := a.staticType(); t != dynamo.Absent && !slices.Contains(types, t) {
			b.fail(faultType, name, t)
		}
	}
}

func (b *binder) callTypes(n *node) {
	switch n.fn {
	case fnAttributeExists, fnAttributeNotExists, fnIfNotExists:
		if n.args[0].op != opPath {
			b.fail(faultPath, n.name)
		}
	case fnBeginsWith:
		b.allow(n, n.name, texts)
	case fnSize:
		b.allow(n, n.name, sized)
	case fnListAppend:
		b.allow(n, n.name, lists)
	case fnAttributeType:
		b.typeName(n)
	}
}

// typeName checks that the second operand of attribute_type is a value that names a type.
func (b *binder) typeName(n *node) {
	arg := n.args[1]
	switch t := arg.staticType(); {
	case t == dynamo.Absent:
		b.fail(faultType, n.name, "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}")
	case t != dynamo.TypeString:
		b.fail(faultType, n.name, t)
	case !slices.Contains(typeNames, dynamo.Type(arg.value.Str())):
		b.fail(faultTypeName, arg.value.Str())
	}
}

var typeNames = []dynamo.Type{dynamo.TypeString, dynamo.TypeNumber, dynamo.TypeBinary, dynamo.TypeBool, dynamo.TypeNull,
	dynamo.TypeList, dynamo.TypeMap, dynamo.TypeStringSet, dynamo.TypeNumberSet, dynamo.TypeBinarySet}

func (b *binder) bounds(low, high *node) {
	if low.op != opValue || high.op != opValue || b.err != nil {
		return
	}
	switch order, ok := dynamo.Compare(low.value, high.value); {
	case !ok:
		b.fail(faultBoundTypes, boundText(low.value), boundText(high.value))
	case order > 0:
		b.fail(faultBoundOrder, boundText(low.value), boundText(high.value))
	}
}

// boundText prints a bound as the service does, which shows a binary as the Java object
// that holds it.
func boundText(v dynamo.Value) string {
	text := v.Str()
	if v.Type() == dynamo.TypeBinary {
		text = fmt.Sprintf("java.nio.HeapByteBuffer[pos=0 lim=%d cap=%d]", len(text), len(text))
	}
	return fmt.Sprintf("AttributeValue: {%s:%s}", v.Type(), text)
}
