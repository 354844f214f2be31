package sqlfront

import "strings"

// prefix reads an operand with the operators in front of it.
func (p *parser) prefix() expr {
	t, from := p.peek(), p.at
	switch {
	case t.kind == tokWord && t.text == "not":
		p.at++
		x := p.binding(bindNot)
		return &prefixExpr{p.since(from), "NOT", x}
	case t.kind == tokOp && (t.text == "-" || t.text == "+"):
		p.at++
		x := p.binding(bindUnary)
		return &prefixExpr{p.since(from), t.text, x}
	}
	return p.primary()
}

// primary reads an operand.
func (p *parser) primary() expr {
	t, from := p.peek(), p.at
	switch t.kind {
	case tokNumber:
		p.at++
		return &constant{p.since(from), numberConstant, t.text}
	case tokString:
		p.at++
		return &constant{p.since(from), stringConstant, t.text}
	case tokParam, tokPositional:
		p.at++
		key := t.text
		if t.kind == tokPositional {
			key = "$" + key
		}
		return p.paramRef(p.since(from), key)
	case tokQuoted:
		return p.reference()
	case tokWord:
		return p.wordOperand()
	case tokOp:
		switch t.text {
		case "(":
			return p.parenthesised()
		case "@", "~", "!", "|/", "||/":
			p.fail(codeOperator, p.here(), "", "operator %s is not supported", t.text)
			return nil
		}
	}
	p.unexpected("an expression")
	return nil
}

func (p *parser) parenthesised() expr {
	from := p.at
	p.at++
	if p.anyWord("select", "with", "values") {
		p.refuseSubquery()
		return nil
	}
	x := p.expression()
	if p.isOp(",") {
		p.fail(codeRow, span{from, p.at + 1}, "compare the columns one by one", "row values are not supported here")
		return nil
	}
	p.expectOp(")")
	if _, star := x.(*starRef); star {
		p.fail(codeRow, p.since(from), "write it without parentheses", "row values are not supported here")
	}
	return p.widen(x, p.since(from))
}

// widen makes the parentheses part of the expression's tokens, so that text put around
// an expression lands outside them.
func (p *parser) widen(x expr, s span) expr {
	switch x := x.(type) {
	case *columnRef:
		x.span = s
	case *paramRef:
		x.span = s
	case *prefixExpr:
		x.span = s
	case *infixExpr:
		x.span = s
	case *isExpr:
		x.span = s
	case *betweenExpr:
		x.span = s
	case *inExpr:
		x.span = s
	case *likeExpr:
		x.span = s
	case *castExpr:
		x.span = s
	case *callExpr:
		x.span = s
	case *arrayExpr:
		x.span = s
	}
	return x
}

// refusedWords begin expressions that the model has no meaning for.
var refusedWords = map[string]string{
	"case":     "CASE is not supported",
	"row":      "row values are not supported",
	"interval": "intervals are not supported",
	"extract":  "EXTRACT is not supported",
	"overlay":  "OVERLAY is not supported",
	"position": "POSITION is not supported", "substring": "SUBSTRING is not supported",
	"trim": "TRIM is not supported", "grouping": "GROUPING is not supported",
}

// clockWords are the keywords that give the time.
var clockWords = wordSet("current_timestamp current_date localtimestamp")

func (p *parser) wordOperand() expr {
	t, from := p.peek(), p.at
	switch {
	case t.text == "true" || t.text == "false" || t.text == "null":
		p.at++
		kind := map[string]constantKind{"true": trueConstant, "false": falseConstant, "null": nullConstant}[t.text]
		return &constant{p.since(from), kind, t.text}
	case t.text == "default":
		p.at++
		return &defaultRef{p.since(from)}
	case t.text == "cast" && p.opAhead(1, "("):
		return p.castCall()
	case t.text == "array" && p.opAhead(1, "["):
		return p.arrayConstructor()
	case t.text == "exists" && p.opAhead(1, "("), t.text == "array" && p.opAhead(1, "("):
		p.refuseSubquery()
		return nil
	case p.typedConstant():
		typ := p.typeName()
		p.remove(p.since(from))
		value := p.advance()
		return &castExpr{p.since(from), &constant{span{p.at - 1, p.at}, stringConstant, value.text}, typ}
	case refusedWords[t.text] != "" && (p.opAhead(1, "(") || t.text == "case" || t.text == "interval" && p.ahead(1).kind == tokString):
		p.fail(codeExpression, p.here(), "compute it in the application and pass it as a parameter", "%s", refusedWords[t.text])
		return nil
	case t.text == "sqlc" && p.opAhead(1, "."):
		return p.sqlcCall()
	case clockWords[t.text]:
		return p.clockWord()
	case reserved[t.text] && !(p.opAhead(1, "(") && (t.text == "left" || t.text == "right")):
		p.reservedOperand(t)
		return nil
	}
	return p.reference()
}

// reservedOperand reports a keyword where an expression should be.
func (p *parser) reservedOperand(t token) {
	if p.opAhead(1, ",") || p.opAhead(1, "=") || p.opAhead(1, ".") {
		p.fail(codeReserved, p.here(), `write "`+t.text+`" in double quotes`, "%s is a reserved word and cannot name a column", strings.ToUpper(t.text))
		return
	}
	p.unexpected("an expression")
}

func (p *parser) clockWord() expr {
	from := p.at
	name := p.advance().text
	if p.isOp("(") && p.ahead(1).kind == tokNumber && p.opAhead(2, ")") {
		p.at += 3
	}
	s := p.since(from)
	p.remove(s)
	p.replace(from, map[string]string{"current_timestamp": "@now",
		"current_date": "substr(@now, 1, 10)", "localtimestamp": "substr(@now, 1, 26)"}[name])
	return &callExpr{span: s, name: name}
}

