package sqlfront

import (
	"slices"
	"strings"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/diag"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// target brings the table of a write into scope.
func (l *lowerer) target(table ident, alias string) *model.Entity {
	l.writes = true
	if !l.addSource(table, alias) {
		return nil
	}
	return l.sources[0].entity
}

func (l *lowerer) insert(s *insertStmt) *model.Insert {
	e := l.target(s.table, s.alias)
	if e == nil {
		return nil
	}
	columns := s.columns
	if columns == nil {
		for _, a := range e.Attributes[:min(len(e.Attributes), len(s.values))] {
			columns = append(columns, ident{a.Name, s.valuesAt.from})
		}
	}
	if len(columns) != len(s.values) {
		l.errorf(codeCount, s.valuesAt, "", "%s for %s", plural(len(s.values), "value"), plural(len(columns), "column"))
		return nil
	}
	given := map[string]model.Expr{}
	m := &model.Insert{Entity: e.Name}
	visible := l.visible
	l.visible = nil // VALUES cannot name columns
	for i, id := range columns {
		if a := l.assigned(e, id, m.Given); a != nil {
			m.Given = append(m.Given, id.name)
			given[id.name] = l.assign(a, s.values[i])
		}
	}
	l.visible = visible
	if l.stopped() {
		return nil
	}
	l.complete(m, e, given, s)
	if s.conflict != nil {
		m.Conflict = l.conflict(e, s.conflict)
	}
	m.Returning = l.selectList(s.returning)
	if l.stopped() {
		return nil
	}
	return m
}

// complete gives the columns that the statement does not name their defaults.
func (l *lowerer) complete(m *model.Insert, e *model.Entity, given map[string]model.Expr, s *insertStmt) {
	at := span{s.from, s.from + 1}
	var missing, names, values []string
	for _, a := range e.Attributes {
		x := given[a.Name]
		if x == nil {
			x = l.defaultOf(a)
			if isNull(x) && a.NotNull {
				missing = append(missing, a.Name)
			}
			names = append(names, quoteName(a.Name))
			values = append(values, referenceDefault(x))
		}
		m.Values = append(m.Values, &model.Assignment{Attribute: a.Name, Value: x, Pos: x.Pos()})
	}
	if len(missing) > 0 {
		hint := ""
		if t := l.catalog.tables[e.Name]; t.sequences[missing[0]] {
			hint = "DynamoDB has no sequences: pass " + missing[0] + " as a parameter"
		}
		l.errorf(codeNotNull, at, hint, "no value is given for %s, which must not be NULL", strings.Join(missing, ", "))
		return
	}
	if l.final && len(names) > 0 {
		l.spellDefaults(s, m.Given, names, values)
	}
}

// spellDefaults writes the defaults into the reference statement, whose tables have none.
func (l *lowerer) spellDefaults(s *insertStmt, given, names, values []string) {
	switch {
	case len(s.values) == 0:
		l.remove(s.valuesAt)
		l.replace(s.valuesAt.from, "("+strings.Join(names, ", ")+") VALUES ("+strings.Join(values, ", ")+")")
		return
	case s.afterCols >= 0:
		l.output[s.afterCols].after += ", " + strings.Join(names, ", ")
	default:
		var all []string
		for _, g := range given {
			all = append(all, quoteName(g))
		}
		l.output[s.valuesAt.from].before += "(" + strings.Join(append(all, names...), ", ") + ") "
	}
	l.output[s.valuesAt.to-1].before = ", " + strings.Join(values, ", ") + l.output[s.valuesAt.to-1].before
}

// referenceDefault spells a default for the reference database.
func referenceDefault(x model.Expr) string {
	if c, ok := x.(*model.Call); ok {
		return referenceClock(c)
	}
	return referenceLiteral(x.(*model.Literal).Value)
}

// referenceClock spells now() and gen_random_uuid() for the type they are used as.
func referenceClock(c *model.Call) string {
	if c.Func == "gen_random_uuid" {
		return "@uuid"
	}
	switch c.Type().Kind {
	case model.Date:
		return "substr(@now, 1, 10)"
	case model.Timestamp:
		return "substr(@now, 1, 26)"
	case model.Time:
		return "substr(@now, 12, 15)"
	}
	return "@now"
}

// defaultOf is a column's default, or NULL.
func (l *lowerer) defaultOf(a *model.Attribute) model.Expr {
	if a.Default != nil {
		return a.Default
	}
	return model.NewLiteral(model.At(a.Type, diag.Pos{}), dynamo.Null())
}

// assigned finds a column that is given a value, once.
func (l *lowerer) assigned(e *model.Entity, id ident, before []string) *model.Attribute {
	a := e.Attribute(id.name)
	switch {
	case a == nil:
		l.errorf(codeColumn, id.span(), didYouMean(id.name, columnNames(e)), "no column %q in %s", id.name, e.Name)
	case slices.Contains(before, id.name):
		l.errorf(codeTwice, id.span(), "", "column %q is given twice", id.name)
		return nil
	}
	return a
}

// assign lowers the value of a column and fits it to the column's type.
func (l *lowerer) assign(a *model.Attribute, e expr) model.Expr {
	x := l.assignable(a, e)
	if x == nil {
		return nil
	}
	if isNull(x) && a.NotNull {
		l.errorf(codeNotNull, e.tokens(), "", "%s is NOT NULL", a.Name)
		return nil
	}
	if p, ok := x.(*model.ParamRef); ok {
		par := l.named(p.Name)
		par.nullable = par.nullable || !a.NotNull
		par.required = par.required || a.NotNull
	}
	if isNull(x) || storable(x.Type(), a.Type) {
		return x
	}
	if c, ok := x.(*model.Call); ok && clockFits(c, a.Type) {
		return l.retype(c, a.Type, e)
	}
	if p, ok := x.(*model.ParamRef); ok {
		if par := l.named(p.Name); par.typedAt.IsValid() && par.typedAt != p.Pos() {
			l.errorf(codeParamConflict, e.tokens(), "use two parameters", "parameter @%s is %s here and %s in line %d", p.Name, a.Type, p.Type(), par.typedAt.Line)
			return nil
		}
	}
	l.errorf(codeMismatch, e.tokens(), "", "%s is %s, and this is %s", a.Name, a.Type, x.Type())
	return nil
}

// assignable lowers a value with the column's type in view.
func (l *lowerer) assignable(a *model.Attribute, e expr) model.Expr {
	l.nameParam(e, a.Name)
	switch e := e.(type) {
	case *defaultRef:
		x := l.defaultOf(a)
		if l.final {
			l.replace(e.from, referenceDefault(x))
		}
		return x
	case *constant:
		return l.constant(e, &a.Type, true)
	case *prefixExpr:
		if e.op != "NOT" {
			return l.negative(e, &a.Type, true)
		}
	case *callExpr:
		if e.name != "coalesce" && e.name != "abs" {
			return l.expr(e, nil)
		}
	}
	return l.expr(e, &a.Type)
}

// storable reports whether a column of type to takes values of type from as they are.
func storable(from, to model.Type) bool {
	if to.Kind == model.Integer && from.IsNumber() && from.Kind != model.Integer {
		return false
	}
	return comparableTypes(from, to)
}

// clockFits reports whether PostgreSQL converts a function's value when it stores it.
func clockFits(c *model.Call, to model.Type) bool {
	switch c.Func {
	case "now":
		return !to.Array && (to.Kind == model.Timestamp || to.Kind == model.TimestampTZ && c.Type().Kind == model.TimestampTZ || to.Kind == model.Date || to.Kind == model.Time && c.Type().Kind != model.Date)
	case "gen_random_uuid":
		return to.Kind == model.Text && !to.Array && (to.Length == 0 || to.Length >= 36)
	}
	return false
}

// assignments lowers SET.
func (l *lowerer) assignments(e *model.Entity, set []assignment) []*model.Assignment {
	var out []*model.Assignment
	var names []string
	for _, s := range set {
		a := l.assigned(e, s.column, names)
		if a == nil {
			continue
		}
		names = append(names, a.Name)
		if x := l.assign(a, s.value); x != nil {
			out = append(out, &model.Assignment{Attribute: a.Name, Value: x, Pos: l.pos(s.column.span())})
		}
	}
	return out
}

func (l *lowerer) conflict(e *model.Entity, c *conflictClause) *model.Conflict {
	m := &model.Conflict{Pos: l.pos(c.span)}
	if c.constraint != nil {
		m.Target = l.constraintTarget(e, *c.constraint)
	}
	for _, id := range c.target {
		if a := l.assigned(e, id, m.Target); a != nil {
			m.Target = append(m.Target, id.name)
		}
	}
	switch {
	case l.stopped():
		return nil
	case m.Target != nil && l.final && !isKey(e, m.Target):
		l.errorf(codeConflict, c.span, "name the columns of PRIMARY KEY or of a UNIQUE constraint", "(%s) is no unique key of %s", strings.Join(m.Target, ", "), e.Name)
	case m.Target == nil && c.update:
		l.errorf(codeConflict, c.span, "write ON CONFLICT (columns) DO UPDATE", "DO UPDATE needs a conflict target")
	}
	if !c.update {
		return m
	}
	l.sources = append(l.sources, scopeSource{alias: "excluded", entity: e, qualified: true})
	m.Set = l.assignments(e, c.set)
	m.Where = l.conditions(c.where)
	l.sources = l.sources[:1]
	return m
}

// constraintTarget finds the columns of ON CONFLICT ON CONSTRAINT.
func (l *lowerer) constraintTarget(e *model.Entity, id ident) []string {
	named := l.catalog.tables[e.Name].keyNamed
	columns, ok := named[id.name]
	if !ok {
		var names []string
		for n := range named {
			names = append(names, n)
		}
		slices.Sort(names)
		l.errorf(codeConflict, id.span(), didYouMean(id.name, names), "%s has no unique constraint %q", e.Name, id.name)
		return nil
	}
	var quoted []string
	for _, c := range columns {
		quoted = append(quoted, quoteName(c))
	}
	l.remove(span{id.at - 2, id.at})
	l.replace(id.at, "("+strings.Join(quoted, ", ")+")")
	return slices.Clone(columns)
}

func (l *lowerer) update(s *updateStmt) *model.Update {
	e := l.target(s.table, s.alias)
	if e == nil {
		return nil
	}
	m := &model.Update{Entity: e.Name, Set: l.assignments(e, s.set), Where: l.conditions(s.where), Returning: l.selectList(s.returning)}
	if l.stopped() {
		return nil
	}
	return m
}

func (l *lowerer) delete(s *deleteStmt) *model.Delete {
	e := l.target(s.table, s.alias)
	if e == nil {
		return nil
	}
	m := &model.Delete{Entity: e.Name, Where: l.conditions(s.where), Returning: l.selectList(s.returning)}
	if l.stopped() {
		return nil
	}
	return m
}
