package exec

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/design"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// CheckValue returns nil when v, which is not NULL, is a value of type t in the form that
// model.Kind gives it.
func CheckValue(t model.Type, v dynamo.Value) error {
	if t.Array {
		return checkArray(t, v)
	}
	want := storedType(t)
	if t.Kind != model.JSON && v.Type() != want {
		return fmt.Errorf("%s is stored as %s, not as %s", t, want, v.Type())
	}
	switch t.Kind {
	case model.Text:
		if !utf8.ValidString(v.Str()) {
			return errors.New("text must be valid UTF-8")
		}
		if strings.ContainsRune(v.Str(), 0) {
			return errors.New("text cannot hold the character U+0000")
		}
	case model.Integer:
		return checkInteger(t, v)
	case model.Timestamp:
		return checkTime(v, design.TimestampForm)
	case model.TimestampTZ:
		return checkTime(v, design.TimestampTZForm)
	case model.Date:
		return checkTime(v, design.DateForm)
	case model.Time:
		return checkTime(v, design.TimeForm)
	case model.UUID:
		if canonicalUUID(v.Str()) != v.Str() {
			return fmt.Errorf("%q is not a uuid in lower case with hyphens", v.Str())
		}
	case model.Enum:
		if !slices.Contains(t.Labels, v.Str()) {
			return fmt.Errorf("%q is not one of the labels of %s: %s", v.Str(), t.Name, strings.Join(t.Labels, ", "))
		}
	}
	return nil
}

func checkArray(t model.Type, v dynamo.Value) error {
	if v.Type() != dynamo.TypeList {
		return fmt.Errorf("%s is stored as L, not as %s", t, v.Type())
	}
	t.Array = false
	for _, el := range v.Elements() {
		if el.IsNull() {
			continue
		}
		if err := CheckValue(t, el); err != nil {
			return err
		}
	}
	return nil
}

// storedType is the DynamoDB type of a kind's values; JSON has none of its own.
func storedType(t model.Type) dynamo.Type {
	switch {
	case t.Array:
		return dynamo.TypeList
	case t.IsNumber():
		return dynamo.TypeNumber
	case t.Kind == model.Boolean:
		return dynamo.TypeBool
	case t.Kind == model.Bytes:
		return dynamo.TypeBinary
	}
	return dynamo.TypeString
}

func checkInteger(t model.Type, v dynamo.Value) error {
	if _, err := strconv.ParseInt(v.Str(), 10, integerBits(t)); err != nil {
		if strings.Contains(v.Str(), ".") {
			return fmt.Errorf("%s is not a whole number", v.Str())
		}
		return fmt.Errorf("%s is out of range for %s", v.Str(), t)
	}
	return nil
}

func integerBits(t model.Type) int {
	if t.Bits == 0 {
		return 32
	}
	return t.Bits
}

func checkTime(v dynamo.Value, form string) error {
	if _, err := time.Parse(form, v.Str()); err != nil || len(v.Str()) != len(form) {
		return fmt.Errorf("%q is not in the form %s", v.Str(), form)
	}
	return nil
}

func canonicalUUID(s string) string {
	hexes := strings.ToLower(strings.ReplaceAll(strings.Trim(s, "{}"), "-", ""))
	if b, err := hex.DecodeString(hexes); err != nil || len(b) != 16 {
		return ""
	}
	return hexes[:8] + "-" + hexes[8:12] + "-" + hexes[12:16] + "-" + hexes[16:20] + "-" + hexes[20:]
}

