package sample

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/keyfold-dev/keyfold"
	"github.com/keyfold-dev/keyfold/internal/diag"
	"github.com/keyfold-dev/keyfold/internal/exec"
	"github.com/keyfold-dev/keyfold/internal/model"
)

var update = flag.Bool("update", false, "rewrite the want sections of testdata")

// TestRows prints the rows and the first arguments of each archive's schema, queries and
// sample files.
func TestRows(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			in := map[string]string{}
			var csv []keyfold.Source
			for _, f := range ar.Files {
				in[f.Name] = string(f.Data)
				if strings.HasSuffix(f.Name, ".csv") {
					csv = append(csv, keyfold.Source{Name: f.Name, Text: string(f.Data)})
				}
			}
			got := describe(load(t, in["schema.sql"], in["queries.sql"]), csv, in)
			if !*update {
				if diff := cmp.Diff(in["want"], got); diff != "" {
					t.Errorf("(-want +got)\n%s", diff)
				}
				return
			}
			i := slices.IndexFunc(ar.Files, func(f txtar.File) bool { return f.Name == "want" })
			ar.Files[i].Data = []byte(got)
			if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func load(t *testing.T, schema, queries string) *model.Model {
	t.Helper()
	r := keyfold.Compile(keyfold.Input{
		Schema:  []keyfold.Source{{Name: "schema.sql", Text: schema}},
		Queries: []keyfold.Source{{Name: "queries.sql", Text: queries}},
		Table:   "test",
	})
	if r.Model == nil {
		var b bytes.Buffer
		diag.Render(&b, r.Diagnostics, diag.Sources{"schema.sql": schema, "queries.sql": queries}, false)
		t.Fatal(b.String())
	}
	return r.Model
}

func describe(m *model.Model, csv []keyfold.Source, texts diag.Sources) string {
	var b bytes.Buffer
	d, diags := Rows(m, csv, 8)
	diag.Render(&b, diags, texts, false)
	for _, t := range d.Tables {
		from := "made up"
		if t.File != "" {
			from = t.File
		}
		fmt.Fprintf(&b, "%s (%s)\n", t.Entity.Name, from)
		for _, row := range t.Rows {
			fmt.Fprintf(&b, "  %s\n", rowText(t.Entity, row))
		}
	}
	for _, p := range m.Patterns {
		args := d.Arguments(p)
		fmt.Fprintf(&b, "%s:", p.Name)
		if len(args) > 0 {
			for _, q := range p.Params {
				fmt.Fprintf(&b, " %s=%s", q.Name, Text(args[0][q.Name]))
			}
		}
		fmt.Fprintf(&b, " (%d proposals)\n", len(args))
	}
	return b.String()
}

func rowText(e *model.Entity, row exec.Row) string {
	var cells []string
	for _, a := range e.Attributes {
		cells = append(cells, Text(row.Get(a.Name)))
	}
	return strings.Join(cells, " | ")
}

// TestMadeUpRowsAreRight holds made-up rows of the examples to their schemas: NOT NULL,
// unique keys and foreign keys.
func TestMadeUpRowsAreRight(t *testing.T) {
	dirs, err := filepath.Glob("../../examples/*/schema.sql")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, schema := range dirs {
		text, err := os.ReadFile(schema)
		if err != nil {
			t.Fatal(err)
		}
		d, diags := Rows(load(t, string(text), ""), nil, 40)
		if len(diags) > 0 {
			t.Fatal(diags)
		}
		for _, table := range d.Tables {
			check(t, d, table)
		}
	}
}

func check(t *testing.T, d *Data, table *Table) {
	t.Helper()
	e := table.Entity
	if len(table.Rows) < 3 {
		t.Errorf("%s has %d rows", e.Name, len(table.Rows))
	}
	for i, row := range table.Rows {
		for _, a := range e.Attributes {
			if a.NotNull && isNull(row.Get(a.Name)) {
				t.Errorf("%s row %d: %s is NULL", e.Name, i, a.Name)
			}
		}
		before := &Table{Entity: e, Rows: table.Rows[:i]}
		for _, key := range uniqueKeys(e) {
			if before.has(key, pick(row, key)) {
				t.Errorf("%s row %d: key %v comes twice", e.Name, i, key)
			}
		}
		for _, ref := range d.references(e.Name) {
			values := pick(row, ref.ChildAttrs)
			if !slices.ContainsFunc(values, isNull) && !d.Table(ref.Parent).has(ref.ParentAttrs, values) {
				t.Errorf("%s row %d: no parent in %s for %v", e.Name, i, ref.Parent, values)
			}
		}
	}
}

// FuzzCSV holds sample files to giving diagnostics, whatever they contain.
func FuzzCSV(f *testing.F) {
	for _, s := range []string{"id,n\na,1\n", "id\n\"", "", "n\n,\n", "id,id\na,a", "\xff\n"} {
		f.Add(s)
	}
	r := keyfold.Compile(keyfold.Input{Schema: []keyfold.Source{{Name: "schema.sql",
		Text: "CREATE TABLE t (id text PRIMARY KEY, n integer, up text REFERENCES t);"}}})
	if r.Model == nil {
		f.Fatal(r.Diagnostics)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, diags := Rows(r.Model, []keyfold.Source{{Name: "t.csv", Text: text}}, 3)
		diag.Render(&bytes.Buffer{}, diags, diag.Sources{"t.csv": text}, false)
	})
}
