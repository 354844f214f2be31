package expr

import (
	"fmt"
	"strings"
	"testing"

	"github.com/keyfold-dev/keyfold/dynamo"
)

func TestLimits(t *testing.T) {
	long := "a = " + strings.Repeat("b", dynamo.MaxExpressionSize-4)
	if _, err := ParseCondition(FilterExpression, long); err != nil {
		t.Error(err)
	}
	_, err := ParseCondition(FilterExpression, long+"b")
	if want := "Invalid FilterExpression: Expression size has exceeded the maximum allowed size; expression size: 4097"; text(err) != want {
		t.Errorf("%v; want %s", err, want)
	}
	// 150 comparisons and 149 AND are 299 operators; NOT makes 300, another one 301.
	many := strings.TrimSuffix(strings.Repeat("a=b AND ", 150), " AND ")
	if _, err := ParseCondition(ConditionExpression, "NOT "+many); err != nil {
		t.Error(err)
	}
	_, err = ParseCondition(ConditionExpression, "NOT NOT "+many)
	if want := "Invalid ConditionExpression: The expression contains too many operators; operator count: 301"; text(err) != want {
		t.Errorf("%v; want %s", err, want)
	}
	var x dynamo.Expressions
	var names []string
	for i := range 101 {
		name := fmt.Sprintf(":v%d", i)
		names = append(names, name)
		x.Values = x.Values.Set(name, dynamo.Int(int64(i)))
	}
	for _, n := range []int{100, 101} {
		c, err := ParseCondition(ConditionExpression, "a IN ("+strings.Join(names[:n], ",")+")")
		if err != nil {
			t.Fatal(err)
		}
		s, err := NewScope(&x)
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Bind(s)
		want := "no error"
		if n > 100 {
			want = "Invalid ConditionExpression: The IN operator is provided with too many operands; number of operands: 101"
		}
		if text(err) != want {
			t.Errorf("%d operands: %s", n, text(err))
		}
	}
}

// An update of 200 attributes is no fault, and parses without getting deep.
func TestManyActions(t *testing.T) {
	var actions []string
	for i := range 200 {
		actions = append(actions, fmt.Sprintf("a%d = :v", i))
	}
	u, err := ParseUpdate("SET " + strings.Join(actions, ", "))
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewScope(&dynamo.Expressions{Values: dynamo.NewItem(dynamo.Attr{Name: ":v", Value: dynamo.Int(1)})})
	if err != nil {
		t.Fatal(err)
	}
	if u, err = u.Bind(s); err != nil {
		t.Fatal(err)
	}
	it, _, err := u.Apply(nil)
	if err != nil || len(it) != 200 {
		t.Errorf("%d attributes, %v", len(it), err)
	}
}

func TestEmptyExpressions(t *testing.T) {
	_, c := ParseCondition(ConditionExpression, "")
	_, k := ParseKeyCondition("")
	_, u := ParseUpdate("")
	_, p := ParseProjection("")
	for kind, err := range map[Kind]error{ConditionExpression: c, KeyConditionExpression: k, UpdateExpression: u, ProjectionExpression: p} {
		if want := "Invalid " + string(kind) + ": The expression can not be empty;"; text(err) != want {
			t.Errorf("%s; want %s", text(err), want)
		}
	}
}

func TestPlaceholdersWithoutExpressions(t *testing.T) {
	names := dynamo.Expressions{Names: []dynamo.NameBinding{{Placeholder: "#a", Name: "a"}}}
	vals := dynamo.Expressions{Values: dynamo.NewItem(dynamo.Attr{Name: ":a", Value: dynamo.Null()})}
	for _, c := range []struct {
		x     dynamo.Expressions
		kinds []Kind
		want  string
	}{
		{dynamo.Expressions{}, []Kind{FilterExpression}, "no error"},
		{names, []Kind{ProjectionExpression}, "ExpressionAttributeNames can only be specified when using expressions"},
		{vals, []Kind{ConditionExpression}, "ExpressionAttributeValues can only be specified when using expressions"},
		{vals, []Kind{ProjectionExpression, FilterExpression}, "ExpressionAttributeValues can only be specified when using expressions: FilterExpression is null"},
		{vals, []Kind{ProjectionExpression, FilterExpression, KeyConditionExpression},
			"ExpressionAttributeValues can only be specified when using expressions: FilterExpression and KeyConditionExpression are null"},
	} {
		if got := text(NotAllowed(&c.x, c.kinds...)); got != c.want {
			t.Errorf("%s; want %s", got, c.want)
		}
	}
	empty := dynamo.Expressions{Names: []dynamo.NameBinding{}}
	if _, err := NewScope(&empty); text(err) != "ExpressionAttributeNames must not be empty" {
		t.Error(err)
	}
	empty = dynamo.Expressions{Values: dynamo.Item{}}
	if _, err := NewScope(&empty); text(err) != "ExpressionAttributeValues must not be empty" {
		t.Error(err)
	}
	long := dynamo.Expressions{Names: []dynamo.NameBinding{{Placeholder: "#" + strings.Repeat("a", 255), Name: "a"}}}
	if _, err := NewScope(&long); !strings.HasSuffix(text(err), "a key that is too long; size of key: 256") {
		t.Error(err)
	}
}

