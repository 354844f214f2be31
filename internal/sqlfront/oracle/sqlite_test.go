package oracle

import (
	"context"
	"database/sql"
	"strings"
	"testing"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/keyfold-dev/keyfold/internal/model"
)

// TestReferences prepares every reference statement in SQLite, on empty tables of the
// model's entities, and compares the number and the names of the result columns.
func TestReferences(t *testing.T) {
	for _, app := range applications(t) {
		db := database(t, &app)
		for _, p := range app.model.Patterns {
			runReference(t, db, app.name, p)
		}
		db.Close()
	}
}

// database makes empty tables of an application's entities.
func database(t *testing.T, app *application) *sql.DB {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	for _, e := range app.model.Entities {
		if _, err := db.Exec(tableOf(e)); err != nil {
			t.Fatalf("%s: %v\n%s", app.name, err, tableOf(e))
		}
	}
	return db
}

func runReference(t *testing.T, db *sql.DB, app string, p *model.AccessPattern) {
	var args []any
	for _, q := range p.Params {
		args = append(args, sql.Named(q.Name, nil))
	}
	for _, clock := range []string{"now", "uuid"} {
		if p.Param(clock) == nil && strings.Contains(p.Reference, "@"+clock) {
			args = append(args, sql.Named(clock, "2026-01-31T00:00:00.000000Z"))
		}
	}
	tx, err := db.BeginTx(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	rows, err := tx.Query(p.Reference, args...)
	if err == nil {
		defer rows.Close()
		compareColumns(t, rows, app, p)
		for rows.Next() {
		}
		err = rows.Err()
	}
	// NULL arguments break NOT NULL and the like; only the statement is on trial.
	if err != nil && !strings.Contains(err.Error(), "constraint failed") && !strings.Contains(err.Error(), "datatype mismatch") {
		t.Errorf("%s: %s: SQLite: %v\n%s", app, p.Name, err, p.Reference)
	}
}

func compareColumns(t *testing.T, rows *sql.Rows, app string, p *model.AccessPattern) {
	got, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, o := range outputs(p) {
		want = append(want, o.Name)
	}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("%s: %s: SQLite's columns are %q, ours %q\n%s", app, p.Name, got, want, p.Reference)
	}
}

func outputs(p *model.AccessPattern) []*model.Output {
	switch {
	case p.Query != nil:
		return p.Query.Columns
	case p.Insert != nil:
		return p.Insert.Returning
	case p.Update != nil:
		return p.Update.Returning
	}
	return p.Delete.Returning
}

// tableOf creates a table without types, with its keys.
func tableOf(e *model.Entity) string {
	var parts []string
	for _, a := range e.Attributes {
		parts = append(parts, quote(a.Name))
	}
	parts = append(parts, "PRIMARY KEY ("+quoteAll(e.PrimaryKey)+")")
	for _, u := range e.Unique {
		parts = append(parts, "UNIQUE ("+quoteAll(u)+")")
	}
	return "CREATE TABLE " + quote(e.Name) + " (" + strings.Join(parts, ", ") + ")"
}

func quoteAll(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = quote(n)
	}
	return strings.Join(out, ", ")
}

func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
