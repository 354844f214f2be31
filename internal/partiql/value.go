package partiql

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/keyfold-dev/keyfold/dynamo"
)

// A place is where a value is inside another, as the service's messages show it: root.a[0].
type place string

const root place = "root"

// isValue reports whether n stands for a value by itself: a literal or a parameter.
func (n *node) isValue() bool {
	switch n.op {
	case opString, opNumber, opIon, opTrue, opFalse, opNull, opParameter, opList, opBag, opTuple:
		return true
	}
	return false
}

// value makes the value of a literal or a parameter.
func (b *Bound) value(n *node, at place) (dynamo.Value, error) {
	switch n.op {
	case opString:
		return dynamo.String(n.text), nil
	case opNumber:
		v, err := dynamo.Number(n.text)
		var fault *dynamo.Error
		if errors.As(err, &fault) {
			return v, invalid("%s under %s", fault.Message, at)
		}
		return v, err
	case opTrue, opFalse:
		return dynamo.Bool(n.op == opTrue), nil
	case opNull:
		return dynamo.Null(), nil
	case opParameter:
		if n.number >= len(b.parameters) {
			return dynamo.Value{}, invalid("%s", faultParameters)
		}
		return b.parameters[n.number], nil
	case opList:
		list, err := b.values(n.args, at)
		return dynamo.List(list...), err
	case opBag:
		return b.set(n, at)
	case opTuple:
		it, err := b.tuple(n, at, func(key string) place { return at + "." + place(key) })
		return dynamo.Map(it), err
	case opIon:
		return dynamo.Value{}, invalid("Ion Literals are not supported: SYMBOL under key %s%s", at, n.at)
	}
	return dynamo.Value{}, invalid(faultData, n.dataName(), at, n.at)
}

// dataName is what the service calls a node that is no value.
func (n *node) dataName() string {
	switch {
	case n.op == opCall:
		return n.text
	case n.op == opMissing:
		return "MISSING"
	case n.op >= opOr:
		return operators[n.op].text
	}
	return n.kindName()
}

func (b *Bound) values(nodes []*node, at place) ([]dynamo.Value, error) {
	list := make([]dynamo.Value, len(nodes))
	for i, n := range nodes {
		var err error
		if list[i], err = b.value(n, at+place("["+strconv.Itoa(i)+"]")); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// set makes a set of a bag, which has elements of one type.
func (b *Bound) set(n *node, at place) (dynamo.Value, error) {
	if len(n.args) == 0 {
		return dynamo.Value{}, invalid("%s", faultEmptyBag)
	}
	list, err := b.values(n.args, at)
	if err != nil {
		return dynamo.Value{}, err
	}
	for _, v := range list {
		if v.Type() != list[0].Type() {
			return dynamo.Value{}, invalid("%s", faultBag)
		}
	}
	texts := make([]string, len(list))
	for i, v := range list {
		texts[i] = v.Str()
	}
	switch list[0].Type() {
	case dynamo.TypeNumber:
		if repeats(texts) {
			return dynamo.Value{}, invalid("Input collection contains duplicates")
		}
		return dynamo.NumberSet(list)
	case dynamo.TypeString:
		if repeats(texts) {
			return dynamo.Value{}, invalid("One or more parameter values were invalid: Input collection [%s] contains duplicates.", strings.Join(texts, ", "))
		}
		return dynamo.StringSet(texts...)
	case dynamo.TypeBinary:
		elements := make([][]byte, len(list))
		for i, text := range texts {
			elements[i] = []byte(text)
		}
		return dynamo.BinarySet(elements)
	}
	return dynamo.Value{}, invalid("%s", faultBag)
}

func repeats(texts []string) bool {
	sorted := slices.Sorted(slices.Values(texts))
	return len(slices.Compact(sorted)) < len(texts)
}

// tuple makes a map of a tuple; inside tells the place of its members.
func (b *Bound) tuple(n *node, at place, inside func(key string) place) (dynamo.Item, error) {
	attrs := make([]dynamo.Attr, 0, len(n.args)/2)
	seen := make(map[string]bool, len(n.args)/2)
	for i := 0; i < len(n.args); i += 2 {
		key := n.args[i]
		if key.op != opString {
			return nil, invalid(faultTupleKey, key.kindName(), at, key.at)
		}
		if seen[key.text] {
			return nil, invalid(faultTupleKeys, key.text, at, key.at)
		}
		seen[key.text] = true
		v, err := b.value(n.args[i+1], inside(key.text))
		if err != nil {
			return nil, err
		}
		attrs = append(attrs, dynamo.Attr{Name: key.text, Value: v})
	}
	return dynamo.NewItem(attrs...), nil
}
