package design

import (
	"errors"
	"fmt"
	"strings"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// A Template spells a key: literals and components in turn. In an Entity the components
// are columns of its row; in a Plan they are parameters, constants or columns of rows
// read before.
//
// Encoded components keep three promises, each a property test: different values give
// different strings; the byte order of keys is the order of the component sequences;
// no component's encoding contains the delimiter '#', so a prefix that ends with '#'
// ends at a component boundary.
type Template []Part

// A Part is a literal, or a component when Value is set.
type Part struct {
	Literal string
	Value   model.Expr
	Type    model.Type
	Desc    bool // bytes inverted, so that ascending keys are descending values
	// Nullable components spell NULL as "~", behind every "=value". Without it a NULL
	// makes the whole key absent.
	Nullable bool
	// Prefix leaves the component open at its end: LIKE 'abc%'.
	Prefix bool
}

// Delimiter ends every literal label and every component that is followed by another.
const Delimiter = "#"

// Beyond follows Delimiter in byte order and starts an escape in encoded text, so
// prefix+Beyond lies behind every key that continues prefix with the delimiter and
// before every key whose last component is greater.
const Beyond = "$"

// String prints the template: "C#{category_id}#P#{product_id}". Parameters print as
// {@name}, constants as {'text'}.
func (t Template) String() string {
	var b strings.Builder
	for _, p := range t {
		b.WriteString(p.String())
	}
	return b.String()
}

// String prints one part as Template.String does.
func (p Part) String() string {
	if p.Value == nil {
		return p.Literal
	}
	name := p.Value.String()
	if c, ok := p.Value.(*model.Column); ok {
		name = c.Attribute
	}
	if p.Prefix {
		name += "*"
	}
	if p.Nullable {
		name += "?"
	}
	if p.Desc {
		name += " desc"
	}
	return "{" + name + "}"
}

// Columns returns the columns that the components name, in order.
func (t Template) Columns() []string {
	var out []string
	for _, p := range t {
		if c, ok := p.Value.(*model.Column); ok {
			out = append(out, c.Attribute)
		}
	}
	return out
}

// Bind returns the template with each column replaced by bind's expression for it. A nil
// expression leaves the column as it is.
func (t Template) Bind(bind func(column string) model.Expr) Template {
	out := make(Template, len(t))
	for i, p := range t {
		if c, ok := p.Value.(*model.Column); ok {
			if e := bind(c.Attribute); e != nil {
				p.Value = e
			}
		}
		out[i] = p
	}
	return out
}

// ErrNullKey is returned by Encode when a component that may not be NULL is.
var ErrNullKey = errors.New("a key component is NULL")

// Encode spells the key. value gives the value of a component's expression; an absent or
// NULL value is SQL's NULL. Errors say which component and why: ErrNullKey, or a value
// that its type cannot hold.
func (t Template) Encode(value func(model.Expr) (dynamo.Value, error)) (string, error) {
	var b []byte
	for _, p := range t {
		if p.Value == nil {
			b = append(b, p.Literal...)
			continue
		}
		v, err := value(p.Value)
		if err != nil {
			return "", err
		}
		if b, err = p.append(b, v); err != nil {
			return "", fmt.Errorf("key component %s: %w", p, err)
		}
	}
	return string(b), nil
}

func (p Part) append(b []byte, v dynamo.Value) ([]byte, error) {
	isNull := v.IsAbsent() || v.IsNull()
	switch {
	case isNull && !p.Nullable:
		return b, ErrNullKey
	case isNull && p.Desc:
		return append(b, invert("~")...), nil
	case isNull:
		return append(b, '~'), nil
	}
	s, err := encodeComponent(p.Type, v)
	if err != nil {
		return b, err
	}
	if p.Nullable {
		s = "=" + s
	}
	if p.Desc {
		s = invert(s)
	}
	if p.Desc && p.Prefix {
		s = strings.TrimSuffix(s, invertedEnd)
	}
	return append(b, s...), nil
}

// Decode gives back the components' values, in the order of Columns, from a key that
// Encode spelled.
func (t Template) Decode(key string) ([]dynamo.Value, error) {
	var out []dynamo.Value
	rest := key
	for i, p := range t {
		if p.Value == nil {
			if !strings.HasPrefix(rest, p.Literal) {
				return nil, fmt.Errorf("key %q does not match %s", key, t)
			}
			rest = rest[len(p.Literal):]
			continue
		}
		end := len(rest)
		if i+1 < len(t) {
			if end = strings.Index(rest, Delimiter); end < 0 {
				return nil, fmt.Errorf("key %q does not match %s", key, t)
			}
		}
		v, err := p.decode(rest[:end])
		if err != nil {
			return nil, fmt.Errorf("key %q: component %s: %w", key, p, err)
		}
		out = append(out, v)
		rest = rest[end:]
	}
	if rest != "" {
		return nil, fmt.Errorf("key %q does not match %s", key, t)
	}
	return out, nil
}

func (p Part) decode(s string) (dynamo.Value, error) {
	var err error
	if p.Desc {
		if s, err = revert(s); err != nil {
			return dynamo.Value{}, err
		}
	}
	if p.Nullable {
		if s == "~" {
			return dynamo.Null(), nil
		}
		if !strings.HasPrefix(s, "=") {
			return dynamo.Value{}, fmt.Errorf("%q has no null marker", s)
		}
		s = s[1:]
	}
	return decodeComponent(p.Type, s)
}
