// Package keyfold compiles SQL to a DynamoDB single-table design. Its input is what an
// SQL developer has: CREATE TABLE statements, and every access pattern as a named
// statement in sqlc's notation. Its output is tables, indexes, key templates and a plan of
// requests for every access pattern, with the reason for each choice.
//
// The package hides the order of the compiler's steps: SQL becomes a model of entities,
// relationships and access patterns (internal/sqlfront), and the model becomes a design
// (internal/planner). Everything Compile reaches is the standard library and this module.
//
//	r := keyfold.Compile(keyfold.Input{
//		Schema:  []keyfold.Source{{Name: "schema.sql", Text: schema}},
//		Queries: []keyfold.Source{{Name: "queries.sql", Text: queries}},
//		Table:   "catalog",
//	})
//	if r.OK() {
//		fmt.Print(r.Text())
//	}
//
// A design runs on the engine of this module (package engine, or package server over
// HTTP), on Amazon DynamoDB, and on any database that speaks its protocol.
package keyfold
