package cost_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyfold-dev/keyfold/internal/planner"
	"github.com/keyfold-dev/keyfold/internal/sqlfront"
)

var update = flag.Bool("update", false, "rewrite testdata/examples.txt")

// TestExamples pins the estimates for the examples, a line for each access pattern.
func TestExamples(t *testing.T) {
	dirs, err := filepath.Glob("../../examples/*")
	if err != nil || len(dirs) < 6 {
		t.Fatalf("the examples are missing: %v %v", dirs, err)
	}
	var b strings.Builder
	for _, dir := range dirs {
		m, diags := sqlfront.Load([]sqlfront.Source{read(t, dir, "schema.sql")}, []sqlfront.Source{read(t, dir, "queries.sql")})
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		d, _ := planner.Plan(m, planner.Options{})
		for _, p := range d.Plans {
			c := p.Cost
			fmt.Fprintf(&b, "%s %s: %g read, %g write units, %.4g items, %g requests", filepath.Base(dir), p.Pattern.Name,
				c.ReadUnits, c.WriteUnits, c.Items, c.Requests)
			if c.Assumed {
				b.WriteString(", assumed")
			}
			b.WriteByte('\n')
		}
	}
	if *update {
		if err := os.WriteFile("testdata/examples.txt", []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/examples.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func read(t *testing.T, dir, name string) sqlfront.Source {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return sqlfront.Source{Name: name, Text: string(text)}
}
