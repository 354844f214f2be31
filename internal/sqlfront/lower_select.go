package sqlfront

import (
	"slices"
	"strconv"

	"github.com/keyfold-dev/keyfold/internal/model"
)

// query lowers a SELECT with its UNION ALL branches.
func (l *lowerer) query(s *selectStmt) *model.Query {
	q := l.branch(s)
	for _, b := range s.union {
		sub := &lowerer{parser: l.parser, catalog: l.catalog, report: l.report, final: l.final}
		branch := sub.branch(b)
		l.broken = l.broken || sub.broken
		if q != nil && branch != nil && !l.stopped() && l.branchesMatch(q, branch, b) {
			q.Union = append(q.Union, branch)
		}
	}
	if q == nil {
		return nil
	}
	l.outputs = q.Columns
	for _, o := range s.orderBy {
		q.OrderBy = append(q.OrderBy, l.ordering(o, len(s.union) > 0))
	}
	q.Limit = l.count(s.limit, "LIMIT")
	q.Offset = l.count(s.offset, "OFFSET")
	if len(s.union) == 0 && l.final && !l.broken {
		l.checkGroups(q)
		l.checkDistinct(q)
	}
	if l.stopped() {
		return nil
	}
	return q
}

// branch lowers SELECT ... HAVING.
func (l *lowerer) branch(s *selectStmt) *model.Query {
	q := &model.Query{Distinct: s.distinct, Pos: l.pos(span{s.from, s.from + 1})}
	if !l.from(s, q) {
		return nil
	}
	q.Where = append(q.Where, l.conditions(s.where)...)
	l.aggregate = mayAggregate
	q.Columns = l.selectList(s.items)
	l.aggregate = noAggregate
	l.outputs = q.Columns
	for _, g := range s.groupBy {
		q.GroupBy = append(q.GroupBy, l.groupTerm(g))
	}
	l.aggregate = mayAggregate
	q.Having = l.conditions(s.having)
	if len(s.union) > 0 && l.final && !l.broken {
		l.checkGroups(q)
	}
	return q
}

// from brings the tables into scope. It reports false when one is unknown, since then
// nothing else can be told.
func (l *lowerer) from(s *selectStmt, q *model.Query) bool {
	ok := true
	for _, f := range s.tables {
		before := len(l.visible)
		if !l.addSource(f.table, f.alias) {
			ok = false
			continue
		}
		src := l.sources[len(l.sources)-1]
		m := &model.Source{Entity: src.entity.Name, Alias: src.alias, Left: f.left, Pos: l.pos(f.table.span())}
		q.Sources = append(q.Sources, m)
		conditions := l.using(f, before)
		if ok {
			l.joining = true
			conditions = append(conditions, l.conditions(f.on)...)
			l.joining = false
		}
		if f.left {
			m.On = conditions
		} else {
			q.Where = append(q.Where, conditions...)
		}
	}
	return ok
}

// using makes conditions of USING (a, b) and shows each of its columns once, first.
func (l *lowerer) using(f fromItem, before int) []model.Expr {
	var out []model.Expr
	var merged []visibleColumn
	for _, id := range f.using {
		left := slices.IndexFunc(l.visible[:before], func(v visibleColumn) bool { return v.attr.Name == id.name })
		right := slices.IndexFunc(l.visible[before:], func(v visibleColumn) bool { return v.attr.Name == id.name })
		if left < 0 || right < 0 {
			l.errorf(codeColumn, id.span(), "", "column %q of USING is not on both sides of the join", id.name)
			continue
		}
		a, b := l.visible[left], l.visible[before+right]
		x := l.compare(model.OpEq, l.columnOf(a.source, a.attr, id.span()), l.columnOf(b.source, b.attr, id.span()), id.span())
		if x != nil {
			out = append(out, x)
		}
		merged = append(merged, a)
		l.visible = slices.Delete(l.visible, before+right, before+right+1)
	}
	rest := slices.DeleteFunc(slices.Clone(l.visible), func(v visibleColumn) bool { return slices.Contains(merged, v) })
	l.visible = append(merged, rest...)
	return out
}

// selectList lowers a select list or RETURNING.
func (l *lowerer) selectList(items []selectItem) []*model.Output {
	var out []*model.Output
	for _, item := range items {
		if star, ok := item.x.(*starRef); ok {
			out = append(out, l.star(star)...)
			continue
		}
		x := l.expr(item.x, nil)
		if x == nil {
			continue
		}
		name := outputName(item.x, len(out))
		if item.alias != nil {
			name = item.alias.name
		}
		out = append(out, &model.Output{Name: name, Expr: x, Type: x.Type(), Pos: l.pos(item.span)})
	}
	renamed := uniqueOutputs(out)
	if l.final && !l.broken {
		l.spellOutputs(items, out, renamed)
	}
	return out
}

