package expr

import (
	"fmt"
	"strings"
	"testing"

	"github.com/keyfold-dev/keyfold/dynamo"
)

func item(t testing.TB, json string) dynamo.Item {
	t.Helper()
	it, err := dynamo.ParseItemJSON([]byte(json))
	if err != nil {
		t.Fatal(err)
	}
	return it
}

// values reads the values of an array of attribute values in JSON.
func values(t testing.TB, json string) []dynamo.Value {
	t.Helper()
	if json == "" {
		return nil
	}
	v, err := dynamo.ParseJSON([]byte(`{"L":` + json + `}`))
	if err != nil {
		t.Fatal(err)
	}
	return v.Elements()
}

func TestLegacyCondition(t *testing.T) {
	it := item(t, `{"n":{"N":"5"},"s":{"S":"hello"},"z":{"NULL":true},"ss":{"SS":["a","b"]},"l":{"L":[{"N":"1"}]}}`)
	for _, c := range []struct{ attribute, operator, values, want string }{
		{"n", "EQ", `[{"N":"5"}]`, "true"},
		{"q", "EQ", `[{"N":"5"}]`, "false"},
		{"ss", "EQ", `[{"SS":["b","a"]}]`, "true"},
		{"l", "EQ", `[{"L":[{"N":"1.0"}]}]`, "true"},
		{"n", "NE", `[{"N":"5"}]`, "false"},
		{"n", "NE", `[{"S":"5"}]`, "true"},
		{"q", "NE", `[{"N":"5"}]`, "true"},
		{"n", "LT", `[{"N":"6"}]`, "true"},
		{"n", "LE", `[{"N":"5"}]`, "true"},
		{"n", "GT", `[{"N":"5"}]`, "false"},
		{"n", "GE", `[{"S":"5"}]`, "false"},
		{"q", "LT", `[{"N":"6"}]`, "false"},
		{"n", "BETWEEN", `[{"N":"1"},{"N":"5"}]`, "true"},
		{"n", "IN", `[{"N":"1"},{"N":"5"}]`, "true"},
		{"n", "IN", `[{"N":"1"}]`, "false"},
		{"q", "NULL", "", "true"},
		{"z", "NULL", "", "false"},
		{"z", "NOT_NULL", "", "true"},
		{"s", "BEGINS_WITH", `[{"S":"he"}]`, "true"},
		{"s", "CONTAINS", `[{"S":"ell"}]`, "true"},
		{"ss", "CONTAINS", `[{"S":"a"}]`, "true"},
		{"l", "CONTAINS", `[{"N":"1"}]`, "true"},
		{"s", "NOT_CONTAINS", `[{"S":"ell"}]`, "false"},
		{"s", "NOT_CONTAINS", `[{"S":"x"}]`, "true"},
		{"q", "NOT_CONTAINS", `[{"S":"x"}]`, "false"},
		{"n", "EQ", "", "One or more parameter values were invalid: Invalid number of argument(s) for the EQ ComparisonOperator"},
		{"n", "NULL", `[{"S":"a"}]`, "One or more parameter values were invalid: Invalid number of argument(s) for the NULL ComparisonOperator"},
		{"n", "BETWEEN", `[{"S":"a"}]`, "One or more parameter values were invalid: Invalid number of argument(s) for the BETWEEN ComparisonOperator"},
		{"n", "IN", `[]`, "One or more parameter values were invalid: Invalid number of argument(s) for the IN ComparisonOperator"},
		{"n", "IN", `[{"S":"b"},{"N":"1"}]`, "One or more parameter values were invalid: AttributeValues inside AttributeValueList must be of same type"},
		{"n", "LT", `[{"BOOL":true}]`, "One or more parameter values were invalid: ComparisonOperator LT is not valid for BOOL AttributeValue type"},
		{"n", "CONTAINS", `[{"SS":["a"]}]`, "One or more parameter values were invalid: ComparisonOperator CONTAINS is not valid for SS AttributeValue type"},
		{"n", "BEGINS_WITH", `[{"N":"1"}]`, "One or more parameter values were invalid: ComparisonOperator BEGINS_WITH is not valid for N AttributeValue type"},
		{"n", "BETWEEN", `[{"S":"b"},{"S":"a"}]`, "The BETWEEN condition was provided a range where the lower bound is greater than the upper bound"},
	} {
		cond, err := LegacyCondition([]dynamo.LegacyCondition{
			{Attribute: c.attribute, Operator: c.operator, Values: values(t, c.values)}}, "")
		got := text(err)
		if err == nil {
			got = fmt.Sprint(cond.Eval(it))
		}
		if got != c.want {
			t.Errorf("%s %s %s: %s; want %s", c.attribute, c.operator, c.values, got, c.want)
		}
	}
}

