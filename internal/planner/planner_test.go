package planner_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/keyfold-dev/keyfold/internal/diag"
	"github.com/keyfold-dev/keyfold/internal/planner"
	"github.com/keyfold-dev/keyfold/internal/sqlfront"
)

var update = flag.Bool("update", false, "rewrite the want files of testdata")

// TestDesigns plans every case of testdata: an archive of schema.sql and queries.sql,
// with the canonical text of the design and what there is to say about it.
func TestDesigns(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			runCase(t, file, archive)
		})
	}
}

func runCase(t *testing.T, file string, archive *txtar.Archive) {
	schema, queries := part(archive, "schema.sql"), part(archive, "queries.sql")
	m, diags := sqlfront.Load([]sqlfront.Source{{Name: "schema.sql", Text: schema}},
		[]sqlfront.Source{{Name: "queries.sql", Text: queries}})
	if diags.HasErrors() {
		t.Fatalf("the input has errors:\n%s", render(diags, schema, queries))
	}
	d, found := planner.Plan(m, planner.Options{TableName: "t"})
	got := map[string]string{"want/design": d.String(), "want/diagnostics": render(found, schema, queries)}
	if *update {
		for name, text := range got {
			set(archive, name, text)
		}
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for name, text := range got {
		if diff := cmp.Diff(part(archive, name), text); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func render(l diag.List, schema, queries string) string {
	var b bytes.Buffer
	diag.Render(&b, l, diag.Sources{"schema.sql": schema, "queries.sql": queries}, false)
	return b.String()
}

func part(a *txtar.Archive, name string) string {
	for _, f := range a.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

func set(a *txtar.Archive, name, text string) {
	for i := range a.Files {
		if a.Files[i].Name == name {
			a.Files[i].Data = []byte(text)
			return
		}
	}
	a.Files = append(a.Files, txtar.File{Name: name, Data: []byte(text)})
}
