package sqlfront

import (
	"slices"
	"strings"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/model"
)

var (
	booleanType = model.Type{Kind: model.Boolean}
	textType    = model.Type{Kind: model.Text}
	integerType = model.Type{Kind: model.Integer, Bits: 32}
	bigintType  = model.Type{Kind: model.Integer, Bits: 64}
	decimalType = model.Type{Kind: model.Decimal}
	floatType   = model.Type{Kind: model.Float}
)

// expr lowers an expression. Want, when not nil, is the type its surroundings suggest for
// what has none of its own: strings, NULL and parameters. It returns nil after an error.
func (l *lowerer) expr(e expr, want *model.Type) model.Expr {
	switch e := e.(type) {
	case *columnRef:
		return l.column(e)
	case *paramRef:
		return l.paramValue(e, want)
	case *constant:
		return l.constant(e, want, false)
	case *castExpr:
		return l.cast(e)
	case *prefixExpr:
		if e.op == "NOT" {
			return l.not(e)
		}
		return l.negative(e, want, false)
	case *infixExpr:
		return l.infixExpr(e, want)
	case *isExpr:
		return l.isTest(e)
	case *betweenExpr:
		return l.between(e)
	case *inExpr:
		return l.in(e)
	case *likeExpr:
		return l.like(e)
	case *callExpr:
		return l.call(e, want)
	case *arrayExpr:
		return l.arrayConstant(e, want)
	case *starRef:
		l.errorf(codeSyntax, e.span, "", "* cannot stand here")
		return nil
	case *defaultRef:
		l.errorf(codeSyntax, e.span, "", "DEFAULT cannot stand here")
		return nil
	}
	panic("keyfold: internal error: unknown syntax")
}

// untyped reports whether an expression takes its type from its surroundings.
func untyped(e expr) bool {
	switch e := e.(type) {
	case *paramRef:
		return true
	case *constant:
		return e.kind == stringConstant || e.kind == nullConstant
	case *infixExpr:
		return binaryBinding[e.op] > bindBetween && e.op != "||" && untyped(e.left) && untyped(e.right)
	case *prefixExpr:
		return e.op != "NOT" && untyped(e.x)
	case *arrayExpr:
		return !slices.ContainsFunc(e.list, func(x expr) bool { return !untyped(x) })
	case *callExpr:
		return (e.name == "coalesce" || e.name == "abs" || e.name == "min" || e.name == "max") &&
			!slices.ContainsFunc(e.args, func(x expr) bool { return !untyped(x) })
	}
	return false
}

// pair lowers two expressions that must go together; the one with a type of its own
// gives it to the other.
func (l *lowerer) pair(a, b expr, want *model.Type) (x, y model.Expr) {
	if untyped(a) && !untyped(b) {
		y, x = l.pair(b, a, want)
		return x, y
	}
	x = l.expr(a, want)
	if x != nil {
		t := x.Type()
		want = &t
	}
	return x, l.expr(b, want)
}

func (l *lowerer) infixExpr(e *infixExpr, want *model.Type) model.Expr {
	switch e.op {
	case "AND", "OR":
		x, y := l.condition(e.left), l.condition(e.right)
		if x == nil || y == nil {
			return nil
		}
		return model.NewBinary(model.At(booleanType, l.pos(e.span)), model.Op(e.op), x, y)
	case "||":
		x, y := l.expr(e.left, &textType), l.expr(e.right, &textType)
		if x == nil || y == nil || !l.mustBeText(x, e.left) || !l.mustBeText(y, e.right) {
			return nil
		}
		return model.NewBinary(model.At(textType, l.pos(e.span)), model.OpConcat, x, y)
	case "+", "-", "*", "/", "%":
		return l.arithmetic(e, want)
	}
	l.nameAfter(e.left, e.right)
	l.nameAfter(e.right, e.left)
	x, y := l.pair(e.left, e.right, nil)
	x, y = l.fitClock(x, y, e.left), l.fitClock(y, x, e.right)
	return l.compare(model.Op(e.op), x, y, e.span)
}

// fitClock makes a timestamp of now() where it is compared with one. A date is another
// matter: PostgreSQL compares its midnight.
func (l *lowerer) fitClock(x, other model.Expr, e expr) model.Expr {
	c, ok := x.(*model.Call)
	if !ok || other == nil || c.Func != "now" || c.Type().Kind != model.TimestampTZ || other.Type().Kind != model.Timestamp || other.Type().Array {
		return x
	}
	return l.retype(c, other.Type(), e)
}

// retype gives now() or gen_random_uuid() the type of a column.
func (l *lowerer) retype(c *model.Call, t model.Type, e expr) model.Expr {
	c = model.NewCall(model.At(t, c.Pos()), c.Func, nil, false, false)
	if l.final {
		l.remove(e.tokens())
		l.replace(e.tokens().from, referenceClock(c))
	}
	return c
}

