package expr

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/keyfold-dev/keyfold/dynamo"
	"pgregory.net/rapid"
)

// The texts and items of the properties have few names, so that they often meet.
var (
	somePath = rapid.Custom(func(t *rapid.T) string {
		p := rapid.SampledFrom([]string{"a", "b", "c", "#n", "#dot"}).Draw(t, "name")
		for range rapid.IntRange(0, 2).Draw(t, "steps") {
			p += rapid.SampledFrom([]string{".a", ".b", ".#n", "[0]", "[1]", "[3]"}).Draw(t, "step")
		}
		return p
	})
	someValue = rapid.SampledFrom([]string{":n", ":m", ":s", ":l", ":ss"})
	scope     = dynamo.Expressions{
		Names: []dynamo.NameBinding{{Placeholder: "#n", Name: "n"}, {Placeholder: "#dot", Name: "a.b"}},
		Values: dynamo.NewItem(
			dynamo.Attr{Name: ":n", Value: dynamo.Int(1)}, dynamo.Attr{Name: ":m", Value: dynamo.Int(2)},
			dynamo.Attr{Name: ":s", Value: dynamo.String("x")}, dynamo.Attr{Name: ":l", Value: dynamo.List(dynamo.Int(1))},
			dynamo.Attr{Name: ":ss", Value: mustSet("x", "y")}),
	}
)

func mustSet(elems ...string) dynamo.Value {
	v, err := dynamo.StringSet(elems...)
	if err != nil {
		panic(err)
	}
	return v
}

func someItem(depth int) *rapid.Generator[dynamo.Item] {
	return rapid.Custom(func(t *rapid.T) dynamo.Item {
		var it dynamo.Item
		for _, name := range []string{"a", "a.b", "b", "c", "n"} {
			if rapid.Bool().Draw(t, "has "+name) {
				it = it.Set(name, someAttribute(depth).Draw(t, name))
			}
		}
		return it
	})
}

func someAttribute(depth int) *rapid.Generator[dynamo.Value] {
	scalar := rapid.SampledFrom([]dynamo.Value{dynamo.Int(1), dynamo.Int(2), dynamo.String("x"), dynamo.Null(),
		dynamo.Bool(true), dynamo.Binary([]byte("x")), mustSet("x"), mustSet("x", "z")})
	if depth == 0 {
		return scalar
	}
	return rapid.OneOf(scalar,
		rapid.Map(rapid.SliceOfN(someAttribute(depth-1), 0, 3), func(vs []dynamo.Value) dynamo.Value { return dynamo.List(vs...) }),
		rapid.Map(someItem(depth-1), dynamo.Map))
}

func drawOperand(t *rapid.T, depth int) string {
	switch rapid.IntRange(0, 5).Draw(t, "operand") {
	case 0, 1:
		return someValue.Draw(t, "value")
	case 2:
		if depth > 0 {
			return "size(" + drawOperand(t, depth-1) + ")"
		}
	case 3:
		return "(" + somePath.Draw(t, "path") + ")"
	}
	return somePath.Draw(t, "path")
}

func drawCondition(t *rapid.T, depth int) string {
	if depth > 0 && rapid.Bool().Draw(t, "compound") {
		a, b := drawCondition(t, depth-1), drawCondition(t, depth-1)
		switch rapid.IntRange(0, 3).Draw(t, "connective") {
		case 0:
			return a + " AND " + b
		case 1:
			return a + " or " + b
		case 2:
			return "NOT " + a
		default:
			return "(" + a + " AND " + b + ")"
		}
	}
	x, y := drawOperand(t, 1), drawOperand(t, 1)
	switch rapid.IntRange(0, 4).Draw(t, "predicate") {
	case 0:
		return x + " between " + y + " and " + drawOperand(t, 1)
	case 1:
		return x + " IN (" + y + ", " + drawOperand(t, 1) + ")"
	case 2:
		f := rapid.SampledFrom([]string{"begins_with", "contains"}).Draw(t, "function")
		return f + "(" + x + "," + y + ")"
	case 3:
		f := rapid.SampledFrom([]string{"attribute_exists", "attribute_not_exists"}).Draw(t, "function")
		return f + " ( " + somePath.Draw(t, "path") + " )"
	}
	return x + rapid.SampledFrom([]string{"=", " <> ", "<", "<=", ">", " >= "}).Draw(t, "comparator") + y
}

