package expr

import (
	"fmt"
	"math"
	"strconv"

	"github.com/keyfold-dev/keyfold/dynamo"
)

// A faultClass ranks faults that do not stop the parser. The service reports the first
// fault of the first class that has any, after it has read the whole expression.
type faultClass uint8

const (
	unknownFunction faultClass = iota
	misplacedFunction
	badName
	repeatedSection
	faultClasses
)

// The order of the classes differs between the grammars.
var conditionFaults = [...]faultClass{unknownFunction, misplacedFunction, badName}
var updateFaults = [...]faultClass{badName, unknownFunction, misplacedFunction, repeatedSection}

// A parser reads one expression. After a syntax error it sees nothing but the end of the
// expression, so that every loop comes to its end.
type parser struct {
	kind    Kind
	grammar grammar
	src     string
	prev    token
	tok     token
	err     error
	faults  [faultClasses]string

	placeholders bool // one was seen
	operators    int
	nodes        []node  // memory for nodes
	count        int     // of nodes
	args         []*node // memory for short argument lists
	steps        []Step  // memory for paths
	path         []Step  // the path being read
}

const (
	nodeText  = 7 // bytes of an expression for each node, or fewer
	leastRoom = 8 // for lists and steps
)

func newParser(kind Kind, g grammar, src string) *parser {
	p := &parser{kind: kind, grammar: g, src: src}
	switch {
	case src == "":
		p.fail(faultEmpty)
	case len(src) > dynamo.MaxExpressionSize:
		p.fail(tooLong(kind, len(src)))
	default:
		p.prev.kind, p.prev.start = tokEOF, -1
		p.tok = g.scan(src, 0)
	}
	return p
}

// tooLong tells the size only of conditions and filters, as the service does.
func tooLong(kind Kind, size int) string {
	if kind == ConditionExpression || kind == FilterExpression {
		return faultTooLong + faultSizeTail + strconv.Itoa(size)
	}
	return faultTooLong + ";"
}

func (p *parser) fail(fault string) {
	if p.err == nil {
		p.err = p.kind.invalid(fault)
	}
	p.tok = token{tokEOF, len(p.src), len(p.src)}
}

// syntax reports that the current token cannot stand here. The service shows it between
// the token before it and the one after.
func (p *parser) syntax() {
	start, text := p.tok.start, p.src[p.tok.start:p.tok.end]
	if p.prev.start >= 0 {
		start = p.prev.start
	}
	end := len(p.src)
	if p.tok.kind == tokEOF {
		text = "<EOF>"
	} else {
		end = p.grammar.scan(p.src, p.tok.end).end
	}
	p.fail(fmt.Sprintf(faultSyntax, text, p.src[start:end]))
}

// note keeps a fault of a class unless there was one before.
func (p *parser) note(class faultClass, format, what string) {
	if p.faults[class] == "" {
		p.faults[class] = fmt.Sprintf(format, what)
	}
}

// finish returns the error to report: a syntax error or the first fault by rank.
func (p *parser) finish(order []faultClass) error {
	if p.err == nil && p.tok.kind != tokEOF {
		p.syntax()
	}
	for _, class := range order {
		if p.err == nil && p.faults[class] != "" {
			p.fail(p.faults[class])
		}
	}
	return p.err
}

func (p *parser) advance() {
	p.prev = p.tok
	p.tok = p.grammar.scan(p.src, p.tok.end)
}

// take consumes the current token if it is of that kind.
func (p *parser) take(kind tokenKind) bool {
	if p.tok.kind != kind {
		return false
	}
	p.advance()
	return true
}

func (p *parser) expect(kind tokenKind) {
	if !p.take(kind) {
		p.syntax()
	}
}

func (p *parser) text() string { return p.src[p.tok.start:p.tok.end] }

func (p *parser) node(o op, args ...*node) *node {
	if len(p.nodes) == 0 {
		// Most nodes take more text than this, so the first chunk mostly suffices.
		p.nodes = make([]node, len(p.src)/nodeText+2)
	}
	n := &p.nodes[0]
	p.nodes = p.nodes[1:]
	p.count++
	n.op = o
	n.args = p.list(args)
	return n
}

// list copies a list of arguments to memory of its own.
func (p *parser) list(args []*node) []*node {
	if len(args) == 0 {
		return nil
	}
	if cap(p.args)-len(p.args) < len(args) {
		p.args = make([]*node, 0, max(leastRoom, len(args)))
	}
	at := len(p.args)
	p.args = append(p.args, args...)
	return p.args[at:len(p.args):len(p.args)]
}

// operator counts one more operator or function.
func (p *parser) operator() {
	p.operators++
	if p.operators > dynamo.MaxOperators {
		p.fail(fmt.Sprintf(faultOperators, p.operators))
	}
}

