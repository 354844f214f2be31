package planner_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/keyfold-dev/keyfold/internal/design"
	"github.com/keyfold-dev/keyfold/internal/diag"
	"github.com/keyfold-dev/keyfold/internal/model"
	"github.com/keyfold-dev/keyfold/internal/planner"
	"github.com/keyfold-dev/keyfold/internal/sqlfront"
)

// A table is a random table of a random application.
type table struct {
	name    string
	columns []column
	key     []string
	unique  string // a column with UNIQUE, "" for none
	parent  *table
	link    []string // the columns that refer to parent's key
}

type column struct {
	name, typ string
	nullable  bool
}

var columnTypes = []string{"text", "integer", "bigint", "timestamptz", "date", "boolean", "numeric(8,2)"}

// application draws a schema and queries that load without errors.
func application(t *rapid.T) (schema, queries string) {
	var tables []*table
	for i := range rapid.IntRange(1, 4).Draw(t, "tables") {
		tables = append(tables, drawTable(t, i, tables))
	}
	var s, q strings.Builder
	for _, tab := range tables {
		s.WriteString(tab.ddl())
	}
	for i := range rapid.IntRange(1, 8).Draw(t, "queries") {
		tab := rapid.SampledFrom(tables).Draw(t, "of")
		q.WriteString(drawQuery(t, i, tab))
	}
	return s.String(), q.String()
}

func drawTable(t *rapid.T, i int, earlier []*table) *table {
	tab := &table{name: fmt.Sprintf("t%d", i)}
	if len(earlier) > 0 && rapid.Bool().Draw(t, "child") {
		tab.parent = rapid.SampledFrom(earlier).Draw(t, "parent")
		nullable := rapid.Bool().Draw(t, "nullable link")
		for _, k := range tab.parent.key {
			c := column{name: "p_" + k, typ: tab.parent.column(k).typ, nullable: nullable}
			tab.columns = append(tab.columns, c)
			tab.link = append(tab.link, c.name)
		}
	}
	for j := range rapid.IntRange(1, 4).Draw(t, "columns") {
		tab.columns = append(tab.columns, column{name: fmt.Sprintf("c%d", j),
			typ: rapid.SampledFrom(columnTypes).Draw(t, "type"), nullable: rapid.Bool().Draw(t, "nullable")})
	}
	tab.key = []string{"id"}
	tab.columns = append([]column{{name: "id", typ: "text"}}, tab.columns...)
	if rapid.Bool().Draw(t, "wide key") {
		last := &tab.columns[len(tab.columns)-1]
		last.nullable = false
		tab.key = append(tab.key, last.name)
	}
	if rapid.IntRange(0, 3).Draw(t, "unique") == 0 {
		tab.unique = rapid.SampledFrom(tab.columns).Draw(t, "unique column").name
		if typ := tab.column(tab.unique).typ; typ == "boolean" || tab.unique == "id" {
			tab.unique = ""
		}
	}
	return tab
}

func (tab *table) column(name string) column {
	for _, c := range tab.columns {
		if c.name == name {
			return c
		}
	}
	panic("no column " + name)
}

func (tab *table) ddl() string {
	var lines []string
	for _, c := range tab.columns {
		line := "    " + c.name + " " + c.typ
		if !c.nullable {
			line += " NOT NULL"
		}
		lines = append(lines, line)
	}
	lines = append(lines, "    PRIMARY KEY ("+strings.Join(tab.key, ", ")+")")
	if tab.unique != "" {
		lines = append(lines, "    UNIQUE ("+tab.unique+")")
	}
	if tab.parent != nil {
		lines = append(lines, fmt.Sprintf("    FOREIGN KEY (%s) REFERENCES %s (%s)",
			strings.Join(tab.link, ", "), tab.parent.name, strings.Join(tab.parent.key, ", ")))
	}
	return "CREATE TABLE " + tab.name + " (\n" + strings.Join(lines, ",\n") + "\n);\n"
}

