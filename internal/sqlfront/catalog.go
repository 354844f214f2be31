package sqlfront

import (
	"slices"

	"github.com/keyfold-dev/keyfold/internal/diag"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// A catalog is what the schema has declared so far.
type catalog struct {
	tables map[string]*table
	order  []*table
	enums  map[string]model.Type
	broken map[string]bool // tables and types whose declaration has an error
}

// A table is an entity in the making.
type table struct {
	entity    *model.Entity
	keyNamed  map[string][]string // unique constraints by name
	hasKey    bool                // a primary key was declared, well or not
	sequences map[string]bool     // columns that PostgreSQL would number
	keys      []*pendingKey
	defined   *statement
}

// A pendingKey is a foreign key that waits for all tables to be known.
type pendingKey struct {
	constraintDef
	st              *statement
	table           *table
	perParent, most model.Stat
}

func newCatalog() catalog {
	return catalog{tables: map[string]*table{}, enums: map[string]model.Type{}, broken: map[string]bool{}}
}

// tableNames lists the tables in source order.
func (c *catalog) tableNames() []string {
	var out []string
	for _, t := range c.order {
		out = append(out, t.entity.Name)
	}
	return out
}

// find returns a table by name. An unknown one is reported, unless its declaration was.
func (c *catalog) find(st *statement, id ident, diags *diag.List) *table {
	t := c.tables[id.name]
	if t == nil && !c.broken[id.name] {
		diags.Errorf(codeTable, st.pos(id.span()), didYouMean(id.name, c.tableNames()), "no table %q", id.name)
	}
	return t
}

// attribute finds a column of a table or reports it.
func attribute(st *statement, e *model.Entity, id ident, diags *diag.List) *model.Attribute {
	a := e.Attribute(id.name)
	if a == nil {
		diags.Errorf(codeColumn, st.pos(id.span()), didYouMean(id.name, columnNames(e)), "no column %q in %s", id.name, e.Name)
	}
	return a
}

func columnNames(e *model.Entity) []string {
	var out []string
	for _, a := range e.Attributes {
		out = append(out, a.Name)
	}
	return out
}

// schemaStatement reads one statement of the schema into the catalog.
func (l *loader) schemaStatement(st *statement) {
	for st != nil {
		if len(st.tokens) == 1 {
			misplaced(st, &l.diags, st.hints())
			return
		}
		p := st.parser(&l.diags)
		node := p.schemaSyntax()
		rest := p.end()
		l.declare(p, node)
		st = rest
	}
}

// declare enters what a statement declares into the catalog.
func (l *loader) declare(p *parser, node any) {
	switch n := node.(type) {
	case *createTable:
		l.createTable(p, n)
		return
	case *alterTable:
		if !p.failed {
			l.alterTable(p, n)
		}
		return
	case *createEnum:
		l.createEnum(p, n)
	case *createIndex:
		if !p.failed {
			l.createIndex(p, n)
		}
	case *commentOn:
		if t := l.tables[n.table.name]; t != nil && !p.failed {
			t.entity.Comment = n.text
		}
	case *dropTable:
		l.dropTable(p, n)
	}
	if !p.failed {
		misplaced(p.statement, &l.diags, p.hints())
	}
}

func (l *loader) dropTable(p *parser, n *dropTable) {
	for _, id := range n.tables {
		if l.tables[id.name] != nil && !p.failed {
			l.diags.Errorf(codeStatement, p.pos(id.span()), "keyfold reads the schema as it is now (pg_dump --schema-only), not its history", "DROP TABLE of a table declared above is not supported")
		}
	}
}

func (l *loader) createEnum(p *parser, n *createEnum) {
	if p.failed {
		l.broken[n.name.name] = n.name.name != ""
		return
	}
	if _, dup := l.enums[n.name.name]; dup {
		l.diags.Errorf(codeDuplicate, p.pos(n.name.span()), "", "type %q is declared twice", n.name.name)
		return
	}
	for i, label := range n.labels {
		if slices.Contains(n.labels[:i], label) {
			l.diags.Errorf(codeDuplicate, p.pos(n.span), "", "label '%s' is given twice", label)
		}
	}
	l.enums[n.name.name] = model.Type{Kind: model.Enum, Name: n.name.name, Labels: n.labels}
}

// createTable makes an entity. A table with a syntax error is only remembered by name.
func (l *loader) createTable(p *parser, n *createTable) {
	name := n.name.name
	if p.failed {
		l.broken[name] = name != ""
		return
	}
	if l.tables[name] != nil {
		if !n.ifNotExists {
			l.diags.Errorf(codeDuplicate, p.pos(n.name.span()), "", "table %q is declared twice", name)
		}
		return
	}
	t := &table{
		entity:   &model.Entity{Name: name, Comment: p.commentAbove(), Pos: p.pos(n.name.span())},
		keyNamed: map[string][]string{}, sequences: map[string]bool{}, defined: p.statement,
	}
	l.tables[name] = t
	l.order = append(l.order, t)
	for _, c := range n.columns {
		l.addColumn(p, t, c)
	}
	for _, c := range n.columns {
		l.columnConstraints(p, t, c)
	}
	for _, k := range n.constraints {
		l.addConstraint(p, t, k)
	}
	l.tableHints(p, t, n)
}

// addColumn adds a column with its type alone.
func (l *loader) addColumn(p *parser, t *table, c columnDef) {
	if t.entity.Attribute(c.name.name) != nil {
		l.diags.Errorf(codeDuplicate, p.pos(c.name.span()), "", "column %q is declared twice", c.name.name)
		return
	}
	typ, ok := l.resolve(c.typ, p.statement, &l.diags)
	if !ok {
		l.broken[t.entity.Name] = true
	}
	a := &model.Attribute{Name: c.name.name, Type: typ, Pos: p.pos(c.name.span())}
	t.entity.Attributes = append(t.entity.Attributes, a)
	if isSerial(c.typ.name) {
		a.NotNull = true
		l.sequence(p, t, a, c.typ.span)
	}
}

// sequence notes a column that PostgreSQL would number by itself.
func (l *loader) sequence(p *parser, t *table, a *model.Attribute, at span) {
	t.sequences[a.Name] = true
	l.diags.Notef(codeSequence, p.pos(at), "give the value in INSERT, or use uuid DEFAULT gen_random_uuid()", "DynamoDB has no sequences: %s.%s is not numbered by itself", t.entity.Name, a.Name)
}

// columnConstraints applies the constraints written with a column.
func (l *loader) columnConstraints(p *parser, t *table, c columnDef) {
	a := t.entity.Attribute(c.name.name)
	for _, k := range c.constraints {
		k.columns = []ident{c.name}
		switch k.kind {
		case notNull:
			a.NotNull = true
		case nullable:
		case defaultValue:
			l.setDefault(p, t, a, k.x)
		case identity:
			a.NotNull = true
			l.sequence(p, t, a, k.span)
		default:
			l.addConstraint(p, t, k)
		}
	}
}

// addConstraint applies a key, a foreign key or a CHECK.
func (l *loader) addConstraint(p *parser, t *table, k constraintDef) {
	if k.kind == checkRows {
		if x := l.check(p, t, k); x != nil {
			t.entity.Checks = append(t.entity.Checks, x)
		}
		return
	}
	columns, ok := l.constraintColumns(p, t, k)
	if !ok {
		t.hasKey = t.hasKey || k.kind == primaryKey
		return
	}
	switch k.kind {
	case primaryKey:
		if t.hasKey {
			l.diags.Errorf(codeDuplicate, p.pos(k.span), "name all its columns in one PRIMARY KEY (a, b)", "table %q has two primary keys", t.entity.Name)
			return
		}
		t.hasKey = true
		t.entity.PrimaryKey = columns
		for _, c := range columns {
			t.entity.Attribute(c).NotNull = true
		}
		t.keyNamed[orDefault(k.name, t.entity.Name+"_pkey")] = columns
	case uniqueKey:
		l.addUnique(t, columns, orDefault(k.name, constraintName(t.entity.Name, columns, "key")))
	case foreignKey:
		t.keys = append(t.keys, &pendingKey{constraintDef: k, st: p.statement, table: t})
	}
}

func (l *loader) addUnique(t *table, columns []string, name string) {
	t.keyNamed[name] = columns
	if !slices.ContainsFunc(t.entity.Unique, func(u []string) bool { return slices.Equal(u, columns) }) {
		t.entity.Unique = append(t.entity.Unique, columns)
	}
}

// constraintColumns checks the columns that a constraint names.
func (l *loader) constraintColumns(p *parser, t *table, k constraintDef) (columns []string, ok bool) {
	ok = true
	for _, id := range k.columns {
		a := attribute(p.statement, t.entity, id, &l.diags)
		switch {
		case a == nil:
			ok = false
		case slices.Contains(columns, id.name):
			l.diags.Errorf(codeTwice, p.pos(id.span()), "", "column %q is named twice", id.name)
			ok = false
		case k.kind == primaryKey && (a.Type.Array || a.Type.Kind == model.JSON):
			l.diags.Errorf(codeMismatch, p.pos(id.span()), "a key is made of scalars", "a %s column cannot be part of a key", a.Type)
			ok = false
		}
		columns = append(columns, id.name)
	}
	return columns, ok
}

func orDefault(name, otherwise string) string {
	if name != "" {
		return name
	}
	return otherwise
}

// constraintName gives PostgreSQL's name of a constraint without one.
func constraintName(table string, columns []string, suffix string) string {
	name := table
	for _, c := range columns {
		name += "_" + c
	}
	return name + "_" + suffix
}

func (l *loader) createIndex(p *parser, n *createIndex) {
	t := l.find(p.statement, n.table, &l.diags)
	if t == nil {
		return
	}
	columns, ok := l.constraintColumns(p, t, constraintDef{kind: uniqueKey, columns: n.columns})
	switch {
	case !n.unique || !ok:
	case n.columns == nil:
		l.diags.Errorf(codeOption, p.pos(n.span), "give the rows it covers a table of their own", "a unique index over an expression or over some rows is not supported")
	default:
		l.addUnique(t, columns, constraintName(t.entity.Name, columns, "idx"))
	}
}
