package partiql

import (
	"errors"
	"strconv"
	"strings"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/expr"
)

// A writer writes the expressions of one request, with placeholders for all names and
// values. After the first fault the rest is of no use.
type writer struct {
	bound  *Bound
	kind   string // "Condition" or "Update", for messages
	names  []dynamo.NameBinding
	values []dynamo.Attr
	err    error
}

// A clause is an expression and what it refers to.
type clause struct {
	text        string
	expressions dynamo.Expressions
}

func (w *writer) fail(format string, args ...any) string {
	if w.err == nil {
		w.err = invalid(format, args...)
	}
	return ""
}

// expressions are the names and values of all that was written.
func (w *writer) expressions() dynamo.Expressions {
	x := dynamo.Expressions{Names: w.names}
	if len(w.values) > 0 {
		x.Values = dynamo.NewItem(w.values...)
	}
	return x
}

func (w *writer) name(name string) string {
	for _, n := range w.names {
		if n.Name == name {
			return n.Placeholder
		}
	}
	placeholder := "#" + strconv.Itoa(len(w.names))
	w.names = append(w.names, dynamo.NameBinding{Placeholder: placeholder, Name: name})
	return placeholder
}

func (w *writer) literal(v dynamo.Value) string {
	placeholder := ":" + strconv.Itoa(len(w.values))
	w.values = append(w.values, dynamo.Attr{Name: placeholder, Value: v})
	return placeholder
}

func (w *writer) path(path expr.Path) string {
	var out strings.Builder
	for i, s := range path {
		switch {
		case s.Name == "":
			out.WriteString("[" + strconv.Itoa(s.Index) + "]")
			continue
		case i > 0:
			out.WriteString(".")
		}
		out.WriteString(w.name(s.Name))
	}
	return out.String()
}

// functions are the functions of conditions and of updates.
var functions = map[string]bool{"attribute_exists": true, "attribute_not_exists": true, "attribute_type": true,
	"begins_with": true, "contains": true, "size": true, "list_append": true, "if_not_exists": true}

// predicates are the functions that are conditions by themselves.
var predicates = map[string]bool{"attribute_exists": true, "attribute_not_exists": true, "attribute_type": true,
	"begins_with": true, "contains": true}

// isCondition reports whether n is true or false of an item.
func (n *node) isCondition() bool {
	switch {
	case n.op == opCall:
		return predicates[n.text] || !functions[n.text]
	case n.op == opPlus, n.op == opMinus:
		return false
	}
	return n.op >= opOr
}

// operand writes an operand.
func (w *writer) operand(n *node) string {
	switch {
	case n.op == opPath && n.wild:
		return w.fail(faultColumn, n.at)
	case n.op == opPath:
		return w.path(n.path)
	case n.op == opMissing:
		return w.fail("%s", faultMissing)
	case n.isValue():
		v, err := w.bound.value(n, root)
		if err != nil && w.err == nil {
			w.err = err
		}
		return w.literal(v)
	case n.op == opCall:
		return w.call(n)
	case n.op == opNegative:
		return w.fail("%s", faultNegation)
	case w.kind == "Update" && (n.op == opPlus || n.op == opMinus):
		return w.sum(n)
	}
	return w.fail(faultOperator, w.kind, operators[n.op].text)
}

func (w *writer) call(n *node) string {
	switch {
	case !functions[n.text]:
		return w.fail(faultFunction, n.text, n.at)
	case len(n.args) == 0:
		return w.fail("Incorrect number of operands for operator or function; operator or function: %s, number of operands: 0", n.text)
	}
	return n.text + "(" + w.operands(n.args) + ")"
}

func (w *writer) operands(nodes []*node) string {
	texts := make([]string, len(nodes))
	for i, n := range nodes {
		texts[i] = w.operand(n)
	}
	return strings.Join(texts, ", ")
}

// sum writes an addition or subtraction; expressions know only those of two operands, so
// another one is put in parentheses.
func (w *writer) sum(n *node) string {
	texts := make([]string, len(n.args))
	for i, a := range n.args {
		texts[i] = w.operand(a)
		if a.op == opPlus || a.op == opMinus {
			texts[i] = "(" + texts[i] + ")"
		}
	}
	return texts[0] + " " + operators[n.op].text + " " + texts[1]
}

// condition writes a condition, in parentheses when it binds less than what stands around.
func (w *writer) condition(n *node, around int) string {
	text := w.bare(n)
	if n.op >= opOr && n.op <= opNot && n.op.binding() < around {
		return "(" + text + ")"
	}
	return text
}

func (w *writer) bare(n *node) string {
	switch n.op {
	case opAnd, opOr:
		texts := make([]string, len(n.args))
		for i, a := range n.args {
			if !a.isCondition() {
				return w.fail("%s", faultJunction)
			}
			texts[i] = w.condition(a, n.op.binding())
		}
		return strings.Join(texts, " "+operators[n.op].text+" ")
	case opNot:
		if !n.args[0].isCondition() {
			return w.fail("%s", faultNot)
		}
		return "NOT " + w.condition(n.args[0], opNot.binding())
	case opCall:
		return w.call(n)
	case opIs:
		return w.typeTest(n)
	case opIn:
		return w.in(n)
	case opBetween:
		subject := w.operand(n.args[0])
		return subject + " BETWEEN " + w.operand(n.args[1]) + " AND " + w.operand(n.args[2])
	case opEq, opNe, opLt, opLe, opGt, opGe:
		return w.comparison(n)
	}
	return w.operand(n)
}

