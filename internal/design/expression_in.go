package design

import (
	"strings"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// maxIn is the number of operands that one IN takes.
const maxIn = dynamo.MaxInOperands

func (x *expresser) in(e *model.In, want bool) (clause, error) {
	c, ok := e.X.(*model.Column)
	if !ok || !x.isItems(c) {
		return x.inAsComparisons(e, want)
	}
	a, err := x.attribute(c)
	if err != nil {
		return never, err
	}
	list, hasNull, err := x.elements(e)
	if err != nil {
		return never, err
	}
	for _, el := range list {
		if !x.isConstant(el) {
			return x.inAsComparisons(e, want)
		}
	}
	if len(list) == 0 && !hasNull {
		return constantClause(!want), nil
	}
	found := never
	for start := 0; start < len(list); start += maxIn {
		part := list[start:min(start+maxIn, len(list))]
		holders := make([]string, len(part))
		for i, el := range part {
			holders[i] = x.constant(el, elementType(el, c.Type()), c.Attribute, Compared)
		}
		found = disjunction(found, text(x.name(a.Name)+" IN ("+strings.Join(holders, ", ")+")"))
	}
	switch {
	case want:
		return found, nil
	case hasNull:
		return never, nil
	}
	return conjunction(x.exists(a, true), text("NOT ("+found.text+")")), nil
}

// elementType is the type an element is sent as: a list parameter that is not known yet
// stands for all its elements.
func elementType(el model.Expr, column model.Type) model.Type {
	if el.Type().Array && !column.Array {
		column.Array = true
	}
	return column
}

// elements returns the list with list parameters replaced by their known elements and
// NULLs taken out.
func (x *expresser) elements(e *model.In) (list []model.Expr, hasNull bool, err error) {
	for _, el := range e.List {
		if x.known == nil || !x.isConstant(el) {
			list = append(list, el)
			continue
		}
		v, err := x.known(el)
		if err != nil {
			return nil, false, err
		}
		values := []dynamo.Value{v}
		if x.isList(el) && v.Type() == dynamo.TypeList {
			values = v.Elements()
		}
		for _, v := range values {
			if v.IsAbsent() || v.IsNull() {
				hasNull = true
				continue
			}
			t := el.Type()
			t.Array = t.Array && !x.isList(el)
			list = append(list, model.NewLiteral(model.At(t, el.Pos()), v))
		}
	}
	return list, hasNull, nil
}

func (x *expresser) isList(e model.Expr) bool {
	p, ok := e.(*model.ParamRef)
	if !ok {
		return false
	}
	if q := x.pattern.Param(p.Name); q != nil {
		return q.List
	}
	return p.Type().Array
}

// inAsComparisons spells x IN (a, b) as x = a OR x = b, for lists with columns in them.
func (x *expresser) inAsComparisons(e *model.In, want bool) (clause, error) {
	list, hasNull, err := x.elements(e)
	if err != nil {
		return never, err
	}
	all := constantClause(!want)
	if hasNull && !want {
		return never, nil
	}
	for _, el := range list {
		op := model.OpEq
		if !want {
			op = model.OpNe
		}
		c, err := x.compare(op, e.X, el)
		if err != nil {
			return never, err
		}
		if want {
			all = disjunction(all, c)
		} else {
			all = conjunction(all, c)
		}
	}
	return all, nil
}
