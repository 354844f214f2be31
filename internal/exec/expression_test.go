package exec

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/design"
	"github.com/keyfold-dev/keyfold/internal/diag"
	"github.com/keyfold-dev/keyfold/internal/expr"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// itemCondition draws a condition that DynamoDB can evaluate.
func itemCondition(t *rapid.T, depth int) model.Expr {
	bit := model.At(boolType, diag.Pos{})
	k := rapid.SampledFrom([]model.Kind{model.Integer, model.Text, model.Decimal}).Draw(t, "kind")
	constant := func() model.Expr {
		switch rapid.IntRange(0, 9).Draw(t, "constant") {
		case 0:
			return lit(typeOf(k), dynamo.Null())
		case 1, 2:
			return model.NewParamRef(model.At(typeOf(k), diag.Pos{}), map[model.Kind]string{model.Integer: "i", model.Text: "s", model.Decimal: "d"}[k])
		}
		return lit(typeOf(k), drawScalar(t, k))
	}
	switch form := rapid.IntRange(0, 11).Draw(t, "form"); {
	case depth > 0 && form < 4:
		o := rapid.SampledFrom([]model.Op{model.OpAnd, model.OpOr}).Draw(t, "op")
		return model.NewBinary(bit, o, itemCondition(t, depth-1), itemCondition(t, depth-1))
	case depth > 0 && form == 4:
		return model.NewUnary(bit, model.OpNot, itemCondition(t, depth-1))
	case form == 5:
		o := rapid.SampledFrom([]model.Op{model.OpIsNull, model.OpIsNotNull}).Draw(t, "op")
		return model.NewUnary(bit, o, column(t, k))
	case form == 6:
		list := []model.Expr{constant()}
		for range rapid.IntRange(0, 2).Draw(t, "more") {
			list = append(list, constant())
		}
		return model.NewIn(bit, column(t, k), list)
	case form == 7:
		return model.NewIn(bit, column(t, model.Text), []model.Expr{model.NewParamRef(model.At(textType, diag.Pos{}), "list")})
	case form == 8:
		p := lit(textType, dynamo.String(rapid.SampledFrom([]string{"a%", "aA%", "%", `\%%`, "b", "%é%", ""}).Draw(t, "pattern")))
		if rapid.Bool().Draw(t, "param") {
			p = op(textType, model.OpConcat, model.NewParamRef(model.At(textType, diag.Pos{}), "s"), lit(textType, dynamo.String("%")))
		}
		return model.NewBinary(bit, model.OpLike, column(t, model.Text), p)
	case form == 9:
		return column(t, model.Boolean)
	}
	o := rapid.SampledFrom([]model.Op{model.OpEq, model.OpNe, model.OpLt, model.OpLe, model.OpGt, model.OpGe}).Draw(t, "op")
	left, right := column(t, k), constant()
	if rapid.IntRange(0, 3).Draw(t, "columns") == 0 {
		right = column(t, k)
	}
	if rapid.Bool().Draw(t, "swap") {
		left, right = right, left
	}
	return model.NewBinary(bit, o, left, right)
}

