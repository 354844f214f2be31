package expr

import (
	"slices"

	"github.com/keyfold-dev/keyfold/dynamo"
)

// The service's texts for updates that do not fit the item.
const (
	faultNoAttribute    = "The provided expression refers to an attribute that does not exist in the item"
	faultOperandType    = "An operand in the update expression has an incorrect data type"
	faultInvalidPath    = "The document path provided in the update expression is invalid for update"
	faultLegacyMismatch = "Type mismatch for attribute to update"
)

// Apply returns what the bound update makes of old, which stays as it is, and the paths
// that it set or removed, as the update names them. All operands are read from old, and
// list positions are those of old: the service answers UPDATED_OLD and UPDATED_NEW with
// what these paths lead to in the old and in the new item, even where removing an element
// has moved others. A nil item does not exist: see ApplyNew.
func (u *Update) Apply(old dynamo.Item) (updated dynamo.Item, touched []Path, err error) {
	return u.apply(old, old != nil)
}

// ApplyNew is Apply for an item that does not exist. The update can read the key
// attributes, and removing from inside attributes that are not there is no error.
func (u *Update) ApplyNew(key dynamo.Item) (updated dynamo.Item, touched []Path, err error) {
	return u.apply(key, false)
}

func (u *Update) apply(old dynamo.Item, exists bool) (updated dynamo.Item, touched []Path, err error) {
	c := changes{update: u, exists: exists, values: make([]dynamo.Value, len(u.actions))}
	for i, a := range u.actions {
		if c.values[i], err = u.result(a, old); err != nil {
			return nil, nil, err
		}
	}
	updated, err = c.item(old, u.tree)
	if err != nil {
		return nil, nil, err
	}
	return updated, u.Paths(), nil
}

// result returns the value that an action leaves behind, absent for none.
func (u *Update) result(a action, old dynamo.Item) (dynamo.Value, error) {
	switch a.verb {
	case verbSet:
		return a.value.compute(old)
	case verbRemove:
		return dynamo.Value{}, nil
	}
	v, arg := a.at.Get(old), a.value.value
	switch {
	case v.IsAbsent() && a.verb == verbAdd:
		return arg, nil
	case v.IsAbsent():
		return v, nil
	case v.Type() != arg.Type():
	case v.IsSet() && a.verb == verbDelete:
		return dynamo.Difference(v, arg), nil
	case v.IsSet():
		return dynamo.Union(v, arg), nil
	case v.Type() == dynamo.TypeNumber:
		return dynamo.Add(v, arg)
	case v.Type() == dynamo.TypeList && u.legacy:
		return dynamo.List(slices.Concat(v.Elements(), arg.Elements())...), nil
	}
	if u.legacy {
		return dynamo.Value{}, errorf(faultLegacyMismatch)
	}
	return dynamo.Value{}, errorf(faultOperandType)
}

// compute evaluates the right side of SET.
func (n *node) compute(old dynamo.Item) (dynamo.Value, error) {
	switch n.op {
	case opValue:
		return n.value, nil
	case opPath:
		v := n.at.Get(old)
		if v.IsAbsent() {
			return v, errorf(faultNoAttribute)
		}
		return v, nil
	case opCall:
		if n.fn == fnIfNotExists {
			if v := n.args[0].at.Get(old); !v.IsAbsent() {
				return v, nil
			}
			return n.args[1].compute(old)
		}
	}
	a, err := n.args[0].compute(old)
	if err != nil {
		return a, err
	}
	b, err := n.args[1].compute(old)
	if err != nil {
		return b, err
	}
	return n.combine(a, b)
}

func (n *node) combine(a, b dynamo.Value) (dynamo.Value, error) {
	want := dynamo.TypeNumber
	if n.op == opCall {
		want = dynamo.TypeList
	}
	if a.Type() != want || b.Type() != want {
		return dynamo.Value{}, errorf(faultOperandType)
	}
	switch n.op {
	case opPlus:
		return dynamo.Add(a, b)
	case opMinus:
		return dynamo.Sub(a, b)
	}
	return dynamo.List(slices.Concat(a.Elements(), b.Elements())...), nil
}

// changes are the results of an update's actions on their way into the item.
type changes struct {
	update *Update
	exists bool
	values []dynamo.Value // by number of action
}

// item merges the branches of the tree into the attributes of an item or a map.
func (c *changes) item(old dynamo.Item, branches []branch) (dynamo.Item, error) {
	out := make(dynamo.Item, 0, len(old)+len(branches))
	for _, b := range branches {
		for len(old) > 0 && old[0].Name < b.step.Name {
			out, old = append(out, old[0]), old[1:]
		}
		var v dynamo.Value
		if len(old) > 0 && old[0].Name == b.step.Name {
			v, old = old[0].Value, old[1:]
		}
		v, err := c.branch(v, b)
		if err != nil {
			return nil, err
		}
		if !v.IsAbsent() {
			out = append(out, dynamo.Attr{Name: b.step.Name, Value: v})
		}
	}
	return append(out, old...), nil
}

// list merges branches into a list. Elements beyond its end are appended in the order of
// their positions (Developer Guide, "Using update expressions in DynamoDB").
func (c *changes) list(old []dynamo.Value, branches []branch) ([]dynamo.Value, error) {
	out := make([]dynamo.Value, 0, len(old)+len(branches))
	done := 0
	for _, b := range branches {
		var v dynamo.Value
		if b.step.Index < len(old) {
			out = append(out, old[done:b.step.Index]...)
			v, done = old[b.step.Index], b.step.Index+1
		} else {
			out = append(out, old[done:]...)
			done = len(old)
		}
		v, err := c.branch(v, b)
		if err != nil {
			return nil, err
		}
		if !v.IsAbsent() {
			out = append(out, v)
		}
	}
	return append(out, old[done:]...), nil
}

// branch returns what becomes of v, absent for nothing.
func (c *changes) branch(v dynamo.Value, b branch) (dynamo.Value, error) {
	if b.leaf >= 0 {
		return c.values[b.leaf], nil
	}
	inList := b.next[0].step.Name == ""
	switch {
	case v.Type() == dynamo.TypeMap && !inList:
		fields, err := c.item(v.Fields(), b.next)
		return dynamo.Map(fields), err
	case v.Type() == dynamo.TypeList && inList:
		elements, err := c.list(v.Elements(), b.next)
		return dynamo.List(elements...), err
	case v.IsAbsent() && !c.exists && c.removesOnly(b):
		return v, nil
	}
	return dynamo.Value{}, errorf(faultInvalidPath)
}

func (c *changes) removesOnly(b branch) bool {
	if b.leaf >= 0 {
		v := c.update.actions[b.leaf].verb
		return v == verbRemove || v == verbDelete
	}
	for _, n := range b.next {
		if !c.removesOnly(n) {
			return false
		}
	}
	return true
}
