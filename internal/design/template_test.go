package design

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/diag"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// keyTypes are all types that can be a key component.
var keyTypes = []model.Type{
	{Kind: model.Text}, {Kind: model.Text, Length: 12},
	{Kind: model.Integer, Bits: 16}, {Kind: model.Integer}, {Kind: model.Integer, Bits: 64},
	{Kind: model.Decimal, Precision: 7, Scale: 2}, {Kind: model.Decimal, Precision: 3, Scale: 3},
	{Kind: model.Decimal, Precision: 5}, {Kind: model.Decimal}, {Kind: model.Float},
	{Kind: model.Boolean}, {Kind: model.Timestamp}, {Kind: model.TimestampTZ}, {Kind: model.Date}, {Kind: model.Time},
	{Kind: model.UUID}, {Kind: model.Bytes},
	{Kind: model.Enum, Name: "mood", Labels: []string{"sad", "ok", "happy", "o#k", "ok.", "", "a", "b", "c", "d", "e"}},
}

// awkward are texts that go wrong when delimiters, escapes, lengths or bytes are taken
// lightly.
var awkward = []string{"", "#", "$", "~", "=", "NY", "NYX", "NY#", "NY$", "NY$23", "#NY", "a b", " ", "\x01", "\t",
	"%", "_", "'", `"`, "\\", "é", "日本", "😀", "😀#", "-", "0", "00", "!", "\"", "A", "a", "\u007f", "\uffff"}

func textValue() *rapid.Generator[string] {
	return rapid.OneOf(rapid.SampledFrom(awkward), rapid.StringOfN(rapid.SampledFrom([]rune("ab#$ ~é😀")), 0, 5, -1))
}

// valueOf generates values of a type, many of them equal or close to one another.
func valueOf(t *rapid.T, typ model.Type) dynamo.Value {
	switch typ.Kind {
	case model.Text:
		return dynamo.String(textValue().Draw(t, "text"))
	case model.Integer:
		bits := max(typ.Bits, 16)
		if typ.Bits == 0 {
			bits = 32
		}
		most := int64(1)<<(bits-1) - 1
		return dynamo.Int(rapid.OneOf(rapid.Int64Range(-12, 12), rapid.SampledFrom([]int64{most, -most - 1, most - 1, 99, 100, -99, -100}),
			rapid.Int64Range(-most-1, most)).Draw(t, "int"))
	case model.Decimal, model.Float:
		return number(t, drawDecimal(t, typ))
	case model.Boolean:
		return dynamo.Bool(rapid.Bool().Draw(t, "bool"))
	case model.Timestamp, model.TimestampTZ, model.Date, model.Time:
		form := map[model.Kind]string{model.Timestamp: TimestampForm, model.TimestampTZ: TimestampTZForm,
			model.Date: DateForm, model.Time: TimeForm}[typ.Kind]
		at := time.UnixMicro(rapid.OneOf(rapid.Int64Range(-3, 3), rapid.Int64Range(-6e16, 2e17)).Draw(t, "µs")).UTC()
		return dynamo.String(at.Format(form))
	case model.UUID:
		b := rapid.SliceOfN(rapid.SampledFrom([]byte{0, 1, 0xfe, 0xff}), 16, 16).Draw(t, "uuid")
		s := hex.EncodeToString(b)
		return dynamo.String(s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:])
	case model.Bytes:
		return dynamo.Binary(rapid.SliceOfN(rapid.SampledFrom([]byte{0, 1, '#', '$', 0xff}), 0, 4).Draw(t, "bytes"))
	case model.Enum:
		return dynamo.String(rapid.SampledFrom(typ.Labels).Draw(t, "label"))
	}
	panic(typ.String())
}