func drawUpdate(t *rapid.T) string {
	var sections []string
	for _, v := range rapid.Permutation([]string{"SET", "remove", "ADD", "Delete"}).Draw(t, "sections") {
		var actions []string
		for range rapid.IntRange(0, 2).Draw(t, "actions") {
			a := somePath.Draw(t, "path")
			switch v {
			case "SET":
				a += " = " + drawSum(t)
			case "ADD", "Delete":
				a += " " + someValue.Draw(t, "value")
			}
			actions = append(actions, a)
		}
		if actions != nil {
			sections = append(sections, v+" "+strings.Join(actions, ", "))
		}
	}
	if sections == nil {
		return "SET a = :n"
	}
	return strings.Join(sections, "\n")
}

// drawFewActions draws updates that fit an item more often than not.
func drawFewActions(t *rapid.T) string {
	var sets, rest []string
	for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c", "#n", "#dot"}), 1, 3, rapid.ID[string]).Draw(t, "names") {
		step := rapid.SampledFrom([]string{"", "", ".a", ".c", "[0]", "[4]"}).Draw(t, "step")
		switch rapid.IntRange(0, 5).Draw(t, "action") {
		case 0:
			rest = append(rest, "REMOVE "+name+step)
		case 1:
			rest = append(rest, "ADD "+name+" "+rapid.SampledFrom([]string{":n", ":ss"}).Draw(t, "value"))
		case 2:
			rest = append(rest, "DELETE "+name+" :ss")
		case 3:
			sets = append(sets, name+step+" = if_not_exists("+somePath.Draw(t, "path")+", "+someValue.Draw(t, "value")+")")
		default:
			sets = append(sets, name+step+" = "+someValue.Draw(t, "value"))
		}
	}
	if len(rest) > 0 {
		rest = rest[:1]
	}
	if sets != nil {
		rest = append(rest, "SET "+strings.Join(sets, ", "))
	}
	return strings.Join(rest, " ")
}

func drawSum(t *rapid.T) string {
	x, y := drawTerm(t), drawTerm(t)
	switch rapid.IntRange(0, 3).Draw(t, "sum") {
	case 0:
		return x + " + " + y
	case 1:
		return "(" + x + "-" + y + ")"
	}
	return x
}

func drawTerm(t *rapid.T) string {
	x, y := somePath.Draw(t, "path"), someValue.Draw(t, "value")
	return rapid.SampledFrom([]string{x, y, "if_not_exists(" + x + ", " + y + ")", "list_append(" + x + "," + y + ")"}).Draw(t, "term")
}

// What is printed parses to the same tree.
func TestPrintParse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := drawCondition(t, 3)
		c, err := ParseCondition(ConditionExpression, src)
		if err != nil {
			t.Fatalf("%s: %v", src, err)
		}
		again, err := ParseCondition(ConditionExpression, c.String())
		if err != nil || !reflect.DeepEqual(again.root, c.root) {
			t.Fatalf("%s prints as %s, which parses as %s, %v", src, c, again, err)
		}
		src = drawUpdate(t)
		u, err := ParseUpdate(src)
		if err != nil {
			t.Fatalf("%s: %v", src, err)
		}
		u2, err := ParseUpdate(u.String())
		if err != nil || !reflect.DeepEqual(u2, u) {
			t.Fatalf("%s prints as %s, which parses as %s, %v", src, u, u2, err)
		}
		src = strings.Join(rapid.SliceOfN(somePath, 1, 4).Draw(t, "projection"), ", ")
		p, err := ParseProjection(src)
		if err != nil {
			t.Fatalf("%s: %v", src, err)
		}
		p2, err := ParseProjection(p.String())
		if err != nil || !reflect.DeepEqual(p2, p) {
			t.Fatalf("%s prints as %s, which parses as %s, %v", src, p, p2, err)
		}
	})
}

