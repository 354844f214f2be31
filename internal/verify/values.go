package verify

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/exec"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// stems are texts that go wrong when delimiters, escapes, wildcards, bytes or boundaries
// of components are taken lightly. Many begin one another.
var stems = []string{"", "NY", "NYX", "NY#", "NY#1", "NY$", "NY$23", "N", "ny", "a", "ab", "a#b", "a b", "#", "$", "%", "_",
	"50%", "a_b", "~", "=", "'", `"`, `\`, "O'Neil", "é", "e\u0301", "日本", "😀", "😀😀", "-1", "10", "9", "09", "!", "\u007f",
	"tab\there", "METADATA", "P#1", "null", "true", " lead", "trail ", "A", "Z", "z", "\uffff"}

func choose[T any](g *generator, list []T) T { return list[g.rng.IntN(len(list))] }

// value makes a value of a type.
func (g *generator) value(t model.Type) dynamo.Value {
	if t.Array {
		t.Array = false
		list := make([]dynamo.Value, g.rng.IntN(4))
		for i := range list {
			list[i] = g.value(t)
		}
		return dynamo.List(list...)
	}
	switch t.Kind {
	case model.Text:
		return dynamo.String(g.text(t.Length))
	case model.Integer:
		return dynamo.Int(g.integer(t.Bits))
	case model.Decimal, model.Float:
		return g.decimal(t)
	case model.Boolean:
		return dynamo.Bool(g.rng.IntN(2) == 0)
	case model.Timestamp, model.TimestampTZ, model.Date, model.Time:
		return g.time(t)
	case model.UUID:
		return g.uuid()
	case model.Bytes:
		return dynamo.Binary([]byte(choose(g, []string{"", "\x00", "\x00\x01", "#", "\xff", "\xff\x00", "abc"})))
	case model.Enum:
		return dynamo.String(choose(g, t.Labels))
	case model.JSON:
		return must(exec.ParseValue(t, choose(g, []string{`{}`, `[]`, `{"a":1}`, `{"b":[true,"x"],"a":null}`, `"text"`, `12.5`, `true`})))
	}
	panic("keyfold: internal error: no values for " + t.String())
}

func must(v dynamo.Value, err error) dynamo.Value {
	if err != nil {
		panic("keyfold: internal error: " + err.Error())
	}
	return v
}

// text is a stem, a stem with more behind it, or a few letters, at most length characters.
func (g *generator) text(length int) string {
	s := choose(g, stems)
	switch g.rng.IntN(3) {
	case 0:
		s += choose(g, stems)
	case 1:
		s = fmt.Sprintf("%s%d", s, g.rng.IntN(1000))
	}
	if length > 0 && utf8.RuneCountInString(s) > length {
		s = string([]rune(s)[:length])
	}
	return s
}

func (g *generator) integer(bits int) int64 {
	if g.plain || g.rng.IntN(3) > 0 {
		return int64(g.rng.IntN(30) - 9)
	}
	if bits == 0 {
		bits = 32
	}
	most := int64(1)<<(bits-1) - 1
	return choose(g, []int64{most, -most - 1, most - 1, 99, 100, 1000, -100, -1000, 0, g.rng.Int64N(most), -g.rng.Int64N(most)})
}

// decimal has at most 15 digits, so that a binary float tells all of them apart. When
// statements compute, the fraction is one that a float holds exactly.
func (g *generator) decimal(t model.Type) dynamo.Value {
	whole := 4
	scale := 3
	if t.Kind == model.Decimal && t.Precision > 0 {
		scale = min(t.Scale, 6)
		whole = min(t.Precision-t.Scale, 15-scale)
	}
	limit := int64(1)
	for range whole {
		limit *= 10
	}
	n := g.rng.Int64N(min(limit, 40)+1) - 10
	if !g.plain && g.rng.IntN(3) == 0 {
		n = g.rng.Int64N(limit)
	}
	if n <= -limit || n >= limit {
		n = 0
	}
	fraction := choose(g, []string{"", ".5", ".25", ".75"})
	if !g.plain {
		fraction = choose(g, []string{"", ".1", ".01", ".99", ".5", ".123456"})
	}
	s := fmt.Sprint(n) + fraction[:min(len(fraction), scale+1)]
	return must(dynamo.Number(strings.TrimSuffix(s, ".")))
}

// longer puts something behind a text, so that a key cut off at the wrong place matches
// more than it should. Other values are new.
func (g *generator) longer(t model.Type, v dynamo.Value) dynamo.Value {
	if t.Kind != model.Text || t.Array {
		return g.value(t)
	}
	s := v.Str() + choose(g, []string{"X", "#", "#1", "$", " ", "0", "é", "%"})
	if t.Length > 0 && utf8.RuneCountInString(s) > t.Length {
		return g.value(t)
	}
	return dynamo.String(s)
}

// zones are those that times are written in before they are brought to UTC.
var zones = []string{"Z", "+02:00", "-07:30"}

func (g *generator) time(t model.Type) dynamo.Value {
	at := time.Date(2026, 2, 27, 22, 0, 0, 0, time.UTC).Add(time.Duration(g.rng.IntN(60)) * time.Hour)
	switch g.rng.IntN(4) {
	case 0:
		at = at.Add(time.Duration(g.rng.IntN(3)) * time.Microsecond)
	case 1:
		at = choose(g, []time.Time{time.Date(1969, 12, 31, 23, 59, 59, 999999000, time.UTC), time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC),
			time.Date(9999, 12, 31, 12, 0, 0, 0, time.UTC), time.Date(2000, 2, 29, 0, 0, 0, 0, time.UTC)})
	}
	switch t.Kind {
	case model.Date:
		return must(exec.ParseValue(t, at.Format("2006-01-02")))
	case model.Time:
		return must(exec.ParseValue(t, at.Format("15:04:05.999999")))
	}
	zone := "Z"
	if at.Year() > 1 && at.Year() < 9999 {
		zone = choose(g, zones)
	}
	return must(exec.ParseValue(t, at.Format("2006-01-02T15:04:05.999999")+zone))
}

// uuid is of version 4, as gen_random_uuid() makes them.
func (g *generator) uuid() dynamo.Value {
	b := make([]byte, 16)
	for i := range b {
		b[i] = byte(g.rng.Uint32())
	}
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	s := hex.EncodeToString(b)
	return must(exec.ParseValue(model.Type{Kind: model.UUID}, s))
}

// moment is the time of a call.
func (g *generator) moment() time.Time {
	return time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(g.rng.IntN(1e9)) * time.Microsecond)
}

// near changes a value a little: a longer or shorter text, a neighbour of a number.
func (g *generator) near(t model.Type, v dynamo.Value) dynamo.Value {
	switch {
	case t.Array || v.IsAbsent() || v.IsNull():
		return v
	case t.Kind == model.Text:
		s := []rune(v.Str())
		switch g.rng.IntN(4) {
		case 0:
			s = s[:len(s)/2]
		case 1:
			s = append(s, '#')
		case 2:
			s = append(s, []rune(choose(g, stems))...)
		default:
			s = []rune(strings.ToUpper(string(s)))
		}
		if t.Length > 0 && len(s) > t.Length {
			s = s[:t.Length]
		}
		return dynamo.String(string(s))
	case t.Kind == model.Integer:
		step := dynamo.Int(int64(1 - 2*g.rng.IntN(2)))
		if w, err := dynamo.Add(v, step); err == nil && exec.CheckValue(t, w) == nil {
			return w
		}
		return v
	}
	return g.value(t)
}

// spell prints a value so that equal values of one type give equal text.
func spell(v dynamo.Value) string {
	switch v.Type() {
	case dynamo.Absent, dynamo.TypeNull:
		return "NULL"
	case dynamo.TypeBool:
		return fmt.Sprint(v.IsTrue())
	case dynamo.TypeNumber:
		return v.Str()
	case dynamo.TypeString:
		return "'" + strings.ReplaceAll(v.Str(), "'", "''") + "'"
	case dynamo.TypeBinary:
		return "X'" + hex.EncodeToString([]byte(v.Str())) + "'"
	}
	return "'" + strings.ReplaceAll(jsonOf(v), "'", "''") + "'"
}

// jsonOf prints a value as JSON with sorted names.
func jsonOf(v dynamo.Value) string {
	var parts []string
	switch v.Type() {
	case dynamo.TypeMap:
		for _, a := range v.Fields() {
			parts = append(parts, quoteJSON(a.Name)+":"+jsonOf(a.Value))
		}
		slices.Sort(parts)
		return "{" + strings.Join(parts, ",") + "}"
	case dynamo.TypeList:
		for _, el := range v.Elements() {
			parts = append(parts, jsonOf(el))
		}
		return "[" + strings.Join(parts, ",") + "]"
	case dynamo.TypeString:
		return quoteJSON(v.Str())
	case dynamo.TypeBinary:
		return quoteJSON(hex.EncodeToString([]byte(v.Str())))
	case dynamo.TypeNull, dynamo.Absent:
		return "null"
	}
	return spell(v)
}
