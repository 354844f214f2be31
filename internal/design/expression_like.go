package design

import (
	"fmt"
	"strings"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// A Pattern is a LIKE pattern without wildcards but at its ends: an open end means that
// any text may stand there.
type Pattern struct {
	Text               model.Expr // the fixed part: a Literal without escapes, or an expression of parameters
	OpenStart, OpenEnd bool
}

// IsPrefix reports whether the pattern asks for a beginning: LIKE 'abc%'.
func (p *Pattern) IsPrefix() bool { return p.OpenEnd && !p.OpenStart }

// LikePattern takes a pattern apart: a constant such as 'WARNING%', or a parameter with
// '%' joined to one or both ends, such as @prefix || '%'. A parameter may then have no
// wildcards of its own: see CheckWildcards. Other patterns are nil.
func LikePattern(e model.Expr) *Pattern {
	parts := concatenation(e)
	p := &Pattern{}
	if len(parts) > 1 && isPercent(parts[0]) {
		p.OpenStart = true
		parts = parts[1:]
	}
	if len(parts) > 1 && isPercent(parts[len(parts)-1]) {
		p.OpenEnd = true
		parts = parts[:len(parts)-1]
	}
	if len(parts) != 1 {
		return nil
	}
	switch part := parts[0].(type) {
	case *model.ParamRef:
		p.Text = part
		if !p.OpenStart && !p.OpenEnd {
			return nil
		}
		return p
	case *model.Literal:
		return literalPattern(p, part)
	}
	return nil
}

// concatenation lists the operands of a chain of ||.
func concatenation(e model.Expr) []model.Expr {
	if b, ok := e.(*model.Binary); ok && b.Op == model.OpConcat {
		return append(concatenation(b.Left), concatenation(b.Right)...)
	}
	return []model.Expr{e}
}

func isPercent(e model.Expr) bool {
	l, ok := e.(*model.Literal)
	return ok && l.Value.Type() == dynamo.TypeString && l.Value.Str() == "%"
}

// literalPattern reads a constant: wildcards at its ends, no others between them.
func literalPattern(p *Pattern, l *model.Literal) *Pattern {
	if l.Value.Type() != dynamo.TypeString {
		return nil
	}
	fixed, ended := "", false
	for s := l.Value.Str(); s != ""; s = s[1:] {
		switch {
		case s[0] == '_':
			return nil
		case s[0] == '%' && fixed == "" && !ended:
			p.OpenStart = true
			continue
		case s[0] == '%':
			ended = true
			continue
		case ended:
			return nil
		case s[0] == '\\':
			if s = s[1:]; s == "" {
				return nil
			}
		}
		fixed += s[:1]
	}
	p.OpenEnd = p.OpenEnd || ended
	if fixed == "" && p.OpenStart {
		p.OpenStart, p.OpenEnd = false, true // anything: a prefix that is empty
	}
	p.Text = model.NewLiteral(model.At(l.Type(), l.Pos()), dynamo.String(fixed))
	return p
}

// A WildcardError says that an argument, which a pattern takes literally, has characters
// that LIKE would not.
type WildcardError struct{ Param, Text string }

// Error names the parameter and the reason.
func (e *WildcardError) Error() string { return "argument " + e.Param + ": " + e.Reason() }

// Reason says what is wrong with the argument.
func (e *WildcardError) Reason() string {
	return fmt.Sprintf("%q is a fixed part of a LIKE pattern and must not have %%, _ or \\ in it", e.Text)
}

// CheckWildcards returns a *WildcardError when text has wildcards of LIKE, or its escape.
func CheckWildcards(param, text string) error {
	if strings.ContainsAny(text, `%_\`) {
		return &WildcardError{param, text}
	}
	return nil
}

// like spells begins_with, contains or an equality.
func (x *expresser) like(e *model.Binary, want bool) (clause, error) {
	c, ok := e.Left.(*model.Column)
	p := LikePattern(e.Right)
	switch {
	case !ok || !x.isItems(c):
		return never, inexpressible(e, "only a column can be matched")
	case p == nil:
		return never, inexpressible(e, "the pattern must be a beginning, such as 'abc%' or @prefix || '%'")
	case p.OpenStart && !p.OpenEnd:
		return never, inexpressible(e, "DynamoDB cannot match the end of a text")
	}
	a, err := x.attribute(c)
	if err != nil {
		return never, err
	}
	if x.known != nil {
		v, err := x.known(p.Text)
		if err != nil || v.IsAbsent() || v.IsNull() {
			return never, err
		}
		if ref, ok := p.Text.(*model.ParamRef); ok {
			if err := CheckWildcards(ref.Name, v.Str()); err != nil {
				return never, err
			}
		}
	}
	holder := x.constant(p.Text, p.Text.Type(), c.Attribute, Compared)
	name := x.name(a.Name)
	match := text(name + " = " + holder)
	switch {
	case p.OpenStart:
		match = text("contains(" + name + ", " + holder + ")")
	case p.OpenEnd:
		match = text("begins_with(" + name + ", " + holder + ")")
	}
	if want {
		return match, nil
	}
	return conjunction(x.exists(a, true), text("NOT "+match.text)), nil
}
