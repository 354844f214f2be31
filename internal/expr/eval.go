package expr

import (
	"strings"
	"unicode/utf16"

	"github.com/keyfold-dev/keyfold/dynamo"
)

// holds evaluates a condition. An absent operand makes every comparison false but <>,
// which is true (Developer Guide, "Condition and filter expressions, operators, and
// functions").
func (n *node) holds(it dynamo.Item) bool {
	switch n.op {
	case opAnd:
		for _, a := range n.args {
			if !a.holds(it) {
				return false
			}
		}
		return true
	case opOr:
		for _, a := range n.args {
			if a.holds(it) {
				return true
			}
		}
		return false
	case opNot:
		return !n.args[0].holds(it)
	case opCall:
		return n.callHolds(it)
	case opIn:
		return n.in(it)
	case opBetween:
		v := n.args[0].operand(it)
		return compare(opGe, v, n.args[1].operand(it)) && compare(opLe, v, n.args[2].operand(it))
	}
	return compare(n.op, n.args[0].operand(it), n.args[1].operand(it))
}

func compare(o op, a, b dynamo.Value) bool {
	switch o {
	case opEq:
		return !a.IsAbsent() && dynamo.Equal(a, b)
	case opNe:
		return a.IsAbsent() || !dynamo.Equal(a, b)
	}
	order, ok := dynamo.Compare(a, b)
	if !ok {
		return false
	}
	switch o {
	case opLt:
		return order < 0
	case opLe:
		return order <= 0
	case opGt:
		return order > 0
	}
	return order >= 0
}

func (n *node) in(it dynamo.Item) bool {
	v := n.args[0].operand(it)
	for _, a := range n.args[1:] {
		if compare(opEq, v, a.operand(it)) {
			return true
		}
	}
	return false
}

func (n *node) callHolds(it dynamo.Item) bool {
	v := n.args[0].operand(it)
	switch n.fn {
	case fnAttributeExists:
		return !v.IsAbsent()
	case fnAttributeNotExists:
		return v.IsAbsent()
	case fnAttributeType:
		return string(v.Type()) == n.args[1].value.Str()
	case fnBeginsWith:
		return beginsWith(v, n.args[1].operand(it))
	case fnContains:
		return contains(v, n.args[1].operand(it))
	}
	panic("keyfold: internal error: " + n.name + " as a condition")
}

func beginsWith(v, prefix dynamo.Value) bool {
	return v.Type() == prefix.Type() && isText(v) && strings.HasPrefix(v.Str(), prefix.Str())
}

// contains finds a part of a string or binary, or an element of a set or list.
func contains(v, part dynamo.Value) bool {
	switch {
	case isText(v):
		return v.Type() == part.Type() && strings.Contains(v.Str(), part.Str())
	case v.IsSet():
		return dynamo.HasElement(v, part)
	case v.Type() == dynamo.TypeList && !part.IsAbsent():
		for _, e := range v.Elements() {
			if dynamo.Equal(e, part) {
				return true
			}
		}
	}
	return false
}

func isText(v dynamo.Value) bool {
	return v.Type() == dynamo.TypeString || v.Type() == dynamo.TypeBinary
}

// operand returns the value of an operand of a condition, absent if it has none.
func (n *node) operand(it dynamo.Item) dynamo.Value {
	switch n.op {
	case opPath:
		return n.at.Get(it)
	case opValue:
		return n.value
	case opCall:
		return size(n.args[0].operand(it))
	}
	panic("keyfold: internal error: " + opNames[n.op] + " as an operand")
}

// size returns the length of a string in units of UTF-16, the number of bytes of a binary,
// and of elements of the rest; absent for types without a size.
func size(v dynamo.Value) dynamo.Value {
	switch {
	case v.Type() == dynamo.TypeString:
		return dynamo.Int(int64(utf16Length(v.Str())))
	case v.Type() == dynamo.TypeBinary:
		return dynamo.Int(int64(len(v.Str())))
	case v.Type() == dynamo.TypeMap:
		return dynamo.Int(int64(len(v.Fields())))
	case v.IsSet(), v.Type() == dynamo.TypeList:
		return dynamo.Int(int64(len(v.Elements())))
	}
	return dynamo.Value{}
}

func utf16Length(s string) int {
	n := 0
	for _, char := range s {
		n += utf16.RuneLen(char)
	}
	return n
}