func drawDecimal(t *rapid.T, typ model.Type) string {
	if typ.Precision == 0 {
		digits := rapid.StringMatching(`[0-9]{1,6}(\.[0-9]{1,6})?`).Draw(t, "digits")
		sign := rapid.SampledFrom([]string{"", "-"}).Draw(t, "sign")
		return sign + digits + "E" + fmt.Sprint(rapid.SampledFrom([]int{0, 0, 0, 1, -1, 3, 60, -60, 110, -110}).Draw(t, "exp"))
	}
	limit := int64(1)
	for range typ.Precision {
		limit *= 10
	}
	units := rapid.OneOf(rapid.Int64Range(-11, 11), rapid.Int64Range(-limit+1, limit-1)).Draw(t, "units")
	return fmt.Sprintf("%dE-%d", units, typ.Scale)
}

func number(t *rapid.T, s string) dynamo.Value {
	v, err := dynamo.Number(s)
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return v
}

// compareValues is the order that a column of the type has in SQL; NULL is the last.
func compareValues(typ model.Type, a, b dynamo.Value) int {
	switch {
	case a.IsNull() || b.IsNull():
		return cmp.Compare(boolInt(a.IsNull()), boolInt(b.IsNull()))
	case typ.Kind == model.Enum:
		return cmp.Compare(slices.Index(typ.Labels, a.Str()), slices.Index(typ.Labels, b.Str()))
	case typ.Kind == model.Boolean:
		return cmp.Compare(boolInt(a.IsTrue()), boolInt(b.IsTrue()))
	}
	c, _ := dynamo.Compare(a, b)
	return c
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// drawTemplate makes a template of one to three columns between labels.
func drawTemplate(t *rapid.T) Template {
	var tpl Template
	n := rapid.IntRange(1, 3).Draw(t, "columns")
	for i := range n {
		typ := rapid.SampledFrom(keyTypes).Draw(t, "type")
		lead := rapid.SampledFrom([]string{"", "L#"}).Draw(t, "label")
		if i > 0 {
			lead = Delimiter + lead
		}
		if lead != "" {
			tpl = append(tpl, Part{Literal: lead})
		}
		tpl = append(tpl, Part{Type: typ, Desc: rapid.Bool().Draw(t, "desc"), Nullable: rapid.Bool().Draw(t, "nullable"),
			Value: model.NewColumn(model.At(typ, diag.Pos{}), 0, "", fmt.Sprintf("c%d", i))})
	}
	if rapid.Bool().Draw(t, "tail") {
		tpl = append(tpl, Part{Literal: "#END"})
	}
	return tpl
}

func components(tpl Template) []Part {
	return slices.DeleteFunc(slices.Clone(tpl), func(p Part) bool { return p.Value == nil })
}

func drawRow(t *rapid.T, tpl Template) []dynamo.Value {
	var row []dynamo.Value
	for _, p := range components(tpl) {
		if p.Nullable && rapid.IntRange(0, 3).Draw(t, "null") == 0 {
			row = append(row, dynamo.Null())
			continue
		}
		row = append(row, valueOf(t, p.Type))
	}
	return row
}

func encodeRow(t *rapid.T, tpl Template, row []dynamo.Value) string {
	key, err := tpl.Encode(func(e model.Expr) (dynamo.Value, error) {
		return row[e.(*model.Column).Attribute[1]-'0'], nil
	})
	if err != nil {
		t.Fatalf("encode %v as %s: %v", row, tpl, err)
	}
	return key
}

// Keys are in the order of their component sequences, and equal only for equal ones.
func TestKeyOrderIsValueOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tpl := drawTemplate(t)
		a, b := drawRow(t, tpl), drawRow(t, tpl)
		for i := range a {
			if rapid.IntRange(0, 2).Draw(t, "same") > 0 {
				b[i] = a[i]
			} else {
				break
			}
		}
		want := 0
		for i, p := range components(tpl) {
			if want = compareValues(p.Type, a[i], b[i]); p.Desc {
				want = -want
			}
			if want != 0 {
				break
			}
		}
		x, y := encodeRow(t, tpl, a), encodeRow(t, tpl, b)
		if got := strings.Compare(x, y); got != want {
			t.Fatalf("%s: %v is %q, %v is %q: order %d, want %d", tpl, a, x, b, y, got, want)
		}
	})
}

func TestDecodeGivesTheValuesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tpl := drawTemplate(t)
		row := drawRow(t, tpl)
		key := encodeRow(t, tpl, row)
		got, err := tpl.Decode(key)
		if err != nil {
			t.Fatal(err)
		}
		for i := range row {
			if !dynamo.Equal(got[i], row[i]) {
				t.Fatalf("%s: %q: component %d is %v, was %v", tpl, key, i, got[i], row[i])
			}
		}
	})
}

// A prefix that ends at a component boundary begins the keys of the rows with those
// components, and no others; no component holds the delimiter.
func TestPrefixEndsAtComponent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tpl := drawTemplate(t)
		row, other := drawRow(t, tpl), drawRow(t, tpl)
		parts := components(tpl)
		n := rapid.IntRange(1, len(parts)).Draw(t, "fixed")
		for i := range n {
			if rapid.IntRange(0, 3).Draw(t, "same") > 0 {
				other[i] = row[i]
			}
		}
		head := prefixTemplate(tpl, n)
		prefix := encodeRow(t, head, row)
		want := true
		for i := range n {
			want = want && dynamo.Equal(row[i], other[i])
		}
		key := encodeRow(t, tpl, other)
		if n == len(parts) && len(tpl) == len(head) {
			if (key == prefix) != want {
				t.Fatalf("%s: %q and %q, want equal %v", tpl, prefix, key, want)
			}
			return
		}
		if got := strings.HasPrefix(key, prefix+Delimiter); got != want {
			t.Fatalf("%s: prefix %q of %q: %v, want %v", tpl, prefix, key, got, want)
		}
		for _, p := range parts[:n] {
			one := Template{p}
			if s := encodeRow(t, one, row); strings.Contains(s, Delimiter) {
				t.Fatalf("%s: %q holds the delimiter", one, s)
			}
		}
	})
}

// prefixTemplate is the template up to its n-th component.
func prefixTemplate(tpl Template, n int) Template {
	for i, p := range tpl {
		if p.Value != nil {
			if n--; n == 0 {
				return tpl[:i+1]
			}
		}
	}
	return tpl
}

// A Prefix component begins the encodings of the texts that begin with it, and no others.
func TestPrefixComponent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Part{Type: model.Type{}, Nullable: rapid.Bool().Draw(t, "nullable"), Desc: rapid.Bool().Draw(t, "desc"),
			Value: model.NewColumn(model.At(model.Type{}, diag.Pos{}), 0, "", "c0")}
		open := p
		open.Prefix = true
		text, start := textValue().Draw(t, "text"), textValue().Draw(t, "start")
		if rapid.Bool().Draw(t, "hit") {
			text = start + text
		}
		key := encodeRow(t, Template{p, {Literal: "#x"}}, []dynamo.Value{dynamo.String(text)})
		prefix := encodeRow(t, Template{open}, []dynamo.Value{dynamo.String(start)})
		if got, want := strings.HasPrefix(key, prefix), strings.HasPrefix(text, start); got != want {
			t.Fatalf("%s: %q begins with %q: %v, want %v", open, key, prefix, got, want)
		}
	})
}

// Beyond makes a bound that lies behind all keys with a component and before all keys with
// a greater one.
func TestBeyondEndsAComponent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tpl := Template{{Literal: "A#"}}
		typ := rapid.SampledFrom(keyTypes).Draw(t, "type")
		p := Part{Type: typ, Desc: rapid.Bool().Draw(t, "desc"), Value: model.NewColumn(model.At(typ, diag.Pos{}), 0, "", "c0")}
		full := append(slices.Clone(tpl), p)
		if rapid.Bool().Draw(t, "more") {
			full = append(full, Part{Literal: "#more"})
		}
		bound := append(append(slices.Clone(tpl), p), Part{Literal: Beyond})
		a, b := valueOf(t, typ), valueOf(t, typ)
		key := encodeRow(t, full, []dynamo.Value{a})
		end := encodeRow(t, bound, []dynamo.Value{b})
		want := compareValues(typ, a, b)
		if p.Desc {
			want = -want
		}
		if inside := key < end; inside != (want <= 0) {
			t.Fatalf("%s: %q against %q: inside %v, order %d", full, key, end, inside, want)
		}
	})
}

