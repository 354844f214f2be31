package sqlfront

import (
	"strings"

	"github.com/keyfold-dev/keyfold/internal/diag"
)

// limits that keep recursion and work bounded for any input
const (
	maxDepth = 100   // of nesting
	maxNodes = 20000 // of one statement's expressions
)

// A parser reads one statement. The first mistake is reported and moves it to the end,
// where nothing more is expected of it; so a statement has one syntax error at most and
// no function needs to hand errors on.
type parser struct {
	*statement
	at     int
	depth  int
	nodes  int
	failed bool
	// unqualified drops the tables of columns from the reference statement: SQLite knows
	// no alias in RETURNING.
	unqualified bool
	diags       *diag.List
	params      []*parameter // in order of first appearance
	late        []func()     // rewrites that need the final spelling of what they move
}

func (st *statement) parser(diags *diag.List) *parser {
	return &parser{statement: st, diags: diags}
}

func (p *parser) peek() token { return p.ahead(0) }

func (p *parser) ahead(n int) token { return p.tokens[min(p.at+n, len(p.tokens)-1)] }

func (p *parser) advance() token {
	t := p.peek()
	if p.at < len(p.tokens)-1 {
		p.at++
	}
	return t
}

// since is the span from a token index to here.
func (p *parser) since(from int) span { return span{from, max(p.at, from+1)} }

// here is the span of the next token.
func (p *parser) here() span { return span{p.at, p.at + 1} }

// fail reports the statement's error and gives the statement up.
func (p *parser) fail(code diag.Code, at span, hint, format string, args ...any) {
	if !p.failed && p.tokens[at.from].kind != tokBad {
		p.diags.Errorf(code, p.pos(at), hint, format, args...)
	}
	p.failed = true
	p.at = len(p.tokens) - 1
}

// isWord reports whether the next tokens are these keywords.
func (p *parser) isWord(words ...string) bool {
	for i, w := range words {
		if t := p.ahead(i); t.kind != tokWord || t.text != w {
			return false
		}
	}
	return true
}

// anyWord reports whether the next token is one of these keywords.
func (p *parser) anyWord(words ...string) bool {
	for _, w := range words {
		if p.isWord(w) {
			return true
		}
	}
	return false
}

// accept takes these keywords if they are next.
func (p *parser) accept(words ...string) bool {
	if !p.isWord(words...) {
		return false
	}
	p.at += len(words)
	return true
}

// expect takes these keywords or fails.
func (p *parser) expect(words ...string) {
	for _, w := range words {
		if !p.accept(w) {
			p.unexpected(strings.ToUpper(w), w)
		}
	}
}

func (p *parser) isOp(op string) bool { return p.opAhead(0, op) }

func (p *parser) opAhead(n int, op string) bool {
	t := p.ahead(n)
	return t.kind == tokOp && t.text == op
}

func (p *parser) acceptOp(op string) bool {
	if !p.isOp(op) {
		return false
	}
	p.at++
	return true
}

func (p *parser) expectOp(op string) {
	if !p.acceptOp(op) {
		p.unexpected(`"` + op + `"`)
	}
}

// unexpected reports a syntax error at the next token. Keywords are what could stand
// there; a word close to one of them, or to a clause's keyword, is taken for a slip.
func (p *parser) unexpected(wanted string, keywords ...string) {
	if p.failed {
		return
	}
	t := p.peek()
	if t.kind == tokWord && !reserved[t.text] {
		if w := diag.Nearest(t.text, keywords); w != "" {
			p.misspelled(p.at, w)
			return
		}
		if w := diag.Nearest(t.text, clauseWords); w != "" {
			p.misspelled(p.at, w)
			return
		}
	}
	// In `FROM t WERE x = 1` the slip was read as an alias.
	if p.at > 0 {
		if prev := p.tokens[p.at-1]; prev.kind == tokWord && !reserved[prev.text] {
			if w := diag.Nearest(prev.text, append(keywords, clauseWords...)); w != "" {
				p.misspelled(p.at-1, w)
				return
			}
		}
	}
	if t.kind == tokEnd {
		p.fail(codeSyntax, p.here(), "", "the statement ends where %s is expected", wanted)
		return
	}
	p.fail(codeSyntax, p.here(), "", "expected %s, found %s", wanted, p.spelled(t))
}

