package verify

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"strings"
	"sync"

	"modernc.org/sqlite"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/exec"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// A reference is the SQL side: SQLite in memory, with the model's tables.
type reference struct {
	db    *sql.DB
	model *model.Model
}

// openReference makes the tables. Foreign keys are checked at the end of a transaction.
func openReference(ctx context.Context, m *model.Model) (*reference, error) {
	for _, e := range m.Entities {
		for _, a := range e.Attributes {
			if a.Type.Kind == model.Enum {
				if err := registerEnum(a.Type); err != nil {
					return nil, err
				}
			}
		}
	}
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	r := &reference{db, m}
	statements := []string{"PRAGMA case_sensitive_like = ON", "PRAGMA foreign_keys = ON"}
	for _, e := range m.Entities {
		statements = append(statements, r.definition(e))
	}
	for _, s := range statements {
		if _, err := db.ExecContext(ctx, s); err != nil {
			db.Close()
			return nil, fmt.Errorf("reference database: %w: %s", err, s)
		}
	}
	return r, nil
}

var enums struct {
	sync.Mutex
	names map[string]bool
}

// collation names the order of an enum's labels.
func collation(t model.Type) string {
	h := fnv.New64a()
	for _, l := range t.Labels {
		h.Write([]byte(l + "\x00"))
	}
	return fmt.Sprintf("enum_%x", h.Sum64())
}

// registerEnum teaches SQLite the order of an enum. Collations live as long as the
// process, so each is registered once.
func registerEnum(t model.Type) error {
	enums.Lock()
	defer enums.Unlock()
	name := collation(t)
	if enums.names[name] {
		return nil
	}
	if enums.names == nil {
		enums.names = map[string]bool{}
	}
	enums.names[name] = true
	rank := map[string]int{}
	for i, l := range t.Labels {
		rank[l] = i
	}
	return sqlite.RegisterCollationUtf8(name, func(a, b string) int {
		i, iok := rank[a]
		j, jok := rank[b]
		if iok && jok {
			return i - j
		}
		return strings.Compare(a, b)
	})
}

// declared is a column's type in SQLite, chosen so that comparisons agree: INT keeps
// integers exact, REAL holds the decimals that are generated, text compares by bytes.
func declared(t model.Type) string {
	switch {
	case t.Array || t.Kind == model.JSON:
		return "TEXT"
	case t.Kind == model.Integer || t.Kind == model.Boolean:
		return "INT"
	case t.IsNumber():
		return "REAL"
	case t.Kind == model.Bytes:
		return "BLOB"
	case t.Kind == model.Enum:
		return "TEXT COLLATE " + collation(t)
	}
	return "TEXT"
}

func quoted(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = quote(n)
	}
	return strings.Join(out, ", ")
}

func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

func quoteJSON(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic("keyfold: internal error: " + err.Error())
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (r *reference) definition(e *model.Entity) string {
	var parts []string
	for _, a := range e.Attributes {
		s := quote(a.Name) + " " + declared(a.Type)
		if a.NotNull {
			s += " NOT NULL"
		}
		parts = append(parts, s)
	}
	parts = append(parts, "PRIMARY KEY ("+quoted(e.PrimaryKey)+")")
	for _, u := range e.Unique {
		parts = append(parts, "UNIQUE ("+quoted(u)+")")
	}
	for _, rel := range r.model.Relationships {
		if rel.Child == e.Name {
			parts = append(parts, "FOREIGN KEY ("+quoted(rel.ChildAttrs)+") REFERENCES "+quote(rel.Parent)+
				" ("+quoted(rel.ParentAttrs)+") DEFERRABLE INITIALLY DEFERRED")
		}
	}
	return "CREATE TABLE " + quote(e.Name) + " (" + strings.Join(parts, ", ") + ")"
}

// load inserts rows of all entities in one transaction.
func (r *reference) load(ctx context.Context, data dataset) error {
	tx, err := r.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for _, t := range data {
		var names, holes []string
		for _, a := range t.entity.Attributes {
			names = append(names, a.Name)
			holes = append(holes, "?")
		}
		st, err := tx.PrepareContext(ctx, "INSERT INTO "+quote(t.entity.Name)+" ("+quoted(names)+") VALUES ("+strings.Join(holes, ", ")+")")
		if err != nil {
			return err
		}
		for _, row := range t.rows {
			values := make([]any, len(names))
			for i, a := range t.entity.Attributes {
				values[i] = toSQL(a.Type, row.Get(a.Name))
			}
			if _, err := st.ExecContext(ctx, values...); err != nil {
				return fmt.Errorf("reference database: %s: %w", t.entity.Name, err)
			}
		}
		if err := st.Close(); err != nil {
			return err
		}
	}
	return tx.Commit()
}

func (r *reference) close() error { return r.db.Close() }

// dump reads all rows of all entities.
func (r *reference) dump(ctx context.Context) (dataset, error) {
	var out dataset
	for _, e := range r.model.Entities {
		var names []string
		var types []model.Type
		for _, a := range e.Attributes {
			names = append(names, a.Name)
			types = append(types, a.Type)
		}
		found, err := scanRows(r.db.QueryContext(ctx, "SELECT "+quoted(names)+" FROM "+quote(e.Name)))(types)
		if err != nil {
			return nil, err
		}
		t := table{entity: e}
		for _, values := range found {
			row := exec.Row{}
			for i, v := range values {
				if !v.IsNull() {
					row = row.Set(names[i], v)
				}
			}
			t.rows = append(t.rows, row)
		}
		out = append(out, t)
	}
	return out, nil
}

// query runs a read.
func (r *reference) query(ctx context.Context, text string, s step, types []model.Type) ([][]dynamo.Value, error) {
	return scanRows(r.db.QueryContext(ctx, withBytes(s.pattern, text), s.named(text)...))(types)
}

// withBytes lets lists of bytea be compared: JSON, in which lists are bound, holds their
// elements as hexadecimal text.
func withBytes(p *model.AccessPattern, text string) string {
	for _, q := range p.Params {
		if q.List && q.Type.Kind == model.Bytes {
			text = strings.ReplaceAll(text, "SELECT value FROM json_each(@"+q.Name+")", "SELECT unhex(value) FROM json_each(@"+q.Name+")")
		}
	}
	return text
}

// A rejection is a write that a foreign key or another constraint forbids; duplicate says
// that it is a key that is taken.
type rejection struct {
	duplicate bool
	err       error
}

// write runs a write and commits it. The rejection is nil when it was accepted.
func (r *reference) write(ctx context.Context, s step, types []model.Type) (rows [][]dynamo.Value, affected int, rej *rejection, err error) {
	tx, err := r.db.BeginTx(ctx, nil)
	if err != nil {
		return nil, 0, nil, err
	}
	defer tx.Rollback()
	text := withBytes(s.pattern, s.pattern.Reference)
	if len(types) > 0 {
		rows, err = scanRows(tx.QueryContext(ctx, text, s.named(text)...))(types)
		affected = len(rows)
	} else {
		var res sql.Result
		if res, err = tx.ExecContext(ctx, text, s.named(text)...); err == nil {
			n, _ := res.RowsAffected()
			affected = int(n)
		}
	}
	if err == nil {
		err = tx.Commit()
	}
	var bad *sqlite.Error
	if errors.As(err, &bad) && strings.Contains(bad.Error(), "constraint failed") {
		return nil, 0, &rejection{strings.Contains(bad.Error(), "UNIQUE constraint"), err}, nil
	}
	if err != nil {
		err = fmt.Errorf("reference database: %s: %w", s.pattern.Name, err)
	}
	return rows, affected, nil, err
}
