package expr

import "github.com/keyfold-dev/keyfold/dynamo"

// A Condition is a condition or a filter. A nil Condition holds for every item.
type Condition struct {
	kind  Kind
	root  *node
	nodes int // how many there are

	// An expression without placeholders is bound when it is parsed, once for all.
	bound    *Condition
	boundErr error
}

// ParseCondition parses a ConditionExpression or FilterExpression (Developer Guide,
// "Condition and filter expressions, operators, and functions").
func ParseCondition(kind Kind, src string) (*Condition, error) {
	p := newParser(kind, conditionGrammar, src)
	root := p.disjunction(false)
	if p.err == nil {
		p.asCondition(root)
	}
	if err := p.finish(conditionFaults[:]); err != nil {
		return nil, err
	}
	c := &Condition{kind: kind, root: root, nodes: p.count}
	if !p.placeholders {
		c.bound, c.boundErr = c.bind(&Scope{})
	}
	return c, nil
}

// String prints the condition as an expression that parses to the same. One made of the
// older parameters has no such text: it shows its values instead of placeholders.
func (c *Condition) String() string {
	if c == nil {
		return ""
	}
	return string(c.root.appendText(nil))
}

// Attributes returns the top-level attributes that the bound condition speaks of, sorted.
func (c *Condition) Attributes() []string { return roots(c.paths(), false) }

// Nested returns the top-level attributes that the bound condition looks into by a
// document path, sorted. Key attributes must not be among them.
func (c *Condition) Nested() []string { return roots(c.paths(), true) }

func (c *Condition) paths() []Path {
	if c == nil {
		return nil
	}
	return c.root.paths(nil)
}

// Bind resolves the placeholders of c in s.
func (c *Condition) Bind(s *Scope) (*Condition, error) {
	if c.bound != nil || c.boundErr != nil {
		return c.bound, c.boundErr
	}
	return c.bind(s)
}

func (c *Condition) bind(s *Scope) (*Condition, error) {
	b := newBinder(c.kind, s, c.nodes)
	root := b.condition(c.root)
	if b.err != nil {
		return nil, b.err
	}
	return &Condition{kind: c.kind, root: root, nodes: c.nodes}, nil
}

// Eval reports whether the bound condition holds for it; an item that does not exist is nil.
func (c *Condition) Eval(it dynamo.Item) bool { return c == nil || c.root.holds(it) }

// disjunction reads conditions joined by OR. When open is set, a parenthesis has just been
// opened and a bare operand may stand in for a condition, as in (a) = b.
func (p *parser) disjunction(open bool) *node {
	return p.joined(opOr, tokOr, open, (*parser).conjunction)
}

func (p *parser) conjunction(open bool) *node {
	return p.joined(opAnd, tokAnd, open, (*parser).negation)
}

func (p *parser) joined(o op, tok tokenKind, open bool, read func(*parser, bool) *node) *node {
	first := read(p, open)
	if p.tok.kind != tok {
		return first
	}
	p.asCondition(first)
	var buf [8]*node
	args := append(buf[:0], first)
	for p.take(tok) {
		p.operator()
		n := read(p, false)
		p.asCondition(n)
		args = append(args, n)
	}
	return p.node(o, args...)
}

func (p *parser) negation(open bool) *node {
	if !p.take(tokNot) {
		return p.predicate(open)
	}
	p.operator()
	n := p.negation(false)
	p.asCondition(n)
	return p.node(opNot, n)
}

// predicate reads a comparison, a function or a condition in parentheses.
func (p *parser) predicate(open bool) *node {
	var left *node
	if p.take(tokLParen) {
		left = p.dereference(p.group(p.disjunction(true)))
		if !left.isOperand() {
			return left
		}
	} else {
		left = p.operand()
	}
	switch o := comparators[p.tok.kind]; {
	case o != 0:
		return p.comparison(o, left)
	case p.take(tokBetween):
		p.operator()
		low := p.operand()
		p.expect(tokAnd)
		return p.predicateOf(opBetween, left, low, p.operand())
	case p.take(tokIn):
		return p.in(left)
	case left.op == opCall, open && p.tok.kind == tokRParen:
		return left
	}
	p.syntax()
	return left
}

var comparators = [tokUnknown + 1]op{tokEq: opEq, tokNe: opNe, tokLt: opLt, tokLe: opLe, tokGt: opGt, tokGe: opGe}

func (p *parser) comparison(o op, left *node) *node {
	p.advance()
	p.operator()
	return p.predicateOf(o, left, p.operand())
}

func (p *parser) in(left *node) *node {
	p.operator()
	p.expect(tokLParen)
	var buf [8]*node
	args := append(buf[:0], left, p.operand())
	for p.take(tokComma) {
		args = append(args, p.operand())
	}
	p.expect(tokRParen)
	return p.predicateOf(opIn, args...)
}

func (p *parser) predicateOf(o op, args ...*node) *node {
	for _, a := range args {
		p.asOperand(a, false)
	}
	return p.node(o, args...)
}
