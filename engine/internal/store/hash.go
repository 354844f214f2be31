package store

import (
	"strings"

	"github.com/keyfold-dev/keyfold/dynamo"
)

// appendHashed appends the bytes of a partition key that the service hashes: the text or
// the bytes as they are, and a number in the service's base-100 form.
func appendHashed(b []byte, v dynamo.Value) []byte {
	if v.Type() == dynamo.TypeNumber {
		return appendBase100(b, v.Str())
	}
	return append(b, v.Str()...)
}

// appendBase100 appends a canonical decimal as a sign-and-exponent byte and its
// significant digits in pairs. A pair d is stored as d+1, or as 101-d in a negative
// number, which ends in 102 unless it has all twenty pairs.
func appendBase100(b []byte, text string) []byte {
	negative := strings.HasPrefix(text, "-")
	digits, exponent := significantDigits(strings.TrimPrefix(text, "-"))
	if digits == "" {
		return append(b, 0x80)
	}
	if exponent&1 != 0 {
		digits, exponent = "0"+digits, exponent+1
	}
	if len(digits)&1 != 0 {
		digits += "0"
	}
	lead := byte(exponent/2 - 64)
	if negative {
		lead = ^lead
	}
	b = append(b, lead)
	for i := 0; i < len(digits); i += 2 {
		pair := (digits[i]-'0')*10 + digits[i+1] - '0'
		if negative {
			b = append(b, 101-pair)
		} else {
			b = append(b, pair+1)
		}
	}
	if negative && len(digits)/2 < 20 {
		b = append(b, 102)
	}
	return b
}

// significantDigits splits an unsigned decimal, perhaps with an exponent, into digits
// without zeros at either end and the power of ten that 0.digits is to be multiplied by.
func significantDigits(text string) (digits string, exponent int) {
	mantissa, power, _ := strings.Cut(strings.ToUpper(text), "E")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	all := whole + fraction
	digits = strings.TrimLeft(all, "0")
	exponent = len(whole) - (len(all) - len(digits)) + integer(power)
	return strings.TrimRight(digits, "0"), exponent
}

func integer(text string) int {
	n := 0
	for _, c := range []byte(strings.TrimLeft(text, "+-")) {
		n = n*10 + int(c-'0')
	}
	if strings.HasPrefix(text, "-") {
		return -n
	}
	return n
}