// A value that its type cannot hold is an error, not a key that breaks the order.
func TestEncodeRejects(t *testing.T) {
	for _, c := range []struct {
		typ model.Type
		v   dynamo.Value
	}{
		{model.Type{Kind: model.Integer}, dynamo.String("1")},
		{model.Type{Kind: model.Date}, dynamo.String("2026-1-1")},
		{model.Type{Kind: model.Timestamp}, dynamo.String("2026-01-01T00:00:00Z")},
		{model.Type{Kind: model.TimestampTZ}, dynamo.String("2026-01-01T00:00:00.000000")},
		{model.Type{Kind: model.Boolean}, dynamo.String("true")},
		{model.Type{Kind: model.Bytes}, dynamo.String("00")},
		{model.Type{Kind: model.JSON}, dynamo.String("{}")},
		{model.Type{Array: true}, dynamo.List()},
		{model.Type{}, dynamo.Null()},
		{model.Type{}, dynamo.Value{}},
	} {
		tpl := Template{{Type: c.typ, Value: model.NewLiteral(model.At(c.typ, diag.Pos{}), c.v)}}
		if key, err := tpl.Encode(func(model.Expr) (dynamo.Value, error) { return c.v, nil }); err == nil {
			t.Errorf("%s %v: encoded as %q", c.typ, c.v, key)
		}
	}
}

// A number that is compared with a column of a narrower type sorts between the column's
// values, and equals none.
func TestNumbersBetween(t *testing.T) {
	for _, c := range []struct {
		typ     model.Type
		numbers string // in ascending order; those that typ holds in brackets
	}{
		{model.Type{Kind: model.Integer, Bits: 16}, "-123456.5 -100000 [-32768] -10.5 [-10] [-9] -8.5 [-1] -0.5 [0] 0.001 [1] 8.5 [9] 9.5 [10] [32767] 123456"},
		{model.Type{Kind: model.Decimal, Precision: 4, Scale: 2}, "-100 -99.999 [-99.99] -0.015 [-0.01] -0.001 [0] 0.001 [0.01] [1] 1.005 [1.01] [99.99] 100"},
	} {
		for _, p := range []Part{{}, {Desc: true}, {Nullable: true}, {Desc: true, Nullable: true}} {
			p.Type, p.Value = c.typ, model.NewColumn(model.At(c.typ, diag.Pos{}), 0, "", "c0")
			checkBetween(t, Template{p, {Literal: Delimiter}}, p.Desc, strings.Fields(c.numbers))
		}
	}
}

func checkBetween(t *testing.T, tpl Template, desc bool, numbers []string) {
	before, heldBefore := "", false
	for _, n := range numbers {
		v, err := dynamo.Number(strings.Trim(n, "[]"))
		if err != nil {
			t.Fatal(err)
		}
		key, err := tpl.Encode(func(model.Expr) (dynamo.Value, error) { return v, nil })
		if err != nil {
			t.Fatal(err)
		}
		// Two numbers outside the type on the same side are spelled alike.
		held := strings.HasPrefix(n, "[")
		if before != "" && (key != before && key < before != desc || key == before && (held || heldBefore)) {
			t.Errorf("%s: %s is %q behind %q", tpl, n, key, before)
		}
		before, heldBefore = key, held
	}
}

func FuzzDecode(f *testing.F) {
	f.Add("A#0000000001#x", uint8(3))
	f.Add("~", uint8(0))
	f.Add("-", uint8(8))
	f.Fuzz(func(t *testing.T, key string, which uint8) {
		typ := keyTypes[int(which)%len(keyTypes)]
		for _, p := range []Part{{}, {Desc: true}, {Nullable: true}, {Desc: true, Nullable: true}} {
			p.Type, p.Value = typ, model.NewColumn(model.At(typ, diag.Pos{}), 0, "", "c0")
			tpl := Template{{Literal: "A#"}, p, {Literal: "#x"}}
			_, _ = tpl.Decode(key)
			_, _ = tpl.Decode("A#" + key + "#x")
		}
	})
}
