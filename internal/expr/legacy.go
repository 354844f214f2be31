package expr

import (
	"slices"

	"github.com/keyfold-dev/keyfold/dynamo"
)

const invalidValues = "One or more parameter values were invalid: "

// A legacyOperator says how many values a comparison operator of the older parameters
// takes, of which types, and what it is as an expression (API Reference, "Condition" and
// "ExpectedAttributeValue").
type legacyOperator struct {
	least, most int
	types       []dynamo.Type // nil for all
	op          op
	fn          function
}

var scalars = []dynamo.Type{dynamo.TypeString, dynamo.TypeNumber, dynamo.TypeBinary, dynamo.TypeBool, dynamo.TypeNull}

var legacyOperators = map[string]legacyOperator{
	"EQ":           {1, 1, nil, opEq, 0},
	"NE":           {1, 1, nil, opNe, 0},
	"LE":           {1, 1, ordered, opLe, 0},
	"LT":           {1, 1, ordered, opLt, 0},
	"GE":           {1, 1, ordered, opGe, 0},
	"GT":           {1, 1, ordered, opGt, 0},
	"BETWEEN":      {2, 2, ordered, opBetween, 0},
	"IN":           {1, dynamo.MaxInOperands, ordered, opIn, 0},
	"NULL":         {0, 0, nil, opCall, fnAttributeNotExists},
	"NOT_NULL":     {0, 0, nil, opCall, fnAttributeExists},
	"BEGINS_WITH":  {1, 1, texts, opCall, fnBeginsWith},
	"CONTAINS":     {1, 1, scalars, opCall, fnContains},
	"NOT_CONTAINS": {1, 1, scalars, opNot, fnContains},
}

// LegacyCondition makes the bound condition of QueryFilter or ScanFilter, nil of none. The
// operator is AND, OR or "".
func LegacyCondition(conds []dynamo.LegacyCondition, operator string) (*Condition, error) {
	nodes := make([]*node, 0, len(conds))
	for _, c := range conds {
		n, err := legacyNode(c)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, n)
	}
	return joinLegacy(nodes, operator)
}

func joinLegacy(nodes []*node, operator string) (*Condition, error) {
	switch {
	case operator != "" && len(nodes) == 0:
		return nil, dynamo.Invalid(invalidValues + "ConditionalOperator cannot be used without Filter or Expected")
	case operator != "" && len(nodes) == 1:
		return nil, dynamo.Invalid(invalidValues + "ConditionalOperator can only be used when Filter or Expected has two or more elements")
	case len(nodes) == 0:
		return nil, nil
	case len(nodes) == 1:
		return boundCondition(nodes[0]), nil
	case operator == "OR":
		return boundCondition(&node{op: opOr, args: nodes}), nil
	}
	return boundCondition(&node{op: opAnd, args: nodes}), nil
}

func boundCondition(root *node) *Condition {
	c := &Condition{kind: ConditionExpression, root: root}
	c.bound = c
	return c
}

// legacyNode checks a condition and writes it as an expression.
func legacyNode(c dynamo.LegacyCondition) (*node, error) {
	if err := checkLegacy(c); err != nil {
		return nil, err
	}
	o := legacyOperators[c.Operator]
	args := []*node{attributeNode(c.Attribute)}
	for _, v := range c.Values {
		args = append(args, valueNode(v))
	}
	switch o.op {
	case opCall:
		return callNode(o.fn, args...), nil
	case opNot:
		// NOT_CONTAINS does not hold for an attribute that does not exist.
		return &node{op: opAnd, args: []*node{
			callNode(fnAttributeExists, args[0]),
			{op: opNot, args: []*node{callNode(o.fn, args...)}},
		}}, nil
	}
	return &node{op: o.op, args: args}, nil
}

func attributeNode(name string) *node {
	p := Path{{Name: name}}
	return &node{op: opPath, path: p, at: p}
}

// valueNode shows a value as it would be shown in a message: it has no placeholder.
func valueNode(v dynamo.Value) *node {
	return &node{op: opValue, name: boundText(v), value: v}
}

func callNode(fn function, args ...*node) *node {
	return &node{op: opCall, fn: fn, name: functions[fn].name, args: args}
}

// checkLegacy checks number and types of values.
func checkLegacy(c dynamo.LegacyCondition) error {
	o, ok := legacyOperators[c.Operator]
	if !ok || len(c.Values) < o.least || len(c.Values) > o.most {
		return errorf(invalidValues+"Invalid number of argument(s) for the %s ComparisonOperator", c.Operator)
	}
	for _, v := range c.Values {
		if v.Type() != c.Values[0].Type() {
			return dynamo.Invalid(invalidValues + "AttributeValues inside AttributeValueList must be of same type")
		}
	}
	for _, v := range c.Values {
		if o.types != nil && !slices.Contains(o.types, v.Type()) {
			return errorf(invalidValues+"ComparisonOperator %s is not valid for %s AttributeValue type", c.Operator, v.Type())
		}
	}
	if o.op == opBetween {
		if order, _ := dynamo.Compare(c.Values[0], c.Values[1]); order > 0 {
			return dynamo.Invalid("The BETWEEN condition was provided a range where the lower bound is greater than the upper bound")
		}
	}
	return nil
}

