package dynamo

import (
	"bytes"
	"errors"
)

// Key encodings order as the values do when compared as bytes, and tell their own end, so
// that encodings may be appended to one another and still order value by value.
//
//	S, B  the bytes, each 00 written 00 FF; end 00 01
//	N     zero: 02
//	      positive: 03, exponent, digit pairs, end 00
//	      negative: 01, then the bytes of the positive number inverted
//
// A number is 0.d1d2... × 10^e; its exponent byte is e + 129 and its digit pairs are d1d2,
// d3d4, ... as 1 to 100, the last filled up with 0. A number takes at most 22 bytes.
// The encodings are stored: they may not change.
const (
	keyEscape     = 0x00
	keyEscaped    = 0xFF
	keyEnd        = 0x01
	keyNegative   = 0x01
	keyZero       = 0x02
	keyPositive   = 0x03
	keyNumberEnd  = 0x00
	keyExpBias    = 129
	keyDigitShift = 1
)

var errBadKey = errors.New("dynamo: malformed key encoding")

// AppendKey appends the order-preserving encoding of an S, N or B value. Only encodings of
// one type order among each other: the type of a key attribute is the table's to know.
func AppendKey(dst []byte, v Value) []byte {
	switch v.kind {
	case kindString, kindBinary:
		return appendKeyBytes(dst, v.text)
	case kindNumber:
		return appendKeyNumber(dst, v)
	}
	panic("keyfold: internal error: " + string(v.Type()) + " value as a key")
}

func appendKeyBytes(dst []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		dst = append(dst, s[i])
		if s[i] == keyEscape {
			dst = append(dst, keyEscaped)
		}
	}
	return append(dst, keyEscape, keyEnd)
}

func appendKeyNumber(dst []byte, v Value) []byte {
	var d decimal
	d.take(v)
	if d.n == 0 {
		return append(dst, keyZero)
	}
	sign, mask := byte(keyPositive), byte(0)
	if d.neg {
		sign, mask = keyNegative, 0xFF
	}
	dst = append(dst, sign, byte(d.exp+keyExpBias)^mask)
	for i := 0; i < d.n; i += 2 {
		pair := (d.digits[i] - '0') * 10
		if i+1 < d.n {
			pair += d.digits[i+1] - '0'
		}
		dst = append(dst, (pair+keyDigitShift)^mask)
	}
	return append(dst, keyNumberEnd^mask)
}

// DecodeKey reads one value of type t, which is S, N or B, from the front of src, and
// returns what follows it.
func DecodeKey(src []byte, t Type) (v Value, rest []byte, err error) {
	switch t {
	case TypeString, TypeBinary:
		text, rest, err := decodeKeyBytes(src)
		if err != nil {
			return Value{}, nil, err
		}
		v := Value{kind: kindString, text: text}
		if t == TypeBinary {
			v.kind = kindBinary
		}
		return v, rest, nil
	case TypeNumber:
		return decodeKeyNumber(src)
	}
	panic("keyfold: internal error: " + string(t) + " as the type of a key")
}

func decodeKeyBytes(src []byte) (text string, rest []byte, err error) {
	i := bytes.IndexByte(src, keyEscape)
	if i >= 0 && i+1 < len(src) && src[i+1] == keyEnd {
		return string(src[:i]), src[i+2:], nil
	}
	var out []byte
	for {
		i := bytes.IndexByte(src, keyEscape)
		if i < 0 || i+1 >= len(src) {
			return "", nil, errBadKey
		}
		out = append(out, src[:i]...)
		switch src[i+1] {
		case keyEnd:
			return string(out), src[i+2:], nil
		case keyEscaped:
			out = append(out, keyEscape)
		default:
			return "", nil, errBadKey
		}
		src = src[i+2:]
	}
}

func decodeKeyNumber(src []byte) (Value, []byte, error) {
	if len(src) > 0 && src[0] == keyZero {
		return Int(0), src[1:], nil
	}
	if len(src) < 3 || src[0] != keyNegative && src[0] != keyPositive {
		return Value{}, nil, errBadKey
	}
	d := decimal{neg: src[0] == keyNegative}
	mask := byte(0)
	if d.neg {
		mask = 0xFF
	}
	d.exp = int(src[1]^mask) - keyExpBias
	for i := 2; i < len(src); i++ {
		b := src[i] ^ mask
		if b == keyNumberEnd {
			if d.n > 0 && d.digits[d.n-1] == '0' {
				d.n--
			}
			if d.n == 0 || d.digits[0] == '0' || d.digits[d.n-1] == '0' {
				return Value{}, nil, errBadKey
			}
			return d.value(), src[i+1:], nil
		}
		if b > 100 || d.n+2 > maxDigits {
			return Value{}, nil, errBadKey
		}
		b -= keyDigitShift
		d.digits[d.n], d.digits[d.n+1] = b/10+'0', b%10+'0'
		d.n += 2
	}
	return Value{}, nil, errBadKey
}