func drawQuery(t *rapid.T, i int, tab *table) string {
	name := fmt.Sprintf("Q%d", i)
	switch rapid.IntRange(0, 9).Draw(t, "kind") {
	case 0:
		return fmt.Sprintf("-- name: %s :exec\nDELETE FROM %s WHERE %s;\n", name, tab.name, equalities(tab.key))
	case 1:
		return drawInsert(name, tab)
	case 2:
		return drawUpdate(t, name, tab)
	case 3:
		if tab.parent != nil {
			return drawJoin(t, name, tab)
		}
	}
	return drawSelect(t, name, tab)
}

func drawUpdate(t *rapid.T, name string, tab *table) string {
	c := rapid.SampledFrom(tab.columns).Draw(t, "set")
	set := c.name + " = @new"
	if c.typ == "integer" && rapid.Bool().Draw(t, "increment") {
		set = c.name + " = " + c.name + " + 1"
	}
	if d := rapid.SampledFrom(tab.columns).Draw(t, "set too"); d.name != c.name && rapid.Bool().Draw(t, "two") {
		set += ", " + d.name + " = @too"
	}
	where := equalities(tab.key)
	if d := rapid.SampledFrom(tab.columns).Draw(t, "guard"); rapid.IntRange(0, 2).Draw(t, "guarded") == 0 && d.name != c.name {
		where += " AND " + d.name + " <> @not"
	}
	return fmt.Sprintf("-- name: %s :exec\nUPDATE %s SET %s WHERE %s;\n", name, tab.name, set, where)
}

func equalities(cols []string) string {
	out := make([]string, len(cols))
	for i, c := range cols {
		out[i] = c + " = @" + c
	}
	return strings.Join(out, " AND ")
}

func drawInsert(name string, tab *table) string {
	var cols, params []string
	for _, c := range tab.columns {
		cols = append(cols, c.name)
		params = append(params, "@"+c.name)
	}
	return fmt.Sprintf("-- name: %s :exec\nINSERT INTO %s (%s) VALUES (%s);\n", name, tab.name,
		strings.Join(cols, ", "), strings.Join(params, ", "))
}

func drawSelect(t *rapid.T, name string, tab *table) string {
	var where []string
	used := map[string]bool{}
	for _, c := range tab.columns {
		switch rapid.IntRange(0, 15).Draw(t, "fix "+c.name) {
		case 0, 1, 2:
			where = append(where, c.name+" = @"+c.name)
			used[c.name] = true
		case 3:
			where = append(where, c.name+" = ANY(@"+c.name+")")
			used[c.name] = true
		case 4:
			where = append(where, c.name+" IS NULL")
			used[c.name] = true
		}
	}
	ranged := ""
	c := rapid.SampledFrom(tab.columns).Draw(t, "range")
	if !used[c.name] && c.typ != "boolean" && rapid.Bool().Draw(t, "has range") {
		ranged = c.name
		where = append(where, rapid.SampledFrom([]string{"%[1]s >= @lo", "%[1]s < @hi", "%[1]s BETWEEN @lo AND @hi",
			"%[1]s > @lo AND %[1]s <= @hi"}).Draw(t, "form"))
		where[len(where)-1] = fmt.Sprintf(where[len(where)-1], c.name)
	}
	what := rapid.SampledFrom([]string{"*", "*", "*", "id", "DISTINCT " + tab.columns[len(tab.columns)-1].name, "count(*) AS n"}).Draw(t, "what")
	sql := "SELECT " + what + " FROM " + tab.name
	if len(where) > 0 {
		sql += " WHERE " + strings.Join(where, " AND ")
	}
	order := rapid.SampledFrom(tab.columns).Draw(t, "order")
	if what == "*" && rapid.Bool().Draw(t, "has order") && (ranged == "" || ranged == order.name) {
		sql += " ORDER BY " + order.name
		if rapid.Bool().Draw(t, "desc") {
			sql += " DESC"
		}
		if rapid.Bool().Draw(t, "limit") {
			sql += " LIMIT 3"
		}
	}
	hint := ""
	if rapid.IntRange(0, 5).Draw(t, "allow") == 0 {
		hint = "-- keyfold: filter=allow\n"
		if len(where) > 0 {
			sql = strings.Replace(sql, " WHERE ", " WHERE "+order.name+" IS NOT NULL AND ", 1)
		}
	}
	return "-- name: " + name + " :many\n" + hint + sql + ";\n"
}

