package diag_test

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyfold-dev/keyfold/internal/diag"
)

var update = flag.Bool("update", false, "rewrite testdata/render.txt")

// TestRender pins the form of diagnostics: places, excerpts, carets under tabs and
// multi-byte text, hints, colours.
func TestRender(t *testing.T) {
	src := diag.Sources{"q.sql": "SELECT a\n\tFROM tisch WHERE größe = 'x'\r\nLIMIT 1"}
	at := func(line, column, end int) diag.Pos {
		return diag.Pos{File: "q.sql", Line: line, Column: column, EndColumn: end}
	}
	var l diag.List
	l.Errorf("KF001", at(2, 7, 12), `did you mean "tische"?`, "no table %q", "tisch")
	l.Warnf("KF002", at(2, 19, 26), "", "a column with two-byte letters")
	l.Notef("KF003", at(3, 7, 0), "a hint\nof its own", "no end")
	l.Errorf("KF004", at(3, 8, 30), "", "an end behind the line")
	l.Errorf("KF005", at(9, 1, 2), "", "a line that is not there")
	l.Errorf("KF006", diag.Pos{File: "keyfold.yaml"}, "", "a file without a line")
	l.Errorf("KF007", diag.Pos{}, "", "nowhere")
	l.Errorf("KF008", at(1, 8, 9), "", "sorted to the front")
	l.Sort()
	var got bytes.Buffer
	diag.Render(&got, l, src, false)
	diag.Render(&got, l[len(l)-1:], src, true)
	if *update {
		if err := os.WriteFile("testdata/render.txt", got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/render.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !l.HasErrors() || (diag.List{{Severity: diag.Warning}}).HasErrors() {
		t.Error("HasErrors counts errors alone")
	}
}
