package partiql

// The service's details of what is not well formed.
const (
	detailLeft     = "Unexpected token after expression"
	detailTerm     = "Unexpected term"
	detailKeyword  = "Unexpected keyword"
	detailOperator = "Unexpected operator"
	detailInfix    = "Missing right-hand side expression of infix operator"
	detailType     = "Expected type name"
	detailStep     = "Invalid path dot component"
	detailPath     = "Expected identifier for simple path"
	detailData     = "Expected data manipulation"
	detailTuple    = "Expected a tuple in VALUE"
)

// A parser reads one statement. After a fault it sees nothing but the end of the statement,
// so that every loop comes to its end.
type parser struct {
	src        string
	tokens     []token
	at         int
	err        error
	parameters int
	depth      int
}

// maxNesting is how deep expressions may nest; statements of the service's greatest length
// that mean something stay far below.
const maxNesting = 500

// Parse reads a statement.
func Parse(src string) (*Statement, error) {
	tokens, ok := lex(src)
	if !ok {
		return nil, invalid("%s", faultMalformed)
	}
	p := &parser{src: src, tokens: tokens}
	s := p.statement()
	p.punctuation(";")
	if p.err == nil && p.peek().kind != tokEnd {
		p.malformed(detailLeft)
	}
	if p.err != nil {
		return nil, p.err
	}
	return s, s.check()
}

func (p *parser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = invalid(format, args...)
	}
	p.at = len(p.tokens) - 1
}

func (p *parser) malformed(detail string) { p.fail("%s", faultMalformed+detail) }

func (p *parser) peek() token { return p.tokens[p.at] }

// next is the token after the current one.
func (p *parser) next() token { return p.tokens[min(p.at+1, len(p.tokens)-1)] }

func (p *parser) advance() token {
	t := p.tokens[p.at]
	if t.kind != tokEnd {
		p.at++
	}
	return t
}

// is reports whether the current token is that keyword.
func (p *parser) is(word string) bool {
	t := p.peek()
	return t.kind == tokKeyword && t.text == word
}

// keyword passes over a keyword if it is there.
func (p *parser) keyword(word string) bool {
	if p.is(word) {
		p.advance()
		return true
	}
	return false
}

// is reports whether the token is that sign.
func (t token) is(sign string) bool { return t.kind == tokPunctuation && t.text == sign }

// sign reports whether the current token is that sign.
func (p *parser) sign(text string) bool { return p.peek().is(text) }

// punctuation passes over a sign if it is there.
func (p *parser) punctuation(text string) bool {
	if p.sign(text) {
		p.advance()
		return true
	}
	return false
}

func (p *parser) expect(text, detail string) {
	if !p.punctuation(text) {
		p.malformed(detail)
	}
}

// definitions are the statements of PartiQL that define tables, by the names the service has.
var definitions = map[string]string{"CREATE TABLE": "CreateTable", "CREATE INDEX": "CreateIndex",
	"DROP TABLE": "DropTable", "DROP INDEX": "DropIndex"}

func (p *parser) statement() *Statement {
	switch t := p.peek(); {
	case t.kind != tokKeyword:
	case t.text == "SELECT":
		return p.selection()
	case t.text == "INSERT":
		return p.insertion()
	case t.text == "UPDATE":
		return p.modification()
	case t.text == "DELETE":
		return p.deletion()
	case t.text == "FROM":
		return p.fromFirst()
	case t.text == "EXISTS" && p.next().is("("):
		return p.existence()
	case t.text == "CREATE" || t.text == "DROP":
		p.advance()
		if what := definitions[t.text+" "+p.peek().text]; what != "" {
			p.fail(faultOperation, what)
		}
		p.malformed(detailKeyword)
		return nil
	}
	n := p.expression(0)
	p.punctuation(";")
	if p.peek().kind != tokEnd {
		p.malformed(detailLeft)
	}
	p.fail(faultOperation, n.kindName())
	return nil
}

// kindName is what the service calls a node that is no statement.
func (n *node) kindName() string {
	switch n.op {
	case opPath:
		if len(n.path) == 1 && !n.wild {
			return "VariableReference"
		}
		return "Path"
	case opIs:
		return "IsType"
	case opString, opNumber, opTrue, opFalse, opNull, opIon:
		return "Literal"
	case opMissing:
		return "LiteralMissing"
	case opParameter:
		return "Parameter"
	case opList, opBag:
		return "Seq"
	case opTuple:
		return "Struct"
	}
	return "NAry"
}

func (p *parser) selection() *Statement {
	s := &Statement{verb: Select}
	p.advance()
	switch {
	case p.is("DISTINCT"), p.is("ALL"):
		p.fail(faultToken, p.peek().text, "")
	case p.is("VALUE"), p.is("PIVOT"):
		p.fail("%s", faultSelectValue)
	case p.punctuation("*"):
	default:
		s.columns = []*node{p.expression(0)}
		for p.punctuation(",") {
			s.columns = append(s.columns, p.expression(0))
		}
		if p.keyword("AS") || p.peek().kind == tokName {
			s.from.alias = true
			p.advance()
		}
	}
	if !p.keyword("FROM") {
		p.malformed(detailTerm)
	}
	p.source(&s.from, detailTerm)
	if p.punctuation(",") || p.is("JOIN") || p.is("INNER") || p.is("LEFT") || p.is("CROSS") {
		p.fail("%s", faultSources)
	}
	p.condition(s)
	p.unsupported()
	p.ordering(s)
	p.unsupported()
	return s
}