func drawJoin(t *rapid.T, name string, tab *table) string {
	var on, where []string
	for i, l := range tab.link {
		on = append(on, "c."+l+" = p."+tab.parent.key[i])
		where = append(where, "p."+tab.parent.key[i]+" = @k"+fmt.Sprint(i))
	}
	kind := rapid.SampledFrom([]string{"JOIN", "LEFT JOIN"}).Draw(t, "join")
	hint := ""
	if rapid.IntRange(0, 3).Draw(t, "allow") == 0 {
		hint = "-- keyfold: filter=allow\n"
	}
	var more []string
	if rapid.IntRange(0, 2).Draw(t, "more") == 0 {
		c := rapid.SampledFrom(tab.columns).Draw(t, "of child")
		more = append(more, "c."+c.name+rapid.SampledFrom([]string{" = @more", " IS NOT NULL", " <> @more", " IS NULL"}).Draw(t, "child condition"))
	}
	if rapid.IntRange(0, 2).Draw(t, "more of parent") == 0 {
		c := rapid.SampledFrom(tab.parent.columns).Draw(t, "of parent")
		more = append(more, "p."+c.name+rapid.SampledFrom([]string{" = @pmore", " >= @pmore", " IS NULL"}).Draw(t, "parent condition"))
	}
	if rapid.Bool().Draw(t, "from child") {
		where = append([]string{"c.id = @id"}, more...)
		return fmt.Sprintf("-- name: %s :many\n"+hint+"SELECT c.*, p.id AS parent_id, p.%s AS more FROM %s c %s %s p ON %s WHERE %s;\n", name,
			tab.parent.columns[len(tab.parent.columns)-1].name, tab.name, kind, tab.parent.name, strings.Join(on, " AND "), strings.Join(where, " AND "))
	}
	where = append(where, more...)
	return fmt.Sprintf("-- name: %s :many\n"+hint+"SELECT p.*, c.id AS child FROM %s p %s %s c ON %s WHERE %s;\n", name,
		tab.parent.name, kind, tab.name, strings.Join(on, " AND "), strings.Join(where, " AND "))
}

func load(t *rapid.T, schema, queries string) *model.Model {
	m, diags := sqlfront.Load([]sqlfront.Source{{Name: "schema.sql", Text: schema}}, []sqlfront.Source{{Name: "queries.sql", Text: queries}})
	if diags.HasErrors() {
		t.Fatalf("%v\n%s%s", diags, schema, queries)
	}
	return m
}

// TestLaws holds on random applications: the design is proved, every pattern is served or
// refused with a code, nothing scans, and the same input gives the same design.
func TestLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		schema, queries := application(t)
		m := load(t, schema, queries)
		d, diags := planner.Plan(m, planner.Options{})
		if faults := design.Check(m, d); len(faults) > 0 {
			t.Fatalf("the design is not proved: %v\n%s%s\n%s", faults, schema, queries, d)
		}
		for _, p := range d.Plans {
			if p.Refused != hasError(diags, p) {
				t.Fatalf("%s: refused is %v, codes %v", p.Pattern.Name, p.Refused, p.Codes)
			}
			if !p.Refused && len(p.Requests) == 0 {
				t.Fatalf("%s is served without a request", p.Pattern.Name)
			}
		}
		again, _ := planner.Plan(load(t, schema, queries), planner.Options{})
		if d.String() != again.String() {
			t.Fatalf("two designs for one input:\n%s\n%s", d, again)
		}
	})
}

func hasError(diags diag.List, p *design.Plan) bool {
	for _, d := range diags {
		if d.Severity == diag.Error && strings.HasPrefix(d.Message, p.Pattern.Name+": ") {
			return true
		}
	}
	return false
}
