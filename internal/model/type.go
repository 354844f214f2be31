package model

import (
	"fmt"
	"strings"
)

// A Kind is a family of SQL types with one way of comparing, storing and spelling.
type Kind uint8

// The kinds, with the PostgreSQL types they stand for and the dynamo.Value that carries
// one of their values in rows and arguments:
//
//	Text         text, varchar(n), char(n), citext is refused   S
//	Integer      smallint, integer, bigint, serial types        N
//	Decimal      numeric(p,s), numeric, money is refused        N
//	Float        real, double precision                         N
//	Boolean      boolean                                        BOOL
//	Timestamp    timestamp without time zone                    S  2006-01-02T15:04:05.000000
//	TimestampTZ  timestamp with time zone, in UTC               S  2006-01-02T15:04:05.000000Z
//	Date         date                                           S  2006-01-02
//	Time         time without time zone                         S  15:04:05.000000
//	UUID         uuid, lower case with hyphens                  S
//	Bytes        bytea                                          B
//	JSON         json, jsonb: the JSON document itself          S, N, BOOL, NULL, L or M
//	Enum         CREATE TYPE ... AS ENUM                        S
const (
	Text Kind = iota
	Integer
	Decimal
	Float
	Boolean
	Timestamp
	TimestampTZ
	Date
	Time
	UUID
	Bytes
	JSON
	Enum
)

var kindNames = [...]string{"text", "integer", "numeric", "double precision", "boolean",
	"timestamp", "timestamptz", "date", "time", "uuid", "bytea", "jsonb", "enum"}

// String gives PostgreSQL's usual name of the kind.
func (k Kind) String() string { return kindNames[k] }

// A Type is the type of an attribute, a parameter or an expression. The zero Type is
// text. An SQL NULL of any type is the dynamo NULL value.
type Type struct {
	Kind      Kind
	Array     bool     // a one-dimensional array of Kind: an L of its values
	Bits      int      // Integer: 16, 32 or 64
	Precision int      // Decimal: total digits, 0 when unconstrained
	Scale     int      // Decimal: digits after the point
	Length    int      // Text: varchar(n) or char(n), 0 when unlimited
	Labels    []string // Enum: the labels in their order
	Name      string   // Enum: the type's name
}

// String spells the type as PostgreSQL does: "numeric(12,2)", "varchar(40)", "text[]".
func (t Type) String() string {
	s := t.Kind.String()
	switch {
	case t.Kind == Integer && t.Bits == 16:
		s = "smallint"
	case t.Kind == Integer && t.Bits == 64:
		s = "bigint"
	case t.Kind == Decimal && t.Precision > 0:
		s = fmt.Sprintf("numeric(%d,%d)", t.Precision, t.Scale)
	case t.Kind == Text && t.Length > 0:
		s = fmt.Sprintf("varchar(%d)", t.Length)
	case t.Kind == Enum:
		s = t.Name
	}
	if t.Array {
		s += "[]"
	}
	return s
}

// IsNumber reports whether values of t are numbers.
func (t Type) IsNumber() bool {
	return !t.Array && (t.Kind == Integer || t.Kind == Decimal || t.Kind == Float)
}

// quoteLabels spells an enum's labels for the model's text form.
func quoteLabels(labels []string) string {
	quoted := make([]string, len(labels))
	for i, label := range labels {
		quoted[i] = quote(label)
	}
	return strings.Join(quoted, ", ")
}
