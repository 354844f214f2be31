package dynamo_test

import (
	"testing"

	"github.com/keyfold-dev/keyfold/dynamo"
	"pgregory.net/rapid"
)

func TestSetErrors(t *testing.T) {
	one, _ := dynamo.Number("1")
	same, _ := dynamo.Number("1.0")
	const invalid = "ValidationException: One or more parameter values were invalid: "
	for _, c := range []struct {
		name, want string
		make       func() (dynamo.Value, error)
	}{
		{"no strings", invalid + "An string set  may not be empty",
			func() (dynamo.Value, error) { return dynamo.StringSet() }},
		{"no numbers", invalid + "An number set  may not be empty",
			func() (dynamo.Value, error) { return dynamo.NumberSet(nil) }},
		{"no binaries", invalid + "Binary sets should not be empty",
			func() (dynamo.Value, error) { return dynamo.BinarySet(nil) }},
		{"strings twice", invalid + "Input collection [\"a\", \"b\", \"b\"] contains duplicates.",
			func() (dynamo.Value, error) { return dynamo.StringSet("b", "a", "b") }},
		{"numbers twice", invalid + "Input collection contains duplicates.",
			func() (dynamo.Value, error) { return dynamo.NumberSet([]dynamo.Value{one, same}) }},
		{"binaries twice", invalid + "Input collection [\"Yg==\",\"Yg==\"]of type BS contains duplicates.",
			func() (dynamo.Value, error) { return dynamo.BinarySet([][]byte{{'b'}, {'b'}}) }},
		{"empty strings", "", func() (dynamo.Value, error) { return dynamo.StringSet("", "a") }},
	} {
		if _, err := c.make(); message(err) != c.want {
			t.Errorf("%s: %q, want %q", c.name, message(err), c.want)
		}
	}
}

// Sets behave as Go maps do.
func TestSetAlgebra(t *testing.T) {
	elems := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"", "a", "b", "ab", "c"}), 1, 5, rapid.ID[string])
	rapid.Check(t, func(t *rapid.T) {
		xs, ys := elems.Draw(t, "a"), elems.Draw(t, "b")
		a, errA := dynamo.StringSet(xs...)
		b, errB := dynamo.StringSet(ys...)
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		union, difference := dynamo.Union(a, b), dynamo.Difference(a, b)
		for _, s := range []string{"", "a", "b", "ab", "c"} {
			e := dynamo.String(s)
			inA, inB := dynamo.HasElement(a, e), dynamo.HasElement(b, e)
			if dynamo.HasElement(union, e) != (inA || inB) || dynamo.HasElement(difference, e) != (inA && !inB) {
				t.Fatalf("%q in %v, %v: %v, %v", s, xs, ys, union, difference)
			}
		}
		if len(union.Elements()) > 5 || difference.IsSet() && len(difference.Elements()) == 0 {
			t.Fatalf("union %v, difference %v", union, difference)
		}
		if !dynamo.Equal(union, dynamo.Union(b, a)) {
			t.Fatal("the order of a union matters")
		}
	})
}

func TestEqual(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, w := drawValue(2).Draw(t, "v"), drawValue(2).Draw(t, "w")
		if !dynamo.Equal(v, v) || dynamo.Equal(v, dynamo.Value{}) {
			t.Fatal("a value does not equal itself alone")
		}
		same := string(dynamo.AppendValue(nil, v)) == string(dynamo.AppendValue(nil, w))
		if dynamo.Equal(v, w) != same {
			t.Fatalf("Equal = %t, same encoding %t", !same, same)
		}
		if c, ok := dynamo.Compare(v, w); ok && (c == 0) != dynamo.Equal(v, w) {
			t.Fatalf("Compare = %d, Equal = %t", c, dynamo.Equal(v, w))
		}
	})
}
