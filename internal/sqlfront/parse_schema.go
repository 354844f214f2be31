package sqlfront

import "strings"

// ignoredStatements begin statements of a dump that say nothing about rows. The value is
// the second word, or "" for any.
var ignoredStatements = map[string][]string{
	"set": {""}, "reset": {""}, "begin": {""}, "start": {""}, "commit": {""}, "end": {""}, "show": {""},
	"grant": {""}, "revoke": {""}, "analyze": {""}, "vacuum": {""}, "lock": {""}, "select": {""}, "reindex": {""},
	"create":  {"schema", "extension", "sequence", "role", "user", "database", "publication", "subscription", "tablespace", "statistics", "collation"},
	"alter":   {"schema", "extension", "sequence", "role", "user", "database", "type", "default", "index", "publication", "subscription", "function", "view", "aggregate", "domain", "procedure"},
	"drop":    {"schema", "extension", "sequence", "role", "user", "database", "index", "function", "view", "trigger", "type", "domain", "policy", "rule", "procedure", "aggregate"},
	"comment": {"on"},
}

// schemaSyntax reads one statement of a schema. It returns nil for one that is ignored
// and after a failure.
func (p *parser) schemaSyntax() any {
	switch {
	case p.isWord("create"):
		return p.create()
	case p.isWord("alter", "table"):
		return p.alterTable()
	case p.isWord("comment", "on", "table"):
		return p.commentOn()
	case p.isWord("drop", "table"):
		return p.dropTable()
	case p.anyWord("insert", "update", "delete", "copy", "truncate"):
		p.diags.Notef(codeWrongFile, p.pos(p.here()), "queries belong in the queries file", "%s is skipped: the schema holds no data", strings.ToUpper(p.peek().text))
	case p.ignored():
	case p.anyWord("alter", "drop", "do", "call", "prepare", "execute", "explain", "import", "with", "refresh", "merge"):
		p.refuseStatement(schemaHint)
		return nil
	default:
		p.unexpected("a statement", statementWords...)
		return nil
	}
	p.skipRest()
	return nil
}

// ignored reports whether the statement is one that is passed over.
func (p *parser) ignored() bool {
	seconds, ok := ignoredStatements[p.peek().text]
	if !ok || p.peek().kind != tokWord {
		return false
	}
	for _, w := range seconds {
		if w == "" || p.ahead(1).text == w {
			return true
		}
	}
	return false
}

// skipRest passes over the rest of a statement, but not over the beginning of another.
func (p *parser) skipRest() {
	p.advance()
	for p.peek().kind != tokEnd && p.peek().kind != tokBad {
		if p.isWord("create", "table") && p.lineOf(p.peek().start) > p.lineOf(p.tokens[p.at-1].end) {
			return
		}
		p.advance()
	}
	if p.peek().kind == tokBad {
		p.failed, p.at = true, len(p.tokens)-1
	}
}

const schemaHint = "the schema is made of CREATE TABLE, CREATE TYPE ... AS ENUM and their constraints"

// refuseStatement reports a statement that is not read at all.
func (p *parser) refuseStatement(hint string) {
	first := p.peek().text
	what := strings.ToUpper(first)
	s := p.here()
	for n := 1; n < 4 && (first == "create" || first == "alter" || first == "drop"); n++ {
		t := p.ahead(n)
		if t.kind != tokWord || t.text == "if" {
			break
		}
		s.to++
		what += " " + strings.ToUpper(t.text)
		if t.text != "or" && t.text != "replace" && t.text != "temporary" && t.text != "temp" && t.text != "materialized" && t.text != "constraint" {
			break
		}
	}
	switch {
	case strings.HasSuffix(what, "VIEW"):
		hint = "write the view's SELECT as a query"
	case strings.HasSuffix(what, "FUNCTION"), strings.HasSuffix(what, "TRIGGER"), strings.HasSuffix(what, "PROCEDURE"):
		hint = "DynamoDB runs no code; do its work in the application"
	}
	p.fail(codeStatement, s, hint, "%s is not supported", what)
}

func (p *parser) create() any {
	switch {
	case p.isWord("create", "table"), p.isWord("create", "unlogged", "table"):
		return p.createTable()
	case p.isWord("create", "type"):
		return p.createType()
	case p.isWord("create", "index"), p.isWord("create", "unique", "index"):
		return p.createIndex()
	case p.ignored():
		p.skipRest()
		return nil
	}
	if t := p.ahead(1); t.kind == tokWord && !strings.Contains(" view or materialized function trigger temporary temp procedure domain rule policy operator aggregate cast foreign server constraint event global local recursive access conversion language text transform ", " "+t.text+" ") {
		p.at++
		p.unexpected("TABLE", "table", "type", "index", "unique", "schema", "extension", "view", "function", "trigger")
		return nil
	}
	p.refuseStatement(schemaHint)
	return nil
}

func (p *parser) ifNotExists() bool {
	if !p.accept("if") {
		return false
	}
	p.expect("not", "exists")
	return true
}

// createTable reads CREATE TABLE.
func (p *parser) createTable() any {
	t := &createTable{span: p.here()}
	p.expect("create")
	p.accept("unlogged")
	p.expect("table")
	t.ifNotExists = p.ifNotExists()
	t.name = p.tableName()
	if p.anyWord("as", "of", "partition") {
		p.fail(codeOption, p.here(), "list the columns", "CREATE TABLE ... %s is not supported", strings.ToUpper(p.peek().text))
	}
	p.expectOp("(")
	t.body.from = p.at
	for !p.failed && !(p.isOp(")") && p.at == t.body.from) {
		p.tableElement(t)
		if !p.acceptOp(",") {
			break
		}
	}
	t.body.to = p.at
	if !p.failed && !p.isOp(")") && p.columnFollows() {
		p.fail(codeSyntax, span{p.at - 1, p.at}, `put a "," between columns`, "missing comma before %s", p.spelled(p.peek()))
	}
	p.expectOp(")")
	p.tableOptions()
	t.to = max(p.at, t.from+1)
	if p.failed {
		t.columns = nil
	}
	return t
}

