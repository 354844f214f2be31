package design

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// integerWidth is the number of digits of the largest value of an integer type.
func integerWidth(bits int) int {
	switch bits {
	case 16:
		return 5
	case 64:
		return 19
	}
	return 10
}

// integerComponent pads to a fixed width: 42 is 0000000042.
func integerComponent(t model.Type, v dynamo.Value) (string, error) {
	if v.Type() != dynamo.TypeNumber {
		return "", fmt.Errorf("want a number, have %s", v.Type())
	}
	return fixedComponent(integerWidth(t.Bits), 0, v), nil
}

// fixedComponent spells a number with room digits before the point and scale digits behind
// it. A negative one is '-', which sorts before the digits, and the nines' complement of
// its digits. A number that has no such form, which rows never have and searches may, is
// spelled so that it sorts between its neighbours and equals neither: as the lower one and
// a point, or before or behind all.
func fixedComponent(room, scale int, v dynamo.Value) string {
	whole, fraction, negative := splitDecimal(v.Str())
	between := ""
	if len(fraction) > scale {
		fraction, between = fraction[:scale], "."
	}
	digits := whole + fraction + strings.Repeat("0", scale-len(fraction))
	if negative && between != "" {
		digits = increment(digits)
	}
	missing := room + scale - len(digits)
	switch {
	case missing < 0 && negative:
		return "-"
	case missing < 0:
		return "~"
	}
	digits = strings.Repeat("0", missing) + digits
	s := digits[:room]
	if scale > 0 {
		s += "." + digits[room:]
	}
	if negative {
		s = "-" + complement(s)
	}
	return s + between
}

// increment adds one to a number in digits, "" being none.
func increment(digits string) string {
	nines := len(digits) - len(strings.TrimRight(digits, "9"))
	head, zeros := digits[:len(digits)-nines], strings.Repeat("0", nines)
	if head == "" {
		return "1" + zeros
	}
	last := len(head) - 1
	return head[:last] + string(head[last]+1) + zeros
}

func decodeInteger(s string) (dynamo.Value, error) {
	digits, negative := strings.CutPrefix(s, "-")
	if negative {
		digits = "-" + complement(digits)
	}
	return dynamo.Number(digits)
}

// complement replaces every digit d by 9-d and keeps other bytes.
func complement(digits string) string {
	b := []byte(digits)
	for i, c := range b {
		if c >= '0' && c <= '9' {
			b[i] = '9' - (c - '0')
		}
	}
	return string(b)
}

// decimalComponent spells numeric(p,s) with p-s digits, a point and s digits, and numbers
// without a declared scale by exponent and digits, negative ones as '-' and their
// complement.
func decimalComponent(t model.Type, v dynamo.Value) (string, error) {
	if v.Type() != dynamo.TypeNumber {
		return "", fmt.Errorf("want a number, have %s", v.Type())
	}
	if t.Kind == model.Decimal && t.Precision > 0 {
		return fixedComponent(max(t.Precision-t.Scale, 1), t.Scale, v), nil
	}
	whole, fraction, negative := splitDecimal(v.Str())
	s := scientific(whole, fraction)
	switch {
	case s == "":
		return "0", nil
	case negative:
		// The end mark sorts behind the digits: of two negative numbers the one with
		// more digits is the smaller.
		return "-" + complement(s) + "~", nil
	}
	return "1" + s, nil
}

// splitDecimal takes a canonical decimal apart, without leading zeros of the whole part.
func splitDecimal(s string) (whole, fraction string, negative bool) {
	s, negative = strings.CutPrefix(s, "-")
	whole, fraction, _ = strings.Cut(s, ".")
	return strings.TrimLeft(whole, "0"), fraction, negative
}

// scientific spells a positive number as three digits of exponent, offset by 500, and
// its digits without zeros at either end. Zero is "".
func scientific(whole, fraction string) string {
	digits := whole + fraction
	exponent := len(whole)
	trimmed := strings.TrimLeft(digits, "0")
	exponent -= len(digits) - len(trimmed)
	trimmed = strings.TrimRight(trimmed, "0")
	if trimmed == "" {
		return ""
	}
	return fmt.Sprintf("%03d%s", exponent+500, trimmed)
}

func decodeDecimal(t model.Type, s string) (dynamo.Value, error) {
	if t.Kind == model.Decimal && t.Precision > 0 {
		if digits, negative := strings.CutPrefix(s, "-"); negative {
			s = "-" + complement(digits)
		}
		return dynamo.Number(s)
	}
	if s == "0" {
		return dynamo.Number("0")
	}
	sign := ""
	if digits, negative := strings.CutPrefix(s, "-"); negative {
		sign = "-"
		s = "1" + complement(strings.TrimSuffix(digits, "~"))
	}
	if len(s) < len("1500d") {
		return dynamo.Value{}, fmt.Errorf("%q is too short", s)
	}
	exponent, err := strconv.Atoi(s[1:4])
	if err != nil {
		return dynamo.Value{}, err
	}
	return dynamo.Number(sign + "0." + s[4:] + "E" + strconv.Itoa(exponent-500))
}
