package oracle

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	pgquery "github.com/wasilibs/go-pgquery"

	"github.com/keyfold-dev/keyfold/internal/model"
)

// A node is a node of PostgreSQL's parse tree, as JSON.
type node map[string]any

func (n node) child(path ...string) node {
	for _, p := range path {
		next, _ := n[p].(map[string]any)
		n = next
	}
	return n
}

func (n node) list(name string) []node {
	var out []node
	items, _ := n[name].([]any)
	for _, x := range items {
		out = append(out, node(x.(map[string]any)))
	}
	return out
}

func (n node) str(name string) string { s, _ := n[name].(string); return s }

func (n node) strings(name string) []string {
	var out []string
	for _, x := range n.list(name) {
		out = append(out, x.child("String").str("sval"))
	}
	return out
}

// parse reads SQL with PostgreSQL's grammar; each statement is {"SelectStmt": {...}}.
func parse(sql string) ([]node, error) {
	text, err := pgquery.ParseToJSON(sql)
	if err != nil {
		return nil, err
	}
	var tree node
	if err := json.Unmarshal([]byte(text), &tree); err != nil {
		return nil, err
	}
	var out []node
	for _, s := range tree.list("stmts") {
		out = append(out, s.child("stmt"))
	}
	return out, nil
}

// A schemaShape is what both readers must see alike in a schema, one line for each thing.
type schemaShape struct {
	tables map[string]*tableShape
}

type tableShape struct {
	Columns []string
	NotNull map[string]bool
	Key     []string
	Unique  map[string]bool
	Foreign map[string]bool
	Checks  int
}

func newTable() *tableShape {
	return &tableShape{NotNull: map[string]bool{}, Unique: map[string]bool{}, Foreign: map[string]bool{}}
}

// TestSchemas holds every schema without errors to PostgreSQL's grammar.
func TestSchemas(t *testing.T) {
	for _, app := range applications(t) {
		if app.hasErrors("schema.sql") {
			continue
		}
		stmts, err := parse(withoutCommands(app.schema))
		if err != nil {
			t.Errorf("%s: PostgreSQL: %v", app.name, err)
			continue
		}
		want := schemaShape{map[string]*tableShape{}}
		for _, s := range stmts {
			want.add(s)
		}
		if diff := cmp.Diff(want.tables, shapeOf(app.model)); diff != "" {
			t.Errorf("%s (-PostgreSQL +ours):\n%s", app.name, diff)
		}
	}
}

func (s schemaShape) add(stmt node) {
	switch {
	case stmt["CreateStmt"] != nil:
		c := stmt.child("CreateStmt")
		t := newTable()
		s.tables[c.child("relation").str("relname")] = t
		for _, e := range c.list("tableElts") {
			t.element(e)
		}
	case stmt["AlterTableStmt"] != nil:
		a := stmt.child("AlterTableStmt")
		t := s.tables[a.child("relation").str("relname")]
		for _, c := range a.list("cmds") {
			cmd := c.child("AlterTableCmd")
			switch cmd.str("subtype") {
			case "AT_AddConstraint", "AT_AddColumn":
				t.element(cmd.child("def"))
			case "AT_SetNotNull":
				t.NotNull[cmd.str("name")] = true
			case "AT_DropNotNull":
				delete(t.NotNull, cmd.str("name"))
			}
		}
	case stmt["IndexStmt"] != nil:
		x := stmt.child("IndexStmt")
		if x["unique"] == true {
			var columns []string
			for _, p := range x.list("indexParams") {
				columns = append(columns, p.child("IndexElem").str("name"))
			}
			s.tables[x.child("relation").str("relname")].Unique[strings.Join(columns, ",")] = true
		}
	}
}

