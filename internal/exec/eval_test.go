package exec

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	_ "modernc.org/sqlite"
	"pgregory.net/rapid"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/diag"
	"github.com/keyfold-dev/keyfold/internal/model"
)

var (
	intType  = model.Type{Kind: model.Integer}
	bigType  = model.Type{Kind: model.Integer, Bits: 64}
	decType  = model.Type{Kind: model.Decimal, Precision: 10, Scale: 2}
	boolType = model.Type{Kind: model.Boolean}
	textType = model.Type{}
)

func lit(t model.Type, v dynamo.Value) model.Expr {
	return model.NewLiteral(model.At(t, diag.Pos{}), v)
}

func num(s string) dynamo.Value {
	v, err := dynamo.Number(s)
	if err != nil {
		panic(err)
	}
	return v
}

func op(t model.Type, o model.Op, l, r model.Expr) model.Expr {
	return model.NewBinary(model.At(t, diag.Pos{}), o, l, r)
}

// columns that generated expressions speak of; those with a 0 may be NULL.
var evalColumns = []struct {
	name string
	typ  model.Type
}{{"i", bigType}, {"i0", bigType}, {"s", textType}, {"s0", textType}, {"b", boolType}, {"b0", boolType}, {"d", decType}, {"d0", decType}}

func column(t *rapid.T, k model.Kind) model.Expr {
	var fit []int
	for i, c := range evalColumns {
		if c.typ.Kind == k {
			fit = append(fit, i)
		}
	}
	c := evalColumns[rapid.SampledFrom(fit).Draw(t, "column")]
	return model.NewColumn(model.At(c.typ, diag.Pos{}), 0, "", c.name)
}

// Small alphabets make comparisons hit.
func drawScalar(t *rapid.T, k model.Kind) dynamo.Value {
	switch k {
	case model.Integer:
		return dynamo.Int(int64(rapid.IntRange(-3, 3).Draw(t, "int")))
	case model.Decimal:
		return num(rapid.SampledFrom([]string{"0", "0.25", "-0.25", "1.5", "2", "-2.75", "3"}).Draw(t, "decimal"))
	case model.Boolean:
		return dynamo.Bool(rapid.Bool().Draw(t, "bool"))
	}
	return dynamo.String(rapid.StringOfN(rapid.SampledFrom([]rune("aAbé%_")), 0, 3, -1).Draw(t, "text"))
}

func typeOf(k model.Kind) model.Type {
	return map[model.Kind]model.Type{model.Integer: bigType, model.Decimal: decType, model.Boolean: boolType, model.Text: textType}[k]
}

// scalar draws an expression of a kind, of limited depth.
func scalar(t *rapid.T, k model.Kind, depth int) model.Expr {
	choice := rapid.IntRange(0, 9).Draw(t, "form")
	typ := typeOf(k)
	switch {
	case depth == 0 || choice < 3:
		if rapid.Bool().Draw(t, "literal") {
			if rapid.IntRange(0, 9).Draw(t, "null") == 0 {
				return lit(typ, dynamo.Null())
			}
			return lit(typ, drawScalar(t, k))
		}
		return column(t, k)
	case k == model.Boolean:
		return condition(t, depth)
	case choice == 3:
		return model.NewCall(model.At(typ, diag.Pos{}), "coalesce", []model.Expr{scalar(t, k, depth-1), scalar(t, k, depth-1)}, false, false)
	case k == model.Text && choice < 7:
		return op(typ, model.OpConcat, scalar(t, k, depth-1), scalar(t, k, depth-1))
	case k == model.Text:
		f := rapid.SampledFrom([]string{"lower", "upper"}).Draw(t, "function")
		return model.NewCall(model.At(typ, diag.Pos{}), f, []model.Expr{scalar(t, k, depth-1)}, false, false)
	case choice == 4 && k == model.Integer:
		return model.NewCall(model.At(typ, diag.Pos{}), "length", []model.Expr{scalar(t, model.Text, depth-1)}, false, false)
	case choice == 4:
		return model.NewCall(model.At(typ, diag.Pos{}), "abs", []model.Expr{scalar(t, k, depth-1)}, false, false)
	case choice == 5 && k == model.Integer:
		o := rapid.SampledFrom([]model.Op{model.OpDiv, model.OpMod}).Draw(t, "op")
		return op(typ, o, scalar(t, k, depth-1), lit(typ, dynamo.Int(int64(rapid.SampledFrom([]int{-3, -2, 2, 3}).Draw(t, "divisor")))))
	case choice == 6:
		return model.NewUnary(model.At(typ, diag.Pos{}), model.OpNeg, column(t, k))
	}
	o := rapid.SampledFrom([]model.Op{model.OpAdd, model.OpSub, model.OpMul}).Draw(t, "op")
	return op(typ, o, scalar(t, k, depth-1), scalar(t, k, depth-1))
}

