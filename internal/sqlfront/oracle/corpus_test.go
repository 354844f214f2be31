package oracle

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/keyfold-dev/keyfold/internal/diag"
	"github.com/keyfold-dev/keyfold/internal/model"
	"github.com/keyfold-dev/keyfold/internal/sqlfront"
)

// An application is one schema with its queries.
type application struct {
	name, schema, queries string
	model                 *model.Model
	diags                 diag.List
}

// applications reads the front end's own cases, the project's examples and golden files of
// other packages, and whatever applications lie beside the checkout.
func applications(t *testing.T) []application {
	var out []application
	for _, pattern := range []string{"../testdata/*.txtar", "../../planner/testdata/*.txtar", "../../planner/testdata/*/*.txtar", "../../verify/testdata/*.txtar"} {
		files, _ := filepath.Glob(pattern)
		for _, name := range files {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			app := application{name: name}
			for _, f := range a.Files {
				switch f.Name {
				case "schema.sql":
					app.schema = string(f.Data)
				case "queries.sql":
					app.queries = string(f.Data)
				}
			}
			out = append(out, app)
		}
	}
	for _, pattern := range []string{"../../../examples/*", "../../../../shared/cases/*"} {
		dirs, _ := filepath.Glob(pattern)
		for _, dir := range dirs {
			schema, err1 := os.ReadFile(filepath.Join(dir, "schema.sql"))
			queries, err2 := os.ReadFile(filepath.Join(dir, "queries.sql"))
			if err1 == nil && err2 == nil {
				out = append(out, application{name: dir, schema: string(schema), queries: string(queries)})
			}
		}
	}
	if len(out) < 15 {
		t.Fatalf("only %d applications", len(out))
	}
	for i := range out {
		app := &out[i]
		app.model, app.diags = sqlfront.Load([]sqlfront.Source{{Name: "schema.sql", Text: app.schema}},
			[]sqlfront.Source{{Name: "queries.sql", Text: app.queries}})
	}
	return out
}

// hasErrors reports whether a file of the application has errors.
func (a *application) hasErrors(file string) bool {
	for _, d := range a.diags {
		if d.Severity == diag.Error && d.Pos.File == file {
			return true
		}
	}
	return false
}

// withoutCommands drops psql's commands, which are no SQL.
func withoutCommands(sql string) string {
	lines := strings.Split(sql, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, `\`) {
			lines[i] = ""
		}
	}
	return strings.Join(lines, "\n")
}