// A FilterExpression keeps exactly the rows for which SQL finds the conjunct true, with
// any NULLs in rows, arguments and lists.
func TestFilterMeansTheSame(t *testing.T) {
	entity := &design.Entity{Name: "rows", Tag: "R", Table: "main"}
	for _, c := range evalColumns {
		name := c.name
		if name == "s0" {
			name = "name" // a reserved word
		}
		entity.Attributes = append(entity.Attributes, &design.Attribute{Name: name, Column: c.name, Type: c.typ, NotNull: len(c.name) == 1})
	}
	d := &design.Design{Tables: []*design.Table{{Name: "main"}}, Entities: []*design.Entity{entity}}
	pattern := &model.AccessPattern{Name: "P", Params: []*model.Param{{Name: "i", Type: bigType}, {Name: "s"},
		{Name: "d", Type: decType}, {Name: "list", List: true}}}
	rapid.Check(t, func(t *rapid.T) {
		row, item := Row{}, dynamo.Item{}
		for i, c := range evalColumns {
			if !entity.Attributes[i].NotNull && rapid.IntRange(0, 2).Draw(t, "null") == 0 {
				continue
			}
			v := drawScalar(t, c.typ.Kind)
			row = row.Set(c.name, v)
			item = item.Set(entity.Attributes[i].Name, v)
		}
		args := drawArguments(t)
		scope := &Scope{
			Column: func(c *model.Column) (dynamo.Value, error) { return row.Get(c.Attribute), nil },
			Param:  func(name string) (dynamo.Value, error) { return args[name], nil },
		}
		e := itemCondition(t, 3)
		if err := design.Expressible(e); err != nil {
			t.Fatal(err)
		}
		want, err := scope.isTrue(e)
		if err != nil {
			t.Fatal(err)
		}
		r := &design.Request{Op: design.Query, Table: "main", Kinds: []design.Kind{{Entity: "rows"}}, Filter: []model.Expr{e}}
		x, err := d.Express(&design.Plan{Pattern: pattern}, r, scope.Eval)
		if err != nil {
			t.Fatal(err)
		}
		bound, err := bind(x, scope, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := !x.Never && filterHolds(t, x.Filter, bound, item); got != want {
			t.Fatalf("%s as %q of %s: %v, want %v", e, x.Filter, describeItem(row), got, want)
		}
	})
}

func drawArguments(t *rapid.T) Args {
	args := Args{"i": drawScalar(t, model.Integer), "d": drawScalar(t, model.Decimal),
		"s": dynamo.String(rapid.SampledFrom([]string{"", "a", "aA", "é"}).Draw(t, "s"))}
	for _, name := range []string{"i", "s", "d"} {
		if rapid.IntRange(0, 5).Draw(t, "no") == 0 {
			args[name] = dynamo.Null()
		}
	}
	var list []dynamo.Value
	for range rapid.IntRange(0, 3).Draw(t, "length") {
		if rapid.IntRange(0, 3).Draw(t, "null") == 0 {
			list = append(list, dynamo.Null())
		} else {
			list = append(list, drawScalar(t, model.Text))
		}
	}
	args["list"] = dynamo.List(list...)
	return args
}

// filterHolds evaluates an expression as the engine does, unused placeholders being a
// fault.
func filterHolds(t *rapid.T, text string, x dynamo.Expressions, item dynamo.Item) bool {
	if text == "" {
		return true
	}
	scope, err := expr.NewScope(&x)
	if err != nil {
		t.Fatal(err)
	}
	cond, err := expr.ParseCondition(expr.FilterExpression, text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if cond, err = cond.Bind(scope); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if err := scope.Unused(); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return cond.Eval(item)
}

// itemValue draws what an update can assign to an integer column.
func itemValue(t *rapid.T) model.Expr {
	constant := func() model.Expr {
		if rapid.IntRange(0, 3).Draw(t, "param") == 0 {
			return model.NewParamRef(model.At(bigType, diag.Pos{}), "i")
		}
		return lit(bigType, drawScalar(t, model.Integer))
	}
	known := model.NewColumn(model.At(bigType, diag.Pos{}), 0, "", "i")
	orElse := func() model.Expr {
		c := model.NewColumn(model.At(bigType, diag.Pos{}), 0, "", "i0")
		return model.NewCall(model.At(bigType, diag.Pos{}), "coalesce", []model.Expr{c, lit(bigType, drawScalar(t, model.Integer))}, false, false)
	}
	o := rapid.SampledFrom([]model.Op{model.OpAdd, model.OpSub}).Draw(t, "op")
	switch rapid.IntRange(0, 6).Draw(t, "value") {
	case 0:
		return known
	case 1:
		return orElse()
	case 2:
		return op(bigType, o, known, constant())
	case 3:
		return op(bigType, o, constant(), known)
	case 4:
		return op(bigType, o, orElse(), constant())
	}
	return constant()
}

// An UpdateExpression makes of an item what SQL makes of the row, index keys included.
func TestUpdateMeansTheSame(t *testing.T) {
	entity := &design.Entity{Name: "rows", Tag: "R", Table: "main"}
	for _, c := range evalColumns {
		entity.Attributes = append(entity.Attributes, &design.Attribute{Name: c.name, Column: c.name, Type: c.typ, NotNull: len(c.name) == 1})
	}
	s0 := model.NewColumn(model.At(textType, diag.Pos{}), 0, "", "s0")
	key := &design.Key{Attribute: "GSI1PK", Template: design.Template{{Literal: "S#"}, {Value: s0, Type: textType}}}
	entity.Keys = []*design.Key{key}
	d := &design.Design{Tables: []*design.Table{{Name: "main", PartitionKey: design.KeyAttribute{Name: "PK", Type: dynamo.TypeString}}}, Entities: []*design.Entity{entity}}
	pattern := &model.AccessPattern{Name: "P", Params: []*model.Param{{Name: "i", Type: bigType}, {Name: "s"}}}
	rapid.Check(t, func(t *rapid.T) {
		row := Row{}
		for _, c := range evalColumns {
			if len(c.name) == 1 || rapid.Bool().Draw(t, "there") {
				row = row.Set(c.name, drawScalar(t, c.typ.Kind))
			}
		}
		args := drawArguments(t)
		scope := &Scope{
			Column: func(c *model.Column) (dynamo.Value, error) { return row.Get(c.Attribute), nil },
			Param:  func(name string) (dynamo.Value, error) { return args[name], nil },
		}
		after := key.Template.Bind(func(string) model.Expr { return model.NewParamRef(model.At(textType, diag.Pos{}), "s") })
		w := &design.Write{Op: design.UpdateItem, Kind: design.Kind{Entity: "rows"}, Keys: []*design.Key{{Attribute: key.Attribute, Template: after}}, Set: []model.Assignment{
			{Attribute: "i0", Value: itemValue(t)},
			{Attribute: "s0", Value: model.NewParamRef(model.At(textType, diag.Pos{}), "s")},
		}}
		want := row.Clone()
		for i, set := range w.Set {
			if err := entity.ExpressibleSet(&w.Set[i]); err != nil {
				t.Fatal(err)
			}
			v, err := scope.Eval(set.Value)
			if err != nil {
				t.Fatal(err)
			}
			if v.IsNull() {
				v = dynamo.Value{}
			}
			want = want.Set(set.Attribute, v)
		}
		if v := want.Get("s0"); !v.IsAbsent() {
			want = want.Set("GSI1PK", must(encodeKey(dynamo.TypeString, key.Template, assignKey, func(model.Expr) (dynamo.Value, error) { return v, nil })))
		}
		item := row.Clone().Set("GSI1PK", dynamo.String("S#old"))
		x, err := d.ExpressWrite(&design.Plan{Pattern: pattern}, w, scope.Eval)
		if err != nil {
			t.Fatal(err)
		}
		bound, err := bind(x, scope, func(b design.Binding) (dynamo.Value, error) {
			return newKey(d.Tables[0], entity, b.Attribute, b.Template, assignKey, scope)
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := updated(t, x.Update, bound, item); !dynamo.EqualItems(got, want) {
			t.Fatalf("%s makes of %s\n%s, want\n%s", x.Update, describeItem(row), describeItem(got), describeItem(want))
		}
	})
}

func must(v dynamo.Value, err error) dynamo.Value {
	if err != nil {
		panic(err)
	}
	return v
}

func updated(t *rapid.T, text string, x dynamo.Expressions, item dynamo.Item) dynamo.Item {
	scope, err := expr.NewScope(&x)
	if err != nil {
		t.Fatal(err)
	}
	u, err := expr.ParseUpdate(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if u, err = u.Bind(scope); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if err := scope.Unused(); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	out, _, err := u.Apply(item)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return out
}
