package sqlfront

import (
	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/diag"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// named finds a parameter by its name in the model.
func (l *lowerer) named(name string) *parameter {
	for _, par := range l.params {
		if par.name == name {
			return par
		}
	}
	return nil
}

// paramValue lowers a parameter. The first run learns its type from want; the second
// reports a parameter that nothing gave a type.
func (l *lowerer) paramValue(e *paramRef, want *model.Type) model.Expr {
	par := l.param(e)
	if want != nil {
		l.learn(par, *want, l.pos(e.span))
	}
	if !par.known {
		if l.final && !l.broken { // an error before may be the reason
			l.errorf(codeParamType, e.span, "write @"+par.name+"::type", "the type of parameter @%s cannot be told", par.name)
		}
		return nil
	}
	t := par.typ
	if par.list {
		if want != nil && !want.Array {
			l.errorf(codeParamUse, e.span, "use two parameters", "parameter @%s is a list, and one value is needed here", par.name)
			return nil
		}
		t.Array = true
	}
	return model.NewParamRef(model.At(t, l.pos(e.span)), par.name)
}

// learn notes that a parameter stands where a type is wanted. Numbers widen; another kind
// is a conflict, which the second run finds at the place of use.
func (l *lowerer) learn(par *parameter, want model.Type, at diag.Pos) {
	if l.final {
		return
	}
	if par.list {
		want.Array = false
	}
	switch {
	case !par.known:
		par.typ, par.known, par.typedAt = want, true, at
	case par.typ.IsNumber() && want.IsNumber():
		par.typ = widest(par.typ, want)
	case par.typ.Kind == model.Text && want.Kind == model.Text && par.typ.Length != want.Length:
		par.typ.Length = 0
	}
}

// constant lowers a constant. With assign it is fitted to the column it is stored in.
func (l *lowerer) constant(e *constant, want *model.Type, assign bool) model.Expr {
	t := textType
	if want != nil {
		t = *want
	}
	var v dynamo.Value
	var fault *literalFault
	switch e.kind {
	case nullConstant:
		return model.NewLiteral(model.At(t, l.pos(e.span)), dynamo.Null())
	case trueConstant, falseConstant:
		t, v = booleanType, dynamo.Bool(e.kind == trueConstant)
	case numberConstant:
		t, v, fault = numberLiteral(e.text, want, assign)
	case stringConstant:
		v, fault = stringLiteral(e.text, t, assign)
	}
	if fault != nil {
		l.errorf(fault.code, e.span, fault.hint, "%s", fault.text)
		return nil
	}
	x := model.NewLiteral(model.At(t, l.pos(e.span)), v)
	l.spellLiteral(e.span, x)
	return x
}

// spellLiteral gives a constant its canonical form in the reference statement.
func (l *lowerer) spellLiteral(at span, x *model.Literal) {
	if !l.final {
		return
	}
	l.remove(at)
	l.replace(at.from, referenceLiteral(x.Value))
}

// cast lowers x::type: constants are converted, parameters take the type, and other
// expressions must not change by it.
func (l *lowerer) cast(e *castExpr) model.Expr {
	to, ok := l.catalog.resolve(e.to, l.statement, l.report)
	if !ok {
		l.broken = true
		return nil
	}
	inner := e.x
	if c, ok := inner.(*castExpr); ok && !isColumnCast(c) {
		// '1'::text::integer: what the inner cast gives is converted again.
		x := l.cast(c)
		return l.castValue(x, to, e)
	}
	switch x := inner.(type) {
	case *paramRef:
		return l.paramValue(x, &to)
	case *arrayExpr:
		return l.arrayConstant(x, &to)
	case *constant:
		if x.kind == stringConstant || x.kind == nullConstant || x.kind == numberConstant && to.IsNumber() {
			return l.constant(x, &to, true)
		}
	case *prefixExpr:
		if c, ok := x.x.(*constant); ok && x.op != "NOT" && c.kind == numberConstant && to.IsNumber() {
			return l.negative(x, &to, true)
		}
	}
	return l.castValue(l.expr(inner, nil), to, e)
}

// isColumnCast reports whether a cast is of something other than a constant or parameter.
func isColumnCast(e *castExpr) bool {
	switch x := e.x.(type) {
	case *constant, *paramRef:
		return false
	case *castExpr:
		return isColumnCast(x)
	}
	return true
}

// castValue casts what has a type already.
func (l *lowerer) castValue(x model.Expr, to model.Type, e *castExpr) model.Expr {
	if x == nil {
		return nil
	}
	from := x.Type()
	if v, ok := x.(*model.Literal); ok && !from.Array && !to.Array {
		text := v.Value.Str()
		if v.Value.Type() == dynamo.TypeBool {
			text = v.String()
		}
		if value, fault := stringLiteral(text, to, true); fault == nil && v.Value.Type() != dynamo.TypeBinary {
			out := model.NewLiteral(model.At(to, l.pos(e.span)), value)
			l.spellLiteral(e.span, out)
			return out
		}
	}
	if from.Kind == to.Kind && from.Array == to.Array && from.Name == to.Name && !narrows(from, to) {
		return x
	}
	hint := "store the value in the form in which it is asked for"
	l.errorf(codeCast, e.span, hint, "a cast of %s to %s is not supported", from, to)
	return nil
}

// narrows reports whether a cast within one kind can change a value.
func narrows(from, to model.Type) bool {
	switch to.Kind {
	case model.Text:
		return to.Length > 0 && (from.Length == 0 || from.Length > to.Length)
	case model.Integer:
		return from.Bits > to.Bits
	case model.Decimal:
		return to.Precision > 0 && (from.Precision == 0 || from.Scale > to.Scale || from.Precision-from.Scale > to.Precision-to.Scale)
	}
	return false
}

// arrayConstant lowers ARRAY[...] of constants.
func (l *lowerer) arrayConstant(e *arrayExpr, want *model.Type) model.Expr {
	t := textType
	var element *model.Type
	if want != nil && want.Array {
		t = *want
		t.Array = false
		element = &t
	}
	var values []dynamo.Value
	for i, item := range e.list {
		x := l.expr(item, element)
		if x == nil {
			return nil
		}
		v, ok := x.(*model.Literal)
		if !ok {
			l.errorf(codeExpression, item.tokens(), "pass the whole array as one parameter", "an ARRAY of anything but constants is not supported")
			return nil
		}
		if i == 0 && element == nil {
			t = x.Type()
			element = &t
		}
		if !isNull(x) && !comparableTypes(t, x.Type()) {
			l.errorf(codeMismatch, item.tokens(), "", "an element of this array is %s, and this is %s", t, x.Type())
			return nil
		}
		values = append(values, v.Value)
	}
	t.Array = true
	out := model.NewLiteral(model.At(t, l.pos(e.span)), dynamo.List(values...))
	l.spellLiteral(e.span, out)
	return out
}
