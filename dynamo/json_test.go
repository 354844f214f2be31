package dynamo_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/keyfold-dev/keyfold/dynamo"
	"pgregory.net/rapid"
)

// product is an item of the product catalogue, a typical PutItem of 8 attributes.
const product = `{"PK":{"S":"P#4711"},"SK":{"S":"METADATA"},"name":{"S":"Espresso machine \"Aida\", 15 bar"},` +
	`"price":{"N":"249.99"},"stock":{"N":"12"},"tags":{"SS":["coffee","kitchen","steel"]},` +
	`"available":{"BOOL":true},"dimensions":{"M":{"height":{"N":"31.5"},"width":{"N":"28"},"depth":{"N":"36"}}}}`

// plain renders an item as encoding/json would write the service's structures, by way of
// maps: an independent writer for the tests.
func plain(t testing.TB, it dynamo.Item) map[string]any {
	m := map[string]any{}
	for _, a := range it {
		m[a.Name] = plainValue(t, a.Value)
	}
	return m
}

func plainValue(t testing.TB, v dynamo.Value) map[string]any {
	texts := func() []any {
		list := []any{}
		for _, e := range v.Elements() {
			if s := e.Str(); e.Type() == dynamo.TypeBinary {
				list = append(list, base64.StdEncoding.EncodeToString([]byte(s)))
			} else {
				list = append(list, s)
			}
		}
		return list
	}
	var x any
	switch v.Type() {
	case dynamo.TypeNull:
		x = true
	case dynamo.TypeBool:
		x = v.IsTrue()
	case dynamo.TypeString, dynamo.TypeNumber:
		x = v.Str()
	case dynamo.TypeBinary:
		x = base64.StdEncoding.EncodeToString([]byte(v.Str()))
	case dynamo.TypeMap:
		x = plain(t, v.Fields())
	case dynamo.TypeList:
		list := []any{}
		for _, e := range v.Elements() {
			list = append(list, plainValue(t, e))
		}
		x = list
	case dynamo.TypeStringSet, dynamo.TypeNumberSet, dynamo.TypeBinarySet:
		x = texts()
	default:
		t.Fatalf("no JSON for %v", v)
	}
	return map[string]any{string(v.Type()): x}
}

// anyValue draws values of all types, up to some levels deep.
func anyValue(levels int) *rapid.Generator[dynamo.Value] {
	must := func(v dynamo.Value, err error) dynamo.Value {
		if err != nil {
			panic(err)
		}
		return v
	}
	number := rapid.Custom(func(t *rapid.T) dynamo.Value {
		return must(dynamo.Number(rapid.StringMatching(`-?[0-9]{1,12}(\.[0-9]{1,12})?(e-?[0-9]{1,2})?`).Draw(t, "number")))
	})
	octets := rapid.SliceOfN(rapid.Byte(), 1, 80)
	gens := []*rapid.Generator[dynamo.Value]{
		rapid.Just(dynamo.Null()),
		rapid.Map(rapid.Bool(), dynamo.Bool),
		rapid.Map(rapid.String(), dynamo.String),
		rapid.Map(octets, dynamo.Binary),
		number,
		rapid.Map(rapid.SliceOfNDistinct(rapid.StringN(1, 20, -1), 1, 4, rapid.ID[string]),
			func(s []string) dynamo.Value { return must(dynamo.StringSet(s...)) }),
		rapid.Map(rapid.SliceOfNDistinct(number, 1, 4, dynamo.Value.Str),
			func(s []dynamo.Value) dynamo.Value { return must(dynamo.NumberSet(s)) }),
		rapid.Map(rapid.SliceOfNDistinct(octets, 1, 4, func(b []byte) string { return string(b) }),
			func(s [][]byte) dynamo.Value { return must(dynamo.BinarySet(s)) }),
	}
	if levels > 0 {
		gens = append(gens,
			rapid.Map(rapid.SliceOfN(anyValue(levels-1), 0, 3), func(vs []dynamo.Value) dynamo.Value { return dynamo.List(vs...) }),
			rapid.Map(anyItem(levels-1), dynamo.Map))
	}
	return rapid.OneOf(gens...)
}

func anyItem(levels int) *rapid.Generator[dynamo.Item] {
	return rapid.Custom(func(t *rapid.T) dynamo.Item {
		attrs := []dynamo.Attr{}
		for range rapid.IntRange(0, 4).Draw(t, "attributes") {
			attrs = append(attrs, dynamo.Attr{Name: rapid.StringN(1, 20, -1).Draw(t, "name"), Value: anyValue(levels).Draw(t, "value")})
		}
		return dynamo.NewItem(attrs...)
	})
}

