package exec

import (
	"errors"
	"fmt"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// A Scope gives meaning to the names in an expression. A nil function makes the names it
// would resolve an error. It is as safe for concurrent use as its functions are.
type Scope struct {
	Column    func(*model.Column) (dynamo.Value, error)
	Param     func(name string) (dynamo.Value, error)
	Aggregate func(*model.Call) (dynamo.Value, error)
	Now       func() dynamo.Value                     // now() as a timestamptz
	UUID      func(*model.Call) (dynamo.Value, error) // gen_random_uuid()
}

// Eval computes an expression as PostgreSQL does: three-valued logic, exact numerics with
// PostgreSQL's scale of quotients, integers that may not overflow, text compared by its
// bytes (COLLATE "C"). NULL is dynamo.Null(). Errors are PostgreSQL's run-time errors
// (division by zero, out of range) and operations that keyfold does not know.
func (s *Scope) Eval(e model.Expr) (dynamo.Value, error) {
	v, err := s.eval(e)
	if err != nil {
		return dynamo.Value{}, err
	}
	if v.IsAbsent() {
		v = dynamo.Null()
	}
	return v, nil
}

func (s *Scope) eval(e model.Expr) (dynamo.Value, error) {
	switch e := e.(type) {
	case *model.Literal:
		return e.Value, nil
	case *model.Column:
		if s.Column == nil {
			return dynamo.Value{}, fmt.Errorf("column %s is not known here", e)
		}
		return s.Column(e)
	case *model.ParamRef:
		if s.Param == nil {
			return dynamo.Value{}, fmt.Errorf("parameter %s is not known here", e)
		}
		return s.Param(e.Name)
	case *model.Unary:
		return s.unary(e)
	case *model.Binary:
		return s.binary(e)
	case *model.In:
		return s.in(e)
	case *model.Call:
		return s.call(e)
	}
	panic("keyfold: internal error: unknown expression")
}

// isTrue evaluates a condition; unknown is not true.
func (s *Scope) isTrue(e model.Expr) (bool, error) {
	v, err := s.Eval(e)
	return v.IsTrue(), err
}

func (s *Scope) unary(e *model.Unary) (dynamo.Value, error) {
	x, err := s.Eval(e.X)
	if err != nil {
		return x, err
	}
	switch {
	case e.Op == model.OpIsNull:
		return dynamo.Bool(x.IsNull()), nil
	case e.Op == model.OpIsNotNull:
		return dynamo.Bool(!x.IsNull()), nil
	case x.IsNull():
		return x, nil
	case e.Op == model.OpNot && x.Type() == dynamo.TypeBool:
		return dynamo.Bool(!x.IsTrue()), nil
	case e.Op == model.OpNeg && x.Type() == dynamo.TypeNumber:
		return compute(e.Type(), model.OpSub, dynamo.Int(0), x)
	}
	return x, mistyped(e, x)
}

func mistyped(e model.Expr, v dynamo.Value) error {
	return fmt.Errorf("%s: not defined for a value of type %s", e, v.Type())
}

func (s *Scope) binary(e *model.Binary) (dynamo.Value, error) {
	l, err := s.Eval(e.Left)
	if err != nil {
		return l, err
	}
	if e.Op == model.OpAnd || e.Op == model.OpOr {
		return s.logical(e, l)
	}
	r, err := s.Eval(e.Right)
	if err != nil || l.IsNull() || r.IsNull() {
		return dynamo.Null(), err
	}
	switch e.Op {
	case model.OpEq, model.OpNe, model.OpLt, model.OpLe, model.OpGt, model.OpGe:
		return compareAs(e.Op, e.Left.Type(), l, e.Right.Type(), r)
	case model.OpConcat:
		return concat(e, l, r)
	case model.OpLike:
		if l.Type() != dynamo.TypeString || r.Type() != dynamo.TypeString {
			return l, mistyped(e, l)
		}
		ok, err := like(l.Str(), r.Str())
		return dynamo.Bool(ok), err
	}
	if l.Type() != dynamo.TypeNumber || r.Type() != dynamo.TypeNumber {
		return l, mistyped(e, l)
	}
	return arithmetic(e, l, r)
}

// logical is AND and OR: a deciding side decides, else unknown wins.
func (s *Scope) logical(e *model.Binary, l dynamo.Value) (dynamo.Value, error) {
	decides := e.Op == model.OpOr
	if !l.IsNull() && l.IsTrue() == decides {
		return l, nil
	}
	r, err := s.Eval(e.Right)
	switch {
	case err != nil:
		return r, err
	case !r.IsNull() && r.IsTrue() == decides:
		return r, nil
	case l.IsNull():
		return l, nil
	}
	return r, nil
}

func (s *Scope) in(e *model.In) (dynamo.Value, error) {
	x, err := s.Eval(e.X)
	if err != nil {
		return x, err
	}
	unknown, compared := false, false
	try := func(t model.Type, v dynamo.Value) (bool, error) {
		compared = true
		if x.IsNull() || v.IsNull() {
			unknown = true
			return false, nil
		}
		eq, err := compareAs(model.OpEq, e.X.Type(), x, t, v)
		return eq.IsTrue(), err
	}
	for _, el := range e.List {
		v, err := s.Eval(el)
		if err != nil {
			return v, err
		}
		t, values := el.Type(), []dynamo.Value{v}
		if _, isParam := el.(*model.ParamRef); isParam && v.Type() == dynamo.TypeList && !e.X.Type().Array {
			t.Array = false
			values = v.Elements()
		}
		for _, v := range values {
			found, err := try(t, v)
			if err != nil || found {
				return dynamo.Bool(found), err
			}
		}
	}
	if unknown && compared {
		return dynamo.Null(), nil
	}
	return dynamo.Bool(false), nil
}

// compareAs compares two values that are not NULL, brought to one type.
func compareAs(op model.Op, lt model.Type, l dynamo.Value, rt model.Type, r dynamo.Value) (dynamo.Value, error) {
	t, l, r, err := unify(lt, l, rt, r)
	if err != nil {
		return dynamo.Value{}, err
	}
	if op == model.OpEq || op == model.OpNe {
		return dynamo.Bool(dynamo.Equal(l, r) == (op == model.OpEq)), nil
	}
	c, err := order(t, l, r)
	if err != nil {
		return dynamo.Value{}, err
	}
	switch op {
	case model.OpLt:
		return dynamo.Bool(c < 0), nil
	case model.OpLe:
		return dynamo.Bool(c <= 0), nil
	case model.OpGt:
		return dynamo.Bool(c > 0), nil
	}
	return dynamo.Bool(c >= 0), nil
}

// unify converts the coarser of two times, or a text that stands for the other side's
// type, so that both values compare.
func unify(lt model.Type, l dynamo.Value, rt model.Type, r dynamo.Value) (t model.Type, a, b dynamo.Value, err error) {
	switch {
	case lt.Kind == rt.Kind || lt.IsNumber() && rt.IsNumber():
		return lt, l, r, nil
	case lt.Kind == model.Text || isTime(lt.Kind) && isTime(rt.Kind) && lt.Kind != widerTime(lt.Kind, rt.Kind):
		l, err = assign(rt, l)
		return rt, l, r, err
	case rt.Kind == model.Text || isTime(lt.Kind) && isTime(rt.Kind):
		r, err = assign(lt, r)
		return lt, l, r, err
	}
	return lt, l, r, fmt.Errorf("cannot compare %s with %s", lt, rt)
}

func isTime(k model.Kind) bool {
	return k == model.Date || k == model.Timestamp || k == model.TimestampTZ
}

func widerTime(a, b model.Kind) model.Kind {
	for _, k := range []model.Kind{model.TimestampTZ, model.Timestamp} {
		if a == k || b == k {
			return k
		}
	}
	return model.Date
}

// order compares two values of one type: -1, 0, +1.
func order(t model.Type, a, b dynamo.Value) (int, error) {
	if t.Array {
		return orderLists(t, a.Elements(), b.Elements())
	}
	switch t.Kind {
	case model.Boolean:
		return truth(a) - truth(b), nil
	case model.Enum:
		return rank(t, a) - rank(t, b), nil
	case model.JSON:
		return 0, errors.New("json has no order here")
	}
	c, ok := dynamo.Compare(a, b)
	if !ok {
		return 0, fmt.Errorf("cannot order %s and %s", a.Type(), b.Type())
	}
	return c, nil
}

// orderLists compares arrays element by element, NULLs last, then by length.
func orderLists(t model.Type, a, b []dynamo.Value) (int, error) {
	t.Array = false
	for i := 0; i < len(a) && i < len(b); i++ {
		if a[i].IsNull() || b[i].IsNull() {
			if a[i].IsNull() != b[i].IsNull() {
				return truth(dynamo.Bool(a[i].IsNull())) - truth(dynamo.Bool(b[i].IsNull())), nil
			}
			continue
		}
		if c, err := order(t, a[i], b[i]); c != 0 || err != nil {
			return c, err
		}
	}
	return len(a) - len(b), nil
}

func truth(v dynamo.Value) int {
	if v.IsTrue() {
		return 1
	}
	return 0
}

func rank(t model.Type, v dynamo.Value) int {
	for i, l := range t.Labels {
		if l == v.Str() {
			return i
		}
	}
	return len(t.Labels)
}

// call evaluates a function.
func (s *Scope) call(e *model.Call) (dynamo.Value, error) {
	switch {
	case e.IsAggregate():
		if s.Aggregate == nil {
			return dynamo.Value{}, fmt.Errorf("%s is not allowed here", e)
		}
		return s.Aggregate(e)
	case e.Func == "now" && s.Now != nil:
		return assign(e.Type(), s.Now())
	case e.Func == "gen_random_uuid" && s.UUID != nil:
		return s.UUID(e)
	case e.Func == "coalesce" || e.Func == "if_not_exists":
		for _, a := range e.Args {
			if v, err := s.Eval(a); err != nil || !v.IsNull() {
				return v, err
			}
		}
		return dynamo.Null(), nil
	}
	if len(e.Args) != 1 {
		return dynamo.Value{}, fmt.Errorf("%s: unknown function", e)
	}
	x, err := s.Eval(e.Args[0])
	if err != nil || x.IsNull() {
		return x, err
	}
	return apply(e, x)
}
