package sqlfront

import (
	"maps"
	"slices"

	"github.com/keyfold-dev/keyfold/internal/diag"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// A function is one that expressions may call. Takes is the type of its arguments: text,
// number, or any (all alike).
type function struct {
	name        string // in the model
	least, most int    // arguments
	takes       argumentKind
	aggregate   bool
}

type argumentKind uint8

const (
	takesText argumentKind = iota
	takesNumber
	takesAny
)

var functions = map[string]function{
	"lower": {"lower", 1, 1, takesText, false}, "upper": {"upper", 1, 1, takesText, false},
	"length": {"length", 1, 1, takesText, false}, "char_length": {"length", 1, 1, takesText, false}, "character_length": {"length", 1, 1, takesText, false},
	"abs": {"abs", 1, 1, takesNumber, false}, "coalesce": {"coalesce", 1, 100, takesAny, false},
	"count": {"count", 1, 1, takesAny, true}, "sum": {"sum", 1, 1, takesNumber, true}, "avg": {"avg", 1, 1, takesNumber, true},
	"min": {"min", 1, 1, takesAny, true}, "max": {"max", 1, 1, takesAny, true},
	"now": {"now", 0, 0, takesAny, false}, "transaction_timestamp": {"now", 0, 0, takesAny, false}, "current_timestamp": {"now", 0, 0, takesAny, false},
	"localtimestamp": {"now", 0, 0, takesAny, false}, "current_date": {"now", 0, 0, takesAny, false},
	"gen_random_uuid": {"gen_random_uuid", 0, 0, takesAny, false}, "uuid_generate_v4": {"gen_random_uuid", 0, 0, takesAny, false},
}

// clockTypes are the types of the functions that give the time.
var clockTypes = map[string]model.Type{"current_date": {Kind: model.Date}, "localtimestamp": {Kind: model.Timestamp}}

func (l *lowerer) call(e *callExpr, want *model.Type) model.Expr {
	f, ok := functions[e.name]
	if !ok {
		l.errorf(codeFunction, e.span, orDefault(didYouMean(e.name, slices.Sorted(maps.Keys(functions))), "compute it in the application and pass it as a parameter"), "function %s is not supported", e.name)
		return nil
	}
	if f.aggregate {
		if !l.mayAggregate(e) {
			return nil
		}
		defer func(before aggregateUse) { l.aggregate = before }(l.aggregate)
		l.aggregate = insideAggregate
	}
	if e.star && f.name == "count" {
		return model.NewCall(model.At(bigintType, l.pos(e.span)), "count", nil, true, false)
	}
	if n := len(e.args); e.star || n < f.least || n > f.most || e.distinct && !f.aggregate {
		l.errorf(codeArguments, e.span, "", "%s does not take these arguments", e.name)
		return nil
	}
	args := l.arguments(e, f, want)
	if args == nil && len(e.args) > 0 {
		return nil
	}
	return model.NewCall(model.At(f.result(e.name, args), l.pos(e.span)), f.name, args, false, e.distinct)
}

func (l *lowerer) mayAggregate(e *callExpr) bool {
	switch l.aggregate {
	case noAggregate:
		l.errorf(codeAggregate, e.span, "conditions on aggregates go into HAVING", "the aggregate %s cannot stand here", e.name)
		return false
	case insideAggregate:
		l.errorf(codeAggregate, e.span, "", "aggregates cannot be nested")
		return false
	}
	return true
}

// arguments lowers a call's arguments; it returns nil after an error.
func (l *lowerer) arguments(e *callExpr, f function, want *model.Type) []model.Expr {
	switch f.takes {
	case takesText:
		want = &textType
	case takesNumber:
		if want != nil && !want.IsNumber() {
			want = nil
		}
	}
	if f.name == "count" {
		want = nil
	}
	for _, a := range e.args {
		if !untyped(a) {
			if x := l.quietly(a); x != nil {
				t := x.Type()
				want = &t
			}
			break
		}
	}
	var args []model.Expr
	for _, a := range e.args {
		x := l.expr(a, want)
		if x == nil {
			return nil
		}
		if f.takes == takesText && !l.mustBeText(x, a) || f.takes == takesNumber && !l.mustBeNumber(x, a) {
			return nil
		}
		if len(args) > 0 && !isNull(x) && !comparableTypes(args[0].Type(), x.Type()) {
			l.errorf(codeMismatch, a.tokens(), "", "%s takes values of one type, and these are %s and %s", e.name, args[0].Type(), x.Type())
			return nil
		}
		if (f.name == "min" || f.name == "max") && !l.ordered(x.Type(), a.tokens()) {
			return nil
		}
		args = append(args, x)
	}
	return args
}

// quietly lowers an expression for its type alone.
func (l *lowerer) quietly(e expr) model.Expr {
	probe := *l
	probe.report = new(diag.List)
	return probe.expr(e, nil)
}

// result is the type PostgreSQL gives a call.
func (f function) result(written string, args []model.Expr) model.Type {
	switch f.name {
	case "lower", "upper":
		return textType
	case "length":
		return integerType
	case "count":
		return bigintType
	case "now":
		if t, ok := clockTypes[written]; ok {
			return t
		}
		return model.Type{Kind: model.TimestampTZ}
	case "gen_random_uuid":
		return model.Type{Kind: model.UUID}
	}
	t := args[0].Type()
	for _, a := range args[1:] {
		t = common(t, a.Type())
	}
	switch {
	case f.name == "sum" && t.Kind == model.Integer && t.Bits < 64:
		return bigintType
	case (f.name == "sum" || f.name == "avg") && t.Kind != model.Float:
		return decimalType
	case f.name == "avg":
		return floatType
	}
	return t
}