// LegacyExpected makes the bound condition of Expected, nil of none.
func LegacyExpected(conds []dynamo.ExpectedAttribute, operator string) (*Condition, error) {
	nodes := make([]*node, 0, len(conds))
	for _, c := range conds {
		lc, err := expectedCondition(c)
		if err != nil {
			return nil, err
		}
		n, err := legacyNode(lc)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, n)
	}
	return joinLegacy(nodes, operator)
}

// expectedCondition writes Value and Exists, and a Value given with an operator, in the
// form of the other older parameters.
func expectedCondition(c dynamo.ExpectedAttribute) (dynamo.LegacyCondition, error) {
	lc := dynamo.LegacyCondition{Attribute: c.Attribute, Operator: c.Operator, Values: c.Values}
	hasValue := !c.Value.IsAbsent()
	exists := c.Exists == nil || *c.Exists
	fault := ""
	switch {
	case c.Values != nil && hasValue:
		fault = "Value and AttributeValueList cannot be used together for Attribute: "
	case c.Operator != "" && c.Exists != nil:
		fault = "Exists and ComparisonOperator cannot be used together for Attribute: "
	case c.Operator != "" && c.Operator != "NULL" && c.Operator != "NOT_NULL" && c.Values == nil && !hasValue:
		fault = "Value or AttributeValueList must be used with ComparisonOperator: " + c.Operator + " for Attribute: "
	case c.Operator == "" && c.Values != nil:
		fault = "AttributeValueList can only be used with a ComparisonOperator for Attribute: "
	case c.Operator == "" && exists && !hasValue:
		state := "null"
		if c.Exists != nil {
			state = "true"
		}
		fault = "Value must be provided when Exists is " + state + " for Attribute: "
	case c.Operator == "" && !exists && hasValue:
		fault = "Value cannot be used when Exists is false for Attribute: "
	case c.Operator == "" && !exists:
		lc.Operator = "NULL"
	case c.Operator == "":
		lc.Operator = "EQ"
	}
	if fault != "" {
		return lc, dynamo.Invalid(invalidValues + fault + c.Attribute)
	}
	if hasValue {
		lc.Values = []dynamo.Value{c.Value}
	}
	return lc, nil
}

// LegacyKeyConditions makes the terms of KeyConditions.
func LegacyKeyConditions(conds []dynamo.LegacyCondition) ([]KeyTerm, error) {
	terms := make([]KeyTerm, 0, len(conds))
	for _, c := range conds {
		if err := checkLegacy(c); err != nil {
			return nil, err
		}
		t := KeyTerm{Attribute: c.Attribute, Op: c.Operator, Values: c.Values}
		switch o := legacyOperators[c.Operator]; {
		case o.fn == fnBeginsWith:
			t.Op = functions[fnBeginsWith].name
		case o.op != opCall && o.op != opNe && o.op != opIn && o.op != opNot:
			t.Op = opNames[o.op]
		}
		terms = append(terms, t)
	}
	return terms, nil
}

// LegacyUpdate makes the bound update of AttributeUpdates. An empty Action is PUT.
func LegacyUpdate(updates []dynamo.AttributeUpdate) (*Update, error) {
	u := &Update{legacy: true}
	for _, in := range updates {
		a := action{path: Path{{Name: in.Attribute}}, value: valueNode(in.Value)}
		a.at = a.path
		t := in.Value.Type()
		switch {
		case in.Action == "DELETE" && t == dynamo.Absent:
			a.verb, a.value = verbRemove, nil
		case t == dynamo.Absent:
			return nil, dynamo.Invalid(invalidValues + "Only DELETE action is allowed when no attribute value is specified")
		case in.Action == "DELETE":
			if !in.Value.IsSet() {
				return nil, errorf(invalidValues+"DELETE action with value is not supported for the type %s", t)
			}
			a.verb = verbDelete
		case in.Action == "ADD":
			if !in.Value.IsSet() && t != dynamo.TypeNumber && t != dynamo.TypeList {
				return nil, errorf(invalidValues+"ADD action is not supported for the type %s", t)
			}
			a.verb = verbAdd
		}
		u.actions = append(u.actions, a)
	}
	u.tree = grow(u.Paths())
	return u, nil
}

// LegacyProjection makes the bound projection of AttributesToGet. Its names are names of
// top-level attributes, whatever they look like.
func LegacyProjection(names []string) (*Projection, error) {
	paths := make([]Path, len(names))
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return nil, dynamo.Invalid(invalidValues + "Duplicate value in attribute name: " + name)
		}
		paths[i] = Path{{Name: name}}
	}
	return Project(paths), nil
}
