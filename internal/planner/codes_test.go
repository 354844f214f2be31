package planner_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/keyfold-dev/keyfold/internal/diag"
	"github.com/keyfold-dev/keyfold/internal/planner"
	"github.com/keyfold-dev/keyfold/internal/sqlfront"
)

// TestCodeExamples compiles the example of every code and expects that code of it.
func TestCodeExamples(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "codes.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	ast.Inspect(file, func(node ast.Node) bool {
		spec, ok := node.(*ast.ValueSpec)
		if !ok {
			return true
		}
		n++
		code := strings.Trim(spec.Values[0].(*ast.BasicLit).Value, `"`)
		_, example, ok := strings.Cut(spec.Doc.Text(), "Example:\n")
		if !ok {
			t.Errorf("%s has no example", code)
			return true
		}
		t.Run(code, func(t *testing.T) { expectCode(t, example, diag.Code(code)) })
		return true
	})
	if n < 10 {
		t.Fatalf("found %d codes", n)
	}
}

func expectCode(t *testing.T, example string, want diag.Code) {
	lines := strings.Split(strings.TrimSpace(example), "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	at := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "-- name:") })
	schema, queries := strings.Join(lines[:at], "\n"), strings.Join(lines[at:], "\n")
	m, diags := sqlfront.Load([]sqlfront.Source{{Name: "schema.sql", Text: schema}}, []sqlfront.Source{{Name: "queries.sql", Text: queries}})
	if diags.HasErrors() {
		t.Fatalf("%v\n%s", diags, example)
	}
	_, found := planner.Plan(m, planner.Options{})
	if !slices.ContainsFunc(found, func(d diag.Diagnostic) bool { return d.Code == want }) {
		t.Errorf("got %v", found)
	}
}
