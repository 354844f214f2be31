package design

import (
	"fmt"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// Expressible returns nil when a conjunct can be sent as a DynamoDB condition with the
// meaning SQL gives it, and otherwise an error that says which part cannot. Conditions
// compare columns with columns and with expressions that have none.
func Expressible(e model.Expr) error {
	x := &expresser{pattern: &model.AccessPattern{}, source: anySource, rowExists: true}
	_, err := x.holds(e, true)
	return err
}

// anySource makes columns of every source columns of the item.
const anySource = -2

// A clause is a condition, or one of the constants always and never when its text is "".
// A DynamoDB condition has two truth values where SQL has three, so a clause stands for
// "is true" or "is false"; "is unknown" is neither.
type clause struct {
	text string
	op   string // AND or OR at the top, "" for neither
	no   bool
}

var (
	always = clause{}
	never  = clause{no: true}
)

func text(s string) clause         { return clause{text: s} }
func (c clause) isNever() bool     { return c.text == "" && c.no }
func (c clause) isAlways() bool    { return c.text == "" && !c.no }
func constantClause(b bool) clause { return clause{no: !b} }

func conjunction(a, b clause) clause {
	switch {
	case a.isNever() || b.isNever():
		return never
	case a.isAlways():
		return b
	case b.isAlways():
		return a
	}
	return clause{text: a.within("AND") + " AND " + b.within("AND"), op: "AND"}
}

func disjunction(a, b clause) clause {
	switch {
	case a.isAlways() || b.isAlways():
		return always
	case a.isNever():
		return b
	case b.isNever():
		return a
	}
	return clause{text: a.within("OR") + " OR " + b.within("OR"), op: "OR"}
}

// within puts parentheses around a clause of the other operator.
func (c clause) within(op string) string {
	if c.op == "" || c.op == op {
		return c.text
	}
	return "(" + c.text + ")"
}

// conjuncts joins conditions that must all be true. One whose optional argument is NULL
// is switched off.
func (x *expresser) conjuncts(list []model.Expr) (clause, error) {
	all := always
	for _, e := range list {
		off, err := SwitchedOff(x.pattern, e, x.known)
		if err != nil {
			return never, err
		}
		if off {
			continue
		}
		c, err := x.holds(e, true)
		if err != nil {
			return never, err
		}
		all = conjunction(all, c)
	}
	return all, nil
}

// SwitchedOff reports whether a conjunct of p names an optional parameter whose argument
// is NULL, which makes the conjunct count as true (sqlc.narg). Without known it is false.
func SwitchedOff(p *model.AccessPattern, conjunct model.Expr, known Known) (bool, error) {
	if known == nil || p == nil {
		return false, nil
	}
	off := false
	var fault error
	model.Walk(conjunct, func(e model.Expr) bool {
		ref, ok := e.(*model.ParamRef)
		if !ok {
			return true
		}
		if q := p.Param(ref.Name); q != nil && q.Optional {
			v, err := known(ref)
			if err != nil {
				fault = err
			}
			off = off || v.IsAbsent() || v.IsNull()
		}
		return true
	})
	return off, fault
}

// holds spells "e is true", or "e is false" when want is false.
func (x *expresser) holds(e model.Expr, want bool) (clause, error) {
	if x.known != nil && x.isConstant(e) {
		v, err := x.known(e)
		if err != nil || v.Type() != dynamo.TypeBool {
			return never, err
		}
		return constantClause(v.IsTrue() == want), nil
	}
	switch e := e.(type) {
	case *model.Unary:
		return x.unary(e, want)
	case *model.Binary:
		return x.binary(e, want)
	case *model.In:
		return x.in(e, want)
	case *model.Literal:
		if e.Value.Type() != dynamo.TypeBool {
			return never, nil
		}
		return constantClause(e.Value.IsTrue() == want), nil
	case *model.Column, *model.ParamRef:
		if e.Type().Kind != model.Boolean || e.Type().Array {
			break
		}
		yes := model.NewLiteral(model.At(e.Type(), e.Pos()), dynamo.Bool(want))
		return x.compare(model.OpEq, e, yes)
	}
	return never, inexpressible(e, "it is not a comparison")
}

func inexpressible(e model.Expr, reason string) error {
	return fmt.Errorf("%s cannot be a DynamoDB condition: %s", e, reason)
}

// isConstant reports whether e has no column of the item.
func (x *expresser) isConstant(e model.Expr) bool {
	constant := true
	model.Walk(e, func(e model.Expr) bool {
		if c, ok := e.(*model.Column); ok && x.isItems(c) {
			constant = false
		}
		return constant
	})
	return constant
}

// isItems reports whether c is a column of the item the condition is about, rather than
// of a row read before or of the row proposed for insertion.
func (x *expresser) isItems(c *model.Column) bool {
	switch {
	case x.source == anySource:
		return true
	case x.write:
		return c.Source <= 0
	}
	return c.Source == x.source
}

func (x *expresser) unary(e *model.Unary, want bool) (clause, error) {
	switch e.Op {
	case model.OpNot:
		return x.holds(e.X, !want)
	case model.OpIsNull, model.OpIsNotNull:
		missing := (e.Op == model.OpIsNull) == want
		if x.isConstant(e.X) {
			// Without known arguments every one counts as given.
			return constantClause(!missing), nil
		}
		c, ok := e.X.(*model.Column)
		if !ok {
			return never, inexpressible(e, "only a column can be tested for NULL")
		}
		a, err := x.attribute(c)
		if err != nil {
			return never, err
		}
		return x.exists(a, !missing), nil
	}
	return never, inexpressible(e, "it is not a comparison")
}

func (x *expresser) exists(a *Attribute, want bool) clause {
	if want {
		return text("attribute_exists(" + x.name(a.Name) + ")")
	}
	return text("attribute_not_exists(" + x.name(a.Name) + ")")
}

// attribute returns the item's attribute for a column.
func (x *expresser) attribute(c *model.Column) (*Attribute, error) {
	if x.entity == nil {
		return &Attribute{Name: c.Attribute, Column: c.Attribute, Type: c.Type()}, nil
	}
	if a := x.entity.Column(c.Attribute); a != nil {
		return a, nil
	}
	return nil, fmt.Errorf("items of %s do not hold column %s", x.entity.Name, c.Attribute)
}

var complements = map[model.Op]model.Op{
	model.OpEq: model.OpNe, model.OpNe: model.OpEq,
	model.OpLt: model.OpGe, model.OpGe: model.OpLt,
	model.OpGt: model.OpLe, model.OpLe: model.OpGt,
}

func (x *expresser) binary(e *model.Binary, want bool) (clause, error) {
	switch e.Op {
	case model.OpAnd, model.OpOr:
		l, err := x.holds(e.Left, want)
		if err != nil {
			return never, err
		}
		r, err := x.holds(e.Right, want)
		if err != nil {
			return never, err
		}
		if (e.Op == model.OpAnd) == want {
			return conjunction(l, r), nil
		}
		return disjunction(l, r), nil
	case model.OpLike:
		return x.like(e, want)
	}
	other, isComparison := complements[e.Op]
	switch {
	case !isComparison:
		return never, inexpressible(e, "it is not a comparison")
	case want:
		return x.compare(e.Op, e.Left, e.Right)
	}
	return x.compare(other, e.Left, e.Right)
}

// compare spells a comparison. DynamoDB finds a missing attribute different from any
// value, where SQL does not know.
func (x *expresser) compare(op model.Op, left, right model.Expr) (clause, error) {
	whole := model.NewBinary(model.At(model.Type{Kind: model.Boolean}, left.Pos()), op, left, right)
	if op != model.OpEq && op != model.OpNe && !hasItemOrder(left.Type(), right.Type()) {
		return never, inexpressible(whole, "DynamoDB has no such order for "+left.Type().String())
	}
	l, present, err := x.operand(whole, left, right)
	if err != nil || l == "" {
		return never, err
	}
	r, more, err := x.operand(whole, right, left)
	if err != nil || r == "" {
		return never, err
	}
	if a, ok := left.(*model.Column); ok && l == r && x.isItems(a) {
		return x.compareWithItself(op, a)
	}
	c := text(l + " " + string(op) + " " + r)
	if op != model.OpNe {
		return c, nil
	}
	return conjunction(conjunction(present, more), c), nil
}

// compareWithItself spells c = c and its like, which DynamoDB does not take: it is true of
// any value, or of none.
func (x *expresser) compareWithItself(op model.Op, c *model.Column) (clause, error) {
	switch op {
	case model.OpEq, model.OpLe, model.OpGe:
		a, err := x.attribute(c)
		if err != nil {
			return never, err
		}
		return x.exists(a, true), nil
	}
	return never, nil
}

// hasItemOrder reports whether DynamoDB orders stored values as SQL orders these types.
func hasItemOrder(a, b model.Type) bool {
	for _, t := range []model.Type{a, b} {
		if t.Array || t.Kind == model.Enum || t.Kind == model.Boolean || t.Kind == model.JSON {
			return false
		}
	}
	return true
}

// operand spells one side of a comparison, "" for a constant that is NULL. For a column
// that may be missing it also returns the condition that it is there.
func (x *expresser) operand(whole, e, other model.Expr) (s string, present clause, err error) {
	if c, ok := e.(*model.Column); ok && x.isItems(c) {
		a, err := x.attribute(c)
		if err != nil {
			return "", never, err
		}
		if a.NotNull && x.rowExists {
			return x.name(a.Name), always, nil
		}
		return x.name(a.Name), x.exists(a, true), nil
	}
	if !x.isConstant(e) {
		return "", never, inexpressible(whole, e.String()+" would have to be computed from the item")
	}
	if x.known != nil {
		v, err := x.known(e)
		if err != nil || v.IsAbsent() || v.IsNull() {
			return "", always, err
		}
	}
	t, like := e.Type(), ""
	if c, ok := other.(*model.Column); ok {
		t, like = c.Type(), c.Attribute
		if err := comparableInItem(whole, e.Type(), t); err != nil {
			return "", never, err
		}
	}
	return x.constant(e, t, like, Compared), always, nil
}

// comparableInItem rejects the comparison of a coarser time with a finer one that the
// coarser column cannot hold.
func comparableInItem(whole model.Expr, constant, column model.Type) error {
	if column.Kind == model.Date && (constant.Kind == model.Timestamp || constant.Kind == model.TimestampTZ) {
		return inexpressible(whole, "a date column would have to be widened to a timestamp")
	}
	return nil
}