// bindCondition parses and binds; conditions that are not valid are none of the property's
// business.
func bindCondition(t *rapid.T, src string) *Condition {
	c, err := ParseCondition(ConditionExpression, src)
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	s, err := NewScope(&scope)
	if err != nil {
		t.Fatal(err)
	}
	if c, err = c.Bind(s); err != nil {
		t.Skip(err)
	}
	return c
}

// Conditions obey the laws of logic, for every item.
func TestLogicLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := "("+drawCondition(t, 1)+" AND attribute_exists(c))", "("+drawCondition(t, 1)+" OR attribute_exists(c))"
		it := someItem(2).Draw(t, "item")
		ca, cb := bindCondition(t, a).Eval(it), bindCondition(t, b).Eval(it)
		for src, want := range map[string]bool{
			a + " AND " + b:                  ca && cb,
			a + " OR " + b:                   ca || cb,
			"NOT " + a:                       !ca,
			"NOT NOT " + a:                   ca,
			"NOT (" + a + " AND " + b + ")":  !ca || !cb,
			a + " OR " + b + " AND NOT " + b: ca,
		} {
			if got := bindCondition(t, src).Eval(it); got != want {
				t.Fatalf("%s is %t", src, got)
			}
		}
	})
}

// Comparisons agree with one another: = excludes <> and, with values that have an order,
// exactly one of <, = and > holds.
func TestComparisonLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		it := someItem(1).Draw(t, "item")
		holds := func(format string) bool {
			c, err := ParseCondition(FilterExpression, fmt.Sprintf(format, "a", "b"))
			if err != nil {
				t.Fatal(err)
			}
			return c.bound.Eval(it)
		}
		eq, ne, lt, gt := holds("%s = %s"), holds("%s <> %s"), holds("%s < %s"), holds("%s > %s")
		if eq == ne || lt && gt || eq && (lt || gt) || holds("%s <= %s") != (lt || eq && orderedValue(it.Get("a"))) {
			t.Fatalf("= %t, <> %t, < %t, > %t", eq, ne, lt, gt)
		}
		if holds("%s BETWEEN %[2]s AND %[2]s") != (eq && orderedValue(it.Get("a"))) {
			t.Fatalf("= %t, BETWEEN is not", eq)
		}
		if holds("%s IN (%s)") != eq {
			t.Fatalf("= %t, IN is not", eq)
		}
	})
}

func orderedValue(v dynamo.Value) bool {
	_, ok := dynamo.Compare(v, v)
	return ok
}

// After an update every path that it set has its value, nothing outside its paths has
// changed, and the old item is as it was.
func TestUpdateLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		old := someItem(2).Draw(t, "item")
		u, err := ParseUpdate(drawFewActions(t))
		if err != nil {
			t.Fatal(err)
		}
		s, err := NewScope(&scope)
		if err != nil {
			t.Fatal(err)
		}
		if u, err = u.Bind(s); err != nil {
			t.Skip(err)
		}
		before := string(dynamo.AppendItem(nil, old))
		it, touched, err := u.Apply(append(dynamo.Item{}, old...))
		if string(dynamo.AppendItem(nil, old)) != before {
			t.Fatal("the old item has changed")
		}
		if err != nil {
			t.Skip(err)
		}
		if _, err := dynamo.DecodeItem(dynamo.AppendItem(nil, it)); err != nil {
			t.Fatalf("%v is no proper item", it)
		}
		for i, a := range u.actions {
			want, err := u.result(a, old)
			if err != nil {
				t.Fatal(err)
			}
			if got := a.at.Get(it); !inList(a.at) && !dynamo.Equal(got, want) {
				t.Fatalf("%s leaves %v at %v, not %v", u, got, touched[i], want)
			}
		}
		for _, name := range []string{"a", "a.b", "b", "c", "n"} {
			if !contained(u.Attributes(), name) && !dynamo.Equal(it.Get(name), old.Get(name)) {
				t.Fatalf("%s changes %s", u, name)
			}
		}
	})
}

// inList reports whether removing list elements may have moved what the path leads to.
func inList(p Path) bool {
	for _, s := range p {
		if s.Name == "" {
			return true
		}
	}
	return false
}

func contained(names []string, name string) bool {
	for _, n := range names {
		if n == name {
			return true
		}
	}
	return false
}

