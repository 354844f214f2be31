package dynamo

import (
	"encoding/base64"
	"slices"
	"strings"
)

const invalidValues = "One or more parameter values were invalid: "

// StringSet makes an SS value. No elements, or an element that is there twice, are a
// ValidationException with the service's text. An empty string may be an element: the
// service takes it, although the guide says otherwise.
func StringSet(elems ...string) (Value, error) {
	list := make([]Value, len(elems))
	for i, s := range elems {
		list[i] = String(s)
	}
	return newSet(kindStringSet, list)
}

// NumberSet makes an NS value that owns elems, which are N values. Errors are as for
// StringSet.
func NumberSet(elems []Value) (Value, error) { return newSet(kindNumberSet, elems) }

// BinarySet makes a BS value of copies of elems. Errors are as for StringSet.
func BinarySet(elems [][]byte) (Value, error) {
	list := make([]Value, len(elems))
	for i, b := range elems {
		list[i] = Binary(b)
	}
	return newSet(kindBinarySet, list)
}

// setElements says which kind the elements of a set kind have.
var setElements = map[kind]kind{
	kindStringSet: kindString, kindNumberSet: kindNumber, kindBinarySet: kindBinary,
}

var setNames = map[kind]string{
	kindStringSet: "string", kindNumberSet: "number", kindBinarySet: "binary",
}

func newSet(k kind, list []Value) (Value, error) {
	if len(list) == 0 && k == kindBinarySet {
		return Value{}, Invalid(textEmptyBinarySet)
	}
	if len(list) == 0 {
		return Value{}, Invalid(invalidValues + "An " + setNames[k] + " set  may not be empty")
	}
	for _, v := range list {
		if v.kind != setElements[k] {
			panic("keyfold: internal error: " + string(v.Type()) + " in a set of type " + string(kindTypes[k]))
		}
	}
	given := list
	if !slices.IsSortedFunc(list, compareElements) {
		list = slices.Clone(list)
		slices.SortFunc(list, compareElements)
	}
	for i := 1; i < len(list); i++ {
		if list[i].text == list[i-1].text {
			return Value{}, Invalid(duplicateText(k, given))
		}
	}
	return Value{kind: k, more: &compound{list: list}}, nil
}

func compareElements(a, b Value) int {
	c, _ := Compare(a, b)
	return c
}

// duplicateText is the service's text for each type of set, its lack of spaces included.
// It lists the elements before the first repeated one in order, then the rest as given.
func duplicateText(k kind, given []Value) string {
	const end = "contains duplicates."
	if k == kindNumberSet {
		return invalidValues + "Input collection " + end
	}
	repeat := slices.IndexFunc(given, func() func(Value) bool {
		seen := map[string]bool{}
		return func(v Value) bool {
			found := seen[v.text]
			seen[v.text] = true
			return found
		}
	}())
	list := slices.Clone(given)
	slices.SortFunc(list[:repeat], compareElements)
	texts := elementTexts(k, list)
	for i := range texts {
		texts[i] = `"` + texts[i] + `"`
	}
	if k == kindBinarySet {
		return invalidValues + "Input collection [" + strings.Join(texts, ",") + "]of type BS " + end
	}
	return invalidValues + "Input collection [" + strings.Join(texts, ", ") + "] " + end
}

// olderDuplicateText is duplicateText in the service's older layer.
func olderDuplicateText(k kind, given []Value) string {
	if k == kindNumberSet {
		return "Input collection contains duplicates"
	}
	s := invalidValues + "Input collection [" + strings.Join(elementTexts(k, given), ", ") + "]"
	if k == kindBinarySet {
		return s + "of type BS contains duplicates."
	}
	return s + " contains duplicates."
}

func elementTexts(k kind, list []Value) []string {
	texts := make([]string, len(list))
	for i, v := range list {
		texts[i] = v.text
		if k == kindBinarySet {
			texts[i] = base64.StdEncoding.EncodeToString([]byte(v.text))
		}
	}
	return texts
}

// IsSet reports whether v is a set.
func (v Value) IsSet() bool {
	return v.kind == kindStringSet || v.kind == kindNumberSet || v.kind == kindBinarySet
}

// HasElement reports whether set, a set value, has elem, a value of its element type.
func HasElement(set, elem Value) bool {
	if !set.IsSet() || elem.kind != setElements[set.kind] {
		return false
	}
	_, found := slices.BinarySearchFunc(set.more.list, elem, compareElements)
	return found
}

// Union returns the elements of a and b, two sets of one type.
func Union(a, b Value) Value {
	x, y := mustSets(a, b)
	out := make([]Value, 0, len(x)+len(y))
	for len(x) > 0 && len(y) > 0 {
		c := compareElements(x[0], y[0])
		if c <= 0 {
			out, x = append(out, x[0]), x[1:]
		} else {
			out = append(out, y[0])
		}
		if c >= 0 {
			y = y[1:]
		}
	}
	out = append(append(out, x...), y...)
	return Value{kind: a.kind, more: &compound{list: out}}
}

// Difference returns the elements of a that are not in b, two sets of one type; absent
// when none is left, for DynamoDB has no empty sets.
func Difference(a, b Value) Value {
	x, _ := mustSets(a, b)
	out := make([]Value, 0, len(x))
	for _, v := range x {
		if !HasElement(b, v) {
			out = append(out, v)
		}
	}
	if len(out) == 0 {
		return Value{}
	}
	return Value{kind: a.kind, more: &compound{list: out}}
}

func mustSets(a, b Value) (x, y []Value) {
	if a.kind != b.kind || !a.IsSet() {
		panic("keyfold: internal error: set operation on " + string(a.Type()) + " and " + string(b.Type()))
	}
	return a.more.list, b.more.list
}
