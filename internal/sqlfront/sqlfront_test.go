package sqlfront

import (
	"flag"
	"go/ast"
	goparser "go/parser"
	gotoken "go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/keyfold-dev/keyfold/internal/diag"
	"github.com/keyfold-dev/keyfold/internal/model"
)

var update = flag.Bool("update", false, "rewrite the expectations of the golden files")

// load runs Load on one schema text and one queries text.
func load(schema, queries string) (*model.Model, diag.List) {
	return Load([]Source{{"schema.sql", schema}}, []Source{{"queries.sql", queries}})
}

func section(a *txtar.Archive, name string) string {
	for _, f := range a.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

// TestGolden compares the model and the diagnostics of each case in testdata.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			schema, queries := section(a, "schema.sql"), section(a, "queries.sql")
			m, diags := load(schema, queries)
			want := txtar.Archive{Comment: a.Comment, Files: []txtar.File{
				{Name: "schema.sql", Data: []byte(schema)},
				{Name: "queries.sql", Data: []byte(queries)},
				{Name: "want/model", Data: []byte(m.String())},
				{Name: "want/diagnostics", Data: []byte(rendered(diags, schema, queries))},
			}}
			if *update {
				if err := os.WriteFile(name, txtar.Format(&want), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			for _, f := range want.Files[2:] {
				if diff := cmp.Diff(section(a, f.Name), string(f.Data)); diff != "" && !*update {
					t.Errorf("%s (-want +got):\n%s", f.Name, diff)
				}
			}
		})
	}
}

// TestCodes compiles the example of every code and expects that code of it.
func TestCodes(t *testing.T) {
	f, err := goparser.ParseFile(gotoken.NewFileSet(), "codes.go", nil, goparser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != gotoken.CONST {
			continue
		}
		for _, s := range g.Specs {
			v := s.(*ast.ValueSpec)
			code := strings.Trim(v.Values[0].(*ast.BasicLit).Value, `"`)
			_, example, ok := strings.Cut(v.Doc.Text(), "Example:\n\n")
			if seen[code] || !ok {
				t.Errorf("%s is given twice or has no example", code)
			}
			seen[code] = true
			schema, queries := example, ""
			if i := strings.Index(example, "-- name:"); i >= 0 {
				schema, queries = example[:i], example[i:]
			}
			_, diags := load(schema, queries)
			codes := map[diag.Code]bool{}
			for _, d := range diags {
				codes[d.Code] = true
			}
			if len(codes) != 1 || !codes[diag.Code(code)] {
				t.Errorf("%s: the example gives\n%s", code, rendered(diags, schema, queries))
			}
		}
	}
	if len(seen) < 50 {
		t.Errorf("only %d codes", len(seen))
	}
}

// TestSortedAndRepeatable demands the same output twice and diagnostics in order.
func TestSortedAndRepeatable(t *testing.T) {
	for _, text := range corpus(t) {
		m1, d1 := load(text, text)
		m2, d2 := load(text, text)
		if m1.String() != m2.String() {
			t.Errorf("two models of one input differ:\n%s", cmp.Diff(m1.String(), m2.String()))
		}
		if diff := cmp.Diff(d1, d2); diff != "" {
			t.Errorf("two lists of one input differ:\n%s", diff)
		}
		sorted := append(diag.List(nil), d1...)
		sorted.Sort()
		if diff := cmp.Diff(d1, sorted); diff != "" {
			t.Errorf("not sorted:\n%s", diff)
		}
	}
}

// corpus is every SQL text in testdata.
func corpus(t testing.TB) []string {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, name := range files {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, section(a, "schema.sql"), section(a, "queries.sql"))
	}
	return out
}

// FuzzLoad demands that no input makes Load panic, that positions lie inside the input,
// and that the model can be printed and is consistent.
func FuzzLoad(f *testing.F) {
	texts := corpus(f)
	for i := 0; i+1 < len(texts); i += 2 {
		f.Add(texts[i], texts[i+1])
	}
	f.Fuzz(func(t *testing.T, schema, queries string) {
		m, diags := load(schema, queries)
		places(t, diags, schema, queries)
		rendered(diags, schema, queries)
		consistent(t, m)
	})
}

