package sqlfront

import (
	"slices"
	"strconv"
	"strings"

	"github.com/keyfold-dev/keyfold/internal/diag"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// A lowerer turns the syntax of one statement into the model. The first of its two runs
// reports nothing; it collects what is known of the parameters.
type lowerer struct {
	*parser
	catalog *catalog
	report  *diag.List
	final   bool // the second run
	broken  bool // an error was found

	sources   []scopeSource
	visible   []visibleColumn
	aggregate aggregateUse
	outputs   []*model.Output // for ORDER BY and GROUP BY
	writes    bool            // the statement is a write
	joining   bool            // in ON, which does not see the tables that follow
}

// A scopeSource is a table that columns may come from.
type scopeSource struct {
	alias     string
	entity    *model.Entity
	qualified bool // only alias.column names its columns
}

// A visibleColumn is a column that * shows and a bare name finds.
type visibleColumn struct {
	source int
	attr   *model.Attribute
}

// An aggregateUse says whether aggregates may stand here.
type aggregateUse uint8

const (
	noAggregate     aggregateUse = iota // in WHERE, ON, SET, CHECK
	mayAggregate                        // in the select list, HAVING, ORDER BY
	insideAggregate                     // in the argument of one
)

// errorf reports an error in the statement.
func (l *lowerer) errorf(code diag.Code, at span, hint, format string, args ...any) {
	l.broken = true
	l.report.Errorf(code, l.pos(at), hint, format, args...)
}

// twice runs a lowering two times: to learn the parameters' types, then for good. It
// reports whether the second run found no error.
func twice(p *parser, c *catalog, report *diag.List, run func(l *lowerer)) bool {
	var ignored diag.List
	run(&lowerer{parser: p, catalog: c, report: &ignored})
	nameParams(p.params)
	for _, par := range p.params {
		par.optional = par.narg && par.condition || par.guarded > 0 && par.guarded == len(par.uses)
	}
	l := &lowerer{parser: p, catalog: c, report: report, final: true}
	run(l)
	if !l.broken {
		l.checkClock()
	}
	return !l.broken
}

// checkClock refuses a parameter whose name the reference statement needs for itself.
func (l *lowerer) checkClock() {
	for _, par := range l.params {
		if par.name != "now" && par.name != "uuid" {
			continue
		}
		for i, r := range l.output {
			if r.set && (r.text == "@"+par.name || len(r.text) > 6 && r.text[:6] == "substr" && par.name == "now") && !l.usedAt(par, i) {
				l.errorf(codeParamUse, par.uses[0], "give the parameter another name", "parameter @%s cannot stand beside the function of that meaning", par.name)
				return
			}
		}
	}
}

func (l *lowerer) usedAt(par *parameter, token int) bool {
	return slices.ContainsFunc(par.uses, func(s span) bool { return token >= s.from && token < s.to })
}

// plural spells a number of things.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}

// stopped reports whether the statement is lost. The first run never is: what follows a
// mistake may still say what type a parameter has. Expressions that it cannot type yet
// are nil there.
func (l *lowerer) stopped() bool { return l.final && l.broken }

// addSource brings a table into scope; it reports whether that went well.
func (l *lowerer) addSource(table ident, alias string) bool {
	t := l.catalog.find(l.statement, table, l.report)
	if t == nil {
		l.broken = true
		return false
	}
	if alias == "" {
		alias = table.name
	}
	for _, s := range l.sources {
		if s.alias == alias {
			l.errorf(codeDuplicate, table.span(), "give one of them an alias", "%q is in FROM twice", alias)
			return false
		}
	}
	l.sources = append(l.sources, scopeSource{alias: alias, entity: t.entity})
	for _, a := range t.entity.Attributes {
		l.visible = append(l.visible, visibleColumn{len(l.sources) - 1, a})
	}
	return true
}

// column resolves a column's name.
func (l *lowerer) column(e *columnRef) model.Expr {
	if e.table != "" {
		return l.qualifiedColumn(e)
	}
	found := -1
	for i, v := range l.visible {
		if v.attr.Name != e.column {
			continue
		}
		if found >= 0 {
			a, b := l.sources[l.visible[found].source].alias, l.sources[v.source].alias
			l.errorf(codeAmbiguous, e.span, "write "+a+"."+e.column+" or "+b+"."+e.column, "column %q is in %s and in %s", e.column, a, b)
			return nil
		}
		found = i
	}
	if found < 0 {
		l.unknownColumn(e)
		return nil
	}
	v := l.visible[found]
	if l.joining && l.final {
		l.qualify(e, l.sources[v.source].alias)
	}
	return l.columnOf(v.source, v.attr, e.span)
}

// qualify writes a column's table into the reference statement: in ON, SQLite sees the
// tables that follow as well.
func (l *lowerer) qualify(e *columnRef, alias string) {
	at := e.from
	for l.tokens[at].kind == tokOp { // parentheses
		at++
	}
	if name := quoteName(alias) + "."; !strings.HasSuffix(l.output[at].before, name) {
		l.output[at].before += name
	}
}

func (l *lowerer) columnOf(source int, a *model.Attribute, at span) model.Expr {
	return model.NewColumn(model.At(a.Type, l.pos(at)), source, l.sources[source].alias, a.Name)
}

func (l *lowerer) unknownColumn(e *columnRef) {
	var names []string
	for _, v := range l.visible {
		names = append(names, v.attr.Name)
	}
	hint := didYouMean(e.column, names)
	if l.tokens[e.from].kind == tokQuoted && hint == "" {
		hint = "strings are written in single quotes"
	}
	where := "any table of FROM"
	if len(l.sources) == 1 {
		where = l.sources[0].entity.Name
	}
	l.errorf(codeColumn, e.span, hint, "no column %q in %s", e.column, where)
}

func (l *lowerer) qualifiedColumn(e *columnRef) model.Expr {
	i := l.sourceNamed(e.table, e.span)
	if i < 0 {
		return nil
	}
	a := l.sources[i].entity.Attribute(e.column)
	if a == nil {
		l.errorf(codeColumn, e.span, didYouMean(e.column, columnNames(l.sources[i].entity)), "no column %q in %s", e.column, l.sources[i].entity.Name)
		return nil
	}
	return l.columnOf(i, a, e.span)
}

// sourceNamed finds a source by its alias or reports that there is none.
func (l *lowerer) sourceNamed(name string, at span) int {
	var aliases []string
	for i, s := range l.sources {
		if s.alias == name {
			return i
		}
		aliases = append(aliases, s.alias)
	}
	hint := didYouMean(name, aliases)
	for _, s := range l.sources {
		if s.entity.Name == name {
			hint = name + " is called " + s.alias + " here"
		}
	}
	l.errorf(codeTable, at, hint, "no table or alias %q in this statement", name)
	return -1
}