func TestItemJSONAgreesWithEncodingJSON(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		it := anyItem(2).Draw(rt, "item")
		want, err := json.Marshal(plain(t, it))
		if err != nil {
			t.Fatal(err)
		}
		ours := dynamo.AppendItemJSON(nil, it)
		var a, b any
		if json.Unmarshal(ours, &a) != nil || json.Unmarshal(want, &b) != nil || !cmp.Equal(a, b) {
			t.Fatalf("we write\n%s\nencoding/json writes\n%s", ours, want)
		}
		var indented bytes.Buffer
		if err := json.Indent(&indented, want, " ", "\t"); err != nil {
			t.Fatal(err)
		}
		for _, text := range [][]byte{ours, want, indented.Bytes()} {
			back, err := dynamo.ParseItemJSON(text)
			if err != nil {
				t.Fatalf("%v in %s", err, text)
			}
			if got := dynamo.AppendItemJSON(nil, back); !bytes.Equal(got, ours) {
				t.Fatalf("%s\nreads back as\n%s", text, got)
			}
		}
	})
}

func TestItemJSONKeepsLastOfDuplicates(t *testing.T) {
	it, err := dynamo.ParseItemJSON([]byte(`{"b":{"S":"1"},"a":{"S":"2","S":"3"},"b":{"S":"4"}}`))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(dynamo.AppendItemJSON(nil, it)), `{"a":{"S":"3"},"b":{"S":"4"}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestJSONFaults(t *testing.T) {
	const (
		empty  = "ValidationException: Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
		two    = "ValidationException: Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"
		values = "ValidationException: One or more parameter values were invalid: "
		serial = "SerializationException: "
		object = serial + "Start of structure or map found where not expected"
	)
	deep := strings.Repeat(`{"L":[`, 33) + strings.Repeat(`]}`, 33)
	for _, c := range []struct{ value, want string }{
		{`{}`, empty},
		{`null`, empty},
		{`{"S":null}`, empty},
		{`{"X":"a"}`, empty},
		{`{"M":{"a":{}}}`, empty},
		{`{"L":[{}]}`, empty},
		{`{"S":"a","N":"1"}`, two},
		{`{"N":""}`, "ValidationException: The parameter cannot be converted to a numeric value: "},
		{`{"N":"b"}`, "ValidationException: The parameter cannot be converted to a numeric value: b"},
		{`{"SS":[]}`, values + "An string set  may not be empty"},
		{`{"NS":[]}`, values + "An number set  may not be empty"},
		{`{"BS":[]}`, values + "Binary sets should not be empty"},
		{`{"SS":["a","a"]}`, values + "Input collection [\"a\", \"a\"] contains duplicates."},
		{`{"BS":["Yg==","Yg=="]}`, values + "Input collection [\"Yg==\",\"Yg==\"]of type BS contains duplicates."},
		{`{"NS":["1","1.0"]}`, values + "Input collection contains duplicates."},
		{`{"M":{"":{"S":"a"}}}`, "ValidationException: Empty attribute name"},
		{`{"NULL":false}`, values + "Null attribute value types must have the value of true"},
		{`{"SS":[null]}`, values + "An string set may not have a null string as a member"},
		{deep, "ValidationException: Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit"},
		{`"a"`, serial + "Unexpected value type in payload"},
		{`[]`, serial + "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.AttributeValue"},
		{`{"S":1}`, serial + "NUMBER_VALUE cannot be converted to String"},
		{`{"S":34.56}`, serial + "DECIMAL_VALUE cannot be converted to String"},
		{`{"N":true}`, serial + "TRUE_VALUE cannot be converted to String"},
		{`{"S":[]}`, serial + "Unrecognized collection type class java.lang.String"},
		{`{"S":{}}`, object},
		{`{"BOOL":"maybe"}`, serial + "Unexpected token received from parser"},
		{`{"BOOL":23}`, serial + "NUMBER_VALUE cannot be converted to Boolean"},
		{`{"B":"23456"}`, serial + "Base64 encoded length is expected a multiple of 4 bytes but found: 5"},
		{`{"B":"+/+="}`, serial + "Invalid last non-pad Base64 character dectected"},
		{`{"B":true}`, serial + "only base-64-encoded strings are convertible to bytes"},
		{`{"B":[]}`, serial + "Unrecognized collection type class java.nio.ByteBuffer"},
		{`{"SS":"a"}`, serial + "Unexpected field type"},
		{`{"L":{}}`, object},
		{`{"L":["a"]}`, serial + "Unexpected value type in payload"},
		{`{"M":[]}`, serial + "Unrecognized collection type java.util.Map<java.lang.String, com.amazonaws.dynamodb.v20120810.AttributeValue>"},
		{`{"S":"a","SS":[],"N":5}`, serial + "NUMBER_VALUE cannot be converted to String"},
		{`{"S":"a"`, serial},
		{`{"S":"a",}`, serial},
		{`{"S":"\x"}`, serial},
		{`{"S":"` + "\n" + `"}`, serial},
		{`{"S":"` + "\xff" + `"}`, serial},
		{strings.Repeat(`{"L":[`, 5000), serial},
	} {
		_, err := dynamo.ParseItemJSON([]byte(`{"a":` + c.value + `}`))
		if err == nil || err.Error() != c.want {
			t.Errorf("%.80s\n got %v\nwant %s", c.value, err, c.want)
		}
	}
}

// TestJSONOlderTexts checks the texts that the service's older layer has of its own.
func TestJSONOlderTexts(t *testing.T) {
	const values = "ValidationException: One or more parameter values were invalid: "
	for text, want := range map[string]string{
		`{"N":""}`:                      "ValidationException: The parameter cannot be converted to a numeric value",
		`{"N":"1e126"}`:                 "ValidationException: Number overflow. Attempting to store a number with magnitude larger than supported range",
		`{"N":"1e2147483647"}`:          "ValidationException: Number underflow. Attempting to store a number with magnitude smaller than supported range",
		`{"SS":["b","a","b"]}`:          values + "Input collection [b, a, b] contains duplicates.",
		`{"BS":["/w==","AA==","AA=="]}`: values + "Input collection [/w==, AA==, AA==]of type BS contains duplicates.",
		`{"NS":["2","1","2"]}`:          "ValidationException: Input collection contains duplicates",
		`{"SS":[]}`:                     values + "An string set  may not be empty",
	} {
		err := dynamo.DecodeJSON([]byte(text), func(r *dynamo.JSONReader) {
			r.Older = true
			r.Value()
		})
		if err == nil || err.Error() != want {
			t.Errorf("%s\n got %v\nwant %s", text, err, want)
		}
	}
}

func TestJSONAcceptsWhatTheServiceAccepts(t *testing.T) {
	for in, want := range map[string]string{
		`{"BOOL":"yes"}`:                            `{"BOOL":true}`,
		`{"S":"\ud83d\ude00\ud83d\u00e9"}`:          `{"S":"😀` + "\ufffd" + `é"}`,
		`{"S":""}`:                                  `{"S":""}`,
		`{"SS":["b","","a"]}`:                       `{"SS":["","a","b"]}`,
		`{"B":""}`:                                  `{"B":""}`,
		`{"N":"+001.50e1"}`:                         `{"N":"15"}`,
		` {"L" : [ ] , "X":[{"y":[1e5]}]}`:          `{"L":[]}`,
		`{"M":{"Z":{"S":"\/"},"A":{"S":"\u0001"}}}`: `{"M":{"A":{"S":"\u0001"},"Z":{"S":"/"}}}`,
	} {
		v, err := dynamo.ParseJSON([]byte(in))
		if err != nil {
			t.Errorf("%s: %v", in, err)
		} else if got := string(dynamo.AppendJSON(nil, v)); got != want {
			t.Errorf("%s\n got %s\nwant %s", in, got, want)
		}
	}
}

func TestAppendJSONStringWritesValidUTF8(t *testing.T) {
	got := dynamo.AppendJSONString(nil, "a\xffb\x00")
	if want := `"a\ufffdb\u0000"`; string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func FuzzJSON(f *testing.F) {
	f.Add([]byte(product))
	f.Add([]byte(`{"a":{"L":[{"NULL":true},{"B":"AAEC"},{"NS":["1","-2.5e10"]},{"M":{}}]}}`))
	f.Add([]byte(`[1,-0.5e+7,"\u00e9\ud83d\ude00",null,true,{"x":[]}]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		err := dynamo.DecodeJSON(text, (*dynamo.JSONReader).Skip)
		if bytes.Count(text, []byte("["))+bytes.Count(text, []byte("{")) < 4000 {
			if want := utf8.Valid(text) && json.Valid(text); want != (err == nil) {
				t.Fatalf("valid is %v to encoding/json, %v to us", want, err)
			}
		}
		it, err := dynamo.ParseItemJSON(text)
		if e := (*dynamo.Error)(nil); err != nil && !errors.As(err, &e) {
			t.Fatalf("not an error of the service: %v", err)
		}
		if err != nil {
			return
		}
		out := dynamo.AppendItemJSON(nil, it)
		back, err := dynamo.ParseItemJSON(out)
		if err != nil || !bytes.Equal(dynamo.AppendItemJSON(nil, back), out) {
			t.Fatalf("%s\nreads back as %v, %v", out, back, err)
		}
	})
}

type sdkValue struct {
	S    *string
	N    *string
	B    []byte
	BOOL *bool
	NULL *bool
	SS   []string
	NS   []string
	BS   [][]byte
	L    []sdkValue
	M    map[string]sdkValue
}

func BenchmarkParseItemJSON(b *testing.B) {
	b.SetBytes(int64(len(product)))
	for b.Loop() {
		if _, err := dynamo.ParseItemJSON([]byte(product)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseItemEncodingJSON(b *testing.B) {
	b.SetBytes(int64(len(product)))
	for b.Loop() {
		var m map[string]sdkValue
		if err := json.Unmarshal([]byte(product), &m); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendItemJSON(b *testing.B) {
	it, err := dynamo.ParseItemJSON([]byte(product))
	if err != nil {
		b.Fatal(err)
	}
	var buf []byte
	b.SetBytes(int64(len(product)))
	for b.Loop() {
		buf = dynamo.AppendItemJSON(buf[:0], it)
	}
}

func BenchmarkAppendItemEncodingJSON(b *testing.B) {
	it, err := dynamo.ParseItemJSON([]byte(product))
	if err != nil {
		b.Fatal(err)
	}
	m := plain(b, it)
	b.SetBytes(int64(len(product)))
	for b.Loop() {
		if _, err := json.Marshal(m); err != nil {
			b.Fatal(err)
		}
	}
}