func (l *lowerer) star(e *starRef) []*model.Output {
	var out []*model.Output
	only := -1
	if e.table != "" {
		if only = l.sourceNamed(e.table, e.span); only < 0 {
			return nil
		}
		for _, a := range l.sources[only].entity.Attributes {
			out = append(out, &model.Output{Name: a.Name, Expr: l.columnOf(only, a, e.span), Type: a.Type, Pos: l.pos(e.span)})
		}
		return out
	}
	for _, v := range l.visible {
		if !l.sources[v.source].qualified {
			out = append(out, &model.Output{Name: v.attr.Name, Expr: l.columnOf(v.source, v.attr, e.span), Type: v.attr.Type, Pos: l.pos(e.span)})
		}
	}
	return out
}

// outputName is the name of a result column without alias: the column's or the
// function's, else column_ and its position, as sqlc has it.
func outputName(e expr, position int) string {
	switch e := e.(type) {
	case *columnRef:
		return e.column
	case *callExpr:
		return e.name
	case *castExpr:
		return outputName(e.x, position)
	}
	return "column_" + strconv.Itoa(position+1)
}

// uniqueOutputs gives a second column of one name the suffix _2, and so on. It reports
// whether there was any.
func uniqueOutputs(out []*model.Output) bool {
	renamed := false
	taken := map[string]bool{}
	for _, o := range out {
		name := o.Name
		for n := 2; taken[o.Name]; n++ {
			o.Name = name + "_" + strconv.Itoa(n)
			renamed = true
		}
		taken[o.Name] = true
	}
	return renamed
}

// spellOutputs names the result columns in the reference statement wherever SQLite would
// call them otherwise.
func (l *lowerer) spellOutputs(items []selectItem, out []*model.Output, renamed bool) {
	i := 0
	for _, item := range items {
		star, ok := item.x.(*starRef)
		if !ok {
			name := out[i].Name
			_, column := item.x.(*columnRef)
			switch {
			case item.alias == nil && (!column || renamed):
				l.output[item.to-1].after += " AS " + quoteName(name)
			case item.alias != nil && (reserved[name] || sqliteReserved[name] || l.text[l.tokens[item.alias.at].start:l.tokens[item.alias.at].end] != name):
				l.replace(item.alias.at, quoteName(name))
			}
			i++
			continue
		}
		n := len(l.star(star))
		switch {
		case renamed:
			text := ""
			for k, o := range out[i : i+n] {
				if k > 0 {
					text += ", "
				}
				c := o.Expr.(*model.Column)
				if !l.writes {
					text += quoteName(c.Alias) + "."
				}
				text += quoteName(c.Attribute) + " AS " + quoteName(o.Name)
			}
			l.remove(star.span)
			l.replace(star.from, text)
		case l.writes:
			l.remove(star.span)
			l.replace(star.from, "*")
		}
		i += n
	}
}

func (l *lowerer) branchesMatch(q, b *model.Query, s *selectStmt) bool {
	at := span{s.from, s.from + 1}
	if len(q.Columns) != len(b.Columns) {
		l.errorf(codeBranches, at, "", "this branch has %s, the first has %d", plural(len(b.Columns), "column"), len(q.Columns))
		return false
	}
	ok := true
	for i, o := range b.Columns {
		first := q.Columns[i]
		switch {
		case isNull(o.Expr):
		case isNull(first.Expr):
			first.Type = o.Type
		case !comparableTypes(first.Type, o.Type):
			l.broken, ok = true, false
			l.report.Errorf(codeBranches, o.Pos, "", "column %d is %s here and %s in the first branch", i+1, o.Type, first.Type)
		default:
			first.Type = common(first.Type, o.Type)
		}
	}
	return ok
}

// count lowers LIMIT and OFFSET.
func (l *lowerer) count(e expr, word string) model.Expr {
	x := e
	for {
		cast, ok := x.(*castExpr)
		if !ok {
			break
		}
		x = cast.x
	}
	switch x := x.(type) {
	case nil:
		return nil
	case *paramRef:
		p := l.paramValue(x, &bigintType)
		if p != nil && (p.Type().Kind != model.Integer || p.Type().Array) {
			l.errorf(codeMismatch, e.tokens(), "", "%s takes an integer, and @%s is %s", word, l.param(x).name, p.Type())
			return nil
		}
		return p
	case *constant:
		if x.kind == nullConstant {
			l.errorf(codeLimit, e.tokens(), "leave it out", "%s NULL is not supported", word)
			return nil
		}
		if x.kind == numberConstant {
			if _, v, fault := numberLiteral(x.text, &bigintType, true); fault == nil && v.Str() == x.text {
				return model.NewLiteral(model.At(bigintType, l.pos(x.span)), v)
			}
		}
	}
	l.errorf(codeLimit, e.tokens(), "", "%s takes a whole number or a parameter", word)
	return nil
}
