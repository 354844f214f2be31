package keyfold_test

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/keyfold-dev/keyfold"
	"github.com/keyfold-dev/keyfold/internal/diag"
	"github.com/keyfold-dev/keyfold/internal/project"
	"github.com/keyfold-dev/keyfold/internal/sample"
)

var update = flag.Bool("update", false, "rewrite docs/diagnostics.md")

const diagnosticsFile = "docs/diagnostics.md"

// A rule is a diagnostic code as its declaration documents it.
type rule struct {
	code    string
	where   string // the place of the declaration
	text    string
	example string
}

// TestDiagnostics compiles the example of every code, expects the code, and holds
// docs/diagnostics.md to what the declarations and the examples say.
func TestDiagnostics(t *testing.T) {
	rules := allRules(t)
	var b bytes.Buffer
	b.WriteString(diagnosticsHead)
	chapter := ""
	for _, r := range rules {
		if title := chapters[r.code[2:3]]; title != chapter {
			chapter = title
			fmt.Fprintf(&b, "## %s\n\n", title)
		}
		fmt.Fprintf(&b, "### %s\n\n%s\n\n", r.code, r.text)
		if r.example == "" {
			continue
		}
		shown := outcome(t, r)
		if shown == "" {
			t.Errorf("%s: the example of %s does not give it", r.where, r.code)
		}
		fmt.Fprintf(&b, "```sql\n%s```\n\n```text\n%s```\n\n", r.example, shown)
	}
	got := strings.TrimRight(b.String(), "\n") + "\n"
	if *update {
		if err := os.WriteFile(diagnosticsFile, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(diagnosticsFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s is stale; run go test . -update (-have +want)\n%s", diagnosticsFile, diff)
	}
}

const diagnosticsHead = `# Diagnostics

What keyfold has to say about its input, by code. A code never changes its meaning and is
never used again for another rule. Errors make the exit status 1; warnings and notes do
not. Each code has an example and what is printed for it.

This page is generated from the declarations of the codes: ` + "`go test . -update`" + `.

`

// chapters are named by the first digit of a code.
var chapters = map[string]string{
	"0": "Reading SQL: syntax and annotations",
	"1": "Reading SQL: names, types and meaning",
	"2": "Planning",
	"3": "Checking a design",
	"8": "Project files and sample rows",
}

// allRules finds every declaration of a code in the module, sorted by code.
func allRules(t *testing.T) []rule {
	t.Helper()
	files, err := filepath.Glob("internal/*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	var out []rule
	for _, name := range files {
		if !strings.HasSuffix(name, "_test.go") {
			out = append(out, rulesOf(t, name)...)
		}
	}
	slices.SortFunc(out, func(a, b rule) int { return strings.Compare(a.code, b.code) })
	for i := 1; i < len(out); i++ {
		if out[i].code == out[i-1].code {
			t.Errorf("%s: %s is declared at %s too", out[i].where, out[i].code, out[i-1].where)
		}
	}
	if len(out) < 50 {
		t.Fatalf("only %d codes found", len(out))
	}
	return out
}

var codeForm = regexp.MustCompile(`^KF[0-9]{3}$`)

func rulesOf(t *testing.T, name string) []rule {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var out []rule
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		lit, ok := spec.Values[0].(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			return true
		}
		code, err := strconv.Unquote(lit.Value)
		if err != nil || !codeForm.MatchString(code) {
			return true
		}
		r := rule{code: code, where: fset.Position(spec.Pos()).String()}
		doc := spec.Doc.Text()
		if doc == "" {
			doc = spec.Comment.Text()
		}
		text, example, _ := strings.Cut(doc, "Example:\n")
		r.text = sentence(spec.Names[0].Name, text)
		r.example = dedent(example)
		if r.text == "" {
			t.Errorf("%s: %s has no comment", r.where, code)
		}
		out = append(out, r)
		return true
	})
	return out
}

// sentence drops the name that begins a comment and makes the rest a sentence.
func sentence(name, text string) string {
	text = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(text), name+":"))
	if text == "" {
		return ""
	}
	text = strings.ToUpper(text[:1]) + text[1:]
	return strings.TrimSuffix(text, ".") + "."
}

// dedent removes the margin that all lines share.
func dedent(s string) string {
	s = strings.Trim(s, "\n")
	if s == "" {
		return ""
	}
	margin := len(s)
	lines := strings.Split(s, "\n")
	for _, line := range lines {
		if strings.TrimSpace(line) != "" {
			margin = min(margin, len(line)-len(strings.TrimLeft(line, " \t")))
		}
	}
	for i, line := range lines {
		lines[i] = line[min(margin, len(line)):]
	}
	return strings.Join(lines, "\n") + "\n"
}

// outcome renders what the example gives of the rule's code.
func outcome(t *testing.T, r rule) string {
	t.Helper()
	var diags diag.List
	texts := diag.Sources{}
	if strings.HasPrefix(r.example, "-- ") && strings.Contains(r.example, " --\n") && len(txtar.Parse([]byte(r.example)).Files) > 0 {
		diags, texts = projectOutcome(t, r.example)
	} else {
		schema, queries := r.example, ""
		if i := strings.Index(r.example, "-- name:"); i >= 0 {
			schema, queries = r.example[:i], r.example[i:]
		}
		texts["schema.sql"], texts["queries.sql"] = schema, queries
		diags = keyfold.Compile(keyfold.Input{
			Schema:  []keyfold.Source{{Name: "schema.sql", Text: schema}},
			Queries: []keyfold.Source{{Name: "queries.sql", Text: queries}},
			Table:   "example",
		}).Diagnostics
	}
	var b bytes.Buffer
	diag.Render(&b, slices.DeleteFunc(diags, func(d diag.Diagnostic) bool { return string(d.Code) != r.code }), texts, false)
	return b.String()
}

// projectOutcome writes an archive of files to a folder and reads it as a project.
func projectOutcome(t *testing.T, archive string) (diag.List, diag.Sources) {
	t.Helper()
	home, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		name := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	defer t.Chdir(home)
	p, diags, err := project.Open(".")
	if err != nil {
		t.Fatal(err)
	}
	if m := keyfold.Compile(p.Input).Model; m != nil {
		_, more := sample.Rows(m, p.Samples, 5)
		diags = append(diags, more...)
	}
	return diags, p.Texts
}
