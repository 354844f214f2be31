package sqlfront

import "strings"

// The binding powers of PostgreSQL ("Operator Precedence"), the loosest first.
const (
	bindNone = iota
	bindOr
	bindAnd
	bindNot
	bindIs
	bindCompare
	bindBetween
	bindOther
	bindAdd
	bindMultiply
	bindPower
	bindCollate
	bindUnary
	bindCast
)

// binaryBinding gives the binding power of the infix operators.
var binaryBinding = map[string]int{
	"=": bindCompare, "<>": bindCompare, "!=": bindCompare, "<": bindCompare,
	"<=": bindCompare, ">": bindCompare, ">=": bindCompare,
	"+": bindAdd, "-": bindAdd, "*": bindMultiply, "/": bindMultiply, "%": bindMultiply,
	"||": bindOther,
}

// expression reads an expression; it returns nil only after a failure.
func (p *parser) expression() expr { return p.binding(bindNone) }

// binding reads an expression of operators that bind tighter than least.
func (p *parser) binding(least int) expr {
	if !p.enter() {
		return nil
	}
	defer p.leave()
	x := p.prefix()
	for !p.failed {
		y := p.infix(x, least)
		if y == nil {
			return x
		}
		x = y
		p.nodes++
		if p.nodes > maxNodes {
			p.fail(codeTooDeep, p.here(), "", "statement has more than %d expressions", maxNodes)
		}
	}
	return nil
}

// infix reads one operator and its right side behind x, or returns nil when there is none
// that binds tighter than least.
func (p *parser) infix(x expr, least int) expr {
	t, from := p.peek(), x.tokens().from
	if t.kind == tokOp {
		return p.infixOp(x, least)
	}
	if t.kind != tokWord {
		return nil
	}
	switch t.text {
	case "or", "and":
		bind := bindAnd
		if t.text == "or" {
			bind = bindOr
		}
		if least >= bind {
			return nil
		}
		p.at++
		y := p.binding(bind)
		return &infixExpr{p.since(from), strings.ToUpper(t.text), x, y}
	case "is", "isnull", "notnull":
		if least >= bindIs {
			return nil
		}
		return p.isTest(x)
	case "not":
		if n := p.ahead(1); n.kind == tokWord && (n.text == "in" || n.text == "like" || n.text == "between" || n.text == "ilike" || n.text == "similar") && least < bindBetween {
			p.at++
			return p.betweenInLike(x, true)
		}
	case "between", "in", "like", "ilike", "similar":
		if least < bindBetween {
			return p.betweenInLike(x, false)
		}
	case "collate":
		if least < bindCollate {
			return p.collate(x)
		}
	case "at", "overlaps", "operator":
		p.fail(codeOperator, p.here(), "", "operator %s is not supported", strings.ToUpper(t.text))
	}
	return nil
}

func (p *parser) infixOp(x expr, least int) expr {
	t, from := p.peek(), x.tokens().from
	switch bind, ok := binaryBinding[t.text]; {
	case t.text == "::":
		if least >= bindCast {
			return nil
		}
		colons := p.at
		p.at++
		to := p.typeName()
		p.remove(p.since(colons))
		return &castExpr{p.since(from), x, to}
	case t.text == "[":
		p.fail(codeExpression, p.here(), "", "array subscripts are not supported")
	case ok && least >= bind:
		return nil
	case ok && bind == bindCompare && (p.opWord("any") || p.opWord("some") || p.opWord("all")):
		return p.quantified(x)
	case ok:
		p.at++
		y := p.binding(bind)
		op := t.text
		if op == "!=" {
			op = "<>"
		}
		if bind == bindCompare && !p.failed {
			if _, again := binaryBinding[p.peek().text]; again && p.peek().kind == tokOp {
				p.fail(codeSyntax, p.here(), "join two comparisons with AND", "comparisons cannot be chained")
			}
		}
		return &infixExpr{p.since(from), op, x, y}
	case !strings.Contains("(),;.:[]", t.text):
		p.fail(codeOperator, p.here(), operatorHints[t.text], "operator %s is not supported", t.text)
	}
	return nil
}

// operatorHints say what to write instead of an operator that is refused.
var operatorHints = map[string]string{
	"~": "LIKE 'prefix%' can be served by an index", "~*": "LIKE 'prefix%' can be served by an index",
	"->":  "give the field a column of its own",
	"->>": "give the field a column of its own",
	"#>>": "give the field a column of its own",
	"@>":  "give the values a table of their own",
	"&&":  "give the values a table of their own",
	"^":   "compute it in the application",
}

func (p *parser) opWord(word string) bool {
	t := p.ahead(1)
	return t.kind == tokWord && t.text == word
}

