package dynamo

import (
	"math"
	"strconv"
	"strings"
)

// The range of numbers (Developer Guide, "Data types and naming rules", "Number").
const (
	maxDigits   = 38   // significant digits
	maxExponent = 125  // of the largest magnitude, 9.99...E+125
	minExponent = -130 // of the smallest magnitude but zero, 1E-130
)

// The service's texts for text that is no number it can store.
const (
	textNotNumeric    = "The parameter cannot be converted to a numeric value"
	textTooManyDigits = "Attempting to store more than 38 significant digits in a Number"
	textOverflow      = "Number overflow. Attempting to store a number with magnitude larger than supported range"
	textUnderflow     = "Number underflow. Attempting to store a number with magnitude smaller than supported range"
)

// Number makes an N value of its text: an optional sign, decimal digits with at most one
// point among them, an optional exponent. The value keeps the canonical text, the one the
// service returns: plain digits without exponent, without a plus sign, without leading
// zeros but one before the point, without trailing zeros after the point. Errors are of
// type *Error, ValidationException, with the service's texts for text that is no number
// and for numbers beyond 38 digits or outside 1E-130 to 9.99...E+125 in magnitude.
func Number(s string) (Value, error) {
	if isCanonical(s) {
		return Value{kind: kindNumber, text: s}, nil
	}
	var d decimal
	if fault := d.parse(s); fault != "" {
		return Value{}, Invalid(fault)
	}
	return d.value(), nil
}

// Int makes an N value.
func Int(i int64) Value { return Value{kind: kindNumber, text: strconv.FormatInt(i, 10)} }

// isCanonical reports whether s is the canonical text of a number with at most 38 digits
// before and after the point; the few canonical texts that are longer take the slow way.
func isCanonical(s string) bool {
	digits := strings.TrimPrefix(s, "-")
	if len(digits) == 0 || len(digits) > maxDigits {
		return false
	}
	point := -1
	for i := 0; i < len(digits); i++ {
		switch c := digits[i]; {
		case c >= '0' && c <= '9':
		case c == '.' && point < 0 && i > 0:
			point = i
		default:
			return false
		}
	}
	if point >= 0 && digits[len(digits)-1] == '0' || point == len(digits)-1 {
		return false
	}
	if digits[0] != '0' {
		return true
	}
	return point == 1 || len(s) == 1
}

// A decimal is a number taken apart: 0.d1d2...dn × 10^exp, with d1 and dn not zero. Zero
// has no digits.
type decimal struct {
	digits [maxDigits]byte // '0' to '9'
	n      int
	exp    int
	neg    bool
}

// parse reads any text of a number. It returns the service's text for what is wrong with
// it, "" if nothing is.
func (d *decimal) parse(s string) string {
	mantissa, exponent, ok := splitExponent(s)
	if !ok {
		return textNotNumeric + ": " + s
	}
	tooMany, ok := d.parseMantissa(mantissa)
	if !ok {
		return textNotNumeric + ": " + s
	}
	if d.n == 0 {
		// The service looks at the exponent that zero is written with.
		*d = decimal{}
		d.exp = 1
	}
	d.exp += exponent
	switch {
	case d.exp-1 > maxExponent:
		return textOverflow
	case d.exp-1 < minExponent:
		return textUnderflow
	case tooMany:
		return textTooManyDigits
	case d.n == 0:
		*d = decimal{}
	}
	return ""
}

// olderNumberFault is what the service's older layer says of text that is no number it
// can store, where the newer one says fault: it has another text for the empty string, and
// its exponents wrap.
func olderNumberFault(text, fault string) string {
	_, exponent, _ := splitExponent(text)
	switch {
	case text == "":
		return textNotNumeric
	case fault == textOverflow && exponent >= math.MaxInt32:
		return textUnderflow
	}
	return fault
}

