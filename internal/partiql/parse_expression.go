package partiql

import (
	"math"
	"strconv"
	"strings"

	"github.com/keyfold-dev/keyfold/internal/expr"
)

// infix are the operators between two operands.
var infix = map[string]op{"OR": opOr, "AND": opAnd, "=": opEq, "<>": opNe, "!=": opNe, "<": opLt, "<=": opLe, ">": opGt,
	">=": opGe, "LIKE": opLike, "||": opConcat, "+": opPlus, "-": opMinus, "*": opTimes, "/": opDivide, "%": opModulo}

// expression reads an expression whose operators bind at least that much.
func (p *parser) expression(binding int) *node {
	if p.depth++; p.depth > maxNesting {
		p.malformed(detailTerm)
	}
	defer func() { p.depth-- }()
	left := p.prefixed(binding)
	for p.err == nil {
		t := p.peek()
		if t.kind != tokKeyword && t.kind != tokPunctuation {
			break
		}
		o, ok := infix[t.text]
		switch {
		case ok && o.binding() >= binding:
			p.advance()
			left = p.node(o, t, left, p.right(o.binding()+1))
		case opIs.binding() < binding:
			return left
		case t.text == "NOT":
			if left = p.negated(left); left == nil {
				return p.node(opNull, t)
			}
		case t.text == "IN" || t.text == "BETWEEN" || t.text == "IS":
			left = p.predicate(left)
		default:
			return left
		}
	}
	return left
}

func (p *parser) node(o op, t token, args ...*node) *node {
	return &node{op: o, args: args, at: t.at}
}

// right reads the right side of an operator.
func (p *parser) right(binding int) *node {
	if p.peek().kind == tokEnd {
		p.malformed(detailInfix)
	}
	return p.expression(binding)
}

// negated reads NOT IN, NOT BETWEEN and NOT LIKE.
func (p *parser) negated(left *node) *node {
	not := p.advance()
	switch {
	case p.is("IN"), p.is("BETWEEN"):
		return p.node(opNot, not, p.predicate(left))
	case p.is("LIKE"):
		like := p.advance()
		return p.node(opNot, not, p.node(opLike, like, left, p.right(opLike.binding()+1)))
	}
	p.malformed(detailLeft)
	return nil
}

// predicate reads what follows the left side of IN, BETWEEN or IS.
func (p *parser) predicate(left *node) *node {
	t := p.advance()
	operand := opIn.binding() + 1
	switch t.text {
	case "IN":
		return p.node(opIn, t, left, p.members())
	case "BETWEEN":
		low := p.right(operand)
		if !p.keyword("AND") {
			p.malformed(detailTerm)
		}
		return p.node(opBetween, t, left, low, p.right(operand))
	}
	not := p.keyword("NOT")
	n := p.node(opIs, t, left)
	n.text = p.typeName()
	if not {
		return p.node(opNot, t, n)
	}
	return n
}

// members reads the right side of IN. Parentheses make a list even around one member.
func (p *parser) members() *node {
	t := p.peek()
	if !t.is("(") {
		return p.right(opIn.binding() + 1)
	}
	p.advance()
	n := p.node(opList, t, p.expressions(")")...)
	if len(n.args) == 0 {
		p.malformed(detailTerm)
	}
	return n
}

// typeNames are the types that IS can test for, by the names that the service gives them.
var typeNames = map[string]string{
	"MISSING": "MISSING", "NULL": "NULL", "BOOL": "BOOLEAN", "BOOLEAN": "BOOLEAN", "STRING": "STRING", "BLOB": "BLOB",
	"NUMERIC": "NUMERIC", "LIST": "LIST", "TUPLE": "TUPLE", "STRUCT": "STRUCT", "SMALLINT": "SMALLINT", "INT": "INTEGER",
	"INT4": "INTEGER4", "INT8": "INTEGER8", "INTEGER": "INTEGER", "BIGINT": "INTEGER8", "FLOAT": "FLOAT", "REAL": "REAL",
	"DEC": "DECIMAL", "DECIMAL": "DECIMAL", "CHAR": "CHARACTER", "VARCHAR": "CHARACTER_VARYING", "SYMBOL": "SYMBOL",
	"CLOB": "CLOB", "DATE": "DATE", "TIME": "TIME", "TIMESTAMP": "TIMESTAMP", "SEXP": "SEXP", "BAG": "BAG",
	"DOUBLE": "DOUBLE_PRECISION", "CHARACTER": "CHARACTER", "ANY": "ANY",
}

func (p *parser) typeName() string {
	t := p.advance()
	name, ok := typeNames[strings.ToUpper(t.text)]
	if !ok || t.kind != tokKeyword && t.kind != tokName {
		p.malformed(detailType)
	}
	switch {
	case t.text == "DOUBLE" && !p.keyword("PRECISION"):
		p.malformed(detailType)
	case t.text == "CHARACTER" && p.keyword("VARYING"):
		return "CHARACTER_VARYING"
	}
	return name
}

// prefixed reads NOT, a sign or a primary.
func (p *parser) prefixed(binding int) *node {
	t := p.peek()
	switch {
	case t.kind == tokKeyword && t.text == "NOT":
		p.advance()
		return p.node(opNot, t, p.expression(opNot.binding()))
	case t.is("-"), t.is("+"):
		return p.signed()
	}
	return p.primary()
}

// signed reads a sign and what follows; that of a number is part of it.
func (p *parser) signed() *node {
	sign := p.advance()
	if p.depth++; p.depth > maxNesting {
		p.malformed(detailTerm)
	}
	defer func() { p.depth-- }()
	n := p.prefixed(opNegative.binding())
	switch {
	case sign.text == "+":
		return n
	case n.op == opNumber && strings.HasPrefix(n.text, "-"):
		n.text = n.text[1:]
		return n
	case n.op == opNumber:
		n.text = "-" + n.text
		return n
	}
	return p.node(opNegative, sign, n)
}

