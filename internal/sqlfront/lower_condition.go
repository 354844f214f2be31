package sqlfront

import (
	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// conditions lowers a condition to its conjuncts.
func (l *lowerer) conditions(e expr) []model.Expr {
	if e == nil {
		return nil
	}
	var out []model.Expr
	for _, c := range conjuncts(e) {
		out = append(out, l.conjunct(c)...)
	}
	return out
}

// conjuncts splits a condition at its ANDs.
func conjuncts(e expr) []expr {
	var out []expr
	for {
		and, ok := e.(*infixExpr)
		if !ok || and.op != "AND" {
			break
		}
		out = append(conjuncts(and.right), out...)
		e = and.left
	}
	return append([]expr{e}, out...)
}

// conjunct lowers one conjunct; BETWEEN becomes two. A conjunct that names an optional
// parameter is, for the reference database, switched off by its NULL.
func (l *lowerer) conjunct(e expr) []model.Expr {
	if inner, guard := l.guarded(e); inner != nil && (!l.final || guard.optional) {
		if !l.final {
			guard.guarded += l.usesIn(guard, e)
		}
		guard.condition = true
		var out []model.Expr
		for _, c := range conjuncts(inner) {
			out = append(out, l.plainConjunct(c)...)
		}
		return out
	}
	if l.final {
		l.guardOptional(e)
	}
	return l.plainConjunct(e)
}

func (l *lowerer) plainConjunct(e expr) []model.Expr {
	for _, par := range l.params {
		if l.usesIn(par, e) > 0 {
			par.condition = true
		}
	}
	if b, ok := e.(*betweenExpr); ok && !b.not {
		low, high := l.betweenBounds(b)
		if low == nil || high == nil {
			return nil
		}
		return []model.Expr{low, high}
	}
	if is, ok := e.(*isExpr); ok && !is.not && is.test != "NULL" {
		// As a conjunct, x IS TRUE keeps the rows that x = true keeps.
		if x := l.truth(is); x != nil {
			return []model.Expr{x}
		}
		return nil
	}
	if x := l.condition(e); x != nil {
		return []model.Expr{x}
	}
	return nil
}

func (l *lowerer) usesIn(par *parameter, e expr) int {
	n, s := 0, e.tokens()
	for _, use := range par.uses {
		if use.from >= s.from && use.to <= s.to {
			n++
		}
	}
	return n
}

// guarded recognises (condition OR @x IS NULL), in either order, where every conjunct of
// the condition names @x. It returns the condition and the parameter.
func (l *lowerer) guarded(e expr) (expr, *parameter) {
	or, ok := e.(*infixExpr)
	if !ok || or.op != "OR" {
		return nil, nil
	}
	for _, sides := range [][2]expr{{or.left, or.right}, {or.right, or.left}} {
		par := l.nullTest(sides[1])
		if par == nil {
			continue
		}
		all := true
		for _, c := range conjuncts(sides[0]) {
			all = all && l.usesIn(par, c) > 0
		}
		if all {
			return sides[0], par
		}
	}
	return nil, nil
}

// nullTest recognises @x IS NULL.
func (l *lowerer) nullTest(e expr) *parameter {
	is, ok := e.(*isExpr)
	if !ok || is.not || is.test != "NULL" {
		return nil
	}
	x := is.x
	for {
		cast, ok := x.(*castExpr)
		if !ok {
			break
		}
		x = cast.x
		l.expr(cast, nil)
	}
	if r, ok := x.(*paramRef); ok {
		return l.param(r)
	}
	return nil
}

// guardOptional spells the NULL test of optional parameters that sqlc.narg leaves unsaid.
func (l *lowerer) guardOptional(e expr) {
	test := func(e expr) string {
		s := ""
		for _, par := range l.params {
			if par.optional && l.usesIn(par, e) > 0 {
				s += " OR @" + par.name + " IS NULL"
			}
		}
		return s
	}
	b, ok := e.(*betweenExpr)
	if !ok || b.not {
		if s := test(e); s != "" {
			l.wrap(e.tokens(), "(", s+")")
		}
		return
	}
	if test(e) == "" {
		return
	}
	l.late = append(l.late, func() {
		x := l.rewritten(b.x.tokens())
		low, high := l.rewritten(b.low.tokens()), l.rewritten(b.high.tokens())
		text := "((" + x + " >= " + low + test(b.x) + test(b.low) + ") AND (" + x + " <= " + high + test(b.x) + test(b.high) + "))"
		s := e.tokens()
		before, after := l.output[s.from].before, l.output[s.to-1].after
		l.clear(s)
		l.output[s.from] = rewrite{before: before, text: text, set: true}
		if s.to-1 > s.from {
			l.output[s.to-1].after = after
		}
	})
}

// condition lowers an expression that must be true or false. A bare boolean column
// becomes a comparison with true.
func (l *lowerer) condition(e expr) model.Expr {
	x := l.expr(e, &booleanType)
	if x == nil {
		return nil
	}
	if x.Type().Kind != model.Boolean || x.Type().Array {
		l.errorf(codeCondition, e.tokens(), "compare it with something", "a condition is needed here, and this is %s", x.Type())
		return nil
	}
	return l.asCondition(x)
}

func (l *lowerer) asCondition(x model.Expr) model.Expr {
	switch x.(type) {
	case *model.Column, *model.ParamRef:
		return l.isBool(x, true)
	}
	return x
}

// isBool makes x = true or x = false.
func (l *lowerer) isBool(x model.Expr, b bool) model.Expr {
	at := model.At(booleanType, x.Pos())
	return model.NewBinary(at, model.OpEq, x, model.NewLiteral(at, dynamo.Bool(b)))
}

func (l *lowerer) not(e *prefixExpr) model.Expr {
	x := l.condition(e.x)
	if x == nil {
		return nil
	}
	return l.negate(x, e.span)
}

func isBoolLiteral(x model.Expr) bool {
	v, ok := x.(*model.Literal)
	return ok && v.Value.Type() == dynamo.TypeBool
}

var opposite = map[model.Op]model.Op{model.OpEq: model.OpNe, model.OpNe: model.OpEq, model.OpLt: model.OpGe,
	model.OpGe: model.OpLt, model.OpGt: model.OpLe, model.OpLe: model.OpGt,
	model.OpIsNull: model.OpIsNotNull, model.OpIsNotNull: model.OpIsNull}

// negate makes NOT x; comparisons turn round, which three-valued logic allows.
func (l *lowerer) negate(x model.Expr, at span) model.Expr {
	node := model.At(booleanType, l.pos(at))
	switch b := x.(type) {
	case *model.Binary:
		if b.Op == model.OpEq && isBoolLiteral(b.Right) {
			v := b.Right.(*model.Literal)
			return model.NewBinary(node, model.OpEq, b.Left, model.NewLiteral(model.At(booleanType, v.Pos()), dynamo.Bool(!v.Value.IsTrue())))
		}
		if op, ok := opposite[b.Op]; ok {
			return model.NewBinary(node, op, b.Left, b.Right)
		}
	case *model.Unary:
		if op, ok := opposite[b.Op]; ok {
			return model.NewUnary(node, op, b.X)
		}
		if b.Op == model.OpNot {
			return b.X
		}
	}
	return model.NewUnary(node, model.OpNot, x)
}

// isTest lowers IS NULL and the tests that never give NULL.
func (l *lowerer) isTest(e *isExpr) model.Expr {
	at := model.At(booleanType, l.pos(e.span))
	if e.test == "NULL" {
		x := l.expr(e.x, nil)
		if x == nil {
			return nil
		}
		if p, ok := x.(*model.ParamRef); ok {
			l.named(p.Name).nullable = true
		}
		op := model.OpIsNull
		if e.not {
			op = model.OpIsNotNull
		}
		return model.NewUnary(at, op, x)
	}
	// x IS TRUE is x = true, and false where that is NULL; x IS NOT TRUE is x = false,
	// and true where that is NULL.
	x := l.truth(&isExpr{e.span, e.x, e.test, false})
	if x == nil {
		return nil
	}
	tested := x
	if b, ok := x.(*model.Binary); ok && isBoolLiteral(b.Right) {
		tested = b.Left
	}
	known := model.NewUnary(at, model.OpIsNotNull, tested)
	if e.not {
		return model.NewBinary(at, model.OpOr, l.negate(x, e.span), l.negate(known, e.span))
	}
	return model.NewBinary(at, model.OpAnd, x, known)
}

// truth makes x = true or x = false of IS TRUE and IS FALSE.
func (l *lowerer) truth(e *isExpr) model.Expr {
	x := l.condition(e.x)
	if x == nil || e.test == "TRUE" {
		return x
	}
	return l.negate(x, e.span)
}

func (l *lowerer) betweenBounds(e *betweenExpr) (low, high model.Expr) {
	l.nameAfter(e.low, e.x)
	l.nameAfter(e.high, e.x)
	x, a := l.pair(e.x, e.low, nil)
	y, b := l.pair(e.x, e.high, nil)
	a, b = l.fitClock(a, x, e.low), l.fitClock(b, y, e.high)
	return l.compare(model.OpGe, x, a, e.span), l.compare(model.OpLe, y, b, e.span)
}

func (l *lowerer) between(e *betweenExpr) model.Expr {
	low, high := l.betweenBounds(e)
	if low == nil || high == nil {
		return nil
	}
	op := model.OpAnd
	if e.not {
		op, low, high = model.OpOr, l.negate(low, e.span), l.negate(high, e.span)
	}
	return model.NewBinary(model.At(booleanType, l.pos(e.span)), op, low, high)
}
