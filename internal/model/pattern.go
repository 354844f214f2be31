package model

import (
	"github.com/keyfold-dev/keyfold/internal/diag"
)

// A Cardinality is sqlc's word after the query's name.
type Cardinality uint8

// The cardinalities: One returns the first row or none, Many all rows, Exec none.
const (
	One Cardinality = iota
	Many
	Exec
)

// String gives sqlc's spelling, with the colon.
func (c Cardinality) String() string { return [...]string{":one", ":many", ":exec"}[c] }

// An AccessPattern is one named read or write the application performs. Exactly one of
// Query, Insert, Update and Delete is set.
type AccessPattern struct {
	Name        string
	Cardinality Cardinality
	Params      []*Param // in order of first appearance

	Query  *Query
	Insert *Insert
	Update *Update
	Delete *Delete

	SQL string // the statement as written, without the closing semicolon
	// Reference is the same statement for a reference database (SQLite): parameters as
	// @name, casts and dialect words rewritten token by token, NULL order made explicit
	// as PostgreSQL has it. It does not go through the model, so that a fault in
	// lowering shows as a difference.
	Reference string

	Hints Hints
	Pos   diag.Pos // of the name in its annotation
}

// IsWrite reports whether the pattern changes rows.
func (p *AccessPattern) IsWrite() bool { return p.Query == nil }

// Param returns the parameter with that name, or nil.
func (p *AccessPattern) Param(name string) *Param {
	for _, q := range p.Params {
		if q.Name == name {
			return q
		}
	}
	return nil
}

// Hints are what `-- keyfold:` says about a query, and statistics with their defaults.
type Hints struct {
	Rate        Stat // calls per second
	Peak        Stat // calls per second at the peak
	Page        Stat // rows a caller takes of a :many
	Strong      bool // consistency=strong
	AllowFilter bool // filter=allow
	Requests    int  // most requests the user accepts; 0 when unsaid
	Shards      int  // number of shards asked for; 0 when unsaid
	Copy        string
}

// A Param is a named argument of an access pattern. `$1` is named "p1" unless the column
// it is compared with gives it a better name.
type Param struct {
	Name     string
	Type     Type
	Nullable bool // the argument may be NULL (it is assigned to a nullable column)
	Optional bool // sqlc.narg: a NULL argument switches its condition off
	List     bool // = ANY(@ids), IN (sqlc.slice('ids')): a list of Type
	Pos      diag.Pos
}

// A Query is one SELECT: the cross product of its sources, kept where every conjunct of
// Where holds, ordered, cut, projected. The ON conditions of inner joins and comma joins
// are conjuncts of Where; those of a left join stay with their Source.
type Query struct {
	Sources  []*Source // in FROM order; the first is never Left
	Where    []Expr    // conjuncts; BETWEEN is two of them
	GroupBy  []Expr
	Having   []Expr
	Columns  []*Output
	Distinct bool
	OrderBy  []*Ordering
	Limit    Expr // nil, a Literal or a ParamRef
	Offset   Expr
	Union    []*Query // the further branches of UNION ALL; OrderBy, Limit and Offset of the first then speak of the whole, by output column
	Pos      diag.Pos // of SELECT
}

// A Source is one entity in FROM, under an alias.
type Source struct {
	Entity string
	Alias  string // the entity's name when none was written
	Left   bool   // LEFT JOIN: a row without partner is kept with NULLs
	On     []Expr // conjuncts of a left join's ON
	Pos    diag.Pos
}

// An Output is one result column.
type Output struct {
	Name string
	Expr Expr
	Type Type
	Pos  diag.Pos
}

// An Ordering is one term of ORDER BY. NullsFirst has PostgreSQL's default filled in:
// last when ascending, first when descending.
type Ordering struct {
	Expr       Expr
	Desc       bool
	NullsFirst bool
	Pos        diag.Pos
}

// An Assignment gives a column a value. Expressions may name columns of the target row
// (Source 0) and, in ON CONFLICT DO UPDATE, of the row proposed for insertion (Source 1,
// EXCLUDED).
type Assignment struct {
	Attribute string
	Value     Expr // the keyword DEFAULT is replaced by the default
	Pos       diag.Pos
}

// An Insert adds one row. Every attribute of the entity is in Values: those not written
// have their default or a NULL Literal.
type Insert struct {
	Entity    string
	Values    []*Assignment // in the entity's attribute order
	Given     []string      // the attributes the statement names
	Conflict  *Conflict     // nil: a duplicate is an error
	Returning []*Output
}

// A Conflict is an ON CONFLICT clause. Set is nil for DO NOTHING.
type Conflict struct {
	Target []string // nil: any unique key
	Set    []*Assignment
	Where  []Expr
	Pos    diag.Pos
}

// An Update changes the rows that its conjuncts select.
type Update struct {
	Entity    string
	Set       []*Assignment
	Where     []Expr
	Returning []*Output
}

// A Delete removes the rows that its conjuncts select.
type Delete struct {
	Entity    string
	Where     []Expr
	Returning []*Output
}