func (p *parser) primary() *node {
	t := p.peek()
	n := p.term(t)
	if p.err != nil {
		return n
	}
	if n.op == opPath {
		p.steps(n)
	} else if p.sign("[") || p.sign(".") {
		// A step after something that is no path.
		n = p.node(opPath, t)
		n.wild = true
		n.path = expr.Path{{Name: p.src[t.start:t.end]}}
		p.steps(n)
	}
	return n
}

// literals are the tokens that are values.
var literals = [...]op{tokString: opString, tokIon: opIon, tokNumber: opNumber}

// words are the keywords that are values.
var words = map[string]op{"TRUE": opTrue, "FALSE": opFalse, "NULL": opNull, "MISSING": opMissing}

func (p *parser) term(t token) *node {
	n := p.node(opNull, t)
	switch t.kind {
	case tokEnd:
		p.malformed(detailTerm)
	case tokString, tokIon, tokNumber:
		p.advance()
		n.op, n.text = literals[t.kind], t.text
	case tokName, tokQuoted:
		p.advance()
		if t.kind == tokName && p.sign("(") {
			return p.call(t)
		}
		if t.text == "" {
			p.fail("%s", faultEmptyName)
		}
		n.op, n.path = opPath, expr.Path{{Name: t.text}}
	case tokKeyword:
		return p.wordTerm(t, n)
	default:
		return p.bracketed(t, n)
	}
	return n
}

func (p *parser) wordTerm(t token, n *node) *node {
	o, isValue := words[t.text]
	switch {
	case isValue:
		p.advance()
		n.op = o
	case functionWords[t.text] && p.next().is("("):
		p.advance()
		return p.call(t)
	case t.text == "SELECT":
		p.selection()
		p.fail(faultToken, "SELECT", t.at)
	case t.text == "FROM":
		p.fromFirst()
		p.fail(faultOperation, "DataManipulation")
	case t.text == "IS", t.text == "LIKE", t.text == "IN", t.text == "BETWEEN", t.text == "AND", t.text == "OR":
		p.malformed(detailOperator)
	default:
		p.malformed(detailKeyword)
	}
	return n
}

func (p *parser) bracketed(t token, n *node) *node {
	p.advance()
	switch t.text {
	case "?":
		n.op, n.number = opParameter, p.parameters
		p.parameters++
	case "[":
		n.op, n.args = opList, p.expressions("]")
	case "<<":
		n.op, n.args = opBag, p.expressions(">>")
	case "{":
		n.op, n.args = opTuple, p.fields()
	case "(":
		args := p.expressions(")")
		switch len(args) {
		case 0:
			p.malformed(detailTerm)
		case 1:
			return args[0]
		}
		n.op, n.args = opList, args
	default:
		if _, ok := infix[t.text]; ok {
			p.malformed(detailOperator)
		}
		p.malformed(detailTerm)
	}
	return n
}

// expressions reads expressions with commas between them, up to the closing bracket.
func (p *parser) expressions(end string) (list []*node) {
	if p.punctuation(end) {
		return nil
	}
	for more := p.err == nil; more; more = p.punctuation(",") {
		list = append(list, p.expression(0))
	}
	p.expect(end, detailTerm)
	return list
}

func (p *parser) fields() (list []*node) {
	if p.punctuation("}") {
		return nil
	}
	for more := p.err == nil; more; more = p.punctuation(",") {
		key := p.expression(0)
		p.expect(":", detailTerm)
		list = append(list, key, p.expression(0))
	}
	p.expect("}", detailTerm)
	return list
}

func (p *parser) call(name token) *node {
	n := p.node(opCall, name)
	n.text = strings.ToLower(name.text)
	p.advance()
	if n.text == "count" && p.punctuation("*") {
		p.expect(")", detailTerm)
		return n
	}
	if n.text == "exists" && p.is("SELECT") {
		p.fail(faultToken, "SELECT", p.peek().at)
	}
	n.args = p.expressions(")")
	return n
}

// steps reads the steps of a path after the first.
func (p *parser) steps(n *node) {
	for p.err == nil {
		switch {
		case p.punctuation("."):
			p.dotStep(n)
		case p.punctuation("["):
			p.bracketStep(n)
			p.expect("]", detailTerm)
		default:
			return
		}
	}
}

func (p *parser) dotStep(n *node) {
	t := p.advance()
	switch {
	case t.kind == tokName, t.kind == tokQuoted && t.text != "":
		n.path = append(n.path, expr.Step{Name: t.text})
	case t.kind == tokQuoted:
		p.fail("%s", faultEmptyName)
	case t.is("*"):
		n.wild = true
	default:
		p.malformed(detailStep)
	}
}

func (p *parser) bracketStep(n *node) {
	if p.punctuation("*") {
		n.wild = true
		return
	}
	step := p.expression(0)
	switch step.op {
	case opNumber:
		i, err := strconv.ParseInt(step.text, 10, 32)
		if err != nil || i < 0 {
			p.fail("List index is not within the allowable range; index: [%s]%s", step.text, step.at)
			i = math.MaxInt32
		}
		n.path = append(n.path, expr.Step{Index: int(i)})
	case opString:
		if step.text == "" {
			p.fail("%s", faultEmptyName)
		}
		n.path = append(n.path, expr.Step{Name: step.text})
	default:
		if p.err == nil {
			p.fail(faultColumn, step.at)
		}
	}
}
