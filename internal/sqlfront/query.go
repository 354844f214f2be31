package sqlfront

import (
	"strings"

	"github.com/keyfold-dev/keyfold/internal/diag"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// An annotation is sqlc's `-- name: GetOrder :one`.
type annotation struct {
	name        string
	cardinality model.Cardinality
	at          diag.Pos // of the name
	mark        diag.Pos // of the cardinality
}

// cardinalities are sqlc's words; rows affected are not counted, so :execrows is :exec.
var cardinalities = map[string]model.Cardinality{":one": model.One, ":many": model.Many, ":exec": model.Exec, ":execrows": model.Exec}

// queryStatement reads one named query.
func (l *loader) queryStatement(st *statement) {
	for st != nil {
		ann, ok := l.annotation(st)
		if len(st.tokens) == 1 {
			if ann != nil {
				l.diags.Errorf(codeNoStatement, ann.at, "", "query %q has no statement", ann.name)
			} else if ok {
				misplaced(st, &l.diags, st.hints())
			}
			return
		}
		p := st.parser(&l.diags)
		node := p.querySyntax()
		rest := p.end()
		if ann == nil && ok && !p.failed {
			l.diags.Errorf(codeUnnamed, p.pos(span{0, 1}), "write -- name: SomeName :one, :many or :exec above it", "the statement has no name")
		}
		if !p.failed && node != nil {
			l.pattern(p, node, ann)
		}
		st = rest
	}
}

// annotation finds the statement's annotation. Ok is false when there is a bad one.
func (l *loader) annotation(st *statement) (ann *annotation, ok bool) {
	ok = true
	for _, c := range st.comments {
		rest, is := annotationText(st.text[c.start:c.end])
		if !is {
			continue
		}
		a := l.parseAnnotation(st, c, rest)
		ok = ok && a != nil
		if ann != nil && a != nil {
			l.diags.Errorf(codeNoStatement, ann.at, "", "query %q has no statement", ann.name)
		}
		if a != nil {
			ann = a
		}
	}
	return ann, ok
}

func (l *loader) parseAnnotation(st *statement, c comment, rest string) *annotation {
	words := strings.Fields(rest)
	place := func(word string) diag.Pos {
		i := c.start + strings.Index(st.text[c.start:c.end], "name:") + len("name:")
		i += strings.Index(st.text[i:c.end], word)
		return st.place(i, i+len(word))
	}
	bad := func(at diag.Pos, hint, text string) *annotation {
		l.diags.Errorf(codeAnnotation, at, hint, "%s", text)
		return nil
	}
	const form = "write -- name: SomeName :one, :many or :exec"
	switch {
	case len(words) == 0:
		return bad(st.place(c.start, c.end), form, "the annotation has no name")
	case nameLength(words[0]) != len(words[0]):
		return bad(place(words[0]), "use letters, digits and _", "malformed query name "+words[0])
	case len(words) == 1:
		return bad(place(words[0]), form, "the annotation does not say what the query returns")
	}
	card, known := cardinalities[words[1]]
	if !known {
		hint := didYouMean(words[1], []string{":one", ":many", ":exec"})
		if strings.HasPrefix(words[1], ":exec") || strings.HasPrefix(words[1], ":batch") || words[1] == ":copyfrom" {
			hint = "sqlc's " + words[1] + " is not supported; use :exec"
		}
		return bad(place(words[1]), orDefault(hint, form), words[1]+" is not one of :one, :many, :exec")
	}
	return &annotation{words[0], card, place(words[0]), place(words[1])}
}

// querySyntax reads one statement of a query file.
func (p *parser) querySyntax() any {
	switch {
	case p.isWord("select"), p.isOp("("):
		return p.selectStatement()
	case p.isWord("insert"):
		return p.insertStatement()
	case p.isWord("update"):
		return p.updateStatement()
	case p.isWord("delete"):
		return p.deleteStatement()
	case p.isWord("with"):
		p.fail(codeWith, p.here(), "join the tables in FROM, or make the parts queries of their own", "WITH is not supported")
	case p.anyWord("create", "alter", "drop", "comment"):
		p.fail(codeWrongFile, p.here(), "move it to the schema file", "%s does not belong in the queries file", strings.ToUpper(p.peek().text))
	case p.anyWord("set", "begin", "commit", "rollback", "explain", "truncate", "merge", "call", "do", "copy", "lock", "values", "table", "listen", "notify", "vacuum", "analyze", "grant", "revoke"):
		p.refuseStatement("queries are SELECT, INSERT, UPDATE and DELETE")
	default:
		p.unexpected("SELECT, INSERT, UPDATE or DELETE", "select", "insert", "update", "delete", "with")
	}
	return nil
}

// pattern lowers a statement to an access pattern and adds it to the model.
func (l *loader) pattern(p *parser, node any, ann *annotation) {
	m := &model.AccessPattern{SQL: p.source()}
	ok := twice(p, &l.catalog, &l.diags, func(low *lowerer) {
		switch n := node.(type) {
		case *selectStmt:
			m.Query = low.query(n)
		case *insertStmt:
			m.Insert = low.insert(n)
		case *updateStmt:
			m.Update = low.update(n)
		case *deleteStmt:
			m.Delete = low.delete(n)
		}
	})
	l.queryHints(p.statement, m)
	if ann == nil || !l.annotate(m, ann) || !ok {
		return
	}
	m.Params = p.modelParams()
	p.spellParams()
	for _, f := range p.late {
		f()
	}
	m.Reference = p.rewritten(span{0, len(p.tokens) - 1})
	l.model.Patterns = append(l.model.Patterns, m)
}

func (l *loader) queryHints(st *statement, m *model.AccessPattern) {
	for _, h := range st.hints() {
		h.apply(st, &l.diags, "a query", queryRules(&m.Hints))
	}
	assumeHints(&m.Hints)
}

// annotate names the pattern and checks that its cardinality fits the statement.
func (l *loader) annotate(m *model.AccessPattern, ann *annotation) bool {
	if at, dup := l.named[ann.name]; dup {
		l.diags.Errorf(codeDuplicate, ann.at, "", "query %q is defined twice, first in line %d", ann.name, at.Line)
		return false
	}
	l.named[ann.name] = ann.at
	m.Name, m.Cardinality, m.Pos = ann.name, ann.cardinality, ann.at
	returns := m.Query != nil || len(returningOf(m)) > 0
	switch {
	case m.Query == nil && m.Insert == nil && m.Update == nil && m.Delete == nil:
		return false
	case m.Query != nil && ann.cardinality == model.Exec:
		l.diags.Errorf(codeCardinality, ann.mark, "use :one or :many", "a SELECT returns rows, which :exec does not")
		return false
	case !returns && ann.cardinality != model.Exec:
		l.diags.Errorf(codeCardinality, ann.mark, "use :exec, or add RETURNING", "a write without RETURNING returns no rows, which %s needs", ann.cardinality)
		return false
	}
	return true
}

// returningOf is what a write returns.
func returningOf(m *model.AccessPattern) []*model.Output {
	switch {
	case m.Insert != nil:
		return m.Insert.Returning
	case m.Update != nil:
		return m.Update.Returning
	case m.Delete != nil:
		return m.Delete.Returning
	}
	return nil
}