func TestAttributesAndNested(t *testing.T) {
	c, err := ParseCondition(FilterExpression, "b.x = c AND (attribute_exists(a[1]) OR NOT size(d) > c)")
	if err != nil {
		t.Fatal(err)
	}
	check(t, "condition", c.bound.Attributes(), "a b c d")
	check(t, "condition, nested", c.bound.Nested(), "a b")
	s, _ := NewScope(&scope)
	u, err := ParseUpdate("SET b = c.x + d, a.z = :n REMOVE e")
	if err != nil {
		t.Fatal(err)
	}
	if u, err = u.Bind(s); err != nil {
		t.Fatal(err)
	}
	check(t, "update", u.Attributes(), "a b e")
	check(t, "update, nested", u.Nested(), "a c")
	p, err := ParseProjection("b.x, a, b.y")
	if err != nil {
		t.Fatal(err)
	}
	if p, err = p.Bind(s); err != nil {
		t.Fatal(err)
	}
	check(t, "projection", p.Attributes(), "a b")
	check(t, "projection, nested", p.Nested(), "b")
}

func check(t *testing.T, what string, got []string, want string) {
	t.Helper()
	if g := strings.Join(got, " "); g != want {
		t.Errorf("%s: %s; want %s", what, g, want)
	}
}

func TestOnlyRemoves(t *testing.T) {
	for src, want := range map[string]bool{
		"REMOVE a": true, "DELETE a :ss": true, "REMOVE a SET b = :n": false, "ADD a :n": false,
	} {
		u, err := ParseUpdate(src)
		if err != nil {
			t.Fatal(err)
		}
		if u.OnlyRemoves() != want {
			t.Errorf("%s: %t", src, !want)
		}
	}
	u, err := LegacyUpdate(nil)
	if err != nil || u.OnlyRemoves() {
		t.Error("no actions do not make the item", err)
	}
}

func TestReserved(t *testing.T) {
	if n := len(reserved); n != 573 {
		t.Errorf("%d reserved words", n)
	}
	for word, want := range map[string]bool{"ABORT": true, "zone": true, "Name": true, "LocalTimestamp": true,
		"pk": false, "names_": false, "": false, "LOCALTIMESTAMPS": false, "ſet": false} {
		if IsReserved(word) != want {
			t.Errorf("IsReserved(%q) = %t", word, !want)
		}
	}
}

// Evaluating a simple condition takes no memory.
func TestEvalAllocates(t *testing.T) {
	it := item(t, `{"a":{"N":"1"},"b":{"S":"hello"},"l":{"L":[{"M":{"x":{"N":"5"}}}]}}`)
	s, _ := NewScope(&scope)
	c, err := ParseCondition(FilterExpression, "attribute_exists(b) AND a = :n AND size(b) < l[0].x OR begins_with(b, :s) OR a IN (:m, :s)")
	if err != nil {
		t.Fatal(err)
	}
	if c, err = c.Bind(s); err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(100, func() { c.Eval(it) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

const benchmarkCondition = "attribute_not_exists(PK) AND #n = :n AND size(doc[3].x) < :m"

func BenchmarkParseCondition(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseCondition(ConditionExpression, benchmarkCondition); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBindCondition(b *testing.B) {
	c, err := ParseCondition(ConditionExpression, benchmarkCondition)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		s, _ := NewScope(&scope)
		if _, err := c.Bind(s); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEval(b *testing.B) {
	it := item(b, `{"n":{"N":"1"},"doc":{"L":[{"N":"1"},{"N":"1"},{"N":"1"},{"M":{"x":{"S":"a"}}}]}}`)
	s, _ := NewScope(&scope)
	c, err := ParseCondition(ConditionExpression, benchmarkCondition)
	if err != nil {
		b.Fatal(err)
	}
	if c, err = c.Bind(s); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		c.Eval(it)
	}
}

func BenchmarkUpdate(b *testing.B) {
	it := item(b, `{"a":{"N":"1"},"b":{"S":"x"},"c":{"M":{"x":{"N":"1"}}}}`)
	u, err := ParseUpdate("SET a = a + :n, c.x = :s REMOVE b")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		s, _ := NewScope(&scope)
		bound, err := u.Bind(s)
		if err != nil {
			b.Fatal(err)
		}
		if _, _, err := bound.Apply(it); err != nil {
			b.Fatal(err)
		}
	}
}
