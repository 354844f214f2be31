package partiql

import (
	"slices"
	"strings"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/expr"
)

// setFunctions are the functions of SET that expressions have a section for.
var setFunctions = map[string]string{"set_add": "ADD", "set_delete": "DELETE"}

// bindUpdate writes the update of an UPDATE. The actions of each section stand together, in
// the order of the sections' first actions.
func (b *Bound) bindUpdate() error {
	w := writer{bound: b, kind: "Update"}
	var sections []string
	actions := map[string][]string{}
	for _, a := range b.actions {
		section, text := w.action(a)
		if w.err != nil {
			return w.err
		}
		if actions[section] == nil {
			sections = append(sections, section)
		}
		actions[section] = append(actions[section], text)
	}
	for i, section := range sections {
		sections[i] = section + " " + strings.Join(actions[section], ", ")
	}
	b.update = clause{strings.Join(sections, " "), w.expressions()}
	return check(&b.update.expressions, func(scope *expr.Scope) error {
		u, err := expr.ParseUpdate(b.update.text)
		if err == nil {
			_, err = u.Bind(scope)
		}
		return err
	})
}

func (w *writer) action(a assignment) (section, text string) {
	target := w.operand(a.target)
	switch {
	case a.value == nil:
		return "REMOVE", target
	case a.value.op == opCall && setFunctions[a.value.text] != "":
		return setFunctions[a.value.text], target + " " + w.setOperand(a)
	}
	return "SET", target + " = " + w.operand(a.value)
}

// setOperand writes the set of set_add and set_delete.
func (w *writer) setOperand(a assignment) string {
	call, name := a.value, strings.ToUpper(a.value.text)
	if len(call.args) != 2 {
		return w.fail(faultSetCount, name, call.at)
	}
	first, second := call.args[0], call.args[1]
	if first.op != opPath || !slices.Equal(first.path, a.target.path) {
		return w.fail(faultSetTarget, name, call.at)
	}
	if !second.isValue() {
		return w.fail(faultSetValue, name, first.at)
	}
	v, err := w.bound.value(second, root)
	switch {
	case err != nil && w.err == nil:
		w.err = err
	case err == nil && !v.IsSet():
		return w.fail(faultSetValue, name, first.at)
	}
	return w.literal(v)
}

// Write makes the request of an INSERT, UPDATE or DELETE, which writes one item of t. An
// INSERT becomes a put whose condition is that the item is not there.
func (b *Bound) Write(t *dynamo.Table) (dynamo.TransactAction, error) {
	if b.verb == Insert {
		return b.put(t)
	}
	key, rest, whole, err := b.key(t)
	if err == nil && !whole {
		err = invalid("%s", faultKeyMissing)
	}
	if err != nil {
		return dynamo.TransactAction{}, err
	}
	if b.verb == Delete {
		in, err := b.delete(t, key, rest)
		return dynamo.TransactAction{Delete: in}, err
	}
	w := writer{bound: b, kind: "Condition", names: b.update.expressions.Names, values: slices.Clone(b.update.expressions.Values)}
	condition := b.guard(&w, t, rest)
	return dynamo.TransactAction{Update: &dynamo.UpdateItemInput{TableName: b.Table(), Key: key, UpdateExpression: b.update.text,
		ConditionExpression: condition, Expressions: w.expressions(), ReturnValues: returnValues[b.returning]}}, w.err
}

// Check makes the request of an EXISTS, which checks a condition on one item of t. ok is
// false when the WHERE clause does not name one item and a further condition.
func (b *Bound) Check(t *dynamo.Table) (a dynamo.TransactAction, ok bool, err error) {
	key, rest, whole, err := b.key(t)
	if err != nil || !whole || rest == nil {
		return a, false, err
	}
	a.Check, err = b.delete(t, key, rest)
	return a, true, err
}

func (b *Bound) delete(t *dynamo.Table, key dynamo.Item, rest *node) (*dynamo.DeleteItemInput, error) {
	w := writer{bound: b, kind: "Condition"}
	condition := b.guard(&w, t, rest)
	return &dynamo.DeleteItemInput{TableName: b.Table(), Key: key, ConditionExpression: condition,
		Expressions: w.expressions(), ReturnValues: returnValues[b.returning]}, w.err
}