// nameAfter lets a positional parameter be named for the column it is compared with.
func (l *lowerer) nameAfter(param, column expr) {
	if c, ok := column.(*columnRef); ok {
		l.nameParam(param, c.column)
	}
}

func (l *lowerer) nameParam(param expr, column string) {
	for {
		cast, ok := param.(*castExpr)
		if !ok {
			break
		}
		param = cast.x
	}
	if r, ok := param.(*paramRef); ok && l.param(r).column == "" {
		l.param(r).column = column
	}
}

func (l *lowerer) mustBeText(x model.Expr, e expr) bool {
	if t := x.Type(); t.Kind != model.Text || t.Array {
		l.errorf(codeMismatch, e.tokens(), "", "text is needed here, and this is %s", t)
		return false
	}
	return true
}

func (l *lowerer) mustBeNumber(x model.Expr, e expr) bool {
	if t := x.Type(); !t.IsNumber() {
		hint := ""
		if t.Kind == model.Timestamp || t.Kind == model.TimestampTZ || t.Kind == model.Date {
			hint = "compute the time in the application and pass it as a parameter"
		}
		l.errorf(codeMismatch, e.tokens(), hint, "a number is needed here, and this is %s", t)
		return false
	}
	return true
}

func (l *lowerer) arithmetic(e *infixExpr, want *model.Type) model.Expr {
	if want != nil && !want.IsNumber() {
		want = nil
	}
	x, y := l.pair(e.left, e.right, want)
	if x == nil || y == nil || !l.mustBeNumber(x, e.left) || !l.mustBeNumber(y, e.right) {
		return nil
	}
	return model.NewBinary(model.At(widest(x.Type(), y.Type()), l.pos(e.span)), model.Op(e.op), x, y)
}

// widest is the type of an operation on two numbers.
func widest(a, b model.Type) model.Type {
	switch {
	case a.Kind == model.Float || b.Kind == model.Float:
		return floatType
	case a.Kind == model.Decimal || b.Kind == model.Decimal:
		return decimalType
	case a.Bits >= b.Bits:
		return a
	}
	return b
}

// common is the type of a column that holds values of both types.
func common(a, b model.Type) model.Type {
	switch {
	case a.String() == b.String():
	case a.IsNumber() && b.IsNumber():
		return widest(a, b)
	case a.Kind == model.Text:
		a.Length = 0
	}
	return a
}

// negative lowers -x and +x; a constant keeps its sign with it.
func (l *lowerer) negative(e *prefixExpr, want *model.Type, assign bool) model.Expr {
	if c, ok := e.x.(*constant); ok && c.kind == numberConstant {
		text := c.text
		if e.op == "-" {
			text = "-" + text
		}
		return l.constant(&constant{e.span, numberConstant, text}, want, assign)
	}
	x := l.expr(e.x, want)
	if x == nil || !l.mustBeNumber(x, e.x) {
		return nil
	}
	if e.op == "+" {
		return x
	}
	return model.NewUnary(model.At(x.Type(), l.pos(e.span)), model.OpNeg, x)
}

// comparable reports whether values of two types can be compared.
func comparableTypes(a, b model.Type) bool {
	switch {
	case a.Array != b.Array:
		return false
	case a.Array:
		return a.Kind == b.Kind && a.Name == b.Name
	case a.IsNumber() && b.IsNumber():
		return true
	}
	return a.Kind == b.Kind && a.Name == b.Name
}

var flipped = map[model.Op]model.Op{model.OpEq: model.OpEq, model.OpNe: model.OpNe, model.OpLt: model.OpGt,
	model.OpLe: model.OpGe, model.OpGt: model.OpLt, model.OpGe: model.OpLe}

// compare makes a comparison, with the column on the left when only one side has one.
func (l *lowerer) compare(op model.Op, x, y model.Expr, at span) model.Expr {
	if x == nil || y == nil {
		return nil
	}
	a, b := x.Type(), y.Type()
	if !isNull(x) && !isNull(y) && !comparableTypes(a, b) {
		l.mismatch(x, y, at)
		return nil
	}
	if op != model.OpEq && op != model.OpNe && !l.ordered(a, at) {
		return nil
	}
	if !hasColumn(x) && hasColumn(y) {
		x, y, op = y, x, flipped[op]
	}
	if op == model.OpNe && isBoolLiteral(y) {
		v := y.(*model.Literal)
		op, y = model.OpEq, model.NewLiteral(model.At(booleanType, y.Pos()), dynamo.Bool(!v.Value.IsTrue()))
	}
	return model.NewBinary(model.At(booleanType, l.pos(at)), op, x, y)
}

