package sqlfront

import "strings"

// selectStatement reads a SELECT with its UNION ALL branches, ORDER BY and LIMIT.
func (p *parser) selectStatement() *selectStmt {
	s := p.selectBranch()
	for !p.failed && p.anyWord("union", "intersect", "except") {
		word := p.advance().text
		if word != "union" || !p.accept("all") {
			hint := "make it two queries"
			if word == "union" {
				hint = "UNION ALL is, when the branches cannot give equal rows"
			}
			p.fail(codeSetOperation, span{p.at - 1, p.at}, hint, "%s is not supported", strings.ToUpper(word))
			break
		}
		s.union = append(s.union, p.selectBranch())
	}
	p.orderAndLimit(s)
	if p.anyWord("for") {
		p.fail(codeLock, p.here(), "a write with a condition does what a lock is for", "row locks (FOR UPDATE, FOR SHARE) are not supported")
	}
	s.to = max(p.at, s.from+1)
	return s
}

// selectBranch reads SELECT ... HAVING, in parentheses or not.
func (p *parser) selectBranch() *selectStmt {
	if p.isOp("(") {
		open := p.at
		p.at++
		s := p.selectBranch()
		if p.anyWord("order", "limit", "offset", "fetch") {
			p.fail(codeClause, p.here(), "put it behind the last branch", "%s of one branch of a UNION is not supported", strings.ToUpper(p.peek().text))
		}
		p.expectOp(")")
		if !p.failed {
			p.remove(span{open, open + 1})
			p.remove(span{p.at - 1, p.at})
		}
		return s
	}
	s := &selectStmt{span: p.here()}
	p.expect("select")
	p.distinct(s)
	s.items = p.selectList()
	if p.isWord("into") {
		p.fail(codeClause, p.here(), "", "SELECT INTO is not supported")
	}
	if p.accept("from") {
		p.fromList(s)
	} else if !p.failed {
		p.unexpected("FROM", "from")
	}
	if p.accept("where") {
		s.where = p.expression()
	}
	if p.accept("group", "by") {
		p.groupBy(s)
	}
	if p.accept("having") {
		s.having = p.expression()
	}
	if p.isWord("window") {
		p.fail(codeExpression, p.here(), "", "window functions are not supported")
	}
	return s
}

func (p *parser) distinct(s *selectStmt) {
	if !p.accept("distinct") {
		p.accept("all")
		return
	}
	s.distinct = true
	if p.isWord("on") {
		p.fail(codeClause, p.here(), "", "DISTINCT ON is not supported")
	}
}

func (p *parser) selectList() []selectItem {
	var out []selectItem
	for !p.failed {
		from := p.at
		item := selectItem{}
		if p.acceptOp("*") {
			item.x = &starRef{span: p.since(from)}
		} else {
			item.x = p.expression()
		}
		if _, star := item.x.(*starRef); star && p.isWord("as") {
			p.fail(codeSyntax, p.here(), "name the columns one by one", "* cannot be renamed")
		}
		if p.accept("as") {
			item.alias = p.label()
		} else if t := p.peek(); t.kind == tokQuoted || t.kind == tokWord && !reserved[t.text] && !labelNeedsAs[t.text] {
			if _, star := item.x.(*starRef); !star {
				item.alias = p.label()
			}
		}
		item.span = p.since(from)
		out = append(out, item)
		if !p.acceptOp(",") {
			break
		}
	}
	return out
}

// label reads a result column's name; behind AS every word may be one.
func (p *parser) label() *ident {
	id := ident{p.peek().text, p.at}
	if p.peek().kind == tokWord {
		p.at++
	} else {
		id = p.name("a result column")
	}
	return &id
}

func (p *parser) fromList(s *selectStmt) {
	s.tables = append(s.tables, p.fromTable())
	for !p.failed {
		switch {
		case p.acceptOp(","):
			s.tables = append(s.tables, p.fromTable())
		case p.anyWord("natural", "right", "full"):
			p.fail(codeJoin, p.here(), joinHints[p.peek().text], "%s JOIN is not supported", strings.ToUpper(p.peek().text))
		case p.accept("cross"):
			p.expect("join")
			s.tables = append(s.tables, p.fromTable())
		case p.accept("left"):
			p.accept("outer")
			p.expect("join")
			f := p.fromTable()
			f.left = true
			s.tables = append(s.tables, p.joinCondition(f))
		case p.isWord("inner"), p.isWord("join"):
			p.accept("inner")
			p.expect("join")
			s.tables = append(s.tables, p.joinCondition(p.fromTable()))
		default:
			return
		}
	}
}

var joinHints = map[string]string{
	"natural": "name the columns with ON or USING",
	"right":   "swap the tables and write LEFT JOIN",
	"full":    "make it two queries",
}

func (p *parser) joinCondition(f fromItem) fromItem {
	switch {
	case p.accept("on"):
		f.on = p.expression()
	case p.accept("using"):
		f.using = p.names("a column")
	default:
		p.unexpected("ON or USING", "on", "using")
	}
	return f
}