// guard writes the condition of a write. Only DELETE is content with an item that is not
// there.
func (b *Bound) guard(w *writer, t *dynamo.Table, rest *node) string {
	var terms []string
	if b.verb != Delete {
		terms = append(terms, "attribute_exists("+w.name(t.Keys[0].Name)+")")
	}
	if rest != nil {
		terms = append(terms, w.condition(rest, opAnd.binding()))
	}
	return strings.Join(terms, " AND ")
}

// returnValues are the RETURNING clauses by what they are in requests.
var returnValues = map[string]dynamo.ReturnValues{"ALL OLD": dynamo.ReturnAllOld, "ALL NEW": dynamo.ReturnAllNew,
	"MODIFIED OLD": dynamo.ReturnUpdatedOld, "MODIFIED NEW": dynamo.ReturnUpdatedNew}

func (b *Bound) put(t *dynamo.Table) (dynamo.TransactAction, error) {
	for _, k := range t.Keys {
		switch b.item.Get(k.Name).Type() {
		case dynamo.Absent:
			return dynamo.TransactAction{}, invalid(faultKeyAbsent, k.Name)
		case t.AttributeType(k.Name):
		default:
			return dynamo.TransactAction{}, invalid(faultKeyType, k.Name)
		}
	}
	w := writer{bound: b}
	return dynamo.TransactAction{Put: &dynamo.PutItemInput{TableName: b.Table(), Item: b.item,
		ConditionExpression: "attribute_not_exists(" + w.name(t.Keys[0].Name) + ")", Expressions: w.expressions()}}, nil
}

// key takes the key of t out of the WHERE clause: an equality for each key attribute, if
// the clause has the whole key. What is left of it is rest, nil for nothing.
func (b *Bound) key(t *dynamo.Table) (key dynamo.Item, rest *node, whole bool, err error) {
	var left []*node
	for _, n := range members(nil, b.where, opAnd) {
		name, value := n.equality()
		isKey := slices.ContainsFunc(t.Keys, func(k dynamo.KeyElement) bool { return k.Name == name })
		if value == nil || !isKey {
			left = append(left, n)
			continue
		}
		if !key.Get(name).IsAbsent() {
			return nil, nil, false, invalid(faultKeyTwice, name)
		}
		v, err := b.value(value, root)
		if err != nil {
			return nil, nil, false, err
		}
		key = key.Set(name, v)
	}
	if len(key) < len(t.Keys) {
		return nil, nil, false, nil
	}
	for _, k := range t.Keys {
		if key.Get(k.Name).Type() != t.AttributeType(k.Name) {
			return nil, nil, false, invalid(faultKeyType, k.Name)
		}
	}
	return key, joined(left, opAnd), true, nil
}

// Get makes the request of a SELECT that reads one item of t by its key and nothing else.
// The item has to go through the columns. ok is false for any other SELECT.
func (b *Bound) Get(t *dynamo.Table) (in dynamo.GetItemInput, columns []Column, ok bool, err error) {
	if _, err := b.target(t); err != nil || b.Index() != "" {
		return in, nil, false, err
	}
	key, rest, whole, err := b.key(t)
	if err != nil || !whole || rest != nil {
		return in, nil, false, err
	}
	columns, err = b.projection()
	return dynamo.GetItemInput{TableName: b.Table(), Key: key}, columns, true, err
}

// members appends the conditions that n joins by AND or OR.
func members(dst []*node, n *node, o op) []*node {
	if n == nil {
		return dst
	}
	if n.op != o {
		return append(dst, n)
	}
	for _, a := range n.args {
		dst = members(dst, a, o)
	}
	return dst
}

// joined joins conditions by AND or OR, nil for none.
func joined(nodes []*node, o op) *node {
	switch len(nodes) {
	case 0:
		return nil
	case 1:
		return nodes[0]
	}
	return &node{op: o, args: nodes}
}

// attribute returns the name of the top-level attribute that n is, "" if it is none.
func (n *node) attribute() string {
	if n.op != opPath || n.wild || len(n.path) != 1 {
		return ""
	}
	return n.path[0].Name
}

// equality takes apart an equality of an attribute and a value; value is nil for anything
// else.
func (n *node) equality() (name string, value *node) {
	if n.op != opEq {
		return "", nil
	}
	for i, a := range n.args {
		if name, other := a.attribute(), n.args[1-i]; name != "" && other.isValue() {
			return name, other
		}
	}
	return "", nil
}
