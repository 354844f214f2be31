package planner

import (
	"slices"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// A ref is a column of a source of one query.
type ref struct {
	source int
	attr   string
}

// equalities are the classes of columns that a query's conjuncts make equal, and the
// operand that fixes a class. A left join's ON gives its source's columns the value of
// the other side, but not the other way round.
type equalities struct {
	pattern *model.AccessPattern
	parent  map[ref]ref
	operand map[ref]model.Expr // by class root
	derived map[ref]ref        // column of a left-joined source -> column it follows
	local   map[ref]model.Expr // column of a left-joined source -> operand of its ON
	order   []ref              // columns as the conjuncts first name them
	done    map[model.Expr]bool
}

func newEqualities(p *model.AccessPattern, q *model.Query) *equalities {
	eq := &equalities{pattern: p, parent: map[ref]ref{}, operand: map[ref]model.Expr{}, derived: map[ref]ref{},
		local: map[ref]model.Expr{}, done: map[model.Expr]bool{}}
	for _, c := range q.Where {
		if a, b, ok := columnPair(c); ok && !q.Sources[a.source].Left && !q.Sources[b.source].Left {
			eq.see(a, b)
			eq.union(a, b)
			eq.done[c] = true
		}
	}
	for i, s := range q.Sources {
		for _, c := range s.On {
			eq.on(i, c)
		}
	}
	for _, c := range q.Where {
		col, operand, ok := columnOperand(p, c)
		if !ok {
			continue
		}
		eq.see(col)
		if root := eq.find(col); eq.operand[root] == nil {
			eq.operand[root] = operand
			eq.done[c] = true
		}
	}
	return eq
}

func (eq *equalities) on(source int, c model.Expr) {
	if a, b, ok := columnPair(c); ok && (a.source == source) != (b.source == source) {
		if b.source == source {
			a, b = b, a
		}
		if _, taken := eq.derived[a]; !taken {
			eq.see(a)
			eq.derived[a] = b
			eq.done[c] = true
		}
		return
	}
	if col, operand, ok := columnOperand(eq.pattern, c); ok && col.source == source && eq.local[col] == nil {
		eq.see(col)
		eq.local[col] = operand
		eq.done[c] = true
	}
}

func (eq *equalities) see(refs ...ref) {
	for _, r := range refs {
		if !slices.Contains(eq.order, r) {
			eq.order = append(eq.order, r)
		}
	}
}

func (eq *equalities) find(r ref) ref {
	for {
		p, ok := eq.parent[r]
		if !ok || p == r {
			return r
		}
		r = p
	}
}

// union keeps the class of the column seen first as the root.
func (eq *equalities) union(a, b ref) {
	ra, rb := eq.find(a), eq.find(b)
	if ra != rb {
		eq.parent[rb] = ra
	}
}

// fixedTo returns the operand that r must equal, or nil.
func (eq *equalities) fixedTo(r ref) model.Expr {
	if e := eq.local[r]; e != nil {
		return e
	}
	for range len(eq.derived) + 1 {
		if e := eq.operand[eq.find(r)]; e != nil {
			return e
		}
		next, ok := eq.derived[r]
		if !ok {
			return nil
		}
		r = next
	}
	return nil
}

// class names what r equals: the root of its class, through left joins.
func (eq *equalities) class(r ref) ref {
	for range len(eq.derived) + 1 {
		next, ok := eq.derived[r]
		if !ok {
			break
		}
		r = next
	}
	return eq.find(r)
}

// fixedOf returns the columns of a source that are fixed, in written order.
func (eq *equalities) fixedOf(source int) []fixed {
	var out []fixed
	for _, r := range eq.order {
		if r.source != source {
			continue
		}
		if e := eq.fixedTo(r); e != nil {
			out = append(out, fixed{r.attr, e})
		}
	}
	return out
}

// linked returns the columns of a source that equal a column of one of the earlier
// sources, with that column.
func (eq *equalities) linked(source int, earlier func(int) bool) map[string]ref {
	out := map[string]ref{}
	for _, r := range eq.order {
		if r.source != source {
			continue
		}
		for _, o := range eq.order {
			if o.source != source && earlier(o.source) && eq.class(o) == eq.class(r) {
				out[r.attr] = o
				break
			}
		}
	}
	return out
}

// explains reports whether conjunct c is expressed by the classes and operands.
func (eq *equalities) explains(c model.Expr) bool { return eq.done[c] }

// columnPair takes apart a = b over columns of two sources, or of one.
func columnPair(c model.Expr) (a, b ref, ok bool) {
	bin, isBin := c.(*model.Binary)
	if !isBin || bin.Op != model.OpEq {
		return a, b, false
	}
	l, lok := bin.Left.(*model.Column)
	r, rok := bin.Right.(*model.Column)
	if !lok || !rok || l.Source == r.Source {
		return a, b, false
	}
	return ref{l.Source, l.Attribute}, ref{r.Source, r.Attribute}, true
}

// columnOperand takes apart col = operand, col IS NULL, which asks for the
// NULLs as for any other value, and col = ANY(@list), which asks for one after the other.
func columnOperand(p *model.AccessPattern, c model.Expr) (ref, model.Expr, bool) {
	if u, ok := c.(*model.Unary); ok && u.Op == model.OpIsNull {
		col, ok := u.X.(*model.Column)
		if !ok || !keyable(col.Type()) {
			return ref{}, nil, false
		}
		return ref{col.Source, col.Attribute}, model.NewLiteral(model.At(col.Type(), u.Pos()), dynamo.Null()), true
	}
	if in, ok := c.(*model.In); ok {
		col, ok := in.X.(*model.Column)
		if list := listOf(p, in); ok && list != nil && keyable(col.Type()) {
			return ref{col.Source, col.Attribute}, list, true
		}
		return ref{}, nil, false
	}
	bin, ok := c.(*model.Binary)
	if !ok || bin.Op != model.OpEq {
		return ref{}, nil, false
	}
	col, other, _ := columnSide(bin)
	if col == nil || !isOperand(p, other) || !keyable(col.Type()) {
		return ref{}, nil, false
	}
	return ref{col.Source, col.Attribute}, other, true
}

// listOf returns what x IN (...) compares with if the elements can be asked for one after
// the other: the parameter of = ANY(@list), or the condition itself when it lists
// constants. Single parameters may be equal, and their rows would then come twice.
func listOf(p *model.AccessPattern, in *model.In) model.Expr {
	if len(in.List) == 1 {
		if ref, ok := in.List[0].(*model.ParamRef); ok && p.Param(ref.Name) != nil && p.Param(ref.Name).List {
			return ref
		}
	}
	for _, e := range in.List {
		if l, ok := e.(*model.Literal); !ok || l.Value.IsNull() {
			return nil
		}
	}
	return in
}

// elements returns the constants of a list in its order, each once; nil for a parameter.
func elements(list model.Expr) []model.Expr {
	in, ok := list.(*model.In)
	if !ok {
		return nil
	}
	var out []model.Expr
	for _, e := range in.List {
		if !slices.ContainsFunc(out, func(o model.Expr) bool { return o.String() == e.String() }) {
			out = append(out, e)
		}
	}
	return out
}

// columnSide returns the column of a comparison, the other side, and the operator as it
// reads with the column on the left.
func columnSide(b *model.Binary) (*model.Column, model.Expr, model.Op) {
	if c, ok := b.Left.(*model.Column); ok {
		return c, b.Right, b.Op
	}
	c, ok := b.Right.(*model.Column)
	if !ok {
		return nil, nil, b.Op
	}
	flip := map[model.Op]model.Op{model.OpEq: model.OpEq, model.OpNe: model.OpNe, model.OpLt: model.OpGt,
		model.OpLe: model.OpGe, model.OpGt: model.OpLt, model.OpGe: model.OpLe}
	op, known := flip[b.Op]
	if !known {
		return nil, nil, b.Op
	}
	return c, b.Left, op
}

// isOperand reports whether e has one value for the whole call: it names no column, no
// optional and no list parameter.
func isOperand(p *model.AccessPattern, e model.Expr) bool {
	ok := true
	model.Walk(e, func(x model.Expr) bool {
		switch x := x.(type) {
		case *model.Column:
			ok = false
		case *model.ParamRef:
			param := p.Param(x.Name)
			ok = ok && param != nil && !param.Optional && !param.List
		case *model.Literal:
			ok = ok && !x.Value.IsNull()
		case *model.Call:
			ok = ok && !x.IsAggregate()
		}
		return ok
	})
	return ok
}

// likePrefix returns the fixed prefix of a LIKE pattern: 'abc%' or @p || '%'.
func likePrefix(p *model.AccessPattern, pattern model.Expr) (model.Expr, bool) {
	switch x := pattern.(type) {
	case *model.Literal:
		s := x.Value.Str()
		if len(s) < 2 || s[len(s)-1] != '%' || hasWildcard(s[:len(s)-1]) {
			return nil, false
		}
		return model.NewLiteral(model.At(x.Type(), x.Pos()), dynamo.String(s[:len(s)-1])), true
	case *model.Binary:
		tail, ok := x.Right.(*model.Literal)
		if x.Op == model.OpConcat && ok && tail.Value.Str() == "%" && isOperand(p, x.Left) && isPlainText(x.Left) {
			return x.Left, true
		}
	}
	return nil, false
}

// isPlainText reports whether a pattern is made of parameters and of constants without
// wildcards.
func isPlainText(e model.Expr) bool {
	switch e := e.(type) {
	case *model.ParamRef:
		return true
	case *model.Literal:
		return !hasWildcard(e.Value.Str())
	case *model.Binary:
		return e.Op == model.OpConcat && isPlainText(e.Left) && isPlainText(e.Right)
	}
	return false
}

func hasWildcard(s string) bool {
	return slices.ContainsFunc([]byte(s), func(c byte) bool { return c == '%' || c == '_' || c == '\\' })
}