// columnFollows reports whether a column definition seems to begin here.
func (p *parser) columnFollows() bool {
	t, n := p.peek(), p.ahead(1)
	_, known := scalarNames[n.text]
	return (t.kind == tokWord || t.kind == tokQuoted) && n.kind == tokWord && known
}

// tableOptions passes over storage options.
func (p *parser) tableOptions() {
	for !p.failed {
		switch {
		case p.accept("with"):
			p.skipParens()
		case p.accept("without", "oids"):
		case p.accept("tablespace"), p.accept("using"):
			p.name("a tablespace")
		case p.isWord("inherits"), p.isWord("partition"):
			p.fail(codeOption, p.here(), "", "%s is not supported", strings.ToUpper(p.peek().text))
		default:
			return
		}
	}
}

// tableElement reads one column or one constraint of a table.
func (p *parser) tableElement(t *createTable) {
	switch {
	case p.isWord("like"):
		p.fail(codeOption, p.here(), "list the columns", "LIKE in CREATE TABLE is not supported")
	case p.anyWord("constraint", "primary", "unique", "foreign", "check"), p.isWord("exclude") && p.opWord("using"):
		t.constraints = append(t.constraints, p.tableConstraint())
	default:
		t.columns = append(t.columns, p.columnDef())
	}
}

func (p *parser) columnDef() columnDef {
	c := columnDef{span: p.here(), name: p.name("a column")}
	c.typ = p.typeName()
	for !p.failed {
		k, ok := p.columnConstraint()
		if !ok {
			break
		}
		if k.kind == noConstraint {
			continue
		}
		c.constraints = append(c.constraints, k)
	}
	c.to = max(p.at, c.from+1)
	return c
}

// dropTable accepts the DROP TABLE IF EXISTS in front of a dump.
func (p *parser) dropTable() any {
	from := p.at
	p.at += 2
	if p.accept("if") {
		p.expect("exists")
	}
	d := &dropTable{}
	for !p.failed {
		d.tables = append(d.tables, p.tableName())
		if !p.acceptOp(",") {
			break
		}
	}
	if !p.accept("cascade") {
		p.accept("restrict")
	}
	d.span = p.since(from)
	return d
}

func (p *parser) createType() any {
	e := &createEnum{span: p.here()}
	p.at += 2
	e.name = p.tableName()
	p.expect("as")
	if !p.isWord("enum") {
		p.fail(codeStatement, p.here(), "CREATE TYPE ... AS ENUM is supported", "composite and range types are not supported")
		return nil
	}
	p.at++
	p.expectOp("(")
	for !p.failed && !(p.isOp(")") && e.labels == nil) {
		if p.peek().kind != tokString {
			p.unexpected("a label in quotes")
			break
		}
		e.labels = append(e.labels, p.advance().text)
		if !p.acceptOp(",") {
			break
		}
	}
	p.expectOp(")")
	e.to = max(p.at, e.from+1)
	return e
}

func (p *parser) createIndex() any {
	x := &createIndex{span: p.here()}
	p.at++
	x.unique = p.accept("unique")
	p.expect("index")
	p.accept("concurrently")
	p.ifNotExists()
	if !p.isWord("on") {
		p.name("an index")
	}
	p.expect("on")
	p.accept("only")
	x.table = p.tableName()
	if p.accept("using") {
		p.name("an index method")
	}
	from := p.at
	p.expectOp("(")
	plain := true
	for !p.failed {
		if t := p.peek(); (t.kind == tokWord && !reserved[t.text] || t.kind == tokQuoted) && !p.opAhead(1, "(") && !p.opAhead(1, ".") {
			x.columns = append(x.columns, p.name("a column"))
		} else {
			plain = false
			p.expression()
		}
		p.indexColumnOptions()
		if !p.acceptOp(",") {
			break
		}
	}
	p.expectOp(")")
	x.span = p.since(from)
	plain = p.indexOptions() && plain
	if !plain {
		x.columns = nil
	}
	return x
}

// indexColumnOptions passes over collation, operator class and order.
func (p *parser) indexColumnOptions() {
	for !p.failed && !p.isOp(",") && !p.isOp(")") {
		switch t := p.peek(); {
		case t.kind == tokWord, t.kind == tokQuoted, p.isOp("."):
			p.advance()
		case p.isOp("("):
			p.skipParens()
		default:
			p.unexpected(`"," or ")"`)
		}
	}
}

// indexOptions passes over what follows the columns; it reports false when the index does
// not cover every row.
func (p *parser) indexOptions() bool {
	all := true
	for !p.failed {
		switch {
		case p.accept("include"), p.accept("with"):
			p.skipParens()
		case p.accept("nulls", "distinct"):
		case p.accept("tablespace"):
			p.name("a tablespace")
		case p.accept("where"):
			all = false
			p.expression()
		default:
			return all
		}
	}
	return all
}

func (p *parser) commentOn() any {
	from := p.at
	p.at += 3
	c := &commentOn{table: p.tableName()}
	p.expect("is")
	switch t := p.peek(); {
	case t.kind == tokString:
		c.text = p.advance().text
	case !p.accept("null"):
		p.unexpected("a string")
	}
	c.span = p.since(from)
	return c
}
