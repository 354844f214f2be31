package partiql

import (
	"strconv"
	"strings"

	"github.com/keyfold-dev/keyfold/internal/expr"
)

// An op says what a node of the syntax tree is.
type op uint8

const (
	opPath op = iota
	opString
	opNumber
	opIon
	opTrue
	opFalse
	opNull
	opMissing
	opParameter
	opList
	opBag
	opTuple // the arguments are keys and values by turns
	opCall

	// The operators, from here on.
	opOr
	opAnd
	opNot
	opEq
	opNe
	opLt
	opLe
	opGt
	opGe
	opBetween
	opIn
	opIs
	opLike
	opConcat
	opPlus
	opMinus
	opTimes
	opDivide
	opModulo
	opNegative
)

// An operator is how an op is spelled, and how strongly it holds its operands together.
type operator struct {
	text    string
	binding int
}

var operators = [...]operator{
	opOr: {"OR", 1}, opAnd: {"AND", 2}, opNot: {"NOT", 3},
	opEq: {"=", 4}, opNe: {"<>", 4}, opLt: {"<", 4}, opLe: {"<=", 4}, opGt: {">", 4}, opGe: {">=", 4},
	opBetween: {"between", 4}, opIn: {"in", 4}, opIs: {"is", 4}, opLike: {"like", 4},
	opConcat: {"||", 5}, opPlus: {"+", 6}, opMinus: {"-", 6}, opTimes: {"*", 7}, opDivide: {"/", 7}, opModulo: {"%", 7},
	opNegative: {"-", 8},
}

const primaryBinding = 9

func (o op) binding() int {
	if o < opOr {
		return primaryBinding
	}
	return operators[o].binding
}

// A position is where a node's word or sign is in the statement, as the service's messages
// show it.
type position struct{ line, column, length int }

// String prints the position with what goes before it: " at 1:8:4".
func (p position) String() string {
	return " at " + strconv.Itoa(p.line) + ":" + strconv.Itoa(p.column) + ":" + strconv.Itoa(p.length)
}

// A node of the syntax tree.
type node struct {
	op     op
	text   string    // of strings, numbers, functions (in small letters) and type names
	number int       // of a parameter, from 0
	path   expr.Path // of opPath
	wild   bool      // of opPath: it ends in .* or has something else that is no step
	args   []*node
	at     position
}

// String prints the statement so that it parses to the same.
func (s *Statement) String() string {
	var p printer
	p.statement(s)
	return p.String()
}

type printer struct{ strings.Builder }

func (p *printer) write(parts ...string) {
	for _, s := range parts {
		p.WriteString(s)
	}
}

func (p *printer) statement(s *Statement) {
	switch s.verb {
	case Select:
		p.write("SELECT ")
		if s.columns == nil {
			p.write("*")
		}
		p.list(s.columns, ", ")
		p.write(" FROM ")
	case Insert:
		p.write("INSERT INTO ")
	case Update:
		if s.fromFirst {
			p.write("FROM ")
		} else {
			p.write("UPDATE ")
		}
	case Delete:
		p.write("DELETE FROM ")
	case Exists:
		p.write("EXISTS(")
		p.statement(s.inner())
		p.write(")")
		return
	}
	for i, name := range s.from.path {
		if i > 0 {
			p.write(".")
		}
		p.write(quoteName(name))
	}
	if s.value != nil {
		p.write(" VALUE ")
		p.node(s.value, 0)
	}
	p.clauses(s)
}

// inner is the SELECT of an EXISTS.
func (s *Statement) inner() *Statement {
	inner := *s
	inner.verb = Select
	return &inner
}

func (p *printer) clauses(s *Statement) {
	if s.fromFirst {
		p.where(s.where)
		p.actions(s.actions)
	} else {
		p.actions(s.actions)
		p.where(s.where)
	}
	for i, o := range s.order {
		if i == 0 {
			p.write(" ORDER BY ")
		} else {
			p.write(", ")
		}
		p.node(o.by, 0)
		if o.descending {
			p.write(" DESC")
		}
	}
	if s.returning != "" {
		p.write(" RETURNING ", s.returning, " *")
	}
}

func (p *printer) where(n *node) {
	if n != nil {
		p.write(" WHERE ")
		p.node(n, 0)
	}
}

func (p *printer) actions(list []assignment) {
	for _, a := range list {
		if a.value == nil {
			p.write(" REMOVE ")
			p.node(a.target, 0)
			continue
		}
		p.write(" SET ")
		p.node(a.target, 0)
		p.write(" = ")
		p.node(a.value, 0)
	}
}

func (p *printer) list(nodes []*node, between string) {
	for i, n := range nodes {
		if i > 0 {
			p.write(between)
		}
		p.node(n, 0)
	}
}

// node prints n, in parentheses when it binds less than what stands around it.
func (p *printer) node(n *node, around int) {
	if n.op.binding() < around {
		p.write("(")
		defer p.write(")")
	}
	switch n.op {
	case opPath:
		p.path(n)
	case opString:
		p.write("'", strings.ReplaceAll(n.text, "'", "''"), "'")
	case opIon:
		p.write("`", strings.ReplaceAll(n.text, "`", "``"), "`")
	case opNumber:
		p.write(n.text)
	case opTrue:
		p.write("TRUE")
	case opFalse:
		p.write("FALSE")
	case opNull:
		p.write("NULL")
	case opMissing:
		p.write("MISSING")
	case opParameter:
		p.write("?")
	case opList:
		p.write("[")
		p.list(n.args, ", ")
		p.write("]")
	case opBag:
		p.write("<<")
		p.list(n.args, ", ")
		p.write(">>")
	case opTuple:
		p.write("{")
		for i := 0; i < len(n.args); i += 2 {
			if i > 0 {
				p.write(", ")
			}
			p.list(n.args[i:i+2], ": ")
		}
		p.write("}")
	case opCall:
		p.write(n.text, "(")
		p.list(n.args, ", ")
		p.write(")")
	default:
		p.operation(n)
	}
}

func (p *printer) operation(n *node) {
	binding := n.op.binding()
	switch n.op {
	case opNot:
		p.write("NOT ")
		p.node(n.args[0], binding)
	case opNegative:
		p.write("- ")
		p.node(n.args[0], binding)
	case opBetween:
		p.node(n.args[0], binding)
		p.write(" BETWEEN ")
		p.node(n.args[1], binding+1)
		p.write(" AND ")
		p.node(n.args[2], binding+1)
	case opIs:
		p.node(n.args[0], binding)
		p.write(" IS ", n.text)
	case opIn:
		p.node(n.args[0], binding)
		p.write(" IN ")
		p.node(n.args[1], binding+1)
	default:
		p.node(n.args[0], binding)
		p.write(" ", strings.ToUpper(operators[n.op].text), " ")
		p.node(n.args[1], binding+1)
	}
}

func (p *printer) path(n *node) {
	for i, s := range n.path {
		switch {
		case s.Name == "":
			p.write("[", strconv.Itoa(s.Index), "]")
		case i > 0:
			p.write(".", quoteName(s.Name))
		default:
			p.write(quoteName(s.Name))
		}
	}
	if n.wild {
		p.write(".*")
	}
}

func quoteName(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