// mismatch reports a comparison of two types that do not go together.
func (l *lowerer) mismatch(x, y model.Expr, at span) {
	for i, side := range []model.Expr{x, y} {
		p, ok := side.(*model.ParamRef)
		if !ok {
			continue
		}
		other := []model.Expr{y, x}[i].Type()
		if par := l.named(p.Name); par != nil && par.typedAt.IsValid() && par.typedAt != p.Pos() {
			l.broken = true
			l.report.Errorf(codeParamConflict, p.Pos(), "use two parameters", "parameter @%s is %s here and %s in line %d", p.Name, other, p.Type(), par.typedAt.Line)
			return
		}
	}
	a, b := x.Type(), y.Type()
	hint := ""
	switch {
	case a.Kind == model.Text && b.IsNumber() || b.Kind == model.Text && a.IsNumber():
		hint = "text constants are written in quotes, numbers without"
	case a.Array != b.Array:
		hint = "arrays can only be compared as a whole"
	case a.Kind >= model.Timestamp && a.Kind <= model.Time && b.Kind >= model.Timestamp && b.Kind <= model.Time:
		hint = "give both the same type"
	}
	l.errorf(codeMismatch, at, hint, "%s cannot be compared with %s", a, b)
}

// ordered reports whether <, > and BETWEEN mean for a type what its stored form says.
func (l *lowerer) ordered(t model.Type, at span) bool {
	switch {
	case t.Array, t.Kind == model.JSON:
		l.errorf(codeMismatch, at, "", "%s has no order that keyfold knows", t)
		return false
	case t.Kind == model.Enum && !slices.IsSorted(t.Labels):
		l.errorf(codeMismatch, at, "declare the labels in alphabetical order, or compare with =", "the order of %s is not the order of its labels as text", t.Name)
		return false
	}
	return true
}

func isNull(x model.Expr) bool {
	v, ok := x.(*model.Literal)
	return ok && v.Value.IsNull()
}

func hasColumn(x model.Expr) bool {
	found := false
	model.Walk(x, func(e model.Expr) bool {
		if _, ok := e.(*model.Column); ok {
			found = true
		}
		return !found
	})
	return found
}

func (l *lowerer) in(e *inExpr) model.Expr {
	if e.array {
		return l.anyOf(e)
	}
	if untyped(e.x) {
		l.nameAfter(e.x, e.list[0])
	}
	x, first := l.pair(e.x, e.list[0], nil)
	if x == nil || first == nil {
		return nil
	}
	t := x.Type()
	list := []model.Expr{first}
	for _, item := range e.list[1:] {
		list = append(list, l.expr(item, &t))
	}
	for i, item := range list {
		l.nameAfter(e.list[i], e.x)
		if item == nil {
			return nil
		}
		if !isNull(item) && !comparableTypes(t, item.Type()) {
			l.mismatch(x, item, e.list[i].tokens())
			return nil
		}
	}
	return l.maybeNot(model.NewIn(model.At(booleanType, l.pos(e.span)), x, list), e.not)
}

// anyOf lowers x = ANY(@list) and its siblings.
func (l *lowerer) anyOf(e *inExpr) model.Expr {
	l.nameAfter(e.list[0], e.x)
	x := l.expr(e.x, nil)
	var want *model.Type
	if x != nil {
		t := x.Type()
		t.Array = true
		want = &t
	}
	y := l.expr(e.list[0], want)
	if x == nil || y == nil {
		return nil
	}
	element := y.Type()
	element.Array = false
	if !comparableTypes(x.Type(), element) {
		l.mismatch(x, y, e.span)
		return nil
	}
	return l.maybeNot(model.NewIn(model.At(booleanType, l.pos(e.span)), x, []model.Expr{y}), e.not)
}

func (l *lowerer) maybeNot(x model.Expr, not bool) model.Expr {
	if !not {
		return x
	}
	return model.NewUnary(model.At(booleanType, x.Pos()), model.OpNot, x)
}

func (l *lowerer) like(e *likeExpr) model.Expr {
	l.nameAfter(e.pattern, e.x)
	x, y := l.expr(e.x, &textType), l.expr(e.pattern, &textType)
	if x == nil || y == nil || !l.mustBeText(x, e.x) || !l.mustBeText(y, e.pattern) {
		return nil
	}
	if v, ok := y.(*model.Literal); ok && strings.HasSuffix(strings.ReplaceAll(v.Value.Str(), `\\`, ""), `\`) {
		l.errorf(codeLiteral, e.pattern.tokens(), `a backslash itself is written \\`, "the pattern ends with the escape character")
		return nil
	}
	return l.maybeNot(model.NewBinary(model.At(booleanType, l.pos(e.span)), model.OpLike, x, y), e.not)
}
