package sqlfront

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/diag"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// A literalFault says why a constant is no value of a type.
type literalFault struct {
	code diag.Code
	text string
	hint string
}

func badLiteral(text string, t model.Type, hint string) *literalFault {
	if len(text) > 40 {
		text = strings.ToValidUTF8(text[:37], "") + "..."
	}
	return &literalFault{codeLiteral, fmt.Sprintf("'%s' is no value of type %s", text, t), hint}
}

// stringLiteral turns the text of a constant into the value of a type, in the canonical
// form that model.Kind lays down. With assign the value is fitted to the column's limits.
func stringLiteral(s string, t model.Type, assign bool) (dynamo.Value, *literalFault) {
	if t.Array {
		return arrayLiteral(s, t)
	}
	switch t.Kind {
	case model.Text:
		if n := len([]rune(s)); assign && t.Length > 0 && n > t.Length {
			return dynamo.Value{}, &literalFault{codeRange, fmt.Sprintf("the text has %d characters, and %s takes %d", n, t, t.Length), ""}
		}
		return dynamo.String(s), nil
	case model.Enum:
		if !slices.Contains(t.Labels, s) {
			return dynamo.Value{}, badLiteral(s, t, orDefault(didYouMean(s, t.Labels), "the labels are "+strings.Join(t.Labels, ", ")))
		}
		return dynamo.String(s), nil
	case model.Integer, model.Decimal, model.Float:
		text := strings.TrimSpace(s)
		if text == "" || strings.HasPrefix(text, "+-") {
			return dynamo.Value{}, badLiteral(s, t, "")
		}
		_, v, fault := numberLiteral(text, &t, assign)
		if fault == nil && t.Kind == model.Integer && strings.Contains(v.Str(), ".") {
			fault = badLiteral(s, t, "")
		}
		return v, fault
	case model.Boolean:
		return booleanLiteral(s, t)
	case model.UUID:
		return uuidLiteral(s, t)
	case model.Bytes:
		return bytesLiteral(s, t)
	case model.JSON:
		return jsonLiteral(s, t)
	}
	return timeLiteral(s, t)
}

// numberLiteral reads a number. Its type is want when that is a number that can hold it.
func numberLiteral(s string, want *model.Type, assign bool) (model.Type, dynamo.Value, *literalFault) {
	v, err := dynamo.Number(strings.TrimPrefix(s, "+"))
	if err != nil {
		t := decimalType
		if want != nil {
			t = *want
		}
		if strings.Trim(s, "+-0123456789.eE") == "" {
			return t, v, &literalFault{codeRange, s + " is not a number of at most 38 digits and a magnitude below 1e126", ""}
		}
		return t, v, badLiteral(s, t, "")
	}
	t := naturalNumber(v.Str())
	if want == nil || !want.IsNumber() {
		return t, v, nil
	}
	if !assign {
		if want.Kind == model.Integer && t.Kind == model.Integer {
			t.Bits = max(t.Bits, want.Bits)
			return t, v, nil
		}
		return widest(t, *want), v, nil
	}
	v, fault := fitNumber(v, *want)
	return *want, v, fault
}

// naturalNumber is the type PostgreSQL gives a number in canonical form.
func naturalNumber(s string) model.Type {
	switch {
	case strings.Contains(s, "."):
		return decimalType
	case fitsInteger(s, math.MaxInt32):
		return integerType
	case fitsInteger(s, math.MaxInt64):
		return bigintType
	}
	return decimalType
}

// fitsInteger reports whether a whole number lies between -most-1 and most.
func fitsInteger(s string, most int64) bool {
	limit := fmt.Sprint(most)
	digits, negative := strings.CutPrefix(s, "-")
	if negative {
		limit = limit[:len(limit)-1] + string(limit[len(limit)-1]+1) // the limits end in 7
	}
	return len(digits) < len(limit) || len(digits) == len(limit) && digits <= limit
}

// fitNumber rounds a number to a column's scale and checks its range.
func fitNumber(v dynamo.Value, t model.Type) (dynamo.Value, *literalFault) {
	s := v.Str()
	outOfRange := &literalFault{codeRange, s + " is out of range for " + t.String(), ""}
	switch {
	case t.Kind == model.Integer:
		s = roundDecimal(s, 0)
		most := map[int]int64{16: math.MaxInt16, 32: math.MaxInt32, 64: math.MaxInt64}[t.Bits]
		if !fitsInteger(s, most) {
			return v, outOfRange
		}
	case t.Kind == model.Decimal && t.Precision > 0:
		s = roundDecimal(s, t.Scale)
		whole, _, _ := strings.Cut(strings.TrimPrefix(s, "-"), ".")
		if whole != "0" && len(whole) > t.Precision-t.Scale {
			return v, outOfRange
		}
	}
	out, err := dynamo.Number(s)
	if err != nil {
		return v, outOfRange
	}
	return out, nil
}

// roundDecimal rounds a canonical decimal to a number of digits behind the point, halves
// away from zero.
func roundDecimal(s string, scale int) string {
	whole, fraction, _ := strings.Cut(s, ".")
	if len(fraction) <= scale {
		return s
	}
	up := fraction[scale] >= '5'
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "-", whole[1:]
	}
	digits := []byte(whole + fraction[:scale])
	for i := len(digits) - 1; up && i >= 0; i-- {
		if digits[i]++; digits[i] <= '9' {
			up = false
		} else {
			digits[i] = '0'
		}
	}
	if up {
		digits = append([]byte{'1'}, digits...)
	}
	point := len(digits) - scale
	return sign + string(digits[:point]) + "." + string(digits[point:]) + "0"
}