func (p *parser) castCall() expr {
	from := p.at
	p.at += 2
	x := p.expression()
	as := p.at
	p.expect("as")
	to := p.typeName()
	p.expectOp(")")
	if p.failed {
		return nil
	}
	p.replace(from, "")
	p.remove(span{as, p.at - 1})
	return &castExpr{p.since(from), x, to}
}

func (p *parser) arrayConstructor() expr {
	from := p.at
	p.at += 2
	a := &arrayExpr{}
	for !p.failed && !(p.isOp("]") && a.list == nil) {
		a.list = append(a.list, p.expression())
		if !p.acceptOp(",") {
			break
		}
	}
	p.expectOp("]")
	a.span = p.since(from)
	return a
}

// typedConstant reports whether a type and a string follow, as in date '2026-01-31'.
func (p *parser) typedConstant() bool {
	t := p.peek()
	if _, ok := scalarNames[t.text]; !ok && t.text != "double" {
		return false
	}
	if p.ahead(1).kind == tokString {
		return true
	}
	n := 0
	switch {
	case p.isWord("double", "precision"):
		n = 2
	case p.isWord(t.text, "with", "time", "zone"), p.isWord(t.text, "without", "time", "zone"):
		n = 4
	}
	return n > 0 && p.ahead(n).kind == tokString
}

// reference reads a column, table.column, table.* or a function call.
func (p *parser) reference() expr {
	from := p.at
	t := p.peek()
	var first ident
	if t.kind == tokWord && p.opAhead(1, "(") {
		p.at++
		first = ident{t.text, from} // functions may be named by any word
	} else {
		first = p.name("a column")
	}
	parts := []ident{first}
	for p.acceptOp(".") {
		if p.acceptOp("*") {
			if len(parts) > 1 {
				p.remove(span{from, parts[len(parts)-1].at})
			}
			return &starRef{p.since(from), parts[len(parts)-1].name}
		}
		t := p.peek()
		if t.kind == tokWord { // behind a point every word is a name
			p.at++
			if reserved[t.text] || sqliteReserved[t.text] {
				p.replace(p.at-1, `"`+t.text+`"`)
			}
			parts = append(parts, ident{t.text, p.at - 1})
			continue
		}
		parts = append(parts, p.name("a column"))
	}
	if p.failed {
		return nil
	}
	last := parts[len(parts)-1]
	if p.isOp("(") {
		if len(parts) > 1 {
			p.remove(span{from, last.at})
		}
		return p.call(from, last)
	}
	if len(parts) == 1 {
		return &columnRef{p.since(from), "", last.name}
	}
	table := parts[len(parts)-2]
	p.remove(span{from, table.at})
	if p.unqualified {
		p.remove(span{from, last.at})
	}
	return &columnRef{p.since(from), table.name, last.name}
}

// call reads the arguments of a function.
func (p *parser) call(from int, name ident) expr {
	c := &callExpr{name: name.name}
	p.expectOp("(")
	if p.isOp("*") && p.opAhead(1, ")") {
		p.at++
		c.star = true
	} else if !p.isOp(")") {
		c.distinct = p.accept("distinct")
		if !c.distinct {
			p.accept("all")
		}
		for !p.failed {
			c.args = append(c.args, p.expression())
			if !p.acceptOp(",") {
				break
			}
		}
	}
	if p.isWord("order") {
		p.fail(codeExpression, p.here(), "", "ORDER BY inside a function is not supported")
	}
	p.expectOp(")")
	switch {
	case p.isWord("over"):
		p.fail(codeExpression, p.here(), "", "window functions are not supported")
	case p.isWord("filter"), p.isWord("within", "group"):
		p.fail(codeExpression, p.here(), "put the condition into WHERE", "%s is not supported", strings.ToUpper(p.peek().text))
	}
	c.span = p.since(from)
	if text, ok := referenceCalls[c.name]; ok && len(c.args) == 0 && !c.star {
		p.remove(c.span)
		p.replace(from, text)
	}
	return c
}

// referenceCalls are the functions whose value the reference database is given.
var referenceCalls = map[string]string{
	"now": "@now", "transaction_timestamp": "@now", "gen_random_uuid": "@uuid", "uuid_generate_v4": "@uuid",
}

// sqlcCall reads sqlc.arg(name), sqlc.narg('name') and sqlc.slice('name').
func (p *parser) sqlcCall() expr {
	from := p.at
	p.at += 2
	kind := p.peek()
	if kind.text != "arg" && kind.text != "narg" && kind.text != "slice" {
		p.fail(codeExpression, p.here(), didYouMean(kind.text, []string{"arg", "narg", "slice"}), "sqlc.%s is not supported", kind.text)
		return nil
	}
	p.at++
	p.expectOp("(")
	name := p.advance()
	if (name.kind != tokWord || reserved[name.text]) && name.kind != tokQuoted && name.kind != tokString || name.text == "" {
		p.fail(codeSyntax, span{p.at - 1, p.at}, "write sqlc."+kind.text+"('name')", "expected the name of a parameter")
		return nil
	}
	p.expectOp(")")
	if p.failed {
		return nil
	}
	s := p.since(from)
	p.remove(s)
	r := p.paramRef(s, name.text)
	par := p.param(r)
	par.narg = par.narg || kind.text == "narg"
	par.list = par.list || kind.text == "slice"
	return r
}