func (p *parser) fromTable() fromItem {
	switch {
	case p.isOp("(") && (p.ahead(1).text == "select" || p.ahead(1).text == "with" || p.ahead(1).text == "values"):
		p.at++
		p.refuseSubquery()
	case p.isOp("("):
		p.fail(codeJoin, p.here(), "write the joins one after the other", "joins in parentheses are not supported")
	case p.isWord("lateral"):
		p.fail(codeJoin, p.here(), "", "LATERAL is not supported")
	}
	if p.isWord("only") {
		p.remove(p.here())
		p.at++
	}
	f := fromItem{table: p.tableName()}
	if p.isOp("(") {
		p.fail(codeClause, p.here(), "", "functions in FROM are not supported")
	}
	f.alias = p.tableAlias()
	if p.isWord("tablesample") {
		p.fail(codeClause, p.here(), "", "TABLESAMPLE is not supported")
	}
	return f
}

// tableAlias reads [AS] alias, or gives "".
func (p *parser) tableAlias(stops ...string) string {
	if p.accept("as") {
		return p.name("an alias").name
	}
	t := p.peek()
	if t.kind == tokQuoted || t.kind == tokWord && !reserved[t.text] && !p.anyWord(stops...) {
		alias := p.name("an alias").name
		if p.isOp("(") {
			p.fail(codeClause, p.here(), "", "column aliases of a table are not supported")
		}
		return alias
	}
	return ""
}

func (p *parser) groupBy(s *selectStmt) {
	for !p.failed {
		if p.anyWord("rollup", "cube", "grouping") && (p.opAhead(1, "(") || p.opWord("sets")) {
			p.fail(codeClause, p.here(), "", "grouping sets are not supported")
			return
		}
		s.groupBy = append(s.groupBy, p.expression())
		if !p.acceptOp(",") {
			return
		}
	}
}

// orderAndLimit reads ORDER BY, then LIMIT, OFFSET and FETCH in any order.
func (p *parser) orderAndLimit(s *selectStmt) {
	if p.accept("order") {
		p.expect("by")
		for !p.failed {
			s.orderBy = append(s.orderBy, p.orderTerm())
			if !p.acceptOp(",") {
				break
			}
		}
	}
	limit, offset := span{-1, -1}, span{-1, -1}
	for !p.failed && p.anyWord("limit", "offset", "fetch") {
		from := p.at
		word := p.advance().text
		at := &limit
		switch word {
		case "limit":
			s.limit = p.limitClause()
		case "offset":
			at = &offset
			s.offset = p.expression()
			p.rowsWord()
		case "fetch":
			s.limit = p.fetchClause(from)
		}
		if at.from >= 0 {
			p.fail(codeSyntax, p.since(from), "", "a second %s", strings.ToUpper(word))
			return
		}
		*at = p.since(from)
	}
	if !p.failed {
		p.moveOffset(limit, offset, s.limit != nil)
	}
}

// limitClause reads what follows LIMIT; LIMIT ALL is none.
func (p *parser) limitClause() expr {
	if p.isWord("all") {
		p.remove(span{p.at - 1, p.at + 1})
		p.at++
		return nil
	}
	x := p.expression()
	if p.isOp(",") {
		p.fail(codeSyntax, p.here(), "write LIMIT count OFFSET start", "LIMIT with two numbers is not PostgreSQL")
	}
	return x
}

// fetchClause reads FETCH FIRST [n] ROWS ONLY from behind FETCH.
func (p *parser) fetchClause(from int) expr {
	p.replace(from, "LIMIT")
	if !p.accept("first") && !p.accept("next") {
		p.unexpected("FIRST", "first", "next")
		return nil
	}
	p.remove(span{p.at - 1, p.at})
	var x expr
	if p.anyWord("row", "rows") {
		p.replace(from, "LIMIT 1")
		x = &constant{p.here(), numberConstant, "1"}
	} else {
		x = p.binding(bindOther)
	}
	if !p.rowsWord() {
		p.unexpected("ROWS", "rows")
	}
	if p.isWord("with") {
		p.fail(codeClause, p.here(), "", "FETCH ... WITH TIES is not supported")
	}
	p.expect("only")
	if !p.failed {
		p.remove(span{p.at - 1, p.at})
	}
	return x
}

func (p *parser) rowsWord() bool {
	if !p.anyWord("row", "rows") {
		return false
	}
	p.remove(p.here())
	p.at++
	return true
}

// moveOffset writes LIMIT before OFFSET, and LIMIT -1 where there is none: SQLite has no
// other order.
func (p *parser) moveOffset(limit, offset span, limited bool) {
	switch {
	case offset.from < 0:
	case !limited:
		p.output[offset.from].before = "LIMIT -1 " + p.output[offset.from].before
	case offset.from < limit.from:
		p.late = append(p.late, func() {
			text := p.rewritten(limit)
			p.clear(limit)
			p.output[offset.from].before = text + " " + p.output[offset.from].before
		})
	}
}

func (p *parser) orderTerm() orderTerm {
	from := p.at
	o := orderTerm{x: p.expression()}
	if p.isWord("using") {
		p.fail(codeClause, p.here(), "write ASC or DESC", "ORDER BY ... USING is not supported")
	}
	if p.accept("desc") {
		o.desc = true
	} else {
		p.accept("asc")
	}
	o.nullsFirst = o.desc
	if p.accept("nulls") {
		switch {
		case p.accept("first"):
			o.nullsFirst = true
		case p.accept("last"):
			o.nullsFirst = false
		default:
			p.unexpected("FIRST or LAST", "first", "last")
		}
	} else if !p.failed {
		p.output[p.at-1].after += map[bool]string{true: " NULLS FIRST", false: " NULLS LAST"}[o.nullsFirst]
	}
	o.span = p.since(from)
	return o
}