func (t *tableShape) element(e node) {
	if c := e.child("ColumnDef"); c != nil {
		name := c.str("colname")
		t.Columns = append(t.Columns, name)
		for _, k := range c.list("constraints") {
			t.constraint(k.child("Constraint"), []string{name})
		}
		names := c.child("typeName").strings("names")
		if strings.Contains(names[len(names)-1], "serial") {
			t.NotNull[name] = true
		}
		return
	}
	k := e.child("Constraint")
	columns := k.strings("keys")
	if k.str("contype") == "CONSTR_FOREIGN" {
		columns = k.strings("fk_attrs")
	}
	t.constraint(k, columns)
}

func (t *tableShape) constraint(k node, columns []string) {
	switch k.str("contype") {
	case "CONSTR_PRIMARY":
		t.Key = columns
		for _, c := range columns {
			t.NotNull[c] = true
		}
	case "CONSTR_NOTNULL", "CONSTR_IDENTITY":
		t.NotNull[columns[0]] = true
	case "CONSTR_UNIQUE":
		t.Unique[strings.Join(columns, ",")] = true
	case "CONSTR_FOREIGN":
		t.Foreign[strings.Join(columns, ",")+" -> "+k.child("pktable").str("relname")] = true
	case "CONSTR_CHECK":
		t.Checks++
	}
}

// shapeOf is the shape that our model has.
func shapeOf(m *model.Model) map[string]*tableShape {
	out := map[string]*tableShape{}
	for _, e := range m.Entities {
		t := newTable()
		out[e.Name] = t
		for _, a := range e.Attributes {
			t.Columns = append(t.Columns, a.Name)
			if a.NotNull {
				t.NotNull[a.Name] = true
			}
		}
		t.Key, t.Checks = e.PrimaryKey, len(e.Checks)
		for _, u := range e.Unique {
			t.Unique[strings.Join(u, ",")] = true
		}
	}
	for _, r := range m.Relationships {
		out[r.Child].Foreign[strings.Join(r.ChildAttrs, ",")+" -> "+r.Parent] = true
	}
	return out
}

// TestQueries holds every query that we lower to PostgreSQL's grammar.
func TestQueries(t *testing.T) {
	n := 0
	for _, app := range applications(t) {
		for _, p := range app.model.Patterns {
			n++
			agree(t, app.model, p)
		}
	}
	if n < 150 {
		t.Errorf("only %d queries", n)
	}
}

// A reader turns PostgreSQL's tree into lines that say what the statement has.
type reader struct {
	model  *model.Model
	params map[string]bool
}

func (r *reader) statement(s node) []string {
	r.findParams(map[string]any(s))
	params := fmt.Sprintf("%d parameters", len(r.params))
	for kind, read := range map[string]func(node) []string{"SelectStmt": r.selectStmt, "InsertStmt": r.insertStmt, "UpdateStmt": r.updateStmt, "DeleteStmt": r.deleteStmt} {
		if n := s.child(kind); n != nil {
			return append(read(n), params)
		}
	}
	return []string{"unknown statement"}
}

// findParams collects $n and sqlc.arg(name) anywhere in the tree.
func (r *reader) findParams(x any) {
	switch x := x.(type) {
	case []any:
		for _, y := range x {
			r.findParams(y)
		}
	case map[string]any:
		n := node(x)
		if p := n.child("ParamRef"); p != nil {
			r.params[fmt.Sprint(p["number"])] = true
		}
		if f := n.child("FuncCall"); f != nil {
			if names := f.strings("funcname"); len(names) == 2 && names[0] == "sqlc" {
				text, _ := json.Marshal(f.list("args")[0])
				var arg node
				_ = json.Unmarshal(text, &arg)
				name := arg.child("A_Const", "sval").str("sval")
				if fields := arg.child("ColumnRef").strings("fields"); len(fields) > 0 {
					name = fields[0]
				}
				r.params["sqlc "+name] = true
				return
			}
		}
		for _, y := range x {
			r.findParams(y)
		}
	}
}

