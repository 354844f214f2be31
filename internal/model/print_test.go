package model

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/diag"
)

// TestExprString prints every kind of expression in SQL's notation.
func TestExprString(t *testing.T) {
	boolean, text, number := Type{Kind: Boolean}, Type{Kind: Text}, Type{Kind: Integer, Bits: 32}
	at := func(t Type) node { return At(t, diag.Pos{}) }
	list := text
	list.Array = true
	col := NewColumn(at(number), 0, "t", "n")
	lit := func(t Type, v dynamo.Value) Expr { return NewLiteral(at(t), v) }
	eq := NewBinary(at(boolean), OpEq, col, lit(number, dynamo.Int(5)))
	doc := dynamo.Map(dynamo.NewItem(dynamo.Attr{Name: "b<", Value: dynamo.Null()}, dynamo.Attr{Name: "a", Value: dynamo.List(dynamo.Int(1), dynamo.Bool(true), dynamo.String("it's"))}))
	for want, x := range map[string]Expr{
		"t.n":          col,
		"n":            NewColumn(at(number), 0, "", "n"),
		"@p":           NewParamRef(at(text), "p"),
		"NULL":         lit(text, dynamo.Null()),
		"false":        lit(boolean, dynamo.Bool(false)),
		"'it''s'":      lit(text, dynamo.String("it's")),
		`'\x00ff'`:     lit(Type{Kind: Bytes}, dynamo.Binary([]byte{0, 255})),
		"'[]'::text[]": lit(list, dynamo.List()),
		`'{"a":[1,true,"it''s"],"b<":null}'::jsonb`: lit(Type{Kind: JSON}, doc),
		"t.n = 5":                eq,
		"NOT (t.n = 5)":          NewUnary(at(boolean), OpNot, eq),
		"(t.n = 5) IS NULL":      NewUnary(at(boolean), OpIsNull, eq),
		"-t.n":                   NewUnary(at(number), OpNeg, col),
		"(t.n = 5) OR (t.n = 5)": NewBinary(at(boolean), OpOr, eq, eq),
		"t.n IN (t.n, @p)":       NewIn(at(boolean), col, []Expr{col, NewParamRef(at(number), "p")}),
		"t.n = ANY(@p)":          NewIn(at(boolean), col, []Expr{NewParamRef(at(list), "p")}),
		"count(*)":               NewCall(at(number), "count", nil, true, false),
		"count(DISTINCT t.n)":    NewCall(at(number), "count", []Expr{col}, false, true),
	} {
		if diff := cmp.Diff(want, x.String()); diff != "" {
			t.Errorf("%s", diff)
		}
	}
}

// TestTypeString spells types as PostgreSQL does.
func TestTypeString(t *testing.T) {
	for want, typ := range map[string]Type{
		"text": {}, "varchar(40)": {Length: 40}, "smallint": {Kind: Integer, Bits: 16}, "integer[]": {Kind: Integer, Bits: 32, Array: true},
		"bigint": {Kind: Integer, Bits: 64}, "numeric": {Kind: Decimal}, "numeric(12,2)": {Kind: Decimal, Precision: 12, Scale: 2},
		"mood[]": {Kind: Enum, Name: "mood", Array: true}, "timestamptz": {Kind: TimestampTZ},
	} {
		if got := typ.String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// TestStatString marks what is assumed.
func TestStatString(t *testing.T) {
	for want, s := range map[string]Stat{"-": {}, "1000?": {1000, true}, "0.5": {0.5, false}, "5000000": {5e6, false}} {
		if got := s.String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