func condition(t *rapid.T, depth int) model.Expr {
	k := rapid.SampledFrom([]model.Kind{model.Integer, model.Text, model.Boolean, model.Decimal}).Draw(t, "kind")
	switch form := rapid.IntRange(0, 9).Draw(t, "condition"); {
	case form < 3:
		o := rapid.SampledFrom([]model.Op{model.OpAnd, model.OpOr}).Draw(t, "op")
		return op(boolType, o, scalar(t, model.Boolean, depth-1), scalar(t, model.Boolean, depth-1))
	case form == 3:
		return model.NewUnary(model.At(boolType, diag.Pos{}), model.OpNot, scalar(t, model.Boolean, depth-1))
	case form == 4:
		o := rapid.SampledFrom([]model.Op{model.OpIsNull, model.OpIsNotNull}).Draw(t, "op")
		return model.NewUnary(model.At(boolType, diag.Pos{}), o, scalar(t, k, depth-1))
	case form == 5:
		list := []model.Expr{scalar(t, k, depth-1)}
		for range rapid.IntRange(0, 2).Draw(t, "more") {
			list = append(list, scalar(t, k, 0))
		}
		return model.NewIn(model.At(boolType, diag.Pos{}), scalar(t, k, depth-1), list)
	case form == 6:
		return op(boolType, model.OpLike, scalar(t, model.Text, depth-1), scalar(t, model.Text, depth-1))
	}
	o := rapid.SampledFrom([]model.Op{model.OpEq, model.OpNe, model.OpLt, model.OpLe, model.OpGt, model.OpGe}).Draw(t, "op")
	return op(boolType, o, scalar(t, k, depth-1), scalar(t, k, depth-1))
}

// An expression means the same here and in SQLite, where the two languages agree:
// integers within range, fractions that a binary float holds, no division by zero.
func TestEvalAgainstSQLite(t *testing.T) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("PRAGMA case_sensitive_like = ON"); err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		row := Row{}
		var names []string
		var values []any
		for _, c := range evalColumns {
			v := drawScalar(t, c.typ.Kind)
			if strings.HasSuffix(c.name, "0") && rapid.IntRange(0, 2).Draw(t, "null") == 0 {
				v = dynamo.Value{}
			}
			row = row.Set(c.name, v)
			names = append(names, "? AS "+c.name)
			values = append(values, toSQLite(v))
		}
		kind := rapid.SampledFrom([]model.Kind{model.Boolean, model.Boolean, model.Integer, model.Text, model.Decimal}).Draw(t, "result")
		e := scalar(t, kind, 3)
		scope := Scope{Column: func(c *model.Column) (dynamo.Value, error) { return row.Get(c.Attribute), nil }}
		got, err := scope.Eval(e)
		if err != nil {
			t.Fatalf("%s: %v", e, err)
		}
		var want any
		query := "SELECT " + e.String() + " FROM (SELECT " + strings.Join(names, ", ") + ")"
		if err := db.QueryRow(query, values...).Scan(&want); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		if want == 0.0 {
			want = int64(0) // -0 among others
		}
		if a, b := fmt.Sprint(toSQLite(got)), fmt.Sprint(want); a != b {
			t.Fatalf("%s with %s: %s, SQLite says %s", e, describeItem(row), a, b)
		}
	})
}

// toSQLite gives a value as the driver takes and returns it.
func toSQLite(v dynamo.Value) any {
	switch v.Type() {
	case dynamo.TypeBool:
		return int64(truth(v))
	case dynamo.TypeNumber:
		if strings.Contains(v.Str(), ".") {
			var f float64
			_, _ = fmt.Sscan(v.Str(), &f)
			return f
		}
		var n int64
		_, _ = fmt.Sscan(v.Str(), &n)
		return n
	case dynamo.TypeString:
		return v.Str()
	}
	return nil
}

