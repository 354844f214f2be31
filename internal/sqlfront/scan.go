package sqlfront

import (
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/keyfold-dev/keyfold/internal/diag"
)

// A tokenKind says what a token is.
type tokenKind uint8

const (
	tokEnd        tokenKind = iota // the end of a statement
	tokBad                         // could not be read; already reported
	tokWord                        // a name or keyword; text is folded to lower case
	tokQuoted                      // "a quoted name"; text is the name
	tokString                      // a string constant; text is its value
	tokNumber                      // text as written
	tokParam                       // @name or :name; text is the name
	tokPositional                  // $1; text is "1"
	tokOp                          // an operator or a punctuation mark
)

// A token is one lexical element. Start and end are byte offsets in the file.
type token struct {
	kind       tokenKind
	text       string
	start, end int
}

// A comment is a line comment or a block comment. Next is the index of the token that
// follows it.
type comment struct {
	start, end int
	next       int
}

// A file is one scanned source.
type file struct {
	name, text string
	lines      []int // offset of the start of each line
	tokens     []token
	comments   []comment
}

// byteOrderMark begins a file that some editors on Windows save.
const byteOrderMark = "\ufeff"

// place turns byte offsets into a position; the underlined part ends with the first line.
func (f *file) place(start, end int) diag.Pos {
	line := sort.SearchInts(f.lines, start+1) - 1
	if line+1 < len(f.lines) {
		end = min(end, f.lines[line+1]-1)
	}
	column := start - f.lines[line] + 1
	return diag.Pos{File: f.name, Line: line + 1, Column: column,
		EndColumn: max(end-f.lines[line]+1, column+1)}
}

func (f *file) lineOf(offset int) int { return sort.SearchInts(f.lines, offset+1) }

// A scanner reads one file.
type scanner struct {
	*file
	at    int
	diags *diag.List
}

// scan cuts a source into tokens and comments.
func scan(src Source, diags *diag.List) *file {
	f := &file{name: src.Name, text: src.Text, lines: []int{0}}
	for i := 0; i < len(f.text); i++ {
		if f.text[i] == '\n' {
			f.lines = append(f.lines, i+1)
		}
	}
	s := &scanner{file: f, diags: diags}
	if strings.HasPrefix(f.text, byteOrderMark) {
		s.at = len(byteOrderMark)
	}
	if bad := strings.IndexByte(f.text, 0); bad >= 0 || !utf8.ValidString(f.text) {
		s.encoding(bad)
		return f
	}
	for s.next() {
	}
	return f
}

// encoding reports the first byte that is no text; such a file is not read at all.
func (s *scanner) encoding(nul int) {
	at := nul
	for i, r := range s.text {
		if _, size := utf8.DecodeRuneInString(s.text[i:]); r == utf8.RuneError && size == 1 {
			if nul < 0 || i < nul {
				at = i
			}
			break
		}
	}
	s.diags.Errorf(codeEscape, s.place(at, at+1), "save the file as UTF-8", "the file is not UTF-8 text")
}

// next reads one token or comment; it reports whether there was one.
func (s *scanner) next() bool {
	for s.at < len(s.text) && isSpace(s.text[s.at]) {
		s.at++
	}
	if s.at == len(s.text) {
		return false
	}
	start, c, rest := s.at, s.text[s.at], s.text[s.at:]
	switch {
	case strings.HasPrefix(rest, "--"):
		s.lineComment()
	case strings.HasPrefix(rest, "/*"):
		s.blockComment()
	case c == '\\' && (start == 0 || s.text[start-1] == '\n'):
		// A psql command in a dump, such as \connect or \restrict.
		s.at = s.lineEnd()
	case c == '\'':
		s.stringConstant(false)
	case (c == 'e' || c == 'E') && strings.HasPrefix(rest[1:], "'"):
		s.at++
		s.stringConstant(true)
	case isNameStart(c):
		s.word()
	case c == '"':
		s.quotedName()
	case isDigit(c), c == '.' && len(rest) > 1 && isDigit(rest[1]):
		s.number()
	case c == '$':
		s.dollar()
	case (c == '@' || c == ':') && len(rest) > 1 && isNameStart(rest[1]):
		s.at += 1 + nameLength(rest[1:])
		s.emit(tokParam, s.text[start+1:s.at], start)
	default:
		s.operator()
	}
	return true
}

func (s *scanner) emit(kind tokenKind, text string, start int) {
	s.tokens = append(s.tokens, token{kind, text, start, s.at})
}

// bad reports a lexical error; the statement that holds it is not parsed beyond it.
func (s *scanner) bad(code diag.Code, start, end int, hint, format string, args ...any) {
	for i := len(s.tokens) - 1; ; i-- {
		if i < 0 || s.tokens[i].text == ";" && s.tokens[i].kind == tokOp {
			s.diags.Errorf(code, s.place(start, end), hint, format, args...)
			break
		}
		if s.tokens[i].kind == tokBad {
			break // one such error for each statement is enough
		}
	}
	s.emit(tokBad, "", start)
}

func (s *scanner) lineEnd() int {
	if i := strings.IndexByte(s.text[s.at:], '\n'); i >= 0 {
		return s.at + i
	}
	return len(s.text)
}

