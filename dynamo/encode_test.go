package dynamo_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/keyfold-dev/keyfold/dynamo"
	"pgregory.net/rapid"
)

// drawText draws strings in which the bytes that encodings treat specially are common.
func drawText() *rapid.Generator[string] {
	return rapid.OneOf(rapid.String(), rapid.StringMatching(`[ab]{0,3}`),
		rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]byte{0, 1, 'a', 0xFE, 0xFF}), 0, 4),
			func(b []byte) string { return string(b) }))
}

func drawScalar() *rapid.Generator[dynamo.Value] {
	return rapid.OneOf(
		rapid.Just(dynamo.Null()),
		rapid.Map(rapid.Bool(), dynamo.Bool),
		drawNumber(),
		rapid.Map(drawText(), dynamo.String),
		rapid.Map(drawText(), func(s string) dynamo.Value { return dynamo.Binary([]byte(s)) }),
	)
}

func drawSet() *rapid.Generator[dynamo.Value] {
	return rapid.Custom(func(t *rapid.T) dynamo.Value {
		var v dynamo.Value
		var err error
		switch rapid.IntRange(0, 2).Draw(t, "kind of set") {
		case 0:
			v, err = dynamo.StringSet(rapid.SliceOfNDistinct(drawText(), 1, 4, rapid.ID[string]).Draw(t, "strings")...)
		case 1:
			v, err = dynamo.NumberSet(rapid.SliceOfNDistinct(drawNumber(), 1, 4, dynamo.Value.Str).Draw(t, "numbers"))
		default:
			var elems [][]byte
			for _, s := range rapid.SliceOfNDistinct(drawText(), 1, 4, rapid.ID[string]).Draw(t, "binaries") {
				elems = append(elems, []byte(s))
			}
			v, err = dynamo.BinarySet(elems)
		}
		if err != nil {
			t.Fatal(err)
		}
		return v
	})
}

func drawValue(depth int) *rapid.Generator[dynamo.Value] {
	if depth == 0 {
		return drawScalar()
	}
	return rapid.OneOf(drawScalar(), drawSet(),
		rapid.Map(rapid.SliceOfN(drawValue(depth-1), 0, 4), func(vs []dynamo.Value) dynamo.Value { return dynamo.List(vs...) }),
		rapid.Map(drawItem(depth-1), dynamo.Map))
}

func drawItem(depth int) *rapid.Generator[dynamo.Item] {
	return rapid.Custom(func(t *rapid.T) dynamo.Item {
		var attrs []dynamo.Attr
		for _, name := range rapid.SliceOfN(drawText(), 0, 5).Draw(t, "names") {
			attrs = append(attrs, dynamo.Attr{Name: name, Value: drawValue(depth).Draw(t, "value")})
		}
		return dynamo.NewItem(attrs...)
	})
}

func TestItemRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		it := drawItem(3).Draw(t, "item")
		encoded := dynamo.AppendItem([]byte("before"), it)[len("before"):]
		got, err := dynamo.DecodeItem(encoded)
		if err != nil || !dynamo.EqualItems(got, it) {
			t.Fatalf("got %v, %v", got, err)
		}
		if again := dynamo.AppendItem(nil, got); !bytes.Equal(again, encoded) {
			t.Fatalf("encoded again as %x, first as %x", again, encoded)
		}
		if size, err := dynamo.EncodedItemSize(encoded); err != nil || size != dynamo.ItemSize(it) {
			t.Fatalf("encoded size %d, %v; size %d", size, err, dynamo.ItemSize(it))
		}
		for _, name := range append([]string{"", "a", "\xff"}, names(it)...) {
			v, err := dynamo.Lookup(encoded, name)
			if err != nil || !dynamo.Equal(v, it.Get(name)) {
				t.Fatalf("Lookup(%q) = %v, %v", name, v, err)
			}
		}
	})
}

func names(it dynamo.Item) (names []string) {
	for _, a := range it {
		names = append(names, a.Name)
	}
	return names
}

func TestValueRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := drawValue(2).Draw(t, "value")
		got, err := dynamo.DecodeValue(dynamo.AppendValue(nil, v))
		if err != nil || !dynamo.Equal(got, v) {
			t.Fatalf("got %v, %v", got, err)
		}
	})
}

// A decoded item keeps nothing of the bytes it was decoded from.
func TestDecodeItemCopies(t *testing.T) {
	encoded := dynamo.AppendItem(nil, dynamo.NewItem(dynamo.Attr{Name: "name", Value: dynamo.String("text")}))
	it, err := dynamo.DecodeItem(encoded)
	if err != nil {
		t.Fatal(err)
	}
	clear(encoded)
	if it[0].Name != "name" || it[0].Value.Str() != "text" {
		t.Errorf("the item changed: %v", it)
	}
}

func TestDecodeMalformed(t *testing.T) {
	it := dynamo.NewItem(
		dynamo.Attr{Name: "list", Value: dynamo.List(dynamo.Int(1), dynamo.Bool(true))},
		dynamo.Attr{Name: "map", Value: dynamo.Map(dynamo.NewItem(dynamo.Attr{Name: "x", Value: dynamo.Null()}))},
	)
	encoded := dynamo.AppendItem(nil, it)
	for n := range encoded {
		if _, err := dynamo.DecodeItem(encoded[:n]); err == nil {
			t.Errorf("decoded the first %d of %d bytes", n, len(encoded))
		}
	}
	if _, err := dynamo.DecodeItem(append(encoded, 0)); err == nil {
		t.Error("decoded with a byte too many")
	}
	if _, err := dynamo.DecodeItem(append([]byte{2}, encoded[1:]...)); err == nil {
		t.Error("decoded a version from the future")
	}
	deep := dynamo.List()
	for range dynamo.MaxDepth + 2 {
		deep = dynamo.List(deep)
	}
	if _, err := dynamo.DecodeValue(dynamo.AppendValue(nil, deep)); err == nil {
		t.Error("decoded deeper than is allowed")
	}
}

