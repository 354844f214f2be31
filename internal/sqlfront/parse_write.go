package sqlfront

// insertStatement reads INSERT.
func (p *parser) insertStatement() *insertStmt {
	s := &insertStmt{span: p.here(), afterCols: -1}
	p.expect("insert", "into")
	s.table = p.tableName()
	if p.accept("as") {
		s.alias = p.name("an alias").name
	}
	if p.isOp("(") && p.ahead(1).text != "select" {
		s.columns = p.names("a column")
		s.afterCols = p.at - 2
	}
	if p.accept("overriding") {
		from := p.at - 1
		if !p.accept("system") {
			p.expect("user")
		}
		p.expect("value")
		if !p.failed {
			p.remove(p.since(from))
		}
	}
	p.insertValues(s)
	if p.accept("on") {
		s.conflict = p.conflictClause(p.at - 1)
	}
	s.returning = p.returning()
	return s
}

func (p *parser) insertValues(s *insertStmt) {
	from := p.at
	switch {
	case p.accept("default"):
		p.expect("values")
		s.valuesAt = p.since(from)
		return
	case p.anyWord("select", "with", "table"), p.isOp("("):
		p.fail(codeInsertRows, p.here(), "read the rows first, then insert each", "INSERT ... SELECT is not supported")
		return
	}
	p.expect("values")
	p.expectOp("(")
	for !p.failed {
		s.values = append(s.values, p.expression())
		if !p.acceptOp(",") {
			break
		}
	}
	p.expectOp(")")
	if p.isOp(",") {
		p.fail(codeInsertRows, p.here(), "insert one row, and call it once for each", "an INSERT of several rows is not supported")
	}
	s.valuesAt = p.since(from)
}

// conflictClause reads the rest of ON CONFLICT, which began at token from.
func (p *parser) conflictClause(from int) *conflictClause {
	c := &conflictClause{}
	p.expect("conflict")
	switch {
	case p.isOp("("):
		c.target = p.names("a column")
		if p.isWord("where") {
			p.fail(codeClause, p.here(), "", "partial indexes are not supported as conflict targets")
		}
	case p.accept("on"):
		p.expect("constraint")
		name := p.name("a constraint")
		c.constraint = &name
	}
	p.expect("do")
	switch {
	case p.accept("nothing"):
	case p.accept("update"):
		c.update = true
		p.expect("set")
		c.set = p.assignments()
		if p.accept("where") {
			c.where = p.expression()
		}
	default:
		p.unexpected("NOTHING or UPDATE", "nothing", "update")
	}
	c.span = p.since(from)
	return c
}

// assignments reads a = x, (b, c) = (y, z), ...
func (p *parser) assignments() []assignment {
	var out []assignment
	for !p.failed {
		if p.isOp("(") {
			out = append(out, p.rowAssignment()...)
		} else {
			name := p.column()
			p.expectOp("=")
			out = append(out, assignment{name, p.expression()})
		}
		if !p.acceptOp(",") {
			break
		}
	}
	return out
}

// column reads the name of an assigned column.
func (p *parser) column() ident {
	id := p.name("a column")
	if p.isOp(".") {
		p.fail(codeSyntax, p.here(), "write the column alone", "a column to be set cannot be qualified")
	}
	if p.isOp("[") {
		p.fail(codeExpression, p.here(), "", "setting an array's element is not supported")
	}
	return id
}

func (p *parser) rowAssignment() []assignment {
	columns := p.names("a column")
	p.expectOp("=")
	from := p.at
	if p.isWord("row") {
		p.remove(p.here())
		p.at++
	}
	p.expectOp("(")
	if p.isWord("select") {
		p.refuseSubquery()
	}
	var values []expr
	for !p.failed {
		values = append(values, p.expression())
		if !p.acceptOp(",") {
			break
		}
	}
	p.expectOp(")")
	if p.failed {
		return nil
	}
	if len(values) != len(columns) {
		p.fail(codeCount, p.since(from), "", "%s for %s", plural(len(values), "value"), plural(len(columns), "column"))
		return nil
	}
	out := make([]assignment, len(columns))
	for i, c := range columns {
		out[i] = assignment{c, values[i]}
	}
	return out
}

func (p *parser) returning() []selectItem {
	if !p.accept("returning") {
		return nil
	}
	p.unqualified = true
	return p.selectList()
}

// writeAlias reads the alias of a written table; SQLite demands AS there.
func (p *parser) writeAlias() string {
	from := p.at
	alias := p.tableAlias("set")
	if alias != "" && p.tokens[from].text != "as" {
		p.output[from].before = "AS " + p.output[from].before
	}
	return alias
}

// updateStatement reads UPDATE.
func (p *parser) updateStatement() *updateStmt {
	s := &updateStmt{span: p.here()}
	p.expect("update")
	p.only()
	s.table = p.tableName()
	s.alias = p.writeAlias()
	p.expect("set")
	s.set = p.assignments()
	if p.isWord("from") {
		p.fail(codeWriteJoin, p.here(), "read the other table first, then update by key", "UPDATE ... FROM is not supported")
	}
	s.where = p.writeWhere()
	s.returning = p.returning()
	return s
}

// deleteStatement reads DELETE.
func (p *parser) deleteStatement() *deleteStmt {
	s := &deleteStmt{span: p.here()}
	p.expect("delete", "from")
	p.only()
	s.table = p.tableName()
	s.alias = p.writeAlias()
	if p.isWord("using") {
		p.fail(codeWriteJoin, p.here(), "read the other table first, then delete by key", "DELETE ... USING is not supported")
	}
	s.where = p.writeWhere()
	s.returning = p.returning()
	return s
}

func (p *parser) only() {
	if p.isWord("only") {
		p.remove(p.here())
		p.at++
	}
}

func (p *parser) writeWhere() expr {
	if !p.accept("where") {
		return nil
	}
	if p.isWord("current") && p.opWord("of") {
		p.fail(codeClause, p.here(), "", "WHERE CURRENT OF is not supported")
		return nil
	}
	return p.expression()
}