func TestLegacyConditionsJoined(t *testing.T) {
	it := item(t, `{"n":{"N":"5"}}`)
	is := func(attribute string, n int64) dynamo.LegacyCondition {
		return dynamo.LegacyCondition{Attribute: attribute, Operator: "EQ", Values: []dynamo.Value{dynamo.Int(n)}}
	}
	for _, c := range []struct {
		conds    []dynamo.LegacyCondition
		operator string
		want     string
	}{
		{nil, "", "true"},
		{[]dynamo.LegacyCondition{is("n", 5), is("m", 1)}, "", "false"},
		{[]dynamo.LegacyCondition{is("n", 5), is("m", 1)}, "AND", "false"},
		{[]dynamo.LegacyCondition{is("n", 5), is("m", 1)}, "OR", "true"},
		{[]dynamo.LegacyCondition{is("n", 5)}, "OR", "One or more parameter values were invalid: ConditionalOperator can only be used when Filter or Expected has two or more elements"},
		{nil, "AND", "One or more parameter values were invalid: ConditionalOperator cannot be used without Filter or Expected"},
	} {
		cond, err := LegacyCondition(c.conds, c.operator)
		got := text(err)
		if err == nil {
			got = fmt.Sprint(cond.Eval(it))
		}
		if got != c.want {
			t.Errorf("%v %s: %s; want %s", c.conds, c.operator, got, c.want)
		}
	}
}

func TestLegacyExpected(t *testing.T) {
	it := item(t, `{"a":{"S":"x"}}`)
	yes, no := true, false
	x, y := dynamo.String("x"), dynamo.String("y")
	const invalid = "One or more parameter values were invalid: "
	for _, c := range []struct {
		in   dynamo.ExpectedAttribute
		want string
	}{
		{dynamo.ExpectedAttribute{Value: x}, "true"},
		{dynamo.ExpectedAttribute{Value: y}, "false"},
		{dynamo.ExpectedAttribute{Value: x, Exists: &yes}, "true"},
		{dynamo.ExpectedAttribute{Exists: &no}, "false"},
		{dynamo.ExpectedAttribute{Operator: "NE", Value: y}, "true"},
		{dynamo.ExpectedAttribute{Operator: "IN", Values: []dynamo.Value{x, y}}, "true"},
		{dynamo.ExpectedAttribute{Operator: "NOT_NULL"}, "true"},
		{dynamo.ExpectedAttribute{}, invalid + "Value must be provided when Exists is null for Attribute: a"},
		{dynamo.ExpectedAttribute{Exists: &yes}, invalid + "Value must be provided when Exists is true for Attribute: a"},
		{dynamo.ExpectedAttribute{Exists: &no, Value: x}, invalid + "Value cannot be used when Exists is false for Attribute: a"},
		{dynamo.ExpectedAttribute{Operator: "EQ", Exists: &yes}, invalid + "Exists and ComparisonOperator cannot be used together for Attribute: a"},
		{dynamo.ExpectedAttribute{Operator: "EQ"}, invalid + "Value or AttributeValueList must be used with ComparisonOperator: EQ for Attribute: a"},
		{dynamo.ExpectedAttribute{Operator: "EQ", Value: x, Values: []dynamo.Value{x}}, invalid + "Value and AttributeValueList cannot be used together for Attribute: a"},
		{dynamo.ExpectedAttribute{Values: []dynamo.Value{x}}, invalid + "AttributeValueList can only be used with a ComparisonOperator for Attribute: a"},
		{dynamo.ExpectedAttribute{Operator: "BETWEEN", Value: x}, invalid + "Invalid number of argument(s) for the BETWEEN ComparisonOperator"},
	} {
		c.in.Attribute = "a"
		cond, err := LegacyExpected([]dynamo.ExpectedAttribute{c.in}, "")
		got := text(err)
		if err == nil {
			got = fmt.Sprint(cond.Eval(it))
		}
		if got != c.want {
			t.Errorf("%+v: %s; want %s", c.in, got, c.want)
		}
	}
}