// Whatever can be decoded is a proper item: it survives a round trip.
func FuzzDecodeItem(f *testing.F) {
	f.Add(dynamo.AppendItem(nil, dynamo.NewItem(
		dynamo.Attr{Name: "a", Value: dynamo.List(dynamo.Int(1), dynamo.Null())},
		dynamo.Attr{Name: "b", Value: dynamo.Map(dynamo.NewItem(dynamo.Attr{Name: "c", Value: dynamo.String("x")}))},
	)))
	f.Fuzz(func(t *testing.T, src []byte) {
		it, err := dynamo.DecodeItem(src)
		size, sizeErr := dynamo.EncodedItemSize(src)
		if err != nil {
			return
		}
		if sizeErr != nil || size != dynamo.ItemSize(it) {
			t.Fatalf("encoded size %d, %v; size %d", size, sizeErr, dynamo.ItemSize(it))
		}
		again, err := dynamo.DecodeItem(dynamo.AppendItem(nil, it))
		if err != nil || !dynamo.EqualItems(again, it) {
			t.Fatalf("%v, then %v, %v", it, again, err)
		}
	})
}

func drawKey(typ dynamo.Type) *rapid.Generator[dynamo.Value] {
	switch typ {
	case dynamo.TypeNumber:
		return drawNumber()
	case dynamo.TypeString:
		return rapid.Map(drawText(), dynamo.String)
	}
	return rapid.Map(drawText(), func(s string) dynamo.Value { return dynamo.Binary([]byte(s)) })
}

// Keys of several values order value by value, and can be taken apart again.
func TestKeyEncoding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		types := rapid.SliceOfN(rapid.SampledFrom([]dynamo.Type{"S", "N", "B"}), 1, 3).Draw(t, "types")
		want := 0
		var a, b []byte
		var values []dynamo.Value
		for _, typ := range types {
			x := drawKey(typ).Draw(t, "x")
			y := rapid.OneOf(rapid.Just(x), drawKey(typ)).Draw(t, "y")
			a, b = dynamo.AppendKey(a, x), dynamo.AppendKey(b, y)
			values = append(values, x)
			if c, ok := dynamo.Compare(x, y); want == 0 {
				want = c
			} else if !ok {
				t.Fatal("keys have no order")
			}
		}
		if got := bytes.Compare(a, b); got != want {
			t.Fatalf("%x and %x order as %d, want %d", a, b, got, want)
		}
		for i, typ := range types {
			v, rest, err := dynamo.DecodeKey(a, typ)
			if err != nil || !dynamo.Equal(v, values[i]) {
				t.Fatalf("value %d: %v, %v", i, v, err)
			}
			a = rest
		}
		if len(a) > 0 {
			t.Fatalf("%d bytes left", len(a))
		}
	})
}

func TestNumberKeyLength(t *testing.T) {
	for _, s := range []string{strings.Repeat("9", 38), "-0." + strings.Repeat("9", 38), "9." + strings.Repeat("9", 37) + "e125"} {
		v, err := dynamo.Number(s)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(dynamo.AppendKey(nil, v)); n > 22 {
			t.Errorf("the key of %s has %d bytes", s, n)
		}
	}
}

func FuzzDecodeKey(f *testing.F) {
	f.Add([]byte{3, 130, 16, 0})
	f.Add([]byte("a\x00\xffb\x00\x01"))
	f.Fuzz(func(t *testing.T, src []byte) {
		for _, typ := range []dynamo.Type{"S", "N", "B"} {
			v, rest, err := dynamo.DecodeKey(src, typ)
			if err != nil {
				continue
			}
			if again := dynamo.AppendKey(nil, v); !bytes.Equal(again, src[:len(src)-len(rest)]) {
				t.Fatalf("%x decoded as %v, encoded as %x", src, v, again)
			}
		}
	})
}

var benchmarkItem = dynamo.NewItem(
	dynamo.Attr{Name: "PK", Value: dynamo.String("CUSTOMER#1234567")},
	dynamo.Attr{Name: "SK", Value: dynamo.String("ORDER#2026-11-21#0001")},
	dynamo.Attr{Name: "amount", Value: dynamo.Int(129900)},
	dynamo.Attr{Name: "status", Value: dynamo.String("OPEN")},
	dynamo.Attr{Name: "paid", Value: dynamo.Bool(false)},
	dynamo.Attr{Name: "note", Value: dynamo.Null()},
	dynamo.Attr{Name: "items", Value: dynamo.List(dynamo.String("a"), dynamo.String("b"))},
)

func BenchmarkDecodeItem(b *testing.B) {
	encoded := dynamo.AppendItem(nil, benchmarkItem)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := dynamo.DecodeItem(encoded); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendItem(b *testing.B) {
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		buf = dynamo.AppendItem(buf[:0], benchmarkItem)
	}
}

func BenchmarkLookup(b *testing.B) {
	encoded := dynamo.AppendItem(nil, benchmarkItem)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := dynamo.Lookup(encoded, "status"); err != nil {
			b.Fatal(err)
		}
	}
}