func (s *scanner) lineComment() {
	start := s.at
	s.at = s.lineEnd()
	s.comments = append(s.comments, comment{start, s.at, len(s.tokens)})
}

// blockComment reads /* ... */, which nests in PostgreSQL.
func (s *scanner) blockComment() {
	start, depth := s.at, 0
	for s.at < len(s.text) {
		switch rest := s.text[s.at:]; {
		case strings.HasPrefix(rest, "/*"):
			depth++
			s.at += 2
		case strings.HasPrefix(rest, "*/"):
			depth--
			s.at += 2
		default:
			s.at++
		}
		if depth == 0 {
			s.comments = append(s.comments, comment{start, s.at, len(s.tokens)})
			return
		}
	}
	s.bad(codeUnterminated, start, start+2, `close it with "*/"`, "comment is not closed")
}

func (s *scanner) word() {
	start := s.at
	s.at += nameLength(s.text[start:])
	text := foldName(s.text[start:s.at])
	if (text == "u" || text == "b" || text == "x" || text == "n") && s.at < len(s.text) {
		if c := s.text[s.at]; c == '\'' || c == '&' && text == "u" && strings.ContainsAny(s.text[s.at+1:min(s.at+2, len(s.text))], `'"`) {
			s.bad(codeCharacter, start, s.at+1, "write a plain string or name", "%s'' and U&\"\" constants are not supported", strings.ToUpper(text))
			s.at++
			return
		}
	}
	s.emit(tokWord, text, start)
}

func (s *scanner) quotedName() {
	start := s.at
	var b strings.Builder
	for i := start + 1; i < len(s.text); i++ {
		if s.text[i] != '"' {
			b.WriteByte(s.text[i])
			continue
		}
		if i+1 < len(s.text) && s.text[i+1] == '"' {
			b.WriteByte('"')
			i++
			continue
		}
		s.at = i + 1
		if b.Len() == 0 {
			s.bad(codeSyntax, start, s.at, "", "a quoted name is empty")
			return
		}
		s.emit(tokQuoted, b.String(), start)
		return
	}
	s.at = len(s.text)
	s.bad(codeUnterminated, start, start+1, `close it with "`, "quoted name is not closed")
}

// number reads 12, 1.5, .5, 1e-6 and 1_000.
func (s *scanner) number() {
	start := s.at
	s.digits()
	if s.at < len(s.text) && s.text[s.at] == '.' {
		s.at++
		s.digits()
	}
	if i := s.at; i < len(s.text) && (s.text[i] == 'e' || s.text[i] == 'E') {
		j := i + 1
		if j < len(s.text) && (s.text[j] == '+' || s.text[j] == '-') {
			j++
		}
		if j < len(s.text) && isDigit(s.text[j]) {
			s.at = j
			s.digits()
		}
	}
	if n := nameLength(s.text[s.at:]); n > 0 {
		s.at += n
		s.bad(codeNumber, start, s.at, "leave a space between a number and a name", "malformed number %s", s.text[start:s.at])
		return
	}
	s.emit(tokNumber, strings.ReplaceAll(s.text[start:s.at], "_", ""), start)
}

func (s *scanner) digits() {
	for s.at < len(s.text) {
		underscore := s.text[s.at] == '_' && s.at > 0 && isDigit(s.text[s.at-1]) && s.at+1 < len(s.text) && isDigit(s.text[s.at+1])
		if !isDigit(s.text[s.at]) && !underscore {
			return
		}
		s.at++
	}
}

// operators are PostgreSQL's, the longer ones first. Those that the grammar does not use
// are read whole, so that the message about them is right.
var operators = []string{
	"->>", "#>>", "!~~*", "!~*", "!~~", "~~*", "<->", "||/",
	"::", "||", "<=", ">=", "<>", "!=", "->", "#>", "#-", "@>", "<@", "@@", "@?", "&&", "?|", "?&", "~*", "!~", "~~", "|/", "<<", ">>", ":=", "=>", "^@",
	"+", "-", "*", "/", "%", "^", "<", ">", "=", "(", ")", "[", "]", ",", ";", ".", "~", "?", "&", "|", "#", "!", ":", "@",
}

func (s *scanner) operator() {
	start, rest := s.at, s.text[s.at:]
	for _, op := range operators {
		if !strings.HasPrefix(rest, op) {
			continue
		}
		if op == "<@" && len(rest) > 2 && isNameStart(rest[2]) {
			op = "<" // x<@name compares with a parameter
		}
		s.at += len(op)
		s.emit(tokOp, op, start)
		return
	}
	r, size := utf8.DecodeRuneInString(rest)
	s.at += size
	hint := ""
	if r == '`' {
		hint = `PostgreSQL quotes names with "double quotes"`
	}
	s.bad(codeCharacter, start, s.at, hint, "unexpected character %q", r)
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }
func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isNameStart follows PostgreSQL, where any byte beyond ASCII is a letter.
func isNameStart(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func isNameByte(c byte) bool { return isNameStart(c) || isDigit(c) || c == '$' }

// nameLength is the length of the name that s begins with, 0 when it begins with none.
func nameLength(s string) int {
	n := 0
	for n < len(s) && (isNameStart(s[n]) || n > 0 && isNameByte(s[n])) {
		n++
	}
	return n
}

// foldName lowers ASCII letters, as PostgreSQL does for names without quotes.
func foldName(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}
