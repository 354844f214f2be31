package dev

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyfold-dev/keyfold"
	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/design"
	"github.com/keyfold-dev/keyfold/internal/exec"
	"github.com/keyfold-dev/keyfold/internal/sample"
)

const schema = `CREATE TABLE notes (note_id text PRIMARY KEY, author text NOT NULL, body text NOT NULL);`

const byID = `-- name: GetNote :one
SELECT * FROM notes WHERE note_id = @note_id;
-- name: AddNote :exec
INSERT INTO notes (note_id, author, body) VALUES (@note_id, @author, @body);
-- name: DropNote :exec
DELETE FROM notes WHERE note_id = @note_id;
`

const byAuthor = `-- name: GetNotes :many
SELECT * FROM notes WHERE author = @author;
`

func compile(t *testing.T, queries string, rows int) (*design.Design, *sample.Data) {
	t.Helper()
	r := keyfold.Compile(keyfold.Input{
		Schema:  []keyfold.Source{{Name: "schema.sql", Text: schema}},
		Queries: []keyfold.Source{{Name: "queries.sql", Text: queries}},
		Table:   "notebook",
	})
	if !r.OK() {
		t.Fatal(r.Diagnostics)
	}
	data, diags := sample.Rows(r.Model, nil, rows)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	return r.Design, data
}

func open(t *testing.T, folder string) *Session {
	t.Helper()
	s, err := Open(Options{Folder: folder})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func adopt(t *testing.T, s *Session, d *design.Design, data *sample.Data, want Outcome) {
	t.Helper()
	got, err := s.Adopt(t.Context(), d, data)
	if err != nil {
		t.Fatal(err)
	}
	if got != want {
		t.Errorf("Adopt: got outcome %d, want %d", got, want)
	}
}

// notes counts the stored notes, and holds the items to their rows.
func notes(t *testing.T, s *Session, d *design.Design) int {
	t.Helper()
	rows, err := exec.Dump(t.Context(), s.DB, d)
	if err != nil {
		t.Fatal(err)
	}
	return len(rows["notes"])
}

func call(t *testing.T, s *Session, d *design.Design, pattern string, args exec.Args) {
	t.Helper()
	if _, err := exec.Run(t.Context(), s.DB, d, d.Plan(pattern), args); err != nil {
		t.Fatal(err)
	}
}

// TestAdopt follows a folder through starts, new queries over the same keys, another key
// and other rows.
func TestAdopt(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "kept")
	d, data := compile(t, byID, 5)
	s := open(t, folder)
	adopt(t, s, d, data, Created)
	call(t, s, d, "AddNote", exec.Args{"note_id": dynamo.String("mine"), "author": dynamo.String("me"), "body": dynamo.String("-")})
	other := &dynamo.Table{Name: "other", BillingMode: "PAY_PER_REQUEST",
		Attributes: []dynamo.AttributeDefinition{{Name: "k", Type: dynamo.TypeString}}, Keys: []dynamo.KeyElement{{Name: "k"}}}
	if _, err := s.DB.CreateTable(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	s = open(t, folder)
	defer func() { s.Close() }()
	adopt(t, s, d, data, Kept)
	if n := notes(t, s, d); n != 6 {
		t.Errorf("after a second start: %d notes, want 6", n)
	}
	more, _ := compile(t, byID+"-- name: GetBody :one\nSELECT body FROM notes WHERE note_id = @note_id;\n", 5)
	adopt(t, s, more, data, Kept)

	d, _ = compile(t, byID+byAuthor, 5)
	adopt(t, s, d, data, Recreated)
	if n := notes(t, s, d); n != 5 {
		t.Errorf("after another key: %d notes, want 5", n)
	}
	if _, err := s.DB.DescribeTable(t.Context(), "other"); err != nil {
		t.Errorf("a table that is not the design's: %v", err)
	}
	_, data = compile(t, byID+byAuthor, 7)
	adopt(t, s, d, data, Recreated)
	if n := notes(t, s, d); n != 7 {
		t.Errorf("after other rows: %d notes, want 7", n)
	}
}

// TestInterruptedLoad begins anew when the record of a complete load is not there.
func TestInterruptedLoad(t *testing.T) {
	folder := t.TempDir()
	d, data := compile(t, byID, 5)
	s := open(t, folder)
	adopt(t, s, d, data, Created)
	call(t, s, d, "DropNote", exec.Args{"note_id": dynamo.String("note-1")})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(folder, recordFile)); err != nil {
		t.Fatal(err)
	}
	s = open(t, folder)
	defer s.Close()
	adopt(t, s, d, data, Created)
	if n := notes(t, s, d); n != 5 {
		t.Errorf("%d notes, want 5", n)
	}
}

// TestTryLeavesRowsAlone runs writes on a copy.
func TestTryLeavesRowsAlone(t *testing.T) {
	d, data := compile(t, byID+byAuthor, 5)
	s := open(t, "")
	defer s.Close()
	adopt(t, s, d, data, Created)
	before, err := exec.Dump(t.Context(), s.DB, d)
	if err != nil {
		t.Fatal(err)
	}
	trials, err := s.Try(t.Context(), d, data)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range trials {
		if x.Err != nil || len(x.Result.Rows)+x.Result.Affected == 0 {
			t.Errorf("%s: %+v, %v", x.Plan.Pattern.Name, x.Result, x.Err)
		}
	}
	after, err := exec.Dump(t.Context(), s.DB, d)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, after, cmp.Comparer(dynamo.Equal)); diff != "" {
		t.Errorf("(-before +after)\n%s", diff)
	}
}

func TestHoldsAndAnnounce(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "session")
	d, data := compile(t, byID, 5)
	holds := func(want Holding) {
		t.Helper()
		if got, err := Holds(folder, d, data); err != nil || got != want {
			t.Errorf("Holds: got %d, %v, want %d", got, err, want)
		}
	}
	holds(Nothing)
	s := open(t, folder)
	defer s.Close()
	adopt(t, s, d, data, Created)
	holds(Same)
	withdraw, err := s.Announce("http://127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	if got := Endpoint(folder); got != "http://127.0.0.1:1" {
		t.Errorf("Endpoint: %q", got)
	}
	withdraw()
	if got := Endpoint(folder); got != "" {
		t.Errorf("Endpoint after withdrawal: %q", got)
	}
	d, data = compile(t, byAuthor, 5)
	holds(Other)
	if err := os.WriteFile(filepath.Join(folder, recordFile), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Holds(folder, d, data); err == nil {
		t.Error("a damaged record gives no error")
	}
}