func (p *parser) misspelled(at int, word string) {
	p.fail(codeMisspelled, span{at, at + 1}, `did you mean `+strings.ToUpper(word)+`?`, "unexpected %s", p.spelled(p.tokens[at]))
}

// spelled shows a token in a message.
func (p *parser) spelled(t token) string {
	if t.kind == tokEnd {
		return "the end of the statement"
	}
	s := p.text[t.start:t.end]
	if len(s) > 30 {
		s = strings.ToValidUTF8(s[:27], "") + "..."
	}
	return `"` + s + `"`
}

// name reads the name of a thing: a word that is not reserved, or a quoted name.
func (p *parser) name(what string) ident {
	t := p.peek()
	switch {
	case t.kind == tokQuoted, t.kind == tokWord && !reserved[t.text]:
		p.at++
		if t.kind == tokWord && sqliteReserved[t.text] {
			p.replace(p.at-1, `"`+t.text+`"`)
		}
		return ident{t.text, p.at - 1}
	case t.kind == tokWord && nameCouldFollow(p.ahead(1)):
		p.fail(codeReserved, p.here(), `write "`+t.text+`" in double quotes, or choose another name`, "%s is a reserved word and cannot name %s", strings.ToUpper(t.text), what)
	default:
		p.unexpected(what)
	}
	return ident{at: p.at}
}

// nameCouldFollow reports whether a token before t could well have been meant as a name.
func nameCouldFollow(t token) bool {
	switch t.kind {
	case tokOp:
		return strings.Contains("(),=.;", t.text)
	case tokWord, tokEnd:
		return true
	}
	return false
}

// tableName reads [schema.]name; the schema is dropped.
func (p *parser) tableName() ident {
	id := p.name("a table")
	for p.isOp(".") {
		p.remove(span{id.at, p.at + 1})
		p.at++
		id = p.name("a table")
	}
	return id
}

// names reads (a, b, ...).
func (p *parser) names(what string) []ident {
	var out []ident
	p.expectOp("(")
	for !p.failed {
		out = append(out, p.name(what))
		if !p.acceptOp(",") {
			break
		}
	}
	p.expectOp(")")
	return out
}

// skipParens passes over a parenthesised part.
func (p *parser) skipParens() {
	p.expectOp("(")
	for depth := 1; depth > 0 && !p.failed; {
		switch {
		case p.isOp("("):
			depth++
		case p.isOp(")"):
			depth--
		case p.peek().kind == tokEnd || p.peek().kind == tokBad:
			p.unexpected(`")"`)
			return
		}
		p.advance()
	}
}

// end demands the end of the statement. When another statement begins here, only the
// semicolon is missing: the rest is returned to be parsed on its own.
func (p *parser) end() *statement {
	if p.failed || p.peek().kind == tokEnd {
		return nil
	}
	if p.at > 0 && p.anyWord(statementWords...) && p.lineOf(p.peek().start) > p.lineOf(p.tokens[p.at-1].end) {
		end := p.tokens[p.at-1].end
		p.diags.Errorf(codeSemicolon, p.place(end-1, end), `end the statement with ";"`, "missing semicolon before %s", strings.ToUpper(p.peek().text))
		return p.splitRest()
	}
	p.unexpected(`";"`, clauseWords...)
	return nil
}

// splitRest moves the tokens and comments from here on into a statement of their own.
func (p *parser) splitRest() *statement {
	rest := &statement{file: p.file, tokens: append([]token(nil), p.tokens[p.at:]...)}
	rest.output = make([]rewrite, len(rest.tokens))
	var kept []comment
	for _, c := range p.comments {
		if c.next < p.at || c.next == p.at && p.trailing(c) {
			kept = append(kept, c)
			continue
		}
		c.next -= p.at
		rest.comments = append(rest.comments, c)
	}
	end := p.tokens[p.at-1].end
	p.comments = kept
	p.tokens = append(p.tokens[:p.at:p.at], token{kind: tokEnd, start: end, end: end})
	return rest
}

// enter counts one level of nesting and one node; it fails beyond the limits.
func (p *parser) enter() bool {
	p.depth++
	p.nodes++
	if p.depth > maxDepth {
		p.fail(codeTooDeep, p.here(), "", "expression is nested more than %d levels deep", maxDepth)
	} else if p.nodes > maxNodes {
		p.fail(codeTooDeep, p.here(), "", "statement has more than %d expressions", maxNodes)
	}
	return !p.failed
}

func (p *parser) leave() { p.depth-- }
