package dynamo_test

import (
	"testing"

	"github.com/keyfold-dev/keyfold/dynamo"
)

// What numbers cost, measured on the service at the limit of 400 KB.
func TestNumberSize(t *testing.T) {
	for text, want := range map[string]int{
		"0": 1, "1": 2, "12": 2, "123": 3, "1234": 3, "12345678901234567890123456789012345678": 20,
		"0042": 2, "100": 2, "1010": 3, "0.0000001": 2, "1E125": 2, "1E-100": 2, "1.5": 3, "15": 2,
		"1.2": 3, "1.200": 3, "1.234": 4, "3.14159": 5, "123456": 4, "100.5": 4, "0.15": 2, "-42": 3, "-0": 1,
	} {
		v, err := dynamo.Number(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := dynamo.ValueSize(v); got != want {
			t.Errorf("size of %s: %d, want %d", text, got, want)
		}
	}
}

func TestItemSize(t *testing.T) {
	set, _ := dynamo.StringSet("ab", "c")
	for _, c := range []struct {
		name  string
		value dynamo.Value
		want  int
	}{
		{"empty string", dynamo.String(""), 0},
		{"string in UTF-8", dynamo.String("äb"), 3},
		{"binary", dynamo.Binary([]byte{1, 2, 3}), 3},
		{"null", dynamo.Null(), 1},
		{"bool", dynamo.Bool(true), 1},
		{"set", set, 3},
		{"empty list", dynamo.List(), 3},
		{"empty map", dynamo.Map(nil), 3},
		{"list", dynamo.List(dynamo.String("ab"), dynamo.Null()), 3 + 1 + 2 + 1 + 1},
		{"map", dynamo.Map(dynamo.NewItem(dynamo.Attr{Name: "key", Value: dynamo.String("ab")})), 3 + 1 + 3 + 2},
	} {
		it := dynamo.NewItem(dynamo.Attr{Name: "name", Value: c.value})
		if got := dynamo.ItemSize(it); got != len("name")+c.want {
			t.Errorf("%s: %d, want %d", c.name, got, len("name")+c.want)
		}
	}
}

func TestCapacityUnits(t *testing.T) {
	for _, c := range []struct {
		bytes                              int
		eventual, consistent, transactRead float64
		write, transactWrite               float64
	}{
		{0, 0.5, 1, 2, 1, 2},
		{1, 0.5, 1, 2, 1, 2},
		{1024, 0.5, 1, 2, 1, 2},
		{1025, 0.5, 1, 2, 2, 4},
		{4096, 0.5, 1, 2, 4, 8},
		{4097, 1, 2, 4, 5, 10},
		{409600, 50, 100, 200, 400, 800},
	} {
		got := [...]float64{dynamo.ReadUnits(c.bytes, false), dynamo.ReadUnits(c.bytes, true), dynamo.TransactReadUnits(c.bytes),
			dynamo.WriteUnits(c.bytes), dynamo.TransactWriteUnits(c.bytes)}
		if want := [...]float64{c.eventual, c.consistent, c.transactRead, c.write, c.transactWrite}; got != want {
			t.Errorf("%d bytes: %v, want %v", c.bytes, got, want)
		}
	}
}
