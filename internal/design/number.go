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

// integerComponent pads to a fixed width: 42 is 0000000042. A negative number is '-',
// which sorts before the digits, and the nines' complement of its digits.
func integerComponent(t model.Type, v dynamo.Value) (string, error) {
	if v.Type() != dynamo.TypeNumber {
		return "", fmt.Errorf("want a number, have %s", v.Type())
	}
	bits := t.Bits
	if bits == 0 {
		bits = 32
	}
	if _, err := strconv.ParseInt(v.Str(), 10, bits); err != nil {
		return "", fmt.Errorf("%s is not a %s", v.Str(), t)
	}
	digits, negative := strings.CutPrefix(v.Str(), "-")
	digits = strings.Repeat("0", integerWidth(bits)-len(digits)) + digits
	if negative {
		return "-" + complement(digits), nil
	}
	return digits, nil
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
// without a declared scale by exponent and digits; negative ones as integers do.
func decimalComponent(t model.Type, v dynamo.Value) (string, error) {
	if v.Type() != dynamo.TypeNumber {
		return "", fmt.Errorf("want a number, have %s", v.Type())
	}
	whole, fraction, negative := splitDecimal(v.Str())
	var s string
	if t.Kind == model.Decimal && t.Precision > 0 {
		room := max(t.Precision-t.Scale, 1)
		if len(whole) > room || len(fraction) > t.Scale {
			return "", fmt.Errorf("%s is not a %s", v.Str(), t)
		}
		s = strings.Repeat("0", room-len(whole)) + whole
		if t.Scale > 0 {
			s += "." + fraction + strings.Repeat("0", t.Scale-len(fraction))
		}
		if negative {
			return "-" + complement(s), nil
		}
		return s, nil
	}
	s = scientific(whole, fraction)
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
