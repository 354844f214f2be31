package exec

import (
	"errors"
	"fmt"
	"slices"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/design"
	"github.com/keyfold-dev/keyfold/internal/diag"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// Item spells a row as an item of a kind: its columns, its tag and every key that has no
// NULL component. It is nil when the kind's own key has one, as a guard of a NULL does.
// Values are converted to their columns' types; one that does not fit, and a NULL in a
// NOT NULL column or a primary key, is a *ValueError.
func Item(d *design.Design, e *design.Entity, row Row) (dynamo.Item, error) {
	attrs := []dynamo.Attr{{Name: design.TypeAttribute, Value: dynamo.String(e.Tag)}}
	stored := Row{}
	for _, a := range e.Attributes {
		v := row.Get(a.Column)
		if v.IsAbsent() || v.IsNull() {
			if a.NotNull {
				return nil, &ValueError{e.RowEntity(), a.Column, "NULL in a NOT NULL column"}
			}
			continue
		}
		v, err := assign(a.Type, v)
		if err != nil {
			return nil, &ValueError{e.RowEntity(), a.Column, err.Error()}
		}
		stored = stored.Set(a.Column, v)
		attrs = append(attrs, dynamo.Attr{Name: a.Name, Value: v})
	}
	t := d.Table(e.Table)
	for _, k := range e.Keys {
		v, err := keyValue(d, e, k, stored)
		switch {
		case errors.Is(err, design.ErrNullKey):
			if !isBaseKey(t, k.Attribute) {
				continue
			}
			if e.Of != "" {
				return nil, nil
			}
			return nil, &ValueError{e.RowEntity(), k.Template.String(), "NULL in a key"}
		case err != nil:
			return nil, &ValueError{e.RowEntity(), k.Attribute, err.Error()}
		}
		attrs = append(attrs, dynamo.Attr{Name: k.Attribute, Value: v})
	}
	return dynamo.NewItem(attrs...), nil
}

func isBaseKey(t *design.Table, attribute string) bool {
	return attribute == t.PartitionKey.Name || attribute == t.SortKey.Name
}

// keyValue spells one key attribute of a stored row.
func keyValue(d *design.Design, e *design.Entity, k *design.Key, row Row) (dynamo.Value, error) {
	scope := Scope{Column: func(c *model.Column) (dynamo.Value, error) { return row.Get(c.Attribute), nil }}
	return encodeKey(keyType(d.Table(e.Table), k.Attribute), k.Template, assignKey, scope.Eval)
}

// keyType is the declared type of a key attribute of the table or an index.
func keyType(t *design.Table, attribute string) dynamo.Type {
	if t.PartitionKey.Name == attribute {
		return t.PartitionKey.Type
	}
	if t.SortKey.Name == attribute {
		return t.SortKey.Type
	}
	for _, list := range [][]*design.Index{t.GSIs, t.LSIs} {
		for _, ix := range list {
			for _, k := range slices.Concat(ix.PartitionKey, ix.SortKey) {
				if k.Name == attribute {
					return k.Type
				}
			}
		}
	}
	return dynamo.TypeString
}

// A convert makes a value that is not NULL one of the type that a key component is encoded
// in.
type convert func(model.Type, dynamo.Value) (dynamo.Value, error)

// encodeKey spells a key attribute. A key attribute of type N or B is its one component.
func encodeKey(t dynamo.Type, tpl design.Template, as convert, value func(model.Expr) (dynamo.Value, error)) (dynamo.Value, error) {
	bound := slices.Clone(tpl)
	for i, p := range bound {
		if p.Value == nil {
			continue
		}
		v, err := value(p.Value)
		if err != nil {
			return v, err
		}
		if v.IsAbsent() || v.IsNull() {
			v = dynamo.Null()
		} else if v, err = as(p.Type, v); err != nil {
			return v, err
		}
		bound[i].Value = model.NewLiteral(model.At(p.Type, diag.Pos{}), v)
	}
	if t == dynamo.TypeNumber || t == dynamo.TypeBinary {
		return nativeKey(t, bound)
	}
	s, err := bound.Encode(func(e model.Expr) (dynamo.Value, error) { return e.(*model.Literal).Value, nil })
	return dynamo.String(s), err
}

// assignKey converts a component's value. Text longer than the column allows is a key
// that no row has, rather than an error.
func assignKey(t model.Type, v dynamo.Value) (dynamo.Value, error) {
	t.Length = 0
	return assign(t, v)
}

// soughtKey converts a value that a component is compared with. What is compared is not
// rounded: no integer is 3.5, and some above 3.5 are below 4.5.
func soughtKey(t model.Type, v dynamo.Value) (dynamo.Value, error) {
	if v.Type() == dynamo.TypeNumber && (t.Kind == model.Integer || t.Kind == model.Decimal) {
		return v, nil
	}
	return assignKey(t, v)
}

func nativeKey(t dynamo.Type, bound design.Template) (dynamo.Value, error) {
	if len(bound) != 1 || bound[0].Value == nil {
		return dynamo.Value{}, fmt.Errorf("a key of type %s must be one column, not %s", t, bound)
	}
	v := bound[0].Value.(*model.Literal).Value
	switch {
	case v.IsNull():
		return v, design.ErrNullKey
	case v.Type() != t:
		return v, fmt.Errorf("key %s of type %s has a value of type %s", bound, t, v.Type())
	}
	return v, nil
}

// A record is a row as it was found in an item: its values, and the columns that the
// index it came from does not hold.
type record struct {
	entity  *design.Entity
	row     Row
	unknown []string
	decoded []string // columns that only its keys hold
	key     string   // fingerprint of the item's base key
	order   int      // of arrival in its call
}

// value returns a column's value, or an error when the index does not hold it.
func (r *record) value(column string) (dynamo.Value, error) {
	if r == nil {
		return dynamo.Null(), nil
	}
	if slices.Contains(r.unknown, column) {
		return dynamo.Value{}, fmt.Errorf("column %s of %s is not in the index that the plan reads", column, r.entity.RowEntity())
	}
	if v := r.row.Get(column); !v.IsAbsent() {
		return v, nil
	}
	if r.entity.Column(column) == nil && !slices.Contains(r.decoded, column) {
		return dynamo.Value{}, fmt.Errorf("items of %s do not hold column %s", r.entity.Name, column)
	}
	return dynamo.Null(), nil
}

// decodeItem finds the row in an item that was read from an index (nil: the table).
// Columns that the index does not project are decoded from its keys where those hold
// them.
func decodeItem(t *design.Table, ix *design.Index, e *design.Entity, it dynamo.Item) (*record, error) {
	r := &record{entity: e}
	attrs := make([]dynamo.Attr, 0, len(e.Attributes))
	for _, a := range e.Attributes {
		v := it.Get(a.Name)
		if v.IsAbsent() && !projects(ix, t, a.Name) {
			var err error
			if v, err = fromKeys(e, it, a.Column); err != nil {
				return nil, err
			}
			if v.IsAbsent() {
				r.unknown = append(r.unknown, a.Column)
			}
		}
		if !v.IsAbsent() && !v.IsNull() {
			attrs = append(attrs, dynamo.Attr{Name: a.Column, Value: v})
		}
	}
	for _, k := range e.Keys {
		for _, column := range k.Template.Columns() {
			if e.Column(column) != nil || slices.Contains(r.decoded, column) || it.Get(k.Attribute).IsAbsent() {
				continue
			}
			v, err := fromKeys(e, it, column)
			if err != nil {
				return nil, err
			}
			r.decoded = append(r.decoded, column)
			if !v.IsNull() {
				attrs = append(attrs, dynamo.Attr{Name: column, Value: v})
			}
		}
	}
	r.row = dynamo.NewItem(attrs...)
	return r, nil
}

// projects reports whether an index holds an attribute.
func projects(ix *design.Index, t *design.Table, attribute string) bool {
	if ix == nil || ix.Projection.Type == dynamo.ProjectAll || isBaseKey(t, attribute) {
		return true
	}
	for _, k := range slices.Concat(ix.PartitionKey, ix.SortKey) {
		if k.Name == attribute {
			return true
		}
	}
	return ix.Projection.Type == dynamo.ProjectInclude && slices.Contains(ix.Projection.Attributes, attribute)
}

// fromKeys decodes a column from a key attribute of the item; absent when none has it.
func fromKeys(e *design.Entity, it dynamo.Item, column string) (dynamo.Value, error) {
	for _, k := range e.Keys {
		at := slices.Index(k.Template.Columns(), column)
		key := it.Get(k.Attribute)
		if at < 0 || key.IsAbsent() {
			continue
		}
		if key.Type() != dynamo.TypeString {
			return key, nil
		}
		values, err := k.Template.Decode(key.Str())
		if err != nil {
			return dynamo.Value{}, err
		}
		return values[at], nil
	}
	return dynamo.Value{}, nil
}

// kindOf returns the kind of item of a table by its tag, or nil.
func kindOf(d *design.Design, table string, it dynamo.Item) *design.Entity {
	tag := it.Get(design.TypeAttribute)
	for _, e := range d.Entities {
		if e.Table == table && e.Tag == tag.Str() && !tag.IsAbsent() {
			return e
		}
	}
	return nil
}
