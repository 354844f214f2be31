package expr

import (
	"slices"

	"github.com/keyfold-dev/keyfold/dynamo"
)

// A KeyCondition is a parsed KeyConditionExpression.
type KeyCondition struct {
	condition *Condition
}

// A KeyTerm is one condition on one key attribute. Op is =, <, <=, >, >=, BETWEEN or
// begins_with; Values has two elements for BETWEEN and one otherwise. Terms made of the
// legacy KeyConditions may have another operator, under its legacy name.
type KeyTerm struct {
	Attribute string
	Op        string
	Values    []dynamo.Value
}

// ParseKeyCondition parses a KeyConditionExpression (Developer Guide, "Key condition
// expressions for the Query operation in DynamoDB"). It has the grammar of conditions.
func ParseKeyCondition(src string) (*KeyCondition, error) {
	c, err := ParseCondition(KeyConditionExpression, src)
	if err != nil {
		return nil, err
	}
	return &KeyCondition{condition: c}, nil
}

// String prints the key condition as an expression that parses to the same.
func (k *KeyCondition) String() string { return k.condition.String() }

// Bind returns the terms in the order written. Whether they suit the key schema is for the
// caller to find out.
func (k *KeyCondition) Bind(s *Scope) ([]KeyTerm, error) {
	bound, err := k.condition.Bind(s)
	if err != nil {
		return nil, err
	}
	return keyTerms(nil, bound.root)
}

// The service's texts for conditions that are not on a key.
const (
	faultKeyOperator = "Invalid operator used in KeyConditionExpression: %s"
	faultKeyNested   = "KeyConditionExpressions cannot contain nested operations"
	faultKeyFirst    = "Invalid condition in KeyConditionExpression: %s operator must have the key attribute as its first operand"
	faultKeyTwo      = "Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition"
	faultKeyPath     = "KeyConditionExpressions cannot have conditions on nested attributes"
	faultKeyNone     = "Invalid condition in KeyConditionExpression: No key attribute specified"
	faultKeyTwice    = "Invalid KeyConditionExpression: KeyConditionExpressions must only contain one condition per key"
)

// mirrored gives the comparison with its operands exchanged.
var mirrored = [...]op{opEq: opEq, opLt: opGt, opLe: opGe, opGt: opLt, opGe: opLe}

// keyTerms appends the terms of a bound condition, or finds the first that is none.
func keyTerms(terms []KeyTerm, n *node) ([]KeyTerm, error) {
	switch n.op {
	case opAnd:
		var err error
		for _, a := range n.args {
			if terms, err = keyTerms(terms, a); err != nil {
				return nil, err
			}
		}
		return terms, nil
	case opOr, opNot, opIn, opNe:
		return nil, errorf(faultKeyOperator, opNames[n.op])
	case opCall:
		if n.fn == fnSize {
			return nil, errorf(faultKeyNested)
		}
		if n.fn != fnBeginsWith {
			return nil, errorf(faultKeyOperator, n.name)
		}
	}
	t, err := keyTerm(n)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(terms, func(o KeyTerm) bool { return o.Attribute == t.Attribute }) {
		return nil, errorf(faultKeyTwice)
	}
	return append(terms, t), nil
}

func keyTerm(n *node) (t KeyTerm, err error) {
	t.Op = opNames[n.op]
	if n.op == opCall {
		t.Op = n.name
	}
	if (n.op == opCall || n.op == opBetween) && n.args[0].op != opPath {
		return t, errorf(faultKeyFirst, t.Op)
	}
	t.Values = make([]dynamo.Value, 0, len(n.args)-1)
	for i, a := range n.args {
		switch {
		case a.op == opValue:
			t.Values = append(t.Values, a.value)
		case a.op == opCall:
			return t, errorf(faultKeyNested)
		case t.Attribute != "":
			return t, errorf(faultKeyTwo)
		case len(a.at) > 1:
			return t, errorf(faultKeyPath)
		default:
			t.Attribute = a.at[0].Name
			if i > 0 {
				t.Op = opNames[mirrored[n.op]]
			}
		}
	}
	if t.Attribute == "" {
		return t, errorf(faultKeyNone)
	}
	return t, nil
}
