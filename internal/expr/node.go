package expr

import "github.com/keyfold-dev/keyfold/dynamo"

// An op says what a node of the syntax tree is.
type op uint8

const (
	opPath op = iota
	opValue
	opCall
	opPlus
	opMinus
	opEq
	opNe
	opLt
	opLe
	opGt
	opGe
	opBetween
	opIn
	opNot
	opAnd
	opOr
)

var opNames = [...]string{opPlus: "+", opMinus: "-", opEq: "=", opNe: "<>", opLt: "<", opLe: "<=",
	opGt: ">", opGe: ">=", opBetween: "BETWEEN", opIn: "IN", opNot: "NOT", opAnd: "AND", opOr: "OR"}

// A node of the syntax tree. What parsing made of it stays as it was; binding makes new
// nodes with at and value filled in.
type node struct {
	op     op
	fn     function // of opCall
	parens bool     // written in parentheses
	name   string   // of opCall: the function; of opValue: the placeholder
	path   Path     // of opPath: as written, placeholders included
	at     Path     // of opPath: as bound
	value  dynamo.Value
	args   []*node
}

func (n *node) isOperand() bool { return n.op <= opCall }

// A function is one of the functions of expressions.
type function uint8

const (
	fnUnknown function = iota
	fnAttributeExists
	fnAttributeNotExists
	fnAttributeType
	fnBeginsWith
	fnContains
	fnSize
	fnIfNotExists
	fnListAppend
)

// functions tells for each function how many operands it takes, and where it may stand:
// by itself as a condition or as an operand, in conditions or in updates. An operand that
// is itself an operand of a function must nest.
var functions = [...]struct {
	name      string
	operands  int
	condition bool
	update    bool
	nests     bool
}{
	fnAttributeExists:    {"attribute_exists", 1, true, false, false},
	fnAttributeNotExists: {"attribute_not_exists", 1, true, false, false},
	fnAttributeType:      {"attribute_type", 2, true, false, false},
	fnBeginsWith:         {"begins_with", 2, true, false, false},
	fnContains:           {"contains", 2, true, false, false},
	fnSize:               {"size", 1, false, false, true},
	fnIfNotExists:        {"if_not_exists", 2, false, true, true},
	fnListAppend:         {"list_append", 2, false, true, false},
}

// functionNamed returns the function of that name; case matters.
func functionNamed(name string) function {
	for i := range functions {
		if functions[i].name == name {
			return function(i)
		}
	}
	return fnUnknown
}

// appendText prints n so that it parses to the same tree.
func (n *node) appendText(dst []byte) []byte {
	if n.parens {
		dst = append(dst, '(')
	}
	switch n.op {
	case opPath:
		dst = n.path.appendText(dst)
	case opValue:
		dst = append(dst, n.name...)
	case opCall:
		dst = appendList(append(append(dst, n.name...), '('), n.args, ", ")
		dst = append(dst, ')')
	case opNot:
		dst = n.args[0].appendText(append(dst, "NOT "...))
	case opBetween:
		dst = n.args[0].appendText(dst)
		dst = appendList(append(dst, " BETWEEN "...), n.args[1:], " AND ")
	case opIn:
		dst = n.args[0].appendText(dst)
		dst = append(appendList(append(dst, " IN ("...), n.args[1:], ", "), ')')
	default:
		dst = appendList(dst, n.args, " "+opNames[n.op]+" ")
	}
	if n.parens {
		dst = append(dst, ')')
	}
	return dst
}

func appendList(dst []byte, nodes []*node, between string) []byte {
	for i, n := range nodes {
		if i > 0 {
			dst = append(dst, between...)
		}
		dst = n.appendText(dst)
	}
	return dst
}

// paths appends the bound paths under n.
func (n *node) paths(dst []Path) []Path {
	if n.op == opPath {
		return append(dst, n.at)
	}
	for _, a := range n.args {
		dst = a.paths(dst)
	}
	return dst
}

// staticType returns the type an operand has whatever the item, or Absent.
func (n *node) staticType() dynamo.Type {
	switch {
	case n.op == opValue:
		return n.value.Type()
	case n.op == opCall && n.fn == fnSize, n.op == opPlus, n.op == opMinus:
		return dynamo.TypeNumber
	case n.op == opCall && n.fn == fnListAppend:
		return dynamo.TypeList
	}
	return dynamo.Absent
}
