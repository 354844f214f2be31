package sqlfront

import (
	"strings"

	"github.com/keyfold-dev/keyfold/internal/diag"
)

// A span is a range of tokens of one statement, to excluded.
type span struct{ from, to int }

func (s span) tokens() span { return s }

// A statement is the tokens between two semicolons, closed by a tokEnd token, with the
// comments that belong to it: those above it, inside it, and behind it on its last line.
type statement struct {
	*file
	tokens   []token
	comments []comment // next counts in tokens
	output   []rewrite // one per token: how it is spelled for the reference database
}

// pos is the place of a span.
func (st *statement) pos(s span) diag.Pos {
	if s.to <= s.from {
		s.to = s.from + 1
	}
	return st.place(st.tokens[s.from].start, st.tokens[s.to-1].end)
}

// source is the text of the statement as written.
func (st *statement) source() string {
	if len(st.tokens) < 2 {
		return ""
	}
	return st.text[st.tokens[0].start:st.tokens[len(st.tokens)-2].end]
}

// statements cuts the file at semicolons, and before a `-- name:` line, which can only
// begin a statement. What follows the last statement comes as a statement without tokens.
func (f *file) statements(diags *diag.List) []*statement {
	annotated := map[int]bool{}
	for _, c := range f.comments {
		if _, ok := annotationText(f.text[c.start:c.end]); ok && !f.trails(c) {
			annotated[c.next] = true
		}
	}
	var out []*statement
	start, taken := 0, 0
	for i := 0; i <= len(f.tokens); i++ {
		last := i == len(f.tokens)
		closed := !last && f.tokens[i].kind == tokOp && f.tokens[i].text == ";"
		if !last && !closed && (i == start || !annotated[i]) {
			continue
		}
		st := f.cut(start, i, &taken)
		out = append(out, st)
		start = i
		switch {
		case closed:
			start = i + 1
		case !last:
			end := f.tokens[i-1].end
			diags.Errorf(codeSemicolon, f.place(end-1, end), `end the statement with ";"`, "missing semicolon before the next query")
		case len(st.tokens) > 1 && taken < len(f.comments):
			out = append(out, f.cut(i, i, &taken))
		}
	}
	return out
}

// cut makes the statement of the tokens from start to end, where a semicolon, the next
// statement or the end of the file is. Taken counts the comments already given away.
func (f *file) cut(start, end int, taken *int) *statement {
	st := &statement{file: f, tokens: append([]token(nil), f.tokens[start:end]...)}
	closed := end < len(f.tokens) && f.tokens[end].text == ";"
	at := len(f.text)
	switch {
	case closed:
		at = f.tokens[end].start
	case end > start:
		at = f.tokens[end-1].end
	}
	st.tokens = append(st.tokens, token{kind: tokEnd, start: at, end: min(at+1, len(f.text))})
	for ; *taken < len(f.comments); *taken++ {
		c := f.comments[*taken]
		if c.next != start && c.next >= end && !(c.next == end && closed) &&
			!(f.trails(c) && (c.next == end || c.next == end+1 && closed)) {
			break
		}
		c.next -= start
		st.comments = append(st.comments, c)
	}
	st.output = make([]rewrite, len(st.tokens))
	return st
}

// trails reports whether the comment stands behind a token on the same line.
func (f *file) trails(c comment) bool {
	return c.next > 0 && f.lineOf(f.tokens[c.next-1].end) == f.lineOf(c.start)
}

// trailing reports whether a comment of the statement stands behind one of its tokens on
// the same line.
func (st *statement) trailing(c comment) bool {
	return c.next > 0 && c.next <= len(st.tokens) && st.lineOf(st.tokens[c.next-1].end) == st.lineOf(c.start)
}

// annotationText returns what follows "name:" in a comment.
func annotationText(text string) (string, bool) {
	body := strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(text, "--"), "/*"), "*/"))
	return strings.CutPrefix(body, "name:")
}
