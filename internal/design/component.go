package design

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// The forms of times in keys, rows and items. Fixed width makes their byte order the
// order in time, for the years 0000 to 9999.
const (
	TimestampForm   = "2006-01-02T15:04:05.000000"
	TimestampTZForm = "2006-01-02T15:04:05.000000Z"
	DateForm        = "2006-01-02"
	TimeForm        = "15:04:05.000000"
)

// encodeComponent spells a value so that byte order is value order and the delimiter
// never occurs.
func encodeComponent(t model.Type, v dynamo.Value) (string, error) {
	if t.Array || t.Kind == model.JSON {
		return "", fmt.Errorf("%s has no order and cannot be part of a key", t)
	}
	switch t.Kind {
	case model.Text, model.UUID:
		return wanted(v, dynamo.TypeString, escape)
	case model.Enum:
		return wanted(v, dynamo.TypeString, func(s string) string { return enumRank(t, s) + escape(s) })
	case model.Timestamp:
		return timeComponent(v, TimestampForm)
	case model.TimestampTZ:
		return timeComponent(v, TimestampTZForm)
	case model.Date:
		return timeComponent(v, DateForm)
	case model.Time:
		return timeComponent(v, TimeForm)
	case model.Boolean:
		if v.Type() != dynamo.TypeBool {
			return "", fmt.Errorf("want a boolean, have %s", v.Type())
		}
		return strconv.FormatBool(v.IsTrue()), nil
	case model.Bytes:
		return wanted(v, dynamo.TypeBinary, func(s string) string { return hex.EncodeToString([]byte(s)) })
	case model.Integer:
		return integerComponent(t, v)
	case model.Decimal, model.Float:
		return decimalComponent(t, v)
	}
	panic("keyfold: internal error: unknown kind " + t.Kind.String())
}

func wanted(v dynamo.Value, want dynamo.Type, f func(string) string) (string, error) {
	if v.Type() != want {
		return "", fmt.Errorf("want a value of type %s, have %s", want, v.Type())
	}
	return f(v.Str()), nil
}

// enumRank puts an enum's labels into their declared order: the rank before the label.
func enumRank(t model.Type, label string) string {
	width := len(strconv.Itoa(len(t.Labels)))
	for i, l := range t.Labels {
		if l == label {
			return fmt.Sprintf("%0*d.", width, i)
		}
	}
	return "~."
}

// timeComponent checks the form, so that a wrong width cannot break the order.
func timeComponent(v dynamo.Value, form string) (string, error) {
	if v.Type() != dynamo.TypeString {
		return "", fmt.Errorf("want a time as a string, have %s", v.Type())
	}
	if _, err := time.Parse(form, v.Str()); err != nil || len(v.Str()) != len(form) {
		return "", fmt.Errorf("%q is not in the form %s", v.Str(), form)
	}
	return v.Str(), nil
}

// escape writes the bytes up to '$' as '$' and two hexadecimal digits. All of them sort
// behind the delimiter '#' and before every byte that stands for itself, so escaped text
// followed by '#' sorts as the text does.
func escape(s string) string {
	i := strings.IndexFunc(s, isEscaped)
	if i < 0 {
		return s
	}
	const digits = "0123456789ABCDEF"
	b := make([]byte, 0, len(s)+8)
	for j := range len(s) {
		if c := s[j]; c <= '$' {
			b = append(b, '$', digits[c>>4], digits[c&15])
		} else {
			b = append(b, c)
		}
	}
	return string(b)
}

func isEscaped(r rune) bool { return r <= '$' }

func unescape(s string) (string, error) {
	if !strings.Contains(s, "$") {
		return s, nil
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '$' {
			b.WriteByte(s[i])
			continue
		}
		if i+2 >= len(s) {
			return "", fmt.Errorf("escape cut short in %q", s)
		}
		c, err := strconv.ParseUint(s[i+1:i+3], 16, 8)
		if err != nil {
			return "", fmt.Errorf("bad escape in %q", s)
		}
		b.WriteByte(byte(c))
		i += 2
	}
	return b.String(), nil
}

// invertedEnd ends an inverted component. It is above all digits, so that of two texts one
// of which begins the other the longer one comes first.
const invertedEnd = "~"

// invert writes every byte as the two hexadecimal digits of its complement, ended by
// invertedEnd, so that the order of inverted strings is the reverse order.
func invert(s string) string {
	b := []byte(s)
	for i := range b {
		b[i] = ^b[i]
	}
	return hex.EncodeToString(b) + invertedEnd
}

func revert(s string) (string, error) {
	b, err := hex.DecodeString(strings.TrimSuffix(s, invertedEnd))
	if err != nil {
		return "", err
	}
	for i := range b {
		b[i] = ^b[i]
	}
	return string(b), nil
}

func decodeComponent(t model.Type, s string) (dynamo.Value, error) {
	switch t.Kind {
	case model.Text, model.UUID:
		u, err := unescape(s)
		return dynamo.String(u), err
	case model.Enum:
		_, label, _ := strings.Cut(s, ".")
		u, err := unescape(label)
		return dynamo.String(u), err
	case model.Timestamp, model.TimestampTZ, model.Date, model.Time:
		return dynamo.String(s), nil
	case model.Boolean:
		b, err := strconv.ParseBool(s)
		return dynamo.Bool(b), err
	case model.Bytes:
		b, err := hex.DecodeString(s)
		return dynamo.Binary(b), err
	case model.Integer:
		return decodeInteger(s)
	case model.Decimal, model.Float:
		return decodeDecimal(t, s)
	}
	return dynamo.Value{}, fmt.Errorf("%s has no key form", t)
}