// A projection has what its paths lead to and nothing else.
func TestProjectionLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		it := someItem(2).Draw(t, "item")
		p, err := ParseProjection(strings.Join(rapid.SliceOfN(somePath, 1, 4).Draw(t, "paths"), ", "))
		if err != nil {
			t.Fatal(err)
		}
		s, err := NewScope(&scope)
		if err != nil {
			t.Fatal(err)
		}
		if p, err = p.Bind(s); err != nil {
			t.Skip(err)
		}
		got := p.Apply(it)
		leaves := 0
		for _, path := range p.at {
			v := path.Get(it)
			if !v.IsAbsent() {
				leaves += countLeaves(v)
			}
			if !inList(path) && !dynamo.Equal(path.Get(got), v) {
				t.Fatalf("%s of %v is %v", p, it, got)
			}
		}
		if n := countLeaves(dynamo.Map(got)); len(got) > 0 && n != leaves || len(got) == 0 && leaves > 0 {
			t.Fatalf("%s of %v is %v: %d leaves, not %d", p, it, got, n, leaves)
		}
	})
}

// countLeaves counts scalars, sets and empty lists and maps.
func countLeaves(v dynamo.Value) int {
	n := 0
	for _, a := range v.Fields() {
		n += countLeaves(a.Value)
	}
	if v.Type() == dynamo.TypeList {
		for _, e := range v.Elements() {
			n += countLeaves(e)
		}
	}
	return max(n, 1)
}

func FuzzExpression(f *testing.F) {
	for _, s := range []string{"attribute_not_exists(#n)", "a = :n AND size(b[3].c) < :m", "SET a[1] = list_append(a, :l) REMOVE b",
		"a.b, c[0]", "NOT (a BETWEEN :n AND :m) or b IN (:s)", "ADD a :n DELETE b :ss", "((a))"} {
		f.Add(s)
	}
	it := dynamo.NewItem(
		dynamo.Attr{Name: "a", Value: dynamo.List(dynamo.Int(1), dynamo.Map(dynamo.NewItem(dynamo.Attr{Name: "b", Value: mustSet("x")})))},
		dynamo.Attr{Name: "b", Value: mustSet("x", "z")}, dynamo.Attr{Name: "c", Value: dynamo.Int(3)})
	f.Fuzz(func(t *testing.T, src string) {
		fuzzCondition(t, src, it)
		fuzzUpdate(t, src, it)
		if p, err := ParseProjection(src); err == nil {
			if again, err := ParseProjection(p.String()); err != nil || again.String() != p.String() {
				t.Fatalf("%q prints as %s: %v", src, p, err)
			}
			s, _ := NewScope(&scope)
			if p, err = p.Bind(s); err == nil {
				p.Apply(it)
			}
		}
	})
}

func fuzzCondition(t *testing.T, src string, it dynamo.Item) {
	s, _ := NewScope(&scope)
	if k, err := ParseKeyCondition(src); err == nil {
		_, _ = k.Bind(s)
	}
	c, err := ParseCondition(FilterExpression, src)
	if err != nil {
		return
	}
	if again, err := ParseCondition(FilterExpression, c.String()); err != nil || !reflect.DeepEqual(again.root, c.root) {
		t.Fatalf("%q prints as %s: %v", src, c, err)
	}
	if c, err = c.Bind(s); err == nil {
		c.Eval(it)
		c.Eval(nil)
	}
}

func fuzzUpdate(t *testing.T, src string, it dynamo.Item) {
	u, err := ParseUpdate(src)
	if err != nil {
		return
	}
	if again, err := ParseUpdate(u.String()); err != nil || again.String() != u.String() {
		t.Fatalf("%q prints as %s: %v", src, u, err)
	}
	s, _ := NewScope(&scope)
	if u, err = u.Bind(s); err != nil {
		return
	}
	for _, old := range []dynamo.Item{it, nil} {
		got, _, err := u.Apply(old)
		if err != nil {
			continue
		}
		if _, err := dynamo.DecodeItem(dynamo.AppendItem(nil, got)); err != nil {
			t.Fatalf("%q makes %v", src, got)
		}
	}
}
