package store

import (
	"bytes"
	"math"
	"testing"

	"github.com/keyfold-dev/keyfold/dynamo"
	"pgregory.net/rapid"
)

func number(t testing.TB, s string) dynamo.Value {
	v, err := dynamo.Number(s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestBuckets holds the hash to buckets of 4096 that were observed on the service.
func TestBuckets(t *testing.T) {
	str, num := []KeyAttribute{{"a", dynamo.TypeString}}, []KeyAttribute{{"a", dynamo.TypeNumber}}
	cases := []struct {
		attrs  []KeyAttribute
		text   string
		bucket uint64
	}{
		{str, "3635", 0}, {str, "228", 0}, {str, "1668", 1}, {str, "3435", 4}, {str, "2", 668}, {str, "8", 1017},
		{str, "9", 1103}, {str, "1", 1166}, {str, "6", 1380}, {str, "0", 2347}, {str, "5", 2385}, {str, "4", 2445},
		{str, "7", 3287}, {str, "3", 3332}, {num, "251", 1}, {num, "2388", 4095},
	}
	for _, c := range cases {
		v := dynamo.String(c.text)
		if c.attrs[0].Type == dynamo.TypeNumber {
			v = number(t, c.text)
		}
		tr := Tree{Partition: c.attrs}
		if got := tr.hash(dynamo.NewItem(dynamo.Attr{Name: "a", Value: v}), nil) >> 52; got != c.bucket {
			t.Errorf("%s %s in bucket %d, want %d", c.attrs[0].Type, c.text, got, c.bucket)
		}
		key, ok := tr.AppendKey(nil, dynamo.NewItem(dynamo.Attr{Name: "a", Value: v}))
		if !ok || !tr.Segment(int64(c.bucket), 4096).Contains(key) {
			t.Errorf("%s %s is not in segment %d", c.attrs[0].Type, c.text, c.bucket)
		}
	}
}

// TestBase100 checks the form of numbers that the service hashes by hand-made examples.
func TestBase100(t *testing.T) {
	for text, want := range map[string]string{
		"0": "\x80", "1": "\xc1\x02", "-1": "\x3e\x64\x66", "10": "\xc1\x0b", "100": "\xc2\x02", "12.5": "\xc1\x0d\x33",
		"0.5": "\xc0\x33", "0.05": "\xc0\x06", "251": "\xc2\x03\x34", "-12345": "\x3c\x64\x4e\x38\x66",
	} {
		if got := appendBase100(nil, number(t, text).Str()); string(got) != want {
			t.Errorf("%s: %x, want %x", text, got, want)
		}
	}
}

// Segments cover the hash space without gaps and without overlaps, whatever their number.
func TestSegments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr := Tree{ID: rapid.Uint32Range(0, math.MaxUint32).Draw(t, "id")}
		n := rapid.Int64Range(1, 6000).Draw(t, "segments")
		at := tr.All().Start
		for i := range n {
			r := tr.Segment(i, n)
			if !bytes.Equal(r.Start, at) {
				t.Fatalf("segment %d of %d starts at %x, the one before ends at %x", i, n, r.Start, at)
			}
			at = r.End
		}
		if !bytes.Equal(at, tr.All().End) {
			t.Fatalf("the last of %d segments ends at %x", n, at)
		}
	})
}

// A range contains the key of an item exactly if the item's sort attribute meets the
// condition that narrowed it.
func TestNarrow(t *testing.T) {
	text := rapid.Custom(func(t *rapid.T) dynamo.Value {
		return dynamo.String(rapid.StringOfN(rapid.RuneFrom([]rune("\x00\x01ab\xff")), 1, 4, -1).Draw(t, "text"))
	})
	num := rapid.Custom(func(t *rapid.T) dynamo.Value {
		return dynamo.Int(rapid.Int64Range(-120, 120).Draw(t, "number"))
	})
	rapid.Check(t, func(t *rapid.T) {
		kind, values := dynamo.TypeString, text
		if rapid.Bool().Draw(t, "numbers") {
			kind, values = dynamo.TypeNumber, num
		}
		tr := Tree{ID: 7, Partition: []KeyAttribute{{"p", dynamo.TypeString}}, Sort: []KeyAttribute{{"s", kind}},
			Base: []KeyAttribute{{"b", dynamo.TypeString}}}
		it := dynamo.NewItem(dynamo.Attr{Name: "p", Value: dynamo.String("p")}, dynamo.Attr{Name: "s", Value: values.Draw(t, "s")},
			dynamo.Attr{Name: "b", Value: text.Draw(t, "b")})
		key, _ := tr.AppendKey(nil, it)
		whole, _ := tr.PartitionRange(it, 0)
		bound, v := Bound(rapid.IntRange(0, 4).Draw(t, "bound")), values.Draw(t, "v")
		order, _ := dynamo.Compare(it.Get("s"), v)
		var want bool
		switch bound {
		case Below:
			want = order < 0
		case AtMost:
			want = order <= 0
		case AtLeast:
			want = order >= 0
		case Above:
			want = order > 0
		case StartsWith:
			if kind == dynamo.TypeNumber {
				t.Skip("numbers have no beginning")
			}
			want = len(it.Get("s").Str()) >= len(v.Str()) && it.Get("s").Str()[:len(v.Str())] == v.Str()
		}
		if got := whole.Narrow(whole.Start, bound, v).Contains(key); got != want {
			t.Fatalf("bound %d of %q: %q is in the range: %v", bound, v.Str(), it.Get("s").Str(), got)
		}
		if same, _ := tr.PartitionRange(it, 1); !same.Contains(key) {
			t.Fatal("an item is not in the range of its own sort key")
		}
		if whole.After(key, false).Contains(key) || whole.After(key, true).Contains(key) {
			t.Fatal("a range after a key contains the key")
		}
	})
}
