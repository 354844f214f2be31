// Package sqlfront is the compiler's front end: it turns PostgreSQL's CREATE TABLE
// statements and sqlc's named queries into a model.Model. It hides everything that is
// SQL: the lexer, the parser of a documented subset of PostgreSQL (docs/language.md), the
// syntax tree, name resolution, typing, the reading of `-- name:` and `-- keyfold:`
// comments, and the spelling of every statement for the reference database.
//
//	m, diags := sqlfront.Load(
//		[]sqlfront.Source{{Name: "schema.sql", Text: schema}},
//		[]sqlfront.Source{{Name: "queries.sql", Text: queries}})
//
// The work is done in three steps. The scanner (scan.go) cuts a file into tokens and
// comments, and those into statements. The parser (parse*.go) reads one statement; its
// first mistake ends it. The lowering (catalog*.go for the schema, lower*.go for queries)
// resolves names and types against the tables read so far, reports every mistake it
// finds, and builds the model. Each query is lowered twice: the first time to learn what
// types its parameters have, the second time for good.
package sqlfront

import (
	"slices"

	"github.com/keyfold-dev/keyfold/internal/diag"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// A Source is one input file: the name that diagnostics show, and its contents.
type Source struct{ Name, Text string }

// Load reads the schema files and then the query files, in the order given. It goes on
// after errors: the model holds everything that could be understood, the list every
// diagnostic, sorted by file and place. A model that comes with errors may lack tables
// and patterns, but what it holds is consistent. Load never panics, keeps no state and is
// safe for concurrent use.
func Load(schema, queries []Source) (*model.Model, diag.List) {
	l := newLoader()
	for _, s := range schema {
		f := scan(s, &l.diags)
		for _, st := range f.statements(&l.diags) {
			l.schemaStatement(st)
		}
	}
	l.finishSchema()
	for _, s := range queries {
		f := scan(s, &l.diags)
		for _, st := range f.statements(&l.diags) {
			l.queryStatement(st)
		}
	}
	l.diags.Sort()
	// Expressions that are lowered twice, such as the subject of BETWEEN, leave repeats.
	return l.model, slices.Compact(l.diags)
}

// A loader carries one run of Load.
type loader struct {
	catalog
	model *model.Model
	diags diag.List
	named map[string]diag.Pos // where each query name was given
}

func newLoader() *loader {
	m := &model.Model{}
	return &loader{catalog: newCatalog(), model: m, named: map[string]diag.Pos{}}
}