// isTest reads IS [NOT] NULL and its siblings.
func (p *parser) isTest(x expr) expr {
	from := x.tokens().from
	if p.accept("isnull") {
		return &isExpr{p.since(from), x, "NULL", false}
	}
	if p.accept("notnull") {
		return &isExpr{p.since(from), x, "NULL", true}
	}
	p.at++
	not := p.accept("not")
	switch t := p.peek(); {
	case p.anyWord("null", "true", "false"):
		p.at++
		return &isExpr{p.since(from), x, strings.ToUpper(t.text), not}
	case p.accept("unknown"):
		p.replace(p.at-1, "NULL")
		return &isExpr{p.since(from), x, "NULL", not}
	case p.isWord("distinct"):
		p.fail(codeOperator, p.here(), "", "IS DISTINCT FROM is not supported")
	default:
		p.unexpected("NULL, TRUE or FALSE", "null", "true", "false", "unknown", "not")
	}
	return nil
}

// betweenInLike reads the rest of [NOT] BETWEEN, IN and LIKE.
func (p *parser) betweenInLike(x expr, not bool) expr {
	from := x.tokens().from
	switch t := p.advance(); t.text {
	case "between":
		if p.isWord("symmetric") {
			p.fail(codeOperator, p.here(), "", "BETWEEN SYMMETRIC is not supported")
		}
		p.accept("asymmetric")
		low := p.binding(bindBetween)
		p.expect("and")
		high := p.binding(bindBetween)
		return &betweenExpr{p.since(from), x, low, high, not}
	case "in":
		return p.inList(x, not)
	case "like":
		pattern := p.binding(bindBetween)
		p.likeEscape()
		return &likeExpr{p.since(from), x, pattern, not}
	default:
		p.fail(codeOperator, span{p.at - 1, p.at}, "keep a lower-case copy of the column and use LIKE on that", "%s is not supported", strings.ToUpper(t.text))
	}
	return nil
}

// likeEscape reads ESCAPE, of which only the default is understood; SQLite has none by
// default, so there it is always written.
func (p *parser) likeEscape() {
	if !p.accept("escape") {
		p.output[p.at-1].after += ` ESCAPE '\'`
		return
	}
	if t := p.peek(); t.kind != tokString || t.text != `\` {
		p.fail(codeOperator, p.here(), `the escape character of LIKE is \`, "another ESCAPE character is not supported")
	}
	p.advance()
}

func (p *parser) inList(x expr, not bool) expr {
	from := x.tokens().from
	open := p.at
	p.expectOp("(")
	if p.anyWord("select", "with", "values") {
		p.refuseSubquery()
		return nil
	}
	e := &inExpr{x: x, not: not}
	for !p.failed {
		e.list = append(e.list, p.expression())
		if !p.acceptOp(",") {
			break
		}
	}
	p.expectOp(")")
	e.span = p.since(from)
	if len(e.list) == 1 {
		if r, ok := e.list[0].(*paramRef); ok && p.param(r).list {
			e.array = true
			p.listQuery(span{open + 1, p.at - 1})
		}
	}
	return e
}

// quantified reads x = ANY(array) and x <> ALL(array).
func (p *parser) quantified(x expr) expr {
	from, op := x.tokens().from, p.advance().text
	all := p.advance().text == "all"
	if (op == "=") == all || op != "=" && op != "<>" && op != "!=" {
		p.fail(codeOperator, span{p.at - 2, p.at}, "", "only = ANY and <> ALL are supported")
		return nil
	}
	p.replace(p.at-2, "IN")
	if all {
		p.replace(p.at-2, "NOT IN")
	}
	p.replace(p.at-1, "")
	open := p.at
	p.expectOp("(")
	if p.anyWord("select", "with") {
		p.refuseSubquery()
		return nil
	}
	y := p.expression()
	p.expectOp(")")
	if p.failed {
		return nil
	}
	e := &inExpr{span: p.since(from), x: x, not: all}
	inner := y
	for {
		cast, ok := inner.(*castExpr)
		if !ok {
			break
		}
		inner = cast.x
	}
	switch a := inner.(type) {
	case *arrayExpr:
		e.list = a.list
		p.keepOnly(span{open + 1, p.at - 1}, a.list)
	case *paramRef:
		p.param(a).list = true
		e.list, e.array = []expr{y}, true
		p.listQuery(span{open + 1, p.at - 1})
	default:
		hint := "write = ANY(@values)"
		if _, column := inner.(*columnRef); column {
			hint = "give the elements a table of their own"
		}
		p.fail(codeOperator, y.tokens(), hint, "only a parameter or ARRAY[...] can stand in %s", strings.ToUpper(p.text[p.tokens[open-1].start:p.tokens[open-1].end]))
		return nil
	}
	return e
}

func (p *parser) refuseSubquery() {
	p.fail(codeSubquery, p.here(), "join the table in FROM, or make it a query of its own", "subqueries are not supported")
}

func (p *parser) collate(x expr) expr {
	from := p.at
	p.collation()
	p.remove(p.since(from))
	return x
}

// collation reads COLLATE "C": keyfold orders text by its bytes, and no other order.
func (p *parser) collation() {
	p.expect("collate")
	at := p.here()
	id := p.name("a collation")
	if p.acceptOp(".") {
		id = p.name("a collation")
	}
	if id.name != "C" && id.name != "POSIX" && id.name != "default" && id.name != "ucs_basic" {
		p.fail(codeOption, at, `DynamoDB orders text by its bytes, which is COLLATE "C"`, "collation %s is not supported", id.name)
	}
}