// comparison writes a comparison. A function that is a condition may be compared with a
// boolean.
func (w *writer) comparison(n *node) string {
	left, right := n.args[0], n.args[1]
	if left.op == opCall && predicates[left.text] && (right.op == opTrue || right.op == opFalse) && (n.op == opEq || n.op == opNe) {
		text := w.call(left)
		if (right.op == opTrue) != (n.op == opEq) {
			text = "NOT " + text
		}
		return text
	}
	text := w.operand(left)
	return text + " " + operators[n.op].text + " " + w.operand(right)
}

func (w *writer) in(n *node) string {
	list := n.args[1]
	if list.op != opList && list.op != opBag || len(list.args) == 0 {
		return w.fail("%s", faultIn)
	}
	subject := w.operand(n.args[0])
	return subject + " IN (" + w.operands(list.args) + ")"
}

// testedTypes are the types that IS tests for.
var testedTypes = map[string]dynamo.Type{"NULL": dynamo.TypeNull, "BOOLEAN": dynamo.TypeBool, "BLOB": dynamo.TypeBinary,
	"STRING": dynamo.TypeString, "NUMERIC": dynamo.TypeNumber, "STRUCT": dynamo.TypeMap, "TUPLE": dynamo.TypeMap,
	"LIST": dynamo.TypeList}

func (w *writer) typeTest(n *node) string {
	subject := w.operand(n.args[0])
	if n.text == "MISSING" {
		return "attribute_not_exists(" + subject + ")"
	}
	t, ok := testedTypes[n.text]
	if !ok {
		return w.fail(faultTypeTest, n.text, n.at)
	}
	return "attribute_type(" + subject + ", " + w.literal(dynamo.String(string(t))) + ")"
}

// Bind puts parameters, which it keeps, into the statement and finds the faults that can be
// seen without a table.
func (s *Statement) Bind(parameters []dynamo.Value) (*Bound, error) {
	b := &Bound{Statement: s, parameters: parameters}
	if s.value != nil {
		var err error
		if b.item, err = b.tuple(s.value, root, func(string) place { return root }); err != nil {
			return nil, err
		}
	}
	if err := b.checkColumns(); err != nil {
		return nil, err
	}
	if s.verb == Update {
		if err := b.bindUpdate(); err != nil {
			return nil, err
		}
	}
	if s.where == nil {
		return b, nil
	}
	if !s.where.isCondition() {
		return nil, invalid("%s", faultBoolean)
	}
	w := writer{bound: b, kind: "Condition"}
	text := w.condition(s.where, 0)
	if w.err != nil {
		return nil, w.err
	}
	x := w.expressions()
	return b, check(&x, func(scope *expr.Scope) error {
		c, err := expr.ParseCondition(expr.ConditionExpression, text)
		if err == nil {
			_, err = c.Bind(scope)
		}
		return err
	})
}

// checkColumns finds columns of which one lies in another. What is no path at all is found
// when the table is known.
func (b *Bound) checkColumns() error {
	if _, err := b.projection(); err != nil || b.columns == nil {
		return nil
	}
	w := writer{bound: b}
	text := w.columns()
	x := w.expressions()
	return check(&x, func(scope *expr.Scope) error {
		p, err := expr.ParseProjection(text)
		if err == nil {
			_, err = p.Bind(scope)
		}
		return err
	})
}

// columns writes the columns as a projection; "" for *.
func (w *writer) columns() string {
	texts := make([]string, len(w.bound.Statement.columns))
	for i, n := range w.bound.Statement.columns {
		texts[i] = w.path(n.path)
	}
	return strings.Join(texts, ", ")
}

// check tries expressions that are written and makes their faults those of a statement.
func check(x *dynamo.Expressions, try func(*expr.Scope) error) error {
	scope, err := expr.NewScope(x)
	if err == nil {
		err = try(scope)
	}
	return Fault(err)
}

// Fault makes of an error about an expression the one about the statement that it was
// written for: statements have no parameter that the text could begin with. Other errors stay.
func Fault(err error) error {
	var e *dynamo.Error
	if !errors.As(err, &e) || e.Code != dynamo.CodeValidation {
		return err
	}
	text := e.Message
	for _, k := range [...]expr.Kind{expr.ConditionExpression, expr.FilterExpression, expr.KeyConditionExpression,
		expr.UpdateExpression, expr.ProjectionExpression} {
		text = strings.TrimPrefix(text, "Invalid "+string(k)+": ")
	}
	// The service lists the types in another order here.
	text = strings.Replace(text, "valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}", "valid types: {N,BS,L,B,NULL,M,S,SS,NS,BOOL}", 1)
	if text == e.Message {
		return err
	}
	return dynamo.Invalid(text)
}