func (r *reader) selectStmt(s node) []string {
	if s.str("op") == "SETOP_UNION" {
		out := append(r.selectStmt(s.child("larg")), r.selectStmt(s.child("rarg"))...)
		return append(out, tail(s)...)
	}
	return append(r.branch(s), tail(s)...)
}

// tail says what ORDER BY, LIMIT and OFFSET there are.
func tail(s node) []string {
	var out []string
	for _, o := range s.list("sortClause") {
		by := o.child("SortBy")
		desc := by.str("sortby_dir") == "SORTBY_DESC"
		first := by.str("sortby_nulls") == "SORTBY_NULLS_FIRST" || by.str("sortby_nulls") == "SORTBY_NULLS_DEFAULT" && desc
		out = append(out, fmt.Sprintf("order desc=%v nulls first=%v", desc, first))
	}
	if c := s.child("limitCount"); c != nil && c.child("A_Const")["isnull"] != true {
		out = append(out, "limit")
	}
	if s["limitOffset"] != nil {
		out = append(out, "offset")
	}
	return out
}

func (r *reader) branch(s node) []string {
	var sources []source
	joined := false
	for _, f := range s.list("fromClause") {
		more, conditions := r.from(f)
		sources = append(sources, more...)
		joined = joined || conditions
	}
	out := []string{fmt.Sprintf("select distinct=%v %d columns", s["distinctClause"] != nil, r.columns(s.list("targetList"), sources))}
	for _, src := range sources {
		out = append(out, fmt.Sprintf("from %s as %s left=%v", src.table, src.alias, src.left))
	}
	out = append(out, fmt.Sprintf("where=%v group=%d having=%v", s["whereClause"] != nil || joined, len(s.list("groupClause")), s["havingClause"] != nil))
	return out
}

type source struct {
	table, alias string
	left         bool
	merged       int // columns that USING shows once
}

// from flattens joins; conditions says whether an inner join has one.
func (r *reader) from(f node) (out []source, conditions bool) {
	if j := f.child("JoinExpr"); j != nil {
		left, c1 := r.from(j.child("larg"))
		right, c2 := r.from(j.child("rarg"))
		isLeft := j.str("jointype") == "JOIN_LEFT"
		right[0].left = isLeft
		right[0].merged = len(j.list("usingClause"))
		return append(left, right...), c1 || c2 || !isLeft && (j["quals"] != nil || right[0].merged > 0)
	}
	v := f.child("RangeVar")
	s := source{table: v.str("relname"), alias: v.str("relname")}
	if a := v.child("alias").str("aliasname"); a != "" {
		s.alias = a
	}
	return []source{s}, false
}

// columns counts result columns, with stars expanded.
func (r *reader) columns(targets []node, sources []source) int {
	n := 0
	for _, t := range targets {
		fields := t.child("ResTarget", "val", "ColumnRef").list("fields")
		if len(fields) == 0 || fields[len(fields)-1]["A_Star"] == nil {
			n++
			continue
		}
		for _, s := range sources {
			size := len(r.model.Entity(s.table).Attributes)
			switch {
			case len(fields) == 1:
				n += size - s.merged
			case fields[len(fields)-2].child("String").str("sval") == s.alias:
				n += size
			}
		}
	}
	return n
}

func (r *reader) target(s node) ([]string, []source) {
	src, _ := r.from(node{"RangeVar": s["relation"]})
	return []string{"table " + src[0].table}, src
}

func (r *reader) insertStmt(s node) []string {
	out, src := r.target(s)
	var columns []string
	for _, c := range s.list("cols") {
		columns = append(columns, c.child("ResTarget").str("name"))
	}
	if columns == nil {
		var values []any
		if v := s.child("selectStmt", "SelectStmt").list("valuesLists"); v != nil {
			values = v[0].child("List")["items"].([]any)
		}
		for _, a := range r.model.Entity(src[0].table).Attributes[:len(values)] {
			columns = append(columns, a.Name)
		}
	}
	out = append(out, "insert "+strings.Join(columns, ","))
	if c := s.child("onConflictClause"); c != nil {
		var columns []string
		for _, e := range c.child("infer").list("indexElems") {
			columns = append(columns, e.child("IndexElem").str("name"))
		}
		if name := c.child("infer").str("conname"); name != "" {
			columns = []string{"by constraint"}
		}
		out = append(out, fmt.Sprintf("conflict (%s) set %s where=%v", strings.Join(columns, ","), set(c), c["whereClause"] != nil))
	}
	return append(out, fmt.Sprintf("returning %d", r.columns(s.list("returningList"), src)))
}

