package project

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/keyfold-dev/keyfold/internal/diag"
)

var update = flag.Bool("update", false, "rewrite the want sections of testdata")

// TestOpen writes each archive's files to a folder, opens it as a project and compares
// what was found with the archive's want section.
func TestOpen(t *testing.T) {
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
			want := -1
			t.Chdir(t.TempDir())
			for i, f := range ar.Files {
				if f.Name == "want" {
					want = i
					continue
				}
				write(t, filepath.Join("shop", f.Name), f.Data)
			}
			if want < 0 {
				t.Fatal("the case has no want section")
			}
			got := describe(t, "shop")
			if *update {
				ar.Files[want].Data = []byte(got)
				rewrite(t, file, txtar.Format(ar))
				return
			}
			if diff := cmp.Diff(string(ar.Files[want].Data), got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

var home, _ = os.Getwd()

func rewrite(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(home, name), data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func describe(t *testing.T, dir string) string {
	t.Helper()
	p, diags, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	diags.Sort()
	diag.Render(&b, diags, p.Texts, false)
	fmt.Fprintf(&b, "table %s, region %s\n", p.Input.Table, p.Config.Region.Text)
	for _, s := range p.Input.Schema {
		fmt.Fprintf(&b, "schema %s\n", filepath.ToSlash(s.Name))
	}
	for _, s := range p.Input.Queries {
		fmt.Fprintf(&b, "queries %s\n", filepath.ToSlash(s.Name))
	}
	for _, s := range p.Samples {
		fmt.Fprintf(&b, "sample %s\n", filepath.ToSlash(s.Name))
	}
	return b.String()
}

func TestOpenNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "file", nil)
	for dir, want := range map[string]string{"gone": "there is no folder", "file": "is a file"} {
		if _, _, err := Open(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Open(%q): got %v, want an error with %q", dir, err, want)
		}
	}
}

func TestTableName(t *testing.T) {
	for dir, want := range map[string]string{
		"examples/catalog": "catalog", "My Shop": "My_Shop", "été": "_t_", "a": "a_table",
	} {
		if got := tableName(dir); got != want {
			t.Errorf("tableName(%q): got %q, want %q", dir, got, want)
		}
	}
}

// TestStamp holds every file of a project to changing its stamp.
func TestStamp(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"schema.sql", "queries.sql", ConfigFile, "sample/a.csv"} {
		write(t, name, nil)
	}
	p, _, err := Open(".")
	if err != nil {
		t.Fatal(err)
	}
	last := p.Stamp()
	if again := p.Stamp(); again != last {
		t.Fatalf("the stamp of unchanged files changed:\n%s\n%s", last, again)
	}
	for _, name := range []string{"schema.sql", "queries.sql", ConfigFile, "sample/a.csv", "sample/b.csv"} {
		write(t, name, []byte("changed"))
		now := p.Stamp()
		if now == last {
			t.Errorf("writing %s did not change the stamp", name)
		}
		last = now
	}
}

// FuzzConfig holds keyfold.yaml to giving diagnostics, whatever it contains.
func FuzzConfig(f *testing.F) {
	for _, s := range []string{"table: shop", "queries: [a, b*.sql]\nlayout: per-aggregate", "- x", "a: {", "? x", "&a *a", "---\n---"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var diags diag.List
		c := parseConfig(ConfigFile, []byte(text), &diags)
		if len(c.Schema) == 0 || c.Layout.Text != "single" {
			t.Errorf("defaults are missing: %+v", c)
		}
		var b bytes.Buffer
		diag.Render(&b, diags, diag.Sources{ConfigFile: text}, false)
	})
}
