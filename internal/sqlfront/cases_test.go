package sqlfront

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/keyfold-dev/keyfold/internal/diag"
)

// TestCases loads every application that lies beside the checkout, if any does: each must
// load without an error and with every query lowered.
func TestCases(t *testing.T) {
	dirs, _ := filepath.Glob("../../../shared/cases/*")
	examples, _ := filepath.Glob("../../examples/*")
	for _, dir := range append(dirs, examples...) {
		schema, err1 := os.ReadFile(filepath.Join(dir, "schema.sql"))
		queries, err2 := os.ReadFile(filepath.Join(dir, "queries.sql"))
		if err1 != nil || err2 != nil {
			continue
		}
		t.Run(filepath.Base(dir), func(t *testing.T) {
			m, diags := load(string(schema), string(queries))
			if diags.HasErrors() {
				t.Errorf("diagnostics:\n%s", rendered(diags, string(schema), string(queries)))
			}
			if want := strings.Count(string(queries), "-- name:"); len(m.Patterns) != want {
				t.Errorf("%d patterns, want %d", len(m.Patterns), want)
			}
		})
	}
}

func rendered(l diag.List, schema, queries string) string {
	var b strings.Builder
	diag.Render(&b, l, diag.Sources{"schema.sql": schema, "queries.sql": queries}, false)
	return b.String()
}