// ParseValue makes a value of type t from text as people and CSV files write it: times in
// any zone (converted to UTC) and with or without a fraction, numbers rounded to the scale
// of numeric(p,s), booleans as true/false, t/f, yes/no, on/off or 1/0, bytea as \x0102 or
// base64, arrays as JSON or as {a,b}. Errors say what is expected.
func ParseValue(t model.Type, text string) (dynamo.Value, error) {
	if t.Array {
		return parseArray(t, text)
	}
	trimmed := strings.TrimSpace(text)
	switch t.Kind {
	case model.Text:
		v := dynamo.String(text)
		return v, CheckValue(t, v)
	case model.Integer, model.Decimal, model.Float:
		return parseNumber(t, trimmed)
	case model.Boolean:
		return parseBool(trimmed)
	case model.Timestamp, model.TimestampTZ, model.Date, model.Time:
		return parseTime(t, trimmed)
	case model.UUID:
		u := canonicalUUID(trimmed)
		if u == "" {
			return dynamo.Value{}, fmt.Errorf("%q is not a uuid: want 32 hexadecimal digits, such as 0b4e6a7c-9d0f-4c55-8f6e-1a2b3c4d5e6f", text)
		}
		return dynamo.String(u), nil
	case model.Enum:
		v := dynamo.String(trimmed)
		return v, CheckValue(t, v)
	case model.Bytes:
		return parseBytes(trimmed)
	case model.JSON:
		return parseJSON(trimmed)
	}
	panic("keyfold: internal error: unknown kind " + t.Kind.String())
}

func parseNumber(t model.Type, s string) (dynamo.Value, error) {
	v, err := dynamo.Number(s)
	if err != nil {
		return v, fmt.Errorf("%q is not a number", s)
	}
	return assign(t, v)
}

func parseBool(s string) (dynamo.Value, error) {
	switch strings.ToLower(s) {
	case "true", "t", "yes", "y", "on", "1":
		return dynamo.Bool(true), nil
	case "false", "f", "no", "n", "off", "0":
		return dynamo.Bool(false), nil
	}
	return dynamo.Value{}, fmt.Errorf("%q is not a boolean: want true or false", s)
}

// dateForms are tried before a time of day, timeForms after it.
var (
	clockForms = []string{"15:04:05.999999999", "15:04"}
	zoneForms  = []string{"", "Z07:00", "Z0700", "Z07", " MST"}
)

func parseTime(t model.Type, s string) (dynamo.Value, error) {
	at, ok := scanTime(t.Kind, s)
	if !ok {
		return dynamo.Value{}, fmt.Errorf("%q is not a %s: want %s", s, t, timeExamples[t.Kind])
	}
	return dynamo.String(at.Format(timeForm(t.Kind))), nil
}

var timeExamples = map[model.Kind]string{
	model.Timestamp:   "2026-03-01 15:04:05 or 2026-03-01T15:04:05.123456",
	model.TimestampTZ: "2026-03-01T15:04:05Z, 2026-03-01 15:04:05.123456+02:00 or a date",
	model.Date:        "2026-03-01",
	model.Time:        "15:04 or 15:04:05.123456",
}

func timeForm(k model.Kind) string {
	switch k {
	case model.Timestamp:
		return design.TimestampForm
	case model.TimestampTZ:
		return design.TimestampTZForm
	case model.Date:
		return design.DateForm
	}
	return design.TimeForm
}

// scanTime reads a time in UTC, rounded to microseconds as PostgreSQL does. A zone counts
// for timestamptz and is ignored otherwise.
func scanTime(k model.Kind, s string) (time.Time, bool) {
	if k == model.Time {
		return scanForms(s, "", clockForms)
	}
	if at, err := time.Parse(design.DateForm, s); err == nil {
		return at, true
	}
	for _, join := range []string{"T", " "} {
		if at, ok := scanForms(s, design.DateForm+join, clockForms); ok {
			if k == model.TimestampTZ {
				return at.UTC(), true
			}
			at = time.Date(at.Year(), at.Month(), at.Day(), at.Hour(), at.Minute(), at.Second(), at.Nanosecond(), time.UTC)
			return at, true
		}
	}
	return time.Time{}, false
}

func scanForms(s, before string, forms []string) (time.Time, bool) {
	for _, form := range forms {
		for _, zone := range zoneForms {
			if at, err := time.Parse(before+form+zone, s); err == nil {
				return at.Round(time.Microsecond), true
			}
		}
	}
	return time.Time{}, false
}

func parseBytes(s string) (dynamo.Value, error) {
	if digits, ok := strings.CutPrefix(s, `\x`); ok {
		b, err := hex.DecodeString(digits)
		if err != nil {
			return dynamo.Value{}, fmt.Errorf("%q is not bytea: want \\x and hexadecimal digits", s)
		}
		return dynamo.Binary(b), nil
	}
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		return dynamo.Value{}, fmt.Errorf(`%q is not bytea: want \x0102ff or base64`, s)
	}
	return dynamo.Binary(b), nil
}
