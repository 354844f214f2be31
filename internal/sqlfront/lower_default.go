package sqlfront

import "github.com/keyfold-dev/keyfold/internal/model"

// setDefault gives a column its default: a constant, the time, or a random UUID.
func (l *loader) setDefault(p *parser, t *table, a *model.Attribute, e expr) {
	if c, ok := e.(*callExpr); ok && c.name == "nextval" {
		l.sequence(p, t, a, c.span)
		return
	}
	if c, ok := e.(*constant); ok && c.kind == nullConstant {
		a.Default = nil
		return
	}
	low := &lowerer{parser: p, catalog: &l.catalog, report: &l.diags, final: true}
	x := low.assign(&model.Attribute{Name: a.Name, Type: a.Type}, e)
	if x == nil {
		return
	}
	switch c := x.(type) {
	case *model.Literal:
		a.Default = x
		return
	case *model.Call:
		if c.Func == "now" || c.Func == "gen_random_uuid" {
			a.Default = x
			return
		}
	}
	l.diags.Errorf(codeDefault, p.pos(e.tokens()), "compute it in the application and pass it as a parameter", "a DEFAULT must be a constant, now() or gen_random_uuid()")
}

// check lowers a CHECK constraint; its columns are those of the table.
func (l *loader) check(p *parser, t *table, k constraintDef) model.Expr {
	low := &lowerer{parser: p, catalog: &l.catalog, report: &l.diags, final: true}
	low.sources = []scopeSource{{entity: t.entity}}
	for _, a := range t.entity.Attributes {
		low.visible = append(low.visible, visibleColumn{0, a})
	}
	if len(p.params) > 0 {
		l.diags.Errorf(codeSyntax, p.pos(p.params[0].uses[0]), "", "a schema has no parameters")
		return nil
	}
	x := low.condition(k.x)
	if x == nil || low.broken {
		return nil
	}
	return x
}
