package dynamo_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/cockroachdb/apd/v3"
	"github.com/keyfold-dev/keyfold/dynamo"
	"pgregory.net/rapid"
)

// drawNumber draws numbers of every size, with a liking for the edges of what is allowed.
func drawNumber() *rapid.Generator[dynamo.Value] {
	return rapid.Custom(func(t *rapid.T) dynamo.Value {
		digits := rapid.StringMatching(`[1-9][0-9]{0,37}|0|9{38}|10{0,37}`).Draw(t, "digits")
		lowest, highest := -130, 126-len(digits)
		exponent := rapid.OneOf(rapid.IntRange(max(lowest, -5), 5), rapid.IntRange(lowest, highest),
			rapid.SampledFrom([]int{lowest, highest, -len(digits)})).Draw(t, "exponent")
		sign := rapid.SampledFrom([]string{"", "-"}).Draw(t, "sign")
		v, err := dynamo.Number(sign + digits + "e" + dynamo.Int(int64(exponent)).Str())
		if err != nil {
			t.Fatal(err)
		}
		return v
	})
}

func decimalOf(t interface{ Fatal(...any) }, v dynamo.Value) *apd.Decimal {
	d, _, err := apd.NewFromString(v.Str())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestNumberText(t *testing.T) {
	for in, want := range map[string]string{
		"0": "0", "-0": "0", "0.000": "0", "+0e125": "0", "0e-130": "0", "1": "1", "+1": "1", "-1": "-1", "007": "7",
		"1.0": "1", "3.1400": "3.14", ".5": "0.5", "5.": "5", "-.50": "-0.5", "100": "100", "1E+2": "100",
		"1.5E2": "150", "120e-1": "12", "1e-3": "0.001", "0.00000000000000000000000000000000000001": "0." + strings.Repeat("0", 37) + "1",
		"1E125":                                  "1" + strings.Repeat("0", 125),
		"1E-130":                                 "0." + strings.Repeat("0", 129) + "1",
		"99999999999999999999999999999999999999": "99999999999999999999999999999999999999",
		"999999999999999999999999999999999999990":                   "999999999999999999999999999999999999990",
		"9.9999999999999999999999999999999999999E+125":              strings.Repeat("9", 38) + strings.Repeat("0", 88),
		strings.Repeat("0", 500) + "1.5" + strings.Repeat("0", 500): "1.5",
	} {
		v, err := dynamo.Number(in)
		if err != nil || v.Str() != want {
			t.Errorf("Number(%q) = %q, %v; want %q", in, v.Str(), err, want)
		}
	}
}

func TestNumberErrors(t *testing.T) {
	for in, want := range map[string]string{
		"":      "The parameter cannot be converted to a numeric value: ",
		"b":     "The parameter cannot be converted to a numeric value: b",
		" 1":    "The parameter cannot be converted to a numeric value:  1",
		"1 ":    "The parameter cannot be converted to a numeric value: 1 ",
		"--1":   "The parameter cannot be converted to a numeric value: --1",
		".":     "The parameter cannot be converted to a numeric value: .",
		"1.2.3": "The parameter cannot be converted to a numeric value: 1.2.3",
		"1e":    "The parameter cannot be converted to a numeric value: 1e",
		"1e1.0": "The parameter cannot be converted to a numeric value: 1e1.0",
		"0x10":  "The parameter cannot be converted to a numeric value: 0x10",
		"NaN":   "The parameter cannot be converted to a numeric value: NaN",
		"123456789012345678901234567890123456789":   "Attempting to store more than 38 significant digits in a Number",
		"-1.23456789012345678901234567890123456789": "Attempting to store more than 38 significant digits in a Number",
		"1e126":                  "Number overflow. Attempting to store a number with magnitude larger than supported range",
		"-1e126":                 "Number overflow. Attempting to store a number with magnitude larger than supported range",
		"1e-131":                 "Number underflow. Attempting to store a number with magnitude smaller than supported range",
		"-1e-131":                "Number underflow. Attempting to store a number with magnitude smaller than supported range",
		"1e9223372036854775807":  "Number overflow. Attempting to store a number with magnitude larger than supported range",
		"1e-9223372036854775807": "Number underflow. Attempting to store a number with magnitude smaller than supported range",
		"1e9223372036854775808":  "The parameter cannot be converted to a numeric value: 1e9223372036854775808",
		"0e126":                  "Number overflow. Attempting to store a number with magnitude larger than supported range",
		"0e-131":                 "Number underflow. Attempting to store a number with magnitude smaller than supported range",
	} {
		_, err := dynamo.Number(in)
		if got := message(err); got != "ValidationException: "+want {
			t.Errorf("Number(%q): %q; want %q", in, got, want)
		}
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// Canonical text means the same number, and is its own canonical text.
func TestNumberCanonical(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.StringMatching(`[+-]?0{0,3}[0-9]{0,20}(\.[0-9]{0,20})?([eE][+-]?[0-9]{1,3})?`).Draw(t, "text")
		v, err := dynamo.Number(in)
		d, _, apdErr := apd.NewFromString(in)
		if apdErr != nil {
			if err == nil {
				t.Fatalf("%q is no number, but became %q", in, v.Str())
			}
			return
		}
		if err != nil {
			d.Reduce(d)
			if d.IsZero() {
				return // its exponent counts, and apd has dropped it
			}
			if exp := d.NumDigits() + int64(d.Exponent) - 1; d.NumDigits() <= 38 && exp <= 125 && exp >= -130 {
				t.Fatalf("%q: %v", in, err)
			}
			return
		}
		if decimalOf(t, v).Cmp(d) != 0 {
			t.Fatalf("%q became %q", in, v.Str())
		}
		again, err := dynamo.Number(v.Str())
		if err != nil || again.Str() != v.Str() {
			t.Fatalf("%q became %q, then %q, %v", in, v.Str(), again.Str(), err)
		}
	})
}

func TestNumberOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawNumber().Draw(t, "a"), drawNumber().Draw(t, "b")
		want := decimalOf(t, a).Cmp(decimalOf(t, b))
		if got := dynamo.CompareNumbers(a, b); got != want {
			t.Fatalf("CompareNumbers(%s, %s) = %d, want %d", a.Str(), b.Str(), got, want)
		}
		if got := bytes.Compare(dynamo.AppendKey(nil, a), dynamo.AppendKey(nil, b)); got != want {
			t.Fatalf("keys of %s and %s order as %d, want %d", a.Str(), b.Str(), got, want)
		}
		if dynamo.Equal(a, b) != (want == 0) {
			t.Fatalf("Equal(%s, %s)", a.Str(), b.Str())
		}
	})
}