func set(s node) string {
	var columns []string
	for _, c := range s.list("targetList") {
		columns = append(columns, c.child("ResTarget").str("name"))
	}
	return strings.Join(columns, ",")
}

func (r *reader) updateStmt(s node) []string {
	out, src := r.target(s)
	return append(out, "set "+set(s), fmt.Sprintf("where=%v", s["whereClause"] != nil), fmt.Sprintf("returning %d", r.columns(s.list("returningList"), src)))
}

func (r *reader) deleteStmt(s node) []string {
	out, src := r.target(s)
	return append(out, "delete", fmt.Sprintf("where=%v", s["whereClause"] != nil), fmt.Sprintf("returning %d", r.columns(s.list("returningList"), src)))
}

// patternShape says the same of our access pattern.
func patternShape(p *model.AccessPattern) []string {
	var out []string
	switch {
	case p.Query != nil:
		out = queryShape(p.Query)
	case p.Insert != nil:
		out = insertShape(p)
	case p.Update != nil:
		out = []string{"table " + p.Update.Entity, "set " + setShape(p.Update.Set), fmt.Sprintf("where=%v", len(p.Update.Where) > 0), fmt.Sprintf("returning %d", len(p.Update.Returning))}
	case p.Delete != nil:
		out = []string{"table " + p.Delete.Entity, "delete", fmt.Sprintf("where=%v", len(p.Delete.Where) > 0), fmt.Sprintf("returning %d", len(p.Delete.Returning))}
	}
	return append(out, fmt.Sprintf("%d parameters", len(p.Params)))
}

func queryShape(q *model.Query) []string {
	var out []string
	for _, b := range slices.Concat([]*model.Query{q}, q.Union) {
		out = append(out, fmt.Sprintf("select distinct=%v %d columns", b.Distinct, len(b.Columns)))
		for _, s := range b.Sources {
			out = append(out, fmt.Sprintf("from %s as %s left=%v", s.Entity, s.Alias, s.Left))
		}
		out = append(out, fmt.Sprintf("where=%v group=%d having=%v", len(b.Where) > 0, len(b.GroupBy), len(b.Having) > 0))
	}
	for _, o := range q.OrderBy {
		out = append(out, fmt.Sprintf("order desc=%v nulls first=%v", o.Desc, o.NullsFirst))
	}
	if q.Limit != nil {
		out = append(out, "limit")
	}
	if q.Offset != nil {
		out = append(out, "offset")
	}
	return out
}

var onConstraint = regexp.MustCompile(`(?i)ON\s+CONFLICT\s+ON\s+CONSTRAINT`)

func insertShape(p *model.AccessPattern) []string {
	i := p.Insert
	out := []string{"table " + i.Entity, "insert " + strings.Join(i.Given, ",")}
	if c := i.Conflict; c != nil {
		target := strings.Join(c.Target, ",")
		if onConstraint.MatchString(p.SQL) {
			target = "by constraint"
		}
		out = append(out, fmt.Sprintf("conflict (%s) set %s where=%v", target, setShape(c.Set), len(c.Where) > 0))
	}
	return append(out, fmt.Sprintf("returning %d", len(i.Returning)))
}

func setShape(set []*model.Assignment) string {
	var columns []string
	for _, a := range set {
		columns = append(columns, a.Attribute)
	}
	return strings.Join(columns, ",")
}