func booleanLiteral(s string, t model.Type) (dynamo.Value, *literalFault) {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "t", "tr", "tru", "true", "y", "ye", "yes", "on", "1":
		return dynamo.Bool(true), nil
	case "f", "fa", "fal", "fals", "false", "n", "no", "of", "off", "0":
		return dynamo.Bool(false), nil
	}
	return dynamo.Value{}, badLiteral(s, t, "write true or false")
}

func uuidLiteral(s string, t model.Type) (dynamo.Value, *literalFault) {
	text := strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(s, "{"), "}"))
	text = strings.ReplaceAll(text, "-", "")
	if _, err := hex.DecodeString(text); err != nil || len(text) != 32 || strings.HasPrefix(s, "{") != strings.HasSuffix(s, "}") {
		return dynamo.Value{}, badLiteral(s, t, "")
	}
	return dynamo.String(text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:]), nil
}

// bytesLiteral reads bytea's hex form \x0aff and its escape form.
func bytesLiteral(s string, t model.Type) (dynamo.Value, *literalFault) {
	if digits, ok := strings.CutPrefix(s, `\x`); ok {
		b, err := hex.DecodeString(strings.ReplaceAll(digits, " ", ""))
		if err != nil {
			return dynamo.Value{}, badLiteral(s, t, "")
		}
		return dynamo.Binary(b), nil
	}
	var b []byte
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] != '\\':
			b = append(b, s[i])
		case strings.HasPrefix(s[i:], `\\`):
			b = append(b, '\\')
			i++
		case i+3 < len(s) && s[i+1] <= '3' && digitValue(s[i+1]) < 8 && digitValue(s[i+2]) < 8 && digitValue(s[i+3]) < 8:
			b = append(b, s[i+1]<<6&0xc0|(s[i+2]-'0')<<3|(s[i+3]-'0'))
			i += 3
		default:
			return dynamo.Value{}, badLiteral(s, t, `a backslash itself is written \\`)
		}
	}
	return dynamo.Binary(b), nil
}

// arrayLiteral reads PostgreSQL's array text, {a,"b c",NULL}, of one dimension.
func arrayLiteral(s string, t model.Type) (dynamo.Value, *literalFault) {
	element := t
	element.Array = false
	text := strings.TrimSpace(s)
	bad := badLiteral(s, t, `an array is written '{a,b}'`)
	if !strings.HasPrefix(text, "{") || !strings.HasSuffix(text, "}") || len(text) < 2 {
		return dynamo.Value{}, bad
	}
	text = strings.TrimSpace(text[1 : len(text)-1])
	var values []dynamo.Value
	for text != "" {
		item, quoted, rest, ok := arrayItem(text)
		if !ok {
			return dynamo.Value{}, bad
		}
		if !quoted && strings.EqualFold(item, "null") {
			values = append(values, dynamo.Null())
		} else if v, fault := stringLiteral(item, element, true); fault != nil {
			return v, fault
		} else {
			values = append(values, v)
		}
		if text = rest; strings.TrimSpace(text) == "," {
			return dynamo.Value{}, bad
		}
		text = strings.TrimSpace(strings.TrimPrefix(text, ","))
	}
	return dynamo.List(values...), nil
}

// arrayItem cuts one item off the text inside an array's braces.
func arrayItem(s string) (item string, quoted bool, rest string, ok bool) {
	var b strings.Builder
	quoted = s[0] == '"'
	i := 0
	if quoted {
		i = 1
	}
	for ; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s):
			i++
			b.WriteByte(s[i])
		case c == '"' && quoted:
			rest = strings.TrimSpace(s[i+1:])
			return b.String(), true, rest, rest == "" || rest[0] == ','
		case c == ',' && !quoted:
			item = strings.TrimSpace(b.String())
			return item, false, s[i:], item != ""
		case c == '{' || c == '}' || c == '"':
			if !quoted {
				return "", false, "", false
			}
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
	item = strings.TrimSpace(b.String())
	return item, false, "", !quoted && item != ""
}

func jsonLiteral(s string, t model.Type) (dynamo.Value, *literalFault) {
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	var doc any
	if err := d.Decode(&doc); err != nil || d.More() {
		return dynamo.Value{}, badLiteral(s, t, "the text is not JSON")
	}
	if rest := strings.TrimSpace(s[d.InputOffset():]); rest != "" {
		return dynamo.Value{}, badLiteral(s, t, "the text is not JSON")
	}
	v, ok := jsonValue(doc)
	if !ok {
		return v, badLiteral(s, t, "DynamoDB keeps numbers of at most 38 digits")
	}
	return v, nil
}

func jsonValue(doc any) (dynamo.Value, bool) {
	switch d := doc.(type) {
	case nil:
		return dynamo.Null(), true
	case bool:
		return dynamo.Bool(d), true
	case string:
		return dynamo.String(d), true
	case json.Number:
		v, err := dynamo.Number(d.String())
		return v, err == nil
	case []any:
		var list []dynamo.Value
		for _, x := range d {
			v, ok := jsonValue(x)
			if !ok {
				return v, false
			}
			list = append(list, v)
		}
		return dynamo.List(list...), true
	case map[string]any:
		var attrs []dynamo.Attr
		for k, x := range d {
			v, ok := jsonValue(x)
			if !ok {
				return v, false
			}
			attrs = append(attrs, dynamo.Attr{Name: k, Value: v})
		}
		return dynamo.Map(dynamo.NewItem(attrs...)), true
	}
	panic("keyfold: internal error: unknown JSON value")
}