// PostgreSQL 15's answers.
func TestArithmetic(t *testing.T) {
	dec := model.Type{Kind: model.Decimal}
	for _, c := range []struct {
		l    model.Expr
		op   model.Op
		r    model.Expr
		want string
	}{
		{lit(intType, num("7")), model.OpDiv, lit(intType, num("2")), "3"},
		{lit(intType, num("-7")), model.OpDiv, lit(intType, num("2")), "-3"},
		{lit(intType, num("-7")), model.OpMod, lit(intType, num("2")), "-1"},
		{lit(dec, num("1")), model.OpDiv, lit(dec, num("3")), "0.33333333333333333333"},
		{lit(dec, num("2")), model.OpDiv, lit(dec, num("3")), "0.66666666666666666667"},
		{lit(dec, num("10")), model.OpDiv, lit(dec, num("3")), "3.3333333333333333"},
		{lit(dec, num("100000")), model.OpDiv, lit(dec, num("3")), "33333.333333333333"},
		{lit(dec, num("1")), model.OpDiv, lit(dec, num("30000")), "0.000033333333333333333333"},
		{lit(dec, num("1.10")), model.OpMul, lit(dec, num("2.2")), "2.42"},
		{lit(dec, num("0.1")), model.OpAdd, lit(dec, num("0.2")), "0.3"},
		{lit(dec, num("5.5")), model.OpMod, lit(intType, num("2")), "1.5"},
		{lit(model.Type{Kind: model.Float}, num("0.1")), model.OpAdd, lit(model.Type{Kind: model.Float}, num("0.2")), "0.30000000000000004"},
		{lit(intType, num("2147483647")), model.OpAdd, lit(intType, num("1")), "integer out of range"},
		{lit(bigType, num("9223372036854775807")), model.OpAdd, lit(intType, num("1")), "bigint out of range"},
		{lit(intType, num("1")), model.OpDiv, lit(intType, num("0")), "division by zero"},
		{lit(dec, num("1")), model.OpMod, lit(dec, num("0")), "division by zero"},
	} {
		e := op(model.Type{}, c.op, c.l, c.r)
		v, err := (&Scope{}).Eval(e)
		got := v.Str()
		if err != nil {
			_, got, _ = strings.Cut(err.Error(), ": ")
		}
		if got != c.want {
			t.Errorf("%s = %s, want %s", e, got, c.want)
		}
	}
}

