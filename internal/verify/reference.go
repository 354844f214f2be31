package verify

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
	"sync"
	"unicode"

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
	return scanRows(r.db.QueryContext(ctx, text, s.named(text)...))(types)
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
	text := s.pattern.Reference
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

// named gives the arguments that a statement names, with @now and @uuid.
func (s step) named(text string) []any {
	var out []any
	for _, q := range s.pattern.Params {
		if names(text, q.Name) {
			out = append(out, sql.Named(q.Name, toSQL(q.Type, s.args[q.Name])))
		}
	}
	if names(text, "now") && s.pattern.Param("now") == nil {
		out = append(out, sql.Named("now", s.now.Format("2006-01-02T15:04:05.000000Z")))
	}
	if names(text, "uuid") && s.pattern.Param("uuid") == nil {
		out = append(out, sql.Named("uuid", s.uuid.Str()))
	}
	return out
}

// names reports whether a statement uses a parameter.
func names(text, param string) bool {
	for rest := text; ; {
		i := strings.Index(rest, "@"+param)
		if i < 0 {
			return false
		}
		rest = rest[i+1+len(param):]
		if rest == "" || !isNameByte(rune(rest[0])) {
			return true
		}
	}
}

func isNameByte(c rune) bool { return c == '_' || unicode.IsLetter(c) || unicode.IsDigit(c) }

// toSQL gives a value as the driver takes it; lists and documents as JSON.
func toSQL(t model.Type, v dynamo.Value) any {
	if (t.Array || t.Kind == model.JSON) && !v.IsAbsent() && !v.IsNull() {
		return jsonOf(v)
	}
	switch v.Type() {
	case dynamo.Absent, dynamo.TypeNull:
		return nil
	case dynamo.TypeBool:
		if v.IsTrue() {
			return int64(1)
		}
		return int64(0)
	case dynamo.TypeNumber:
		if n, err := strconv.ParseInt(v.Str(), 10, 64); err == nil {
			return n
		}
		f, _ := strconv.ParseFloat(v.Str(), 64)
		return f
	case dynamo.TypeString:
		return v.Str()
	case dynamo.TypeBinary:
		return []byte(v.Str())
	}
	return jsonOf(v)
}

// scanRows reads all rows as values of the given types.
func scanRows(rows *sql.Rows, err error) func(types []model.Type) ([][]dynamo.Value, error) {
	return func(types []model.Type) ([][]dynamo.Value, error) {
		if err != nil {
			return nil, err
		}
		defer rows.Close()
		var out [][]dynamo.Value
		for rows.Next() {
			found := make([]any, len(types))
			holes := make([]any, len(types))
			for i := range found {
				holes[i] = &found[i]
			}
			if err := rows.Scan(holes...); err != nil {
				return nil, err
			}
			values := make([]dynamo.Value, len(types))
			for i, x := range found {
				v, err := fromSQL(types[i], x)
				if err != nil {
					return nil, err
				}
				values[i] = v
			}
			out = append(out, values)
		}
		return out, rows.Err()
	}
}

// fromSQL makes a value of what the driver returned.
func fromSQL(t model.Type, x any) (dynamo.Value, error) {
	text := ""
	switch x := x.(type) {
	case nil:
		return dynamo.Null(), nil
	case int64:
		if t.Kind == model.Boolean {
			return dynamo.Bool(x != 0), nil
		}
		return dynamo.Int(x), nil
	case float64:
		if t.Kind == model.Decimal && t.Precision > 0 {
			return dynamo.Number(strconv.FormatFloat(x, 'f', t.Scale, 64))
		}
		return dynamo.Number(strconv.FormatFloat(x, 'g', -1, 64))
	case bool:
		return dynamo.Bool(x), nil
	case []byte:
		if t.Kind == model.Bytes {
			return dynamo.Binary(x), nil
		}
		text = string(x)
	case string:
		if t.Kind == model.Bytes {
			return dynamo.Binary([]byte(x)), nil
		}
		text = x
	default:
		return dynamo.Value{}, fmt.Errorf("reference database: unexpected value %T", x)
	}
	if t.Array || t.Kind == model.JSON {
		return exec.ParseValue(t, text)
	}
	return dynamo.String(text), nil
}

// withoutLimit cuts LIMIT and OFFSET off the end of a statement.
func withoutLimit(text string) string {
	depth, cut := 0, -1
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\'' || c == '"':
			end := strings.IndexByte(text[i+1:], c)
			if end < 0 {
				return text
			}
			i += end + 1
		case c == '(':
			depth++
		case c == ')':
			depth--
		case depth == 0 && cut < 0 && (i == 0 || !isNameByte(rune(text[i-1]))) && text[max(i-1, 0)] != '@' && startsWord(text[i:], "LIMIT", "OFFSET"):
			cut = i
		}
	}
	if cut < 0 {
		return text
	}
	return text[:cut]
}

func startsWord(s string, words ...string) bool {
	for _, w := range words {
		if len(s) >= len(w) && strings.EqualFold(s[:len(w)], w) && (len(s) == len(w) || !isNameByte(rune(s[len(w)]))) {
			return true
		}
	}
	return false
}
