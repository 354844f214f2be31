package design

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/diag"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// ExpressibleSet returns nil when an UpdateExpression can make the assignment to an item
// of e without reading it first, and otherwise an error that says why not. DynamoDB
// computes c + x and c - x with c a column that is never NULL or has a coalesce; an
// expression without columns is always fine.
func (e *Entity) ExpressibleSet(a *model.Assignment) error {
	x := &expresser{pattern: &model.AccessPattern{}, entity: e, write: true, rowExists: true}
	attr := e.Column(a.Attribute)
	if attr == nil {
		return fmt.Errorf("items of %s do not hold column %s", e.Name, a.Attribute)
	}
	_, err := x.inPlace(attr, a.Value)
	return err
}

// update spells SET and REMOVE. What is NULL is removed; without known nothing is. The
// columns in the templates of keys are those of the row as it was.
func (x *expresser) update(w *Write) error {
	var set, remove []string
	change := func(name, value string) {
		if value == "" {
			remove = append(remove, name)
		} else {
			set = append(set, name+" = "+value)
		}
	}
	for i := range w.Set {
		a := x.entity.Column(w.Set[i].Attribute)
		if a == nil {
			return fmt.Errorf("items of %s do not hold column %s", x.entity.Name, w.Set[i].Attribute)
		}
		value, err := x.assigned(a, w.Set[i].Value)
		if err != nil {
			return err
		}
		change(x.name(a.Name), value)
	}
	for _, k := range w.Keys {
		missing, err := x.isNullKey(k.Template)
		if err != nil {
			return err
		}
		value := ""
		if !missing {
			value = x.key(k.Attribute, "", k.Template)
		}
		change(x.name(k.Attribute), value)
	}
	if w.Upsert {
		tag := model.NewLiteral(model.At(model.Type{}, diag.Pos{}), dynamo.String(x.entity.Tag))
		change(x.name(TypeAttribute), x.bind("type", Binding{Value: tag}))
	}
	var parts []string
	if len(set) > 0 {
		parts = append(parts, "SET "+strings.Join(set, ", "))
	}
	if len(remove) > 0 {
		parts = append(parts, "REMOVE "+strings.Join(remove, ", "))
	}
	x.out.Update = strings.Join(parts, " ")
	return nil
}

// unchanging lists the columns that the writes of p find as an earlier request read them.
// The writes of a transaction happen together or not at all, so one that makes sure does
// so for all.
func (p *Plan) unchanging() []string {
	var out []string
	for _, r := range p.Requests {
		for _, w := range r.Writes {
			out = append(out, w.Unchanged...)
		}
	}
	return out
}

func (x *expresser) isNullKey(t Template) (bool, error) {
	if x.known == nil {
		return false, nil
	}
	for _, p := range t {
		if p.Value == nil || p.Nullable {
			continue
		}
		v, err := x.known(p.Value)
		if err != nil {
			return false, err
		}
		if v.IsAbsent() || v.IsNull() {
			return true, nil
		}
	}
	return false, nil
}

// assigned spells the value of one assignment, "" for NULL. What DynamoDB cannot compute
// is computed from the row as it was read, if the write makes sure that the columns it is
// made of have not changed since.
func (x *expresser) assigned(a *Attribute, e model.Expr) (string, error) {
	s, err := x.inPlace(a, e)
	if err == nil || !x.isGuarded(e) {
		return s, err
	}
	if x.known != nil {
		v, err := x.known(e)
		if err != nil || v.IsAbsent() || v.IsNull() {
			return "", err
		}
	}
	return x.constant(e, a.Type, a.Column, Assigned), nil
}

// isGuarded reports whether all columns of e must be as an earlier request read them.
func (x *expresser) isGuarded(e model.Expr) bool {
	guarded := true
	model.Walk(e, func(e model.Expr) bool {
		if c, ok := e.(*model.Column); ok && x.isItems(c) && !slices.Contains(x.unchanging, c.Attribute) {
			guarded = false
		}
		return guarded
	})
	return guarded
}

// inPlace spells a value that DynamoDB computes.
func (x *expresser) inPlace(a *Attribute, e model.Expr) (string, error) {
	if b, ok := e.(*model.Binary); ok && !x.isConstant(e) {
		if b.Op != model.OpAdd && b.Op != model.OpSub {
			return "", uncomputable(a, e)
		}
		l, err := x.term(a, e, b.Left, Added)
		if err != nil || l == "" {
			return "", err
		}
		r, err := x.term(a, e, b.Right, Added)
		if err != nil || r == "" {
			return "", err
		}
		return l + " " + string(b.Op) + " " + r, nil
	}
	return x.term(a, e, e, Assigned)
}

func uncomputable(a *Attribute, e model.Expr) error {
	return fmt.Errorf("DynamoDB cannot compute %s = %s in an update", a.Column, e)
}

// term spells one operand of SET: a value, an attribute, or if_not_exists of both; "" for
// NULL.
func (x *expresser) term(a *Attribute, whole, e model.Expr, use Use) (string, error) {
	if x.isConstant(e) {
		if x.known != nil {
			v, err := x.known(e)
			if err != nil || v.IsAbsent() || v.IsNull() {
				return "", err
			}
		}
		return x.constant(e, a.Type, a.Column, use), nil
	}
	switch e := e.(type) {
	case *model.Column:
		from, err := x.attribute(e)
		if err != nil {
			return "", err
		}
		if !from.NotNull {
			return "", fmt.Errorf("%w: %s may be NULL", uncomputable(a, whole), e)
		}
		return x.name(from.Name), nil
	case *model.Call:
		c, ok := isColumnOr(e)
		if !ok || !x.isConstant(e.Args[1]) {
			break
		}
		from, err := x.attribute(c)
		if err != nil {
			return "", err
		}
		instead, err := x.term(a, whole, e.Args[1], use)
		if err != nil || instead == "" {
			return "", errors.Join(err, uncomputable(a, whole))
		}
		return "if_not_exists(" + x.name(from.Name) + ", " + instead + ")", nil
	}
	return "", uncomputable(a, whole)
}

// isColumnOr recognises coalesce(column, value), which DynamoDB calls if_not_exists.
func isColumnOr(e *model.Call) (*model.Column, bool) {
	if e.Func != "coalesce" && e.Func != "if_not_exists" || len(e.Args) != 2 {
		return nil, false
	}
	c, ok := e.Args[0].(*model.Column)
	if l, isLiteral := e.Args[1].(*model.Literal); isLiteral && l.Value.Type() == dynamo.TypeNull {
		return nil, false
	}
	return c, ok
}