func TestLike(t *testing.T) {
	for _, c := range []struct {
		text, pattern string
		want          bool
	}{
		{"abc", "abc", true}, {"abc", "a%", true}, {"abc", "%c", true}, {"abc", "a_c", true}, {"aéc", "a_c", true},
		{"abc", "ABC", false}, {"a%c", `a\%c`, true}, {"abc", `a\%c`, false}, {`a\c`, `a\\c`, true}, {"", "%", true},
		{"", "_", false}, {"aaab", "%a%b", true}, {"abab", "%ab", true}, {"ab\nc", "a%c", true}, {"😀x", "_x", true},
		{strings.Repeat("a", 5000), strings.Repeat("%a", 200) + "b", false},
	} {
		got, err := like(c.text, c.pattern)
		if err != nil || got != c.want {
			t.Errorf("%.20q LIKE %.20q is %v, %v, want %v", c.text, c.pattern, got, err, c.want)
		}
	}
	if _, err := like("a", `a\`); err == nil {
		t.Error("a pattern that ends with its escape must fail")
	}
}

func TestParseValue(t *testing.T) {
	enum := model.Type{Kind: model.Enum, Name: "mood", Labels: []string{"sad", "ok"}}
	for _, c := range []struct {
		typ        model.Type
		text, want string // want begins with "error " when the text is refused
	}{
		{textType, " a ", `" a "`},
		{model.Type{Length: 3}, "abcd", `"abcd"`},
		{intType, "+42", "42"},
		{intType, "2147483648", "error 2147483648 is out of range for integer"},
		{model.Type{Kind: model.Integer, Bits: 16}, "40000", "error 40000 is out of range for smallint"},
		{intType, "x", `error "x" is not a number`},
		{decType, "1.005", "1.01"},
		{decType, "-1.005", "-1.01"},
		{decType, "1e3", "1000"},
		{decType, "123456789", "error 123456789 does not fit numeric(10,2): at most 8 digits before the point"},
		{boolType, "Yes", "true"},
		{boolType, "2", `error "2" is not a boolean: want true or false`},
		{model.Type{Kind: model.TimestampTZ}, "2026-03-01 15:04:05+02:00", `"2026-03-01T13:04:05.000000Z"`},
		{model.Type{Kind: model.TimestampTZ}, "2026-03-01T15:04:05.1234567Z", `"2026-03-01T15:04:05.123457Z"`},
		{model.Type{Kind: model.TimestampTZ}, "2026-03-01", `"2026-03-01T00:00:00.000000Z"`},
		{model.Type{Kind: model.TimestampTZ}, "2026-03-01 10:00+02", `"2026-03-01T08:00:00.000000Z"`},
		{model.Type{Kind: model.Timestamp}, "2026-03-01 15:04:05+02:00", `"2026-03-01T15:04:05.000000"`},
		{model.Type{Kind: model.Date}, "2026-03-01 15:04:05", `"2026-03-01"`},
		{model.Type{Kind: model.Date}, "1.3.2026", `error "1.3.2026" is not a date: want 2026-03-01`},
		{model.Type{Kind: model.Time}, "15:04", `"15:04:00.000000"`},
		{model.Type{Kind: model.UUID}, "0B4E6A7C9D0F4C558F6E1A2B3C4D5E6F", `"0b4e6a7c-9d0f-4c55-8f6e-1a2b3c4d5e6f"`},
		{model.Type{Kind: model.UUID}, "0b4e", `error "0b4e" is not a uuid: want 32 hexadecimal digits, such as 0b4e6a7c-9d0f-4c55-8f6e-1a2b3c4d5e6f`},
		{enum, "ok", `"ok"`},
		{enum, "fine", `error "fine" is not one of the labels of mood: sad, ok`},
		{model.Type{Kind: model.Bytes}, `\x00ff`, `B"\x00\xff"`},
		{model.Type{Kind: model.Bytes}, "AP8=", `B"\x00\xff"`},
		{model.Type{Kind: model.JSON}, `{"b":[1,null],"a":"x"}`, `M{"a"S"x""b"L[N"1"NULL""]}`},
		{model.Type{Kind: model.JSON}, `null`, "error a document that is JSON's null alone is not supported; leave the value out for SQL's NULL"},
		{model.Type{Kind: model.JSON}, `{`, "error not a JSON document: unexpected EOF"},
		{model.Type{Array: true}, `{a,"b,c",NULL,"NULL"}`, `L[S"a"S"b,c"NULL""S"NULL"]`},
		{model.Type{Array: true}, `["a",null,"b"]`, `L[S"a"NULL""S"b"]`},
		{model.Type{Kind: model.Integer, Array: true}, `{1, 2}`, `L[N"1"N"2"]`},
		{model.Type{Kind: model.Integer, Array: true}, `[1,"x"]`, `error element 2: "x" is not a number`},
		{model.Type{Array: true}, `a,b`, `error "a,b" is not an array: want ["a","b"] or {a,b}`},
	} {
		v, err := ParseValue(c.typ, c.text)
		got := ""
		if err != nil {
			got = "error " + err.Error()
		} else {
			got = describeValue(v)
		}
		if got != c.want {
			t.Errorf("%s %q: %s, want %s", c.typ, c.text, got, c.want)
		}
	}
}

func FuzzParseValue(f *testing.F) {
	for i, s := range []string{"1", "2026-01-01 00:00", `{a,"b"}`, `[1,{}]`, `\x00`, "t", "1e400"} {
		f.Add(s, uint8(i), i%2 == 0)
	}
	f.Fuzz(func(t *testing.T, s string, kind uint8, array bool) {
		typ := model.Type{Kind: model.Kind(kind % 13), Array: array, Labels: []string{"a"}}
		v, err := ParseValue(typ, s)
		if err != nil {
			return
		}
		if err := CheckValue(typ, v); err != nil {
			t.Fatalf("%s %q is %s: %v", typ, s, describeValue(v), err)
		}
	})
}
