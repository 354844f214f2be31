package dynamo

import "strings"

// Compare orders two values of one type: S and B by their bytes, N by value. The answer
// is -1, 0 or +1; ok is false for other types and for values of different types, which
// have no order (Developer Guide, "Comparison operator and function reference").
func Compare(a, b Value) (order int, ok bool) {
	if a.kind != b.kind {
		return 0, false
	}
	switch a.kind {
	case kindString, kindBinary:
		return strings.Compare(a.text, b.text), true
	case kindNumber:
		return CompareNumbers(a, b), true
	}
	return 0, false
}

// Equal reports whether two values are the same: same type and equal through all levels.
// Sets are equal when they have the same elements. Absent values equal only each other.
func Equal(a, b Value) bool {
	if a.kind != b.kind {
		return false
	}
	switch a.kind {
	case kindBool:
		return a.flag == b.flag
	case kindNumber, kindString, kindBinary:
		return a.text == b.text
	case kindMap:
		return EqualItems(a.Fields(), b.Fields())
	case kindList, kindStringSet, kindNumberSet, kindBinarySet:
		return equalLists(a.Elements(), b.Elements())
	}
	return true
}

func equalLists(a, b []Value) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !Equal(a[i], b[i]) {
			return false
		}
	}
	return true
}

// EqualItems reports whether two items have the same attributes with equal values.
func EqualItems(a, b Item) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Name != b[i].Name || !Equal(a[i].Value, b[i].Value) {
			return false
		}
	}
	return true
}