// splitExponent cuts s at its exponent, which must fit into 64 bits. Exponents beyond any
// use are brought to one that is still out of range, so that sums cannot overflow.
func splitExponent(s string) (mantissa string, exponent int, ok bool) {
	i := strings.IndexAny(s, "eE")
	if i < 0 {
		return s, 0, true
	}
	text := s[i+1:]
	neg := strings.HasPrefix(text, "-")
	if neg || strings.HasPrefix(text, "+") {
		text = text[1:]
	}
	if text == "" {
		return "", 0, false
	}
	for j := 0; j < len(text); j++ {
		if text[j] < '0' || text[j] > '9' {
			return "", 0, false
		}
		if exponent > (math.MaxInt64-int(text[j]-'0'))/10 {
			return "", 0, false
		}
		exponent = exponent*10 + int(text[j]-'0')
	}
	exponent = min(exponent, 1<<40)
	if neg {
		exponent = -exponent
	}
	return s[:i], exponent, true
}

// parseMantissa reads sign, digits and point. Zeros wait until a later digit shows that
// they are significant. Digits beyond the 38th are counted as too many and dropped.
func (d *decimal) parseMantissa(s string) (tooMany, ok bool) {
	if s != "" && (s[0] == '-' || s[0] == '+') {
		d.neg = s[0] == '-'
		s = s[1:]
	}
	zeros, seen, point := 0, false, false
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '.' && !point {
			point = true
			continue
		}
		if c < '0' || c > '9' {
			return false, false
		}
		seen = true
		if !point && (d.n > 0 || c != '0') {
			d.exp++
		}
		switch {
		case c == '0' && d.n > 0:
			zeros++
		case c == '0' && point:
			d.exp--
		case c == '0':
		case d.n+zeros >= maxDigits:
			tooMany = true
		default:
			for ; zeros > 0; zeros-- {
				d.digits[d.n] = '0'
				d.n++
			}
			d.digits[d.n] = c
			d.n++
		}
	}
	return tooMany, seen
}

// value returns the number with its canonical text.
func (d *decimal) value() Value {
	var buf [maxDigits + maxExponent - minExponent]byte
	return Value{kind: kindNumber, text: string(d.appendText(buf[:0]))}
}

const zeros = "00000000000000000000000000000000000000000000000000000000000000000000" +
	"000000000000000000000000000000000000000000000000000000000000000000"

func (d *decimal) appendText(dst []byte) []byte {
	if d.n == 0 {
		return append(dst, '0')
	}
	if d.neg {
		dst = append(dst, '-')
	}
	digits := d.digits[:d.n]
	switch {
	case d.exp <= 0:
		dst = append(append(dst, "0."...), zeros[:-d.exp]...)
		return append(dst, digits...)
	case d.exp >= d.n:
		dst = append(dst, digits...)
		return append(dst, zeros[:d.exp-d.n]...)
	}
	dst = append(append(dst, digits[:d.exp]...), '.')
	return append(dst, digits[d.exp:]...)
}

// take takes the canonical text of an N value apart.
func (d *decimal) take(v Value) {
	if v.kind != kindNumber {
		panic("keyfold: internal error: number expected, got " + string(v.Type()))
	}
	if fault := d.parse(v.text); fault != "" {
		panic("keyfold: internal error: " + v.text + ": " + fault)
	}
}

// CompareNumbers orders two N values: -1, 0 or +1. Canonical texts need no parsing: the
// longer integral part is the larger magnitude, and between equally long ones the texts
// order as strings.
func CompareNumbers(a, b Value) int {
	x, y := a.text, b.text
	xneg, yneg := strings.HasPrefix(x, "-"), strings.HasPrefix(y, "-")
	switch {
	case xneg && yneg:
		return compareMagnitudes(y[1:], x[1:])
	case xneg:
		return -1
	case yneg:
		return 1
	}
	return compareMagnitudes(x, y)
}

func compareMagnitudes(x, y string) int {
	if n, m := integralLen(x), integralLen(y); n != m {
		if n < m {
			return -1
		}
		return 1
	}
	return strings.Compare(x, y)
}

func integralLen(s string) int {
	if i := strings.IndexByte(s, '.'); i >= 0 {
		return i
	}
	return len(s)
}