// unsupported refuses the clauses of SQL that the service knows and does not support.
func (p *parser) unsupported() {
	for _, word := range [...]string{"GROUP", "HAVING", "LIMIT"} {
		if !p.is(word) {
			continue
		}
		p.advance()
		if word == "GROUP" {
			word = "GROUP BY"
		}
		where := ""
		if word == "LIMIT" && p.peek().kind != tokEnd {
			where = p.peek().at.String()
		}
		p.fail(faultClause, word+where)
	}
}

// source reads the name of a table, which may be followed by that of an index, and a name
// given to it.
func (p *parser) source(from *source, detail string) {
	for {
		t := p.peek()
		switch {
		case t.kind == tokName, t.kind == tokQuoted:
		case t.kind == tokEnd, t.kind == tokKeyword, len(from.path) > 0:
			p.malformed(detail)
		case t.is(";"):
			p.malformed(detail)
		default:
			p.fail("%s", faultSource)
		}
		from.path = append(from.path, t.text)
		p.advance()
		if !p.punctuation(".") {
			break
		}
	}
}

// alias reads a name given to a table. The service reads statements with one to the end
// before it refuses them.
func (p *parser) alias(from *source) {
	named := p.keyword("AS")
	if t := p.peek(); t.kind == tokName || t.kind == tokQuoted {
		named = true
		p.advance()
	}
	from.alias = from.alias || named
}

func (p *parser) condition(s *Statement) {
	p.alias(&s.from)
	if p.keyword("WHERE") {
		s.where = p.expression(0)
	}
}

func (p *parser) ordering(s *Statement) {
	if !p.keyword("ORDER") {
		return
	}
	if !p.keyword("BY") {
		p.malformed(detailKeyword)
	}
	for more := true; more; more = p.punctuation(",") {
		o := sorting{by: p.expression(0)}
		if !p.keyword("ASC") {
			o.descending = p.keyword("DESC")
		}
		s.order = append(s.order, o)
	}
}

func (p *parser) existence() *Statement {
	p.advance()
	p.advance()
	if !p.is("SELECT") {
		p.fail(faultFunction, "exists", p.tokens[0].at)
		return nil
	}
	s := p.selection()
	s.verb = Exists
	p.expect(")", detailLeft)
	return s
}

func (p *parser) insertion() *Statement {
	s := &Statement{verb: Insert}
	p.advance()
	if !p.keyword("INTO") {
		p.malformed(detailKeyword)
	}
	p.source(&s.from, detailPath)
	if p.sign("<<") || p.sign("[") {
		p.fail(faultOperation, "InsertOp")
	}
	if !p.keyword("VALUE") {
		p.malformed(detailLeft)
	}
	s.value = p.expression(0)
	p.returning(s)
	return s
}

func (p *parser) modification() *Statement {
	s := &Statement{verb: Update}
	p.advance()
	p.source(&s.from, detailPath)
	p.alias(&s.from)
	p.assignments(s)
	p.condition(s)
	p.returning(s)
	return s
}

// fromFirst reads the form FROM table WHERE condition SET path = value.
func (p *parser) fromFirst() *Statement {
	s := &Statement{verb: Update, fromFirst: true}
	p.advance()
	p.source(&s.from, detailTerm)
	p.condition(s)
	p.assignments(s)
	p.returning(s)
	return s
}

func (p *parser) assignments(s *Statement) {
	for {
		switch {
		case p.keyword("SET"):
			for more := true; more; more = p.punctuation(",") {
				a := assignment{target: p.target()}
				p.expect("=", detailData)
				a.value = p.expression(0)
				s.actions = append(s.actions, a)
			}
		case p.keyword("REMOVE"):
			s.actions = append(s.actions, assignment{target: p.target()})
		case len(s.actions) == 0:
			p.malformed(detailData)
			return
		default:
			return
		}
	}
}

// target reads the path that is changed.
func (p *parser) target() *node {
	if k := p.peek().kind; k != tokName && k != tokQuoted {
		p.malformed(detailPath)
	}
	return p.primary()
}

func (p *parser) deletion() *Statement {
	s := &Statement{verb: Delete}
	p.advance()
	if !p.keyword("FROM") {
		p.malformed(detailKeyword)
	}
	p.source(&s.from, detailPath)
	p.condition(s)
	p.returning(s)
	return s
}

func (p *parser) returning(s *Statement) {
	if !p.keyword("RETURNING") {
		return
	}
	what, when := p.advance(), p.advance()
	if what.text != "ALL" && what.text != "MODIFIED" || when.text != "OLD" && when.text != "NEW" {
		p.malformed(detailKeyword)
		return
	}
	s.returning = what.text + " " + when.text
	if p.peek().kind == tokEnd {
		p.malformed(detailTerm)
	}
	if !p.punctuation("*") {
		p.fail("%s", faultReturning)
	}
}