func TestLegacyUpdate(t *testing.T) {
	old := item(t, `{"k":{"S":"key"},"n":{"N":"1"},"ss":{"SS":["a","b"]},"l":{"L":[{"N":"1"}]}}`)
	const invalid = "One or more parameter values were invalid: "
	for _, c := range []struct{ attribute, action, value, want string }{
		{"a", "PUT", `[{"S":"x"}]`, `{"a":{"S":"x"}}`},
		{"a", "", `[{"S":"x"}]`, `{"a":{"S":"x"}}`},
		{"a.b", "PUT", `[{"S":"x"}]`, `{"a.b":{"S":"x"}}`},
		{"n", "DELETE", "", `{} without n`},
		{"q", "DELETE", "", `{}`},
		{"n", "ADD", `[{"N":"2"}]`, `{"n":{"N":"3"}}`},
		{"q", "ADD", `[{"N":"2"}]`, `{"q":{"N":"2"}}`},
		{"ss", "ADD", `[{"SS":["c"]}]`, `{"ss":{"SS":["a","b","c"]}}`},
		{"l", "ADD", `[{"L":[{"N":"2"}]}]`, `{"l":{"L":[{"N":"1"},{"N":"2"}]}}`},
		{"q", "ADD", `[{"L":[{"N":"2"}]}]`, `{"q":{"L":[{"N":"2"}]}}`},
		{"ss", "DELETE", `[{"SS":["a"]}]`, `{"ss":{"SS":["b"]}}`},
		{"ss", "DELETE", `[{"SS":["a","b"]}]`, `{} without ss`},
		{"ss", "ADD", `[{"NS":["1"]}]`, "Type mismatch for attribute to update"},
		{"n", "DELETE", `[{"NS":["1"]}]`, "Type mismatch for attribute to update"},
		{"n", "PUT", "", invalid + "Only DELETE action is allowed when no attribute value is specified"},
		{"n", "ADD", "", invalid + "Only DELETE action is allowed when no attribute value is specified"},
		{"n", "ADD", `[{"S":"x"}]`, invalid + "ADD action is not supported for the type S"},
		{"n", "DELETE", `[{"N":"1"}]`, invalid + "DELETE action with value is not supported for the type N"},
	} {
		in := dynamo.AttributeUpdate{Attribute: c.attribute, Action: c.action}
		if c.value != "" {
			in.Value = values(t, c.value)[0]
		}
		u, err := LegacyUpdate([]dynamo.AttributeUpdate{in})
		var it dynamo.Item
		if err == nil {
			it, _, err = u.Apply(old)
		}
		got := text(err)
		if err == nil {
			got = difference(old, it)
		}
		if got != c.want {
			t.Errorf("%s %s %s: %s; want %s", c.action, c.attribute, c.value, got, c.want)
		}
	}
}

func TestLegacyKeyConditions(t *testing.T) {
	a := dynamo.String("a")
	terms, err := LegacyKeyConditions([]dynamo.LegacyCondition{
		{Attribute: "pk", Operator: "EQ", Values: []dynamo.Value{a}},
		{Attribute: "x", Operator: "BEGINS_WITH", Values: []dynamo.Value{a}},
		{Attribute: "y", Operator: "BETWEEN", Values: []dynamo.Value{a, a}},
		{Attribute: "z", Operator: "NE", Values: []dynamo.Value{a}},
		{Attribute: "w", Operator: "NULL"},
	})
	const want = `pk = {"S":"a"}; x begins_with {"S":"a"}; y BETWEEN {"S":"a"} {"S":"a"}; z NE {"S":"a"}; w NULL`
	if got := termsText(terms); err != nil || got != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
}

func TestLegacyProjection(t *testing.T) {
	it := item(t, `{"a":{"M":{"b":{"N":"1"}}},"a.b":{"N":"2"},"c":{"N":"3"}}`)
	p, err := LegacyProjection([]string{"c", "a.b", "q"})
	if got := string(dynamo.AppendItemJSON(nil, p.Apply(it))); err != nil || got != `{"a.b":{"N":"2"},"c":{"N":"3"}}` {
		t.Errorf("%s, %v", got, err)
	}
	if _, err = LegacyProjection([]string{"a", "b", "a"}); !strings.HasSuffix(text(err), "Duplicate value in attribute name: a") {
		t.Error(err)
	}
}
