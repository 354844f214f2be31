package model

import (
	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/diag"
)

// An Expr is a typed scalar expression with SQL's three-valued logic. Its
// implementations are *Column, *ParamRef, *Literal, *Unary, *Binary, *In and *Call.
// String prints it in SQL's notation.
type Expr interface {
	Type() Type
	Pos() diag.Pos
	String() string
	isExpr()
}

// A node carries what every expression has.
type node struct {
	typ Type
	pos diag.Pos
}

// At gives an expression its type and place.
func At(t Type, pos diag.Pos) node { return node{t, pos} }

// Type returns the type of the expression.
func (n node) Type() Type { return n.typ }

// Pos returns where the expression stands in its file.
func (n node) Pos() diag.Pos { return n.pos }
func (node) isExpr()         {}

// A Column is an attribute of a source. Source indexes Query.Sources; in a write, 0 is
// the target row and 1 is EXCLUDED. Source -1 is an output column by name (ORDER BY of a
// UNION).
type Column struct {
	node
	Source    int
	Alias     string // of the source, for printing
	Attribute string
}

// A ParamRef is the value of a parameter.
type ParamRef struct {
	node
	Name string
}

// A Literal is a constant. An SQL NULL is dynamo.Null().
type Literal struct {
	node
	Value dynamo.Value
}

// An Op is an operator's spelling in SQL.
type Op string

// The operators of Unary and Binary expressions. LIKE has no ESCAPE but the default
// backslash.
const (
	OpNot       Op = "NOT"
	OpNeg       Op = "-"
	OpIsNull    Op = "IS NULL"
	OpIsNotNull Op = "IS NOT NULL"

	OpAnd    Op = "AND"
	OpOr     Op = "OR"
	OpEq     Op = "="
	OpNe     Op = "<>"
	OpLt     Op = "<"
	OpLe     Op = "<="
	OpGt     Op = ">"
	OpGe     Op = ">="
	OpAdd    Op = "+"
	OpSub    Op = "-"
	OpMul    Op = "*"
	OpDiv    Op = "/"
	OpMod    Op = "%"
	OpConcat Op = "||"
	OpLike   Op = "LIKE"
)

// A Unary is NOT x, -x, x IS NULL or x IS NOT NULL.
type Unary struct {
	node
	Op Op
	X  Expr
}

// A Binary is x op y.
type Binary struct {
	node
	Op          Op
	Left, Right Expr
}

// An In is x IN (list). With one ParamRef to a List parameter it is x = ANY(@param).
type In struct {
	node
	X    Expr
	List []Expr
}

// A Call is a function: lower, upper, coalesce, now, gen_random_uuid, length, abs, and
// the aggregates count, sum, min, max, avg. Star is count(*).
type Call struct {
	node
	Func     string
	Args     []Expr
	Star     bool
	Distinct bool
}

// NewColumn and its siblings build expressions; they exist because the common part of an
// expression is not exported.
func NewColumn(n node, source int, alias, attribute string) *Column {
	return &Column{n, source, alias, attribute}
}

// NewParamRef builds a ParamRef.
func NewParamRef(n node, name string) *ParamRef { return &ParamRef{n, name} }

// NewLiteral builds a Literal.
func NewLiteral(n node, v dynamo.Value) *Literal { return &Literal{n, v} }

// NewUnary builds a Unary.
func NewUnary(n node, op Op, x Expr) *Unary { return &Unary{n, op, x} }

// NewBinary builds a Binary.
func NewBinary(n node, op Op, left, right Expr) *Binary { return &Binary{n, op, left, right} }

// NewIn builds an In.
func NewIn(n node, x Expr, list []Expr) *In { return &In{n, x, list} }

// NewCall builds a Call.
func NewCall(n node, name string, args []Expr, star, distinct bool) *Call {
	return &Call{n, name, args, star, distinct}
}

// IsAggregate reports whether c is count, sum, min, max or avg.
func (c *Call) IsAggregate() bool {
	switch c.Func {
	case "count", "sum", "min", "max", "avg":
		return true
	}
	return false
}

// Walk calls f for e and every expression in it, parents first, until f returns false
// for a parent, whose children are then skipped.
func Walk(e Expr, f func(Expr) bool) {
	if e == nil || !f(e) {
		return
	}
	switch e := e.(type) {
	case *Unary:
		Walk(e.X, f)
	case *Binary:
		Walk(e.Left, f)
		Walk(e.Right, f)
	case *In:
		Walk(e.X, f)
		for _, x := range e.List {
			Walk(x, f)
		}
	case *Call:
		for _, x := range e.Args {
			Walk(x, f)
		}
	case *Column, *ParamRef, *Literal:
	default:
		panic("keyfold: internal error: unknown expression")
	}
}

// Map returns e with every column replaced by f's expression for it. Parts without
// columns are shared with e.
func Map(e Expr, f func(*Column) Expr) Expr {
	at := At(e.Type(), e.Pos())
	switch e := e.(type) {
	case *Column:
		return f(e)
	case *Unary:
		return NewUnary(at, e.Op, Map(e.X, f))
	case *Binary:
		return NewBinary(at, e.Op, Map(e.Left, f), Map(e.Right, f))
	case *In:
		return NewIn(at, Map(e.X, f), MapAll(e.List, f))
	case *Call:
		return NewCall(at, e.Func, MapAll(e.Args, f), e.Star, e.Distinct)
	}
	return e
}

// MapAll maps every expression of a list; nil stays nil.
func MapAll(es []Expr, f func(*Column) Expr) []Expr {
	var out []Expr
	for _, e := range es {
		out = append(out, Map(e, f))
	}
	return out
}
