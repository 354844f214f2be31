package dynamo

import (
	"encoding/base64"
	"math/bits"
	"strconv"
	"strings"
)

// The service's texts for values that are well formed and not allowed.
const (
	textEmptyValue     = "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
	textTwoTypes       = "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"
	textTooDeep        = "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit"
	textEmptyName      = "Empty attribute name"
	textNullFalse      = invalidValues + "Null attribute value types must have the value of true"
	textEmptyBinarySet = invalidValues + "Binary sets should not be empty"
)

// jsonKind gives the kind that a member of an attribute value stands for.
func jsonKind(name string) kind {
	switch name {
	case "S":
		return kindString
	case "N":
		return kindNumber
	case "B":
		return kindBinary
	case "L":
		return kindList
	case "M":
		return kindMap
	case "SS":
		return kindStringSet
	case "NS":
		return kindNumberSet
	case "BS":
		return kindBinarySet
	case "BOOL":
		return kindBool
	case "NULL":
		return kindNull
	}
	return kindAbsent
}

// Value reads an attribute value: an object with exactly one member that names a type.
// After a fault it returns an absent value.
func (r *JSONReader) Value() Value { return r.value(1) }

func (r *JSONReader) value(level int) Value {
	if r.null() {
		r.Invalid(textEmptyValue)
		return Value{}
	}
	if !r.open('{', jsonShape{structure: true, class: "AttributeValue"}) {
		return Value{}
	}
	var v Value
	var seen uint
	for name, ok := r.nextKey(); ok; name, ok = r.nextKey() {
		k := jsonKind(name)
		switch {
		case k == kindAbsent:
			r.Skip()
		case !r.null():
			r.element = false
			seen |= 1 << k
			v = r.typed(k, level)
		}
	}
	if r.fault != nil {
		return Value{}
	}
	switch bits.OnesCount(seen) {
	case 0:
		r.Invalid(textEmptyValue)
	case 1:
		return v
	default:
		r.Invalid(textTwoTypes)
	}
	return Value{}
}

// typed reads what stands behind the name of a type.
func (r *JSONReader) typed(k kind, level int) Value {
	switch k {
	case kindString:
		return String(r.Text())
	case kindNumber:
		return r.numeral(r.Text())
	case kindBinary:
		return Value{kind: kindBinary, text: r.blob()}
	case kindBool:
		return Bool(r.Bool())
	case kindNull:
		if !r.Bool() {
			r.Invalid(textNullFalse)
		}
		return Null()
	case kindList, kindMap:
		if level > MaxDepth {
			r.Invalid(textTooDeep)
			r.Skip()
			return Value{}
		}
		if k == kindList {
			return Value{kind: k, more: &compound{list: r.list(level + 1)}}
		}
		return Value{kind: k, more: &compound{item: r.item(level + 1)}}
	}
	return r.set(k)
}

func (r *JSONReader) numeral(s string) Value {
	v, err := Number(s)
	if err != nil && r.fault == nil {
		fault := err.(*Error).Message
		if r.Older {
			fault = olderNumberFault(s, fault)
		}
		r.Invalid(fault)
	}
	return v
}

func (r *JSONReader) set(k kind) Value {
	if !r.open('[', jsonShape{}) {
		return Value{}
	}
	start := len(r.values)
	for r.nextElement() {
		r.element = true
		v := Value{kind: setElements[k]}
		switch {
		case r.null():
			r.Invalid(invalidValues + "An " + setNames[k] + " set may not have a null " + setNames[k] + " as a member")
		case k == kindNumberSet:
			v = r.numeral(r.Text())
		case k == kindBinarySet:
			v.text = r.blob()
		default:
			v.text = r.Text()
		}
		r.values = append(r.values, v)
	}
	list := append([]Value(nil), r.values[start:]...)
	clear(r.values[start:])
	r.values = r.values[:start]
	switch {
	case r.fault != nil || r.invalid != nil:
		return Value{}
	case len(list) == 0 && k == kindBinarySet:
		r.Invalid(textEmptyBinarySet)
		return Value{}
	}
	v, err := newSet(k, list)
	switch {
	case err != nil && r.Older && len(list) > 0:
		r.Invalid(olderDuplicateText(k, list))
	case err != nil:
		r.Invalid(err.(*Error).Message)
	}
	return v
}

var strictBase64 = base64.StdEncoding.Strict()

// blob reads binary data in base64.
func (r *JSONReader) blob() string {
	switch c := r.next(); c {
	case '"':
		return r.base64(r.quoted())
	case '{':
		r.fail(textUnexpectedObject)
	case '[':
		r.fail("Unrecognized collection type class java.nio.ByteBuffer")
	default:
		if r.null() {
			return ""
		}
		if r.tokenName() == "" {
			r.syntaxError()
		}
		r.fail("only base-64-encoded strings are convertible to bytes")
	}
	return ""
}

func (r *JSONReader) base64(s string) string {
	if len(s)%4 != 0 {
		r.fail("Base64 encoded length is expected a multiple of 4 bytes but found: " + strconv.Itoa(len(s)))
		return ""
	}
	b, err := strictBase64.DecodeString(s)
	if err != nil || strings.ContainsAny(s, "\r\n") {
		r.fail("Invalid last non-pad Base64 character dectected")
		return ""
	}
	return string(b)
}
