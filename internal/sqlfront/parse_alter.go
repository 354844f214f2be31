package sqlfront

import "strings"

// alterTable reads ALTER TABLE. Actions that only concern a server are passed over.
func (p *parser) alterTable() any {
	a := &alterTable{span: p.here()}
	p.at += 2
	if p.accept("if") {
		p.expect("exists")
	}
	p.accept("only")
	a.table = p.tableName()
	for !p.failed {
		p.alterAction(a)
		if !p.acceptOp(",") {
			break
		}
	}
	a.to = max(p.at, a.from+1)
	return a
}

func (p *parser) alterAction(a *alterTable) {
	switch {
	case p.isWord("add"):
		p.at++
		if p.anyWord("constraint", "primary", "unique", "foreign", "check", "exclude") {
			a.constraints = append(a.constraints, p.tableConstraint())
			return
		}
		p.accept("column")
		p.ifNotExists()
		a.columns = append(a.columns, p.columnDef())
	case p.isWord("alter"):
		p.at++
		p.accept("column")
		p.columnChange(a)
	case p.anyWord("owner", "enable", "disable", "set", "cluster", "replica", "validate", "inherit", "force", "no"):
		for p.peek().kind != tokEnd && p.peek().kind != tokBad && !p.isOp(",") {
			p.advance()
		}
	case p.anyWord("drop", "rename", "attach", "detach"):
		p.fail(codeStatement, p.here(), "keyfold reads the schema as it is now (pg_dump --schema-only), not its history", "ALTER TABLE ... %s is not supported", strings.ToUpper(p.peek().text))
	default:
		p.unexpected("ADD or ALTER", "add", "alter", "drop", "rename", "owner")
	}
}

// columnChange reads what follows ALTER COLUMN.
func (p *parser) columnChange(a *alterTable) {
	c := columnChange{span: p.here(), column: p.name("a column")}
	c.constraint.span = p.here()
	switch {
	case p.accept("set", "not", "null"):
		c.constraint.kind = notNull
	case p.accept("drop", "not", "null"):
		c.constraint.kind = nullable
	case p.accept("set", "default"):
		c.constraint.kind = defaultValue
		c.constraint.x = p.expression()
	case p.accept("drop", "default"):
		c.drop = true
	case p.isWord("add", "generated"):
		p.at++
		p.generated(&c.constraint)
	case p.isWord("set", "statistics"), p.isWord("set", "storage"), p.isWord("set", "compression"):
		p.at += 2
		p.acceptOp("-")
		p.advance()
		return
	case p.anyWord("type", "set", "drop", "restart"):
		p.fail(codeStatement, p.here(), "keyfold reads the schema as it is now (pg_dump --schema-only), not its history", "this change of a column is not supported")
		return
	default:
		p.unexpected("SET or DROP", "set", "drop", "type", "add")
		return
	}
	c.to = max(p.at, c.from+1)
	a.changes = append(a.changes, c)
}