// places checks that every diagnostic points into its file.
func places(t *testing.T, diags diag.List, schema, queries string) {
	lines := map[string]int{"schema.sql": strings.Count(schema, "\n") + 1, "queries.sql": strings.Count(queries, "\n") + 1}
	for _, d := range diags {
		if d.Pos.Line < 1 || d.Pos.Line > lines[d.Pos.File] || d.Pos.Column < 1 || d.Pos.EndColumn <= d.Pos.Column {
			t.Errorf("%s %s: bad position %+v", d.Code, d.Message, d.Pos)
		}
	}
}

// consistent checks what the model's documentation promises.
func consistent(t *testing.T, m *model.Model) {
	if len(m.String()) == 0 && len(m.Entities)+len(m.Patterns) > 0 {
		t.Error("the model prints nothing")
	}
	for _, e := range m.Entities {
		if len(e.PrimaryKey) == 0 || m.Entity(e.Name) != e {
			t.Errorf("entity %s has no key or a second one has its name", e.Name)
		}
		for _, c := range e.PrimaryKey {
			if a := e.Attribute(c); a == nil || !a.NotNull {
				t.Errorf("key column %s of %s is missing or nullable", c, e.Name)
			}
		}
	}
	for _, r := range m.Relationships {
		if m.Entity(r.Child) == nil || m.Entity(r.Parent) == nil || len(r.ChildAttrs) != len(r.ParentAttrs) {
			t.Errorf("relationship %s hangs in the air", r.Name)
		}
	}
	for _, p := range m.Patterns {
		set := 0
		for _, is := range []bool{p.Query != nil, p.Insert != nil, p.Update != nil, p.Delete != nil} {
			if is {
				set++
			}
		}
		names := map[string]bool{}
		for _, q := range p.Params {
			names[q.Name] = true
		}
		if set != 1 || m.Pattern(p.Name) != p || len(names) != len(p.Params) {
			t.Errorf("pattern %s is not one statement, or its name or a parameter's is not unique", p.Name)
		}
		if strings.Contains(p.Reference, "\x00") || p.Reference == "" || p.SQL == "" {
			t.Errorf("pattern %s has no text", p.Name)
		}
	}
}

// TestPositional rewrites named parameters and leaves everything else alone.
func TestPositional(t *testing.T) {
	for in, want := range map[string]string{
		"a=@id AND b = :name OR c = @id":    "a=$1 AND b = $2 OR c = $1",
		"a = $2 AND b = @x":                 "a = $2 AND b = $3",
		"'@no' || x::text -- @no\n || @yes": "'@no' || x::text -- @no\n || $1",
		`"@no" < @a AND sqlc.arg(b)`:        `"@no" < $1 AND sqlc.arg(b)`,
		"'not closed":                       "'not closed",
	} {
		if got := Positional(in); got != want {
			t.Errorf("Positional(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestLanguagePage demands that docs/language.md names every hint and every function, and
// only codes that exist.
func TestLanguagePage(t *testing.T) {
	page, err := os.ReadFile("../../docs/language.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	rules := append(tableRules(&model.Entity{}), columnRules(&model.Attribute{})...)
	rules = append(append(rules, keyRules(&pendingKey{})...), queryRules(&model.Hints{})...)
	for _, r := range rules {
		if !strings.Contains(text, "| `"+r.key) {
			t.Errorf("hint %s is not on the page", r.key)
		}
	}
	for _, f := range functions {
		if !strings.Contains(text, "`"+f.name) {
			t.Errorf("function %s is not on the page", f.name)
		}
	}
	codes, err := os.ReadFile("codes.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range regexp.MustCompile(`KF\d+`).FindAllString(text, -1) {
		if !strings.Contains(string(codes), `"`+code+`"`) {
			t.Errorf("the page names %s, which is no code", code)
		}
	}
}
