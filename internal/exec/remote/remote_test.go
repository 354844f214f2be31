package remote

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/keyfold-dev/keyfold/dynamo"
)

// TestRoundTrip holds values to coming back from the SDK's types as they were.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := drawValue(t, 3)
		if got := fromValue(toValue(v)); !dynamo.Equal(got, v) {
			t.Fatalf("got %v, want %v", got, v)
		}
	})
}

func drawValue(t *rapid.T, depth int) dynamo.Value {
	kinds := []string{"string", "number", "binary", "bool", "null", "strings", "numbers", "binaries"}
	if depth > 0 {
		kinds = append(kinds, "list", "map")
	}
	switch rapid.SampledFrom(kinds).Draw(t, "kind") {
	case "string":
		return dynamo.String(rapid.String().Draw(t, "s"))
	case "number":
		return dynamo.Int(rapid.Int64().Draw(t, "n"))
	case "binary":
		return dynamo.Binary(rapid.SliceOf(rapid.Byte()).Draw(t, "b"))
	case "bool":
		return dynamo.Bool(rapid.Bool().Draw(t, "bool"))
	case "strings":
		return need(t)(dynamo.StringSet(rapid.SliceOfNDistinct(rapid.StringN(1, 5, -1), 1, 5, rapid.ID).Draw(t, "ss")...))
	case "numbers":
		var list []dynamo.Value
		for _, n := range rapid.SliceOfNDistinct(rapid.Int64(), 1, 5, rapid.ID).Draw(t, "ns") {
			list = append(list, dynamo.Int(n))
		}
		return need(t)(dynamo.NumberSet(list))
	case "binaries":
		var list [][]byte
		for _, s := range rapid.SliceOfNDistinct(rapid.StringN(1, 5, -1), 1, 5, rapid.ID).Draw(t, "bs") {
			list = append(list, []byte(s))
		}
		return need(t)(dynamo.BinarySet(list))
	case "list":
		list := []dynamo.Value{}
		for range rapid.IntRange(0, 3).Draw(t, "len") {
			list = append(list, drawValue(t, depth-1))
		}
		return dynamo.List(list...)
	case "map":
		var attrs []dynamo.Attr
		for _, name := range rapid.SliceOfN(rapid.String(), 0, 3).Draw(t, "names") {
			attrs = append(attrs, dynamo.Attr{Name: name, Value: drawValue(t, depth-1)})
		}
		return dynamo.Map(dynamo.NewItem(attrs...))
	}
	return dynamo.Null()
}

func need(t *rapid.T) func(dynamo.Value, error) dynamo.Value {
	return func(v dynamo.Value, err error) dynamo.Value {
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
