package archtest

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// allowedImports reads the table of docs/architecture.md: rows of the form
// | `package` | `imported`, `imported` | below the heading "Imports".
func allowedImports(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(root + "/docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "\n## Imports\n")
	if !found {
		t.Fatal(`docs/architecture.md has no section "Imports"`)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	out := map[string][]string{}
	for line := range strings.Lines(section) {
		cells := strings.Split(line, "|")
		if len(cells) < 4 || !strings.Contains(cells[1], "`") {
			continue
		}
		name := strings.Trim(strings.TrimSpace(cells[1]), "`")
		out[name] = quoted(cells[2])
	}
	return out
}

// quoted gives the words in back quotes.
func quoted(s string) []string {
	var out []string
	for i, word := range strings.Split(s, "`") {
		if i%2 == 1 {
			out = append(out, word)
		}
	}
	return out
}

func TestImportsPointDown(t *testing.T) {
	allowed := allowedImports(t)
	seen := map[string]bool{}
	for _, p := range load(t) {
		seen[p.name] = true
		list, ok := allowed[p.name]
		if !ok {
			t.Errorf("docs/architecture.md has no row for package %s in its table of imports", p.name)
			continue
		}
		for _, path := range p.imports(false) {
			if name, ok := inModule(path); ok && !slices.Contains(list, name) {
				t.Errorf("%s imports %s; docs/architecture.md allows it %v", p.name, name, list)
			}
		}
	}
	for name := range allowed {
		if !seen[name] {
			t.Errorf("docs/architecture.md has a row for package %s, which is not there", name)
		}
	}
}

// owners says which packages may import what comes from outside, tests aside. A path
// stands for everything below it.
var owners = map[string][]string{
	"github.com/cockroachdb/pebble":   {"engine/internal/store"},
	"modernc.org/sqlite":              {"internal/verify"},
	"database/sql":                    {"internal/verify"},
	"net/http":                        {"server", "inprocess", "cmd/keyfold"},
	"github.com/aws":                  {"inprocess", "internal/exec/remote"},
	"github.com/goccy/go-yaml":        {"internal/project"},
	"github.com/spf13":                {"cmd/keyfold"},
	"charm.land":                      {"cmd/keyfold"},
	"github.com/charmbracelet":        {"cmd/keyfold"},
	"golang.org/x/term":               {"cmd/keyfold"},
	"flag":                            {},
	"os/signal":                       {"cmd/keyfold"},
	"os/exec":                         {},
	"unsafe":                          {},
	"testing":                         {},
	"github.com/rogpeppe/go-internal": {},
}

func TestForeignImports(t *testing.T) {
	for _, p := range load(t) {
		for _, path := range p.imports(false) {
			for foreign, list := range owners {
				below := path == foreign || strings.HasPrefix(path, foreign+"/")
				if below && !slices.Contains(list, p.name) {
					t.Errorf("%s imports %s, which belongs to %v", p.name, path, list)
				}
			}
		}
	}
}

// pureForeign is what else Compile may reach: arithmetic, without I/O or state.
var pureForeign = []string{"github.com/cockroachdb/apd/v3"}

// TestCompileIsPure holds everything the compiler reaches to the standard library, this
// module and pureForeign.
func TestCompileIsPure(t *testing.T) {
	byName := map[string]*pkg{}
	for _, p := range load(t) {
		byName[p.name] = p
	}
	seen := map[string]bool{}
	var visit func(name string)
	visit = func(name string) {
		if seen[name] || byName[name] == nil {
			return
		}
		seen[name] = true
		for _, path := range byName[name].imports(false) {
			if next, ok := inModule(path); ok {
				visit(next)
			} else if !isStandard(path) && !slices.Contains(pureForeign, path) {
				t.Errorf("Compile reaches %s, which imports %s", name, path)
			}
		}
	}
	visit(rootName)
	for _, name := range []string{"internal/sqlfront", "internal/planner", "internal/design", "dynamo"} {
		if !seen[name] {
			t.Errorf("the walk from the root package did not reach %s", name)
		}
	}
}
