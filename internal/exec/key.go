package exec

import (
	"errors"
	"fmt"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/design"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// errNoMatch says that a key condition cannot match any item, so nothing need be sent.
var errNoMatch = errors.New("no item can match")

// key spells a value that a key attribute is compared with. NULL components, empty keys
// and keys longer than DynamoDB stores are errNoMatch.
func (c *call) key(t *design.Table, attribute string, tpl design.Template, s *Scope) (dynamo.Value, error) {
	for _, p := range tpl {
		if ref, ok := p.Value.(*model.ParamRef); ok && p.Prefix {
			v, err := s.Param(ref.Name)
			if err != nil {
				return v, err
			}
			if err := design.CheckWildcards(ref.Name, v.Str()); err != nil {
				return v, &ArgumentError{c.plan.Pattern.Name, ref.Name, err.Error()}
			}
		}
	}
	// A NULL argument equals nothing, also where the key spells NULLs; IS NULL asks for
	// them by a constant.
	v, err := encodeKey(keyType(t, attribute), tpl, soughtKey, func(e model.Expr) (dynamo.Value, error) {
		v, err := s.Eval(e)
		if _, constant := e.(*model.Literal); err == nil && v.IsNull() && !constant {
			return v, design.ErrNullKey
		}
		return v, err
	})
	switch {
	case errors.Is(err, design.ErrNullKey):
		return v, errNoMatch
	case err != nil:
		return v, err
	case len(v.Str()) == 0 || len(v.Str()) > keyLimit(t, attribute):
		return v, errNoMatch
	}
	return v, nil
}

// bound spells one end of a range of keys. It cannot be longer than a key, for which
// DynamoDB would have to be asked otherwise.
func (c *call) bound(t *design.Table, b design.Binding, s *Scope) (dynamo.Value, error) {
	v, err := c.key(t, b.Attribute, b.Template, s)
	if errors.Is(err, errNoMatch) {
		if w, fault := encodeKey(keyType(t, b.Attribute), b.Template, soughtKey, s.Eval); fault == nil && len(w.Str()) > keyLimit(t, b.Attribute) {
			return v, &ArgumentError{c.plan.Pattern.Name, paramOf(b.Template),
				fmt.Sprintf("the range's end %s would be a key of %d bytes; keys have at most %d", b.Template, len(w.Str()), keyLimit(t, b.Attribute))}
		}
	}
	return v, err
}

// paramOf names the last parameter in a template.
func paramOf(t design.Template) string {
	name := ""
	for _, p := range t {
		if ref, ok := p.Value.(*model.ParamRef); ok {
			name = ref.Name
		}
	}
	return name
}

// keyLimit is the most bytes a value of a key attribute has.
func keyLimit(t *design.Table, attribute string) int {
	if attribute == t.PartitionKey.Name {
		return dynamo.MaxPartitionKeySize
	}
	for _, ix := range t.GSIs {
		for _, k := range ix.PartitionKey {
			if k.Name == attribute {
				return dynamo.MaxPartitionKeySize
			}
		}
	}
	return dynamo.MaxSortKeySize
}

// isEmptyRange is errNoMatch when the low bound of BETWEEN lies above the high one, which
// DynamoDB rejects.
func isEmptyRange(r *design.Request, x *design.Expressions, values dynamo.Item) error {
	var bounds []dynamo.Value
	for _, b := range x.Values {
		if r.Sort != nil && b.Template != nil && b.Attribute == r.Sort.Attribute {
			bounds = append(bounds, values.Get(b.Placeholder))
		}
	}
	if len(bounds) == 2 {
		if c, ok := dynamo.Compare(bounds[0], bounds[1]); !ok || c > 0 {
			return errNoMatch
		}
	}
	return nil
}

// asArgument makes the refusal of a wildcard an ArgumentError.
func (c *call) asArgument(err error) error {
	var w *design.WildcardError
	if errors.As(err, &w) {
		return &ArgumentError{c.plan.Pattern.Name, w.Param, w.Reason()}
	}
	return err
}

// bind gives the placeholders of x their values; key spells those of key attributes.
func bind(x *design.Expressions, s *Scope, key func(design.Binding) (dynamo.Value, error)) (dynamo.Expressions, error) {
	out := dynamo.Expressions{Names: x.Names}
	attrs := make([]dynamo.Attr, 0, len(x.Values))
	for _, b := range x.Values {
		var v dynamo.Value
		var err error
		if b.Template != nil {
			v, err = key(b)
		} else if v, err = s.Eval(b.Value); err == nil {
			v, err = assignAs(b, v)
		}
		if err != nil {
			return out, err
		}
		attrs = append(attrs, dynamo.Attr{Name: b.Placeholder, Value: v})
	}
	// The service takes no empty lists of placeholders, only none at all.
	if len(attrs) > 0 {
		out.Values = dynamo.NewItem(attrs...)
	}
	return out, nil
}

// assignAs converts the value of a placeholder to what its use wants.
func assignAs(b design.Binding, v dynamo.Value) (dynamo.Value, error) {
	switch {
	case v.IsNull():
		return v, nil
	case b.Use == design.Assigned:
		return assign(b.Type, v)
	case b.Use == design.Added:
		w, err := assign(b.Type, v)
		if err == nil && !dynamo.Equal(v, w) {
			err = fmt.Errorf("%s has more decimals than %s, to which it is added in place", v.Str(), b.Type)
		}
		return w, err
	case v.Type() == dynamo.TypeNumber:
		return v, nil
	}
	t := b.Type
	t.Length = 0
	return assign(t, v)
}
