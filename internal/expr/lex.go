package expr

import (
	"strings"
	"unicode/utf8"
)

type tokenKind uint8

const (
	tokEOF tokenKind = iota
	tokName
	tokNameRef  // #name
	tokValueRef // :value
	tokInt
	tokEq
	tokNe
	tokLt
	tokLe
	tokGt
	tokGe
	tokPlus
	tokMinus
	tokLParen
	tokRParen
	tokLBracket
	tokRBracket
	tokDot
	tokComma
	tokAnd
	tokOr
	tokNot
	tokBetween
	tokIn
	tokSet
	tokRemove
	tokAdd
	tokDelete
	tokUnknown // a character that starts no token
)

type token struct {
	kind       tokenKind
	start, end int
}

// A grammar is one of the three languages of expressions. They share all tokens but the
// keywords.
type grammar uint8

const (
	conditionGrammar grammar = iota
	updateGrammar
	projectionGrammar
)

var keywords = [...]map[string]tokenKind{
	conditionGrammar: {"AND": tokAnd, "OR": tokOr, "NOT": tokNot, "BETWEEN": tokBetween, "IN": tokIn},
	updateGrammar:    {"SET": tokSet, "REMOVE": tokRemove, "ADD": tokAdd, "DELETE": tokDelete},
}

const longestKeyword = len("BETWEEN")

// scan returns the first token of src at or after position at.
func (g grammar) scan(src string, at int) token {
	for at < len(src) && (src[at] == ' ' || src[at] == '\t' || src[at] == '\n' || src[at] == '\r') {
		at++
	}
	if at == len(src) {
		return token{tokEOF, at, at}
	}
	c := src[at]
	switch {
	case isLetter(c):
		end := wordEnd(src, at+1)
		return token{g.word(src[at:end]), at, end}
	case c == '#' || c == ':':
		end := wordEnd(src, at+1)
		switch {
		case end == at+1:
			return token{tokUnknown, at, end}
		case c == '#':
			return token{tokNameRef, at, end}
		}
		return token{tokValueRef, at, end}
	case c >= '1' && c <= '9':
		end := at + 1
		for end < len(src) && isDigit(src[end]) {
			end++
		}
		return token{tokInt, at, end}
	case c == '0':
		return token{tokInt, at, at + 1}
	case c >= utf8.RuneSelf:
		_, size := utf8.DecodeRuneInString(src[at:])
		return token{tokUnknown, at, at + size}
	}
	if at+1 < len(src) {
		switch src[at : at+2] {
		case "<>":
			return token{tokNe, at, at + 2}
		case "<=":
			return token{tokLe, at, at + 2}
		case ">=":
			return token{tokGe, at, at + 2}
		}
	}
	return token{punctuation[c], at, at + 1}
}

var punctuation = func() (t [utf8.RuneSelf]tokenKind) {
	for i := range t {
		t[i] = tokUnknown
	}
	for c, kind := range map[byte]tokenKind{
		'=': tokEq, '<': tokLt, '>': tokGt, '+': tokPlus, '-': tokMinus, '(': tokLParen, ')': tokRParen,
		'[': tokLBracket, ']': tokRBracket, '.': tokDot, ',': tokComma,
	} {
		t[c] = kind
	}
	return t
}()

// word tells keywords, in any case of letters, from names.
func (g grammar) word(s string) tokenKind {
	if len(s) > longestKeyword || g == projectionGrammar {
		return tokName
	}
	var buf [longestKeyword]byte
	if kind, ok := keywords[g][string(upper(buf[:0], s))]; ok {
		return kind
	}
	return tokName
}

func upper(dst []byte, s string) []byte {
	for i := range len(s) {
		c := s[i]
		if c >= 'a' && c <= 'z' {
			c -= 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst
}

func wordEnd(src string, at int) int {
	for at < len(src) && (isLetter(src[at]) || isDigit(src[at]) || src[at] == '_') {
		at++
	}
	return at
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isPlaceholder reports whether s is a placeholder with that first character.
func isPlaceholder(s, sigil string) bool {
	return strings.HasPrefix(s, sigil) && len(s) > 1 && wordEnd(s, 1) == len(s)
}
