package model

import (
	"encoding/hex"
	"strings"

	"github.com/keyfold-dev/keyfold/dynamo"
)

// String prints alias.attribute, or the attribute alone.
func (c *Column) String() string {
	if c.Alias == "" {
		return c.Attribute
	}
	return c.Alias + "." + c.Attribute
}

// String prints @name.
func (p *ParamRef) String() string { return "@" + p.Name }

// String prints the constant as SQL spells it.
func (l *Literal) String() string {
	switch v := l.Value; v.Type() {
	case dynamo.TypeNull:
		return "NULL"
	case dynamo.TypeBool:
		if v.IsTrue() {
			return "true"
		}
		return "false"
	case dynamo.TypeNumber:
		return v.Str()
	case dynamo.TypeBinary:
		return `'\x` + hex.EncodeToString([]byte(v.Str())) + "'"
	case dynamo.TypeList, dynamo.TypeMap:
		return quote(PlainJSON(v)) + "::" + l.typ.String()
	default:
		return quote(v.Str())
	}
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// String prints the operator before or after its operand.
func (u *Unary) String() string {
	switch u.Op {
	case OpIsNull, OpIsNotNull:
		return operand(u.X) + " " + string(u.Op)
	case OpNot:
		return "NOT " + operand(u.X)
	}
	x := operand(u.X)
	if strings.HasPrefix(x, "-") {
		// Two signs in a row would begin a comment.
		x = "(" + x + ")"
	}
	return string(u.Op) + x
}

// String prints both operands, compound ones in parentheses.
func (b *Binary) String() string {
	return operand(b.Left) + " " + string(b.Op) + " " + operand(b.Right)
}

func operand(e Expr) string {
	switch e.(type) {
	case *Binary, *Unary, *In:
		return "(" + e.String() + ")"
	}
	return e.String()
}

// String prints x IN (list) or x = ANY(@list).
func (i *In) String() string {
	if len(i.List) == 1 {
		if p, ok := i.List[0].(*ParamRef); ok && p.Type().Array {
			return operand(i.X) + " = ANY(" + p.String() + ")"
		}
	}
	return operand(i.X) + " IN (" + joinExprs(i.List) + ")"
}

// String prints name(args).
func (c *Call) String() string {
	args := joinExprs(c.Args)
	switch {
	case c.Star:
		args = "*"
	case c.Distinct:
		args = "DISTINCT " + args
	}
	return c.Func + "(" + args + ")"
}

func joinExprs(es []Expr) string {
	out := make([]string, len(es))
	for i, e := range es {
		out[i] = e.String()
	}
	return strings.Join(out, ", ")
}