// group ends a group in parentheses around n.
func (p *parser) group(n *node) *node {
	p.expect(tokRParen)
	if n.parens {
		p.fail(faultParens)
	}
	n.parens = true
	return n
}

// operand reads a path, a value, a function or an operand in parentheses. In updates the
// parentheses may hold a sum.
func (p *parser) operand() *node {
	switch p.tok.kind {
	case tokLParen:
		p.advance()
		if p.grammar == updateGrammar {
			return p.group(p.sum())
		}
		return p.dereference(p.group(p.operand()))
	case tokValueRef:
		return p.value()
	case tokName:
		name := p.tok
		if p.grammar.scan(p.src, name.end).kind == tokLParen {
			return p.call()
		}
		return p.pathNode()
	case tokNameRef:
		return p.pathNode()
	}
	p.syntax()
	return p.node(opPath)
}

func (p *parser) value() *node {
	n := p.node(opValue)
	n.name = p.text()
	p.placeholders = true
	p.expect(tokValueRef)
	return n
}

// call reads a function and its operands.
func (p *parser) call() *node {
	name := p.text()
	p.advance()
	p.advance()
	p.operator()
	var buf [4]*node
	args := append(buf[:0], p.operand())
	for p.take(tokComma) {
		args = append(args, p.operand())
	}
	p.expect(tokRParen)
	n := p.node(opCall, args...)
	n.name, n.fn = name, functionNamed(name)
	if n.fn == fnUnknown {
		p.note(unknownFunction, faultFunction, name)
	}
	for _, a := range args {
		p.asOperand(a, true)
	}
	if update := functions[n.fn].update; n.fn != fnUnknown && update != (p.grammar == updateGrammar) {
		fault := faultNotInUpdate
		if update {
			fault = faultNotInCondition
		}
		p.note(misplacedFunction, fault, name)
	}
	return n
}

// asOperand notes functions that may not stand as an operand, of a function when nested.
func (p *parser) asOperand(n *node, nested bool) {
	if n.op != opCall || n.fn == fnUnknown {
		return
	}
	if f := functions[n.fn]; f.condition || nested && !f.nests {
		p.note(misplacedFunction, faultPlace, n.name)
	}
}

// asCondition notes functions that may not stand as a condition.
func (p *parser) asCondition(n *node) {
	if n.op == opCall && n.fn != fnUnknown && !functions[n.fn].condition {
		p.note(misplacedFunction, faultPlace, n.name)
	}
}

func (p *parser) pathNode() *node {
	n := p.node(opPath)
	p.path = p.path[:0]
	p.readName()
	p.readSteps()
	n.path = p.keepPath()
	return n
}

// dereference reads steps that follow a path in parentheses.
func (p *parser) dereference(n *node) *node {
	if n.op != opPath || p.tok.kind != tokDot && p.tok.kind != tokLBracket {
		return n
	}
	p.path = append(p.path[:0], n.path...)
	p.readSteps()
	n.path = p.keepPath()
	n.parens = false
	return n
}

// readPath reads a path by itself.
func (p *parser) readPath() Path {
	p.path = p.path[:0]
	p.readName()
	p.readSteps()
	return p.keepPath()
}

func (p *parser) readName() {
	switch p.tok.kind {
	case tokName:
		if IsReserved(p.text()) {
			p.note(badName, faultReserved, p.text())
		}
	case tokNameRef:
		p.placeholders = true
	default:
		p.syntax()
		return
	}
	p.path = append(p.path, Step{Name: p.text()})
	p.advance()
}

func (p *parser) readSteps() {
	for p.err == nil {
		switch {
		case p.take(tokDot):
			p.readName()
		case p.take(tokLBracket):
			digits := p.text()
			p.expect(tokInt)
			p.expect(tokRBracket)
			i, err := strconv.ParseInt(digits, 10, 32)
			if err != nil && p.err == nil {
				p.note(badName, faultIndex, digits)
				i = math.MaxInt32
			}
			p.path = append(p.path, Step{Index: int(i)})
		default:
			if len(p.path) > dynamo.MaxDepth {
				p.note(badName, faultNesting, strconv.Itoa(len(p.path)))
			}
			return
		}
	}
}

// keepPath moves the path that was read to memory of its own.
func (p *parser) keepPath() Path {
	if cap(p.steps)-len(p.steps) < len(p.path) {
		p.steps = make([]Step, 0, max(leastRoom, len(p.path)))
	}
	at := len(p.steps)
	p.steps = append(p.steps, p.path...)
	return Path(p.steps[at:len(p.steps):len(p.steps)])
}