func TestNumberArithmetic(t *testing.T) {
	exact := apd.Context{Precision: 400, MaxExponent: apd.MaxExponent, MinExponent: apd.MinExponent}
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawNumber().Draw(t, "a"), drawNumber().Draw(t, "b")
		var want apd.Decimal
		got, err := dynamo.Add(a, b)
		_, _ = exact.Add(&want, decimalOf(t, a), decimalOf(t, b))
		if rapid.Bool().Draw(t, "subtract") {
			got, err = dynamo.Sub(a, b)
			_, _ = exact.Sub(&want, decimalOf(t, a), decimalOf(t, b))
		}
		stored, wantErr := dynamo.Number(want.Text('E'))
		if message(err) != message(wantErr) || got.Str() != stored.Str() {
			t.Fatalf("%s, %s: got %s, %v; want %s, %v", a.Str(), b.Str(), got.Str(), err, stored.Str(), wantErr)
		}
	})
}

func TestSmallSums(t *testing.T) {
	for _, c := range []struct{ a, b, sum, difference string }{
		{"1", "2", "3", "-1"},
		{"0.1", "0.2", "0.3", "-0.1"},
		{"999999999999999999", "1", "1000000000000000000", "999999999999999998"},
		{"9223372036854775807", "1", "9223372036854775808", "9223372036854775806"},
		{"-5", "5", "0", "-10"},
		{"1E-130", "-1E-130", "0", "0." + strings.Repeat("0", 129) + "2"},
	} {
		a, _ := dynamo.Number(c.a)
		b, _ := dynamo.Number(c.b)
		sum, err := dynamo.Add(a, b)
		difference, err2 := dynamo.Sub(a, b)
		if err != nil || err2 != nil || sum.Str() != c.sum || difference.Str() != c.difference {
			t.Errorf("%s and %s: %s (%v), %s (%v)", c.a, c.b, sum.Str(), err, difference.Str(), err2)
		}
	}
}

func TestInt(t *testing.T) {
	for _, i := range []int64{0, -1, math.MaxInt64, math.MinInt64} {
		v, err := dynamo.Number(dynamo.Int(i).Str())
		if err != nil || !dynamo.Equal(v, dynamo.Int(i)) {
			t.Errorf("Int(%d) = %s, %v", i, v.Str(), err)
		}
	}
}

func FuzzNumber(f *testing.F) {
	for _, s := range []string{"0", "-1.5e-10", "1e125", "00.100", "1e999999999999"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, err := dynamo.Number(s)
		if err != nil {
			return
		}
		got, rest, err := dynamo.DecodeKey(dynamo.AppendKey(nil, v), dynamo.TypeNumber)
		if err != nil || len(rest) > 0 || !dynamo.Equal(got, v) {
			t.Fatalf("%q: %q, %v", s, got.Str(), err)
		}
	})
}

var benchmarkNumber dynamo.Value

func BenchmarkNumber(b *testing.B) {
	for _, s := range []string{"42", "1234567.89", "1.5E2", strings.Repeat("7", 38)} {
		b.Run(s, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				benchmarkNumber, _ = dynamo.Number(s)
			}
		})
	}
}

func BenchmarkAppendKeyNumber(b *testing.B) {
	v, _ := dynamo.Number("1234567.89")
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		buf = dynamo.AppendKey(buf[:0], v)
	}
}
