// Package dynamo is DynamoDB's vocabulary: attribute values, items, keys, key schemas,
// the requests and responses of the API, item sizes and capacity units. It hides how
// values are represented and how numbers are kept exact to 38 digits. Both halves of
// keyfold stand on it, so that what the compiler estimates and what the engine charges
// is the same arithmetic. It performs no I/O and keeps no state.
package dynamo

import "slices"

// A Type is the type of an attribute value, spelled as in DynamoDB JSON.
type Type string

// The attribute value types. A Value with type Absent is no value at all.
const (
	Absent        Type = ""
	TypeString    Type = "S"
	TypeNumber    Type = "N"
	TypeBinary    Type = "B"
	TypeBool      Type = "BOOL"
	TypeNull      Type = "NULL"
	TypeList      Type = "L"
	TypeMap       Type = "M"
	TypeStringSet Type = "SS"
	TypeNumberSet Type = "NS"
	TypeBinarySet Type = "BS"
)

type kind uint8

const (
	kindAbsent kind = iota
	kindNull
	kindBool
	kindNumber
	kindString
	kindBinary
	kindList
	kindMap
	kindStringSet
	kindNumberSet
	kindBinarySet
)

var kindTypes = [...]Type{Absent, TypeNull, TypeBool, TypeNumber, TypeString, TypeBinary,
	TypeList, TypeMap, TypeStringSet, TypeNumberSet, TypeBinarySet}

// A Value is one DynamoDB attribute value. Values are immutable and may be shared
// between goroutines. The zero Value is absent, which is not the same as NULL.
//
// A number is held as its canonical text (see Number), so equal numbers are equal
// strings. Sets keep no order of their own: they are held sorted and without duplicates.
type Value struct {
	kind kind
	flag bool
	text string    // S: the string; N: canonical decimal; B: the bytes
	more *compound // L, M and sets
}

type compound struct {
	list []Value
	item Item
}

// String makes an S value.
func String(s string) Value { return Value{kind: kindString, text: s} }

// Binary makes a B value; the bytes are copied.
func Binary(b []byte) Value { return Value{kind: kindBinary, text: string(b)} }

// Bool makes a BOOL value.
func Bool(b bool) Value { return Value{kind: kindBool, flag: b} }

// Null makes a NULL value.
func Null() Value { return Value{kind: kindNull} }

// List makes an L value that owns vs.
func List(vs ...Value) Value { return Value{kind: kindList, more: &compound{list: vs}} }

// Map makes an M value that owns it.
func Map(it Item) Value { return Value{kind: kindMap, more: &compound{item: it}} }

// Type returns the type of v, or Absent.
func (v Value) Type() Type { return kindTypes[v.kind] }

// IsAbsent reports whether v is no value at all.
func (v Value) IsAbsent() bool { return v.kind == kindAbsent }

// IsNull reports whether v is DynamoDB's NULL. An absent value is not.
func (v Value) IsNull() bool { return v.kind == kindNull }

// Str returns the string of an S value, the canonical decimal of an N value, the bytes
// of a B value; otherwise "".
func (v Value) Str() string { return v.text }

// IsTrue reports whether v is BOOL true.
func (v Value) IsTrue() bool { return v.kind == kindBool && v.flag }

// Elements returns the elements of a list or a set, nil otherwise. The caller must not
// change them.
func (v Value) Elements() []Value {
	if v.more == nil {
		return nil
	}
	return v.more.list
}

// Fields returns the attributes of a map, nil otherwise. The caller must not change them.
func (v Value) Fields() Item {
	if v.more == nil {
		return nil
	}
	return v.more.item
}

// An Attr is one named value.
type Attr struct {
	Name  string
	Value Value
}

// An Item is a list of attributes, sorted by name, without duplicate names and without
// absent values. Functions that take an Item rely on the order; NewItem and Set keep it.
// The nil Item has no attributes.
type Item []Attr

// NewItem sorts attrs by name and drops absent values; of two attributes with one name
// the later wins. It takes attrs over.
func NewItem(attrs ...Attr) Item {
	slices.SortStableFunc(attrs, func(a, b Attr) int { return compareNames(a.Name, b.Name) })
	out := attrs[:0]
	for i, a := range attrs {
		if a.Value.IsAbsent() || i+1 < len(attrs) && attrs[i+1].Name == a.Name {
			continue
		}
		out = append(out, a)
	}
	return Item(out)
}

func compareNames(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// find returns the position of name in it and whether it is there.
func (it Item) find(name string) (int, bool) {
	lo, hi := 0, len(it)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if it[mid].Name < name {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo, lo < len(it) && it[lo].Name == name
}

// Get returns the value of an attribute, absent if it has none.
func (it Item) Get(name string) Value {
	if i, ok := it.find(name); ok {
		return it[i].Value
	}
	return Value{}
}

// Set returns it with an attribute set, or removed when v is absent. It may reuse it's
// memory: use it as append is used, on an item that nobody else holds.
func (it Item) Set(name string, v Value) Item {
	i, ok := it.find(name)
	switch {
	case ok && v.IsAbsent():
		return slices.Delete(it, i, i+1)
	case ok:
		it[i].Value = v
		return it
	case v.IsAbsent():
		return it
	}
	return slices.Insert(it, i, Attr{name, v})
}

// Clone returns a copy that may be changed by Set; the values are shared.
func (it Item) Clone() Item { return slices.Clone(it) }
