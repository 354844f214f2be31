package exec

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/model"
)

func parseJSON(s string) (dynamo.Value, error) {
	v, err := decodeJSON(s)
	switch {
	case err != nil:
		return dynamo.Value{}, fmt.Errorf("not a JSON document: %w", err)
	case v.IsNull():
		return dynamo.Value{}, errors.New("a document that is JSON's null alone is not supported; leave the value out for SQL's NULL")
	}
	return v, nil
}

func decodeJSON(s string) (dynamo.Value, error) {
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	var x any
	if err := d.Decode(&x); err != nil {
		return dynamo.Value{}, err
	}
	if d.More() {
		return dynamo.Value{}, errors.New("text after the document")
	}
	return fromJSON(x)
}

// fromJSON makes a document a value: objects become maps, arrays lists.
func fromJSON(x any) (dynamo.Value, error) {
	switch x := x.(type) {
	case nil:
		return dynamo.Null(), nil
	case bool:
		return dynamo.Bool(x), nil
	case string:
		return dynamo.String(x), nil
	case json.Number:
		return dynamo.Number(x.String())
	case []any:
		list := make([]dynamo.Value, len(x))
		for i, el := range x {
			v, err := fromJSON(el)
			if err != nil {
				return v, err
			}
			list[i] = v
		}
		return dynamo.List(list...), nil
	case map[string]any:
		var attrs []dynamo.Attr
		for name, el := range x {
			v, err := fromJSON(el)
			if err != nil {
				return v, err
			}
			attrs = append(attrs, dynamo.Attr{Name: name, Value: v})
		}
		return dynamo.Map(dynamo.NewItem(attrs...)), nil
	}
	panic("keyfold: internal error: unknown JSON value")
}

func parseArray(t model.Type, text string) (dynamo.Value, error) {
	element := t
	element.Array = false
	s := strings.TrimSpace(text)
	var parts []*string
	switch {
	case strings.HasPrefix(s, "["):
		var err error
		if parts, err = jsonElements(s); err != nil {
			return dynamo.Value{}, fmt.Errorf("not a JSON array: %w", err)
		}
	case strings.HasPrefix(s, "{") && strings.HasSuffix(s, "}"):
		parts = braceElements(s[1 : len(s)-1])
	default:
		return dynamo.Value{}, fmt.Errorf(`%q is not an array: want ["a","b"] or {a,b}`, text)
	}
	out := make([]dynamo.Value, len(parts))
	for i, p := range parts {
		if p == nil {
			out[i] = dynamo.Null()
			continue
		}
		v, err := ParseValue(element, *p)
		if err != nil {
			return dynamo.Value{}, fmt.Errorf("element %d: %w", i+1, err)
		}
		out[i] = v
	}
	return dynamo.List(out...), nil
}

// jsonElements gives the elements' text, nil for null.
func jsonElements(s string) ([]*string, error) {
	var raw []json.RawMessage
	if err := json.Unmarshal([]byte(s), &raw); err != nil {
		return nil, err
	}
	out := make([]*string, len(raw))
	for i, r := range raw {
		text := string(r)
		if text == "null" {
			continue
		}
		if strings.HasPrefix(text, `"`) {
			if err := json.Unmarshal(r, &text); err != nil {
				return nil, err
			}
		}
		out[i] = &text
	}
	return out, nil
}

// braceElements cuts PostgreSQL's array notation, without its outer braces, at commas
// outside double quotes. An unquoted NULL is nil.
func braceElements(s string) []*string {
	if strings.TrimSpace(s) == "" {
		return nil
	}
	var out []*string
	var b strings.Builder
	quoted, inside := false, false
	flush := func() {
		text := b.String()
		if !quoted {
			text = strings.TrimSpace(text)
		}
		if !quoted && strings.EqualFold(text, "null") {
			out = append(out, nil)
		} else {
			out = append(out, &text)
		}
		b.Reset()
		quoted = false
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s):
			i++
			b.WriteByte(s[i])
		case c == '"':
			quoted, inside = true, !inside
		case c == ',' && !inside:
			flush()
		default:
			b.WriteByte(c)
		}
	}
	flush()
	return out
}
