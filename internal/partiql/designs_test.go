package partiql_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/keyfold-dev/keyfold"
	"github.com/keyfold-dev/keyfold/internal/partiql"
)

// TestDesignsSpeakPartiQL parses every statement that the designs of the examples show for
// a request. Their text has a '?' for each value.
func TestDesignsSpeakPartiQL(t *testing.T) {
	examples, err := filepath.Glob("../../examples/*/schema.sql")
	if err != nil || len(examples) == 0 {
		t.Fatal("no examples", err)
	}
	for _, schema := range examples {
		dir := filepath.Dir(schema)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			r := keyfold.Compile(keyfold.Input{Table: "example", Schema: []keyfold.Source{read(t, schema)},
				Queries: []keyfold.Source{read(t, filepath.Join(dir, "queries.sql"))}})
			if !r.OK() {
				t.Fatal(r.Diagnostics)
			}
			statements := 0
			for _, p := range r.Design.Plans {
				for _, request := range p.Requests {
					for _, s := range r.Design.PartiQL(p, request) {
						statements++
						if _, err := partiql.Parse(s.Text); err != nil {
							t.Errorf("%s: %s\n%v", p.Pattern.Name, s.Text, err)
						}
					}
				}
			}
			if statements == 0 {
				t.Error("no statements")
			}
		})
	}
}

func read(t *testing.T, file string) keyfold.Source {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return keyfold.Source{Name: file, Text: string(text)}
}
