package sqlfront

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// stringConstant reads 'it”s' or, with escapes, the part of E'...' after the E. Constants
// that follow on a later line belong to the same string, as the SQL standard has it.
func (s *scanner) stringConstant(escapes bool) {
	start := s.at
	if escapes {
		start--
	}
	var b strings.Builder
	for {
		if !s.stringPart(start, escapes, &b) {
			return
		}
		i := s.at
		for i < len(s.text) && isSpace(s.text[i]) {
			i++
		}
		if i == len(s.text) || s.text[i] != '\'' || !strings.Contains(s.text[s.at:i], "\n") {
			break
		}
		s.at = i
	}
	if text := b.String(); !utf8.ValidString(text) || strings.IndexByte(text, 0) >= 0 {
		s.bad(codeEscape, start, s.at, "", "the escapes in this string do not make UTF-8 text")
		return
	}
	s.emit(tokString, b.String(), start)
}

// stringPart reads one quoted part from the opening quote on.
func (s *scanner) stringPart(start int, escapes bool, b *strings.Builder) bool {
	open := s.at
	s.at++
	for s.at < len(s.text) {
		c := s.text[s.at]
		switch {
		case c == '\'' && strings.HasPrefix(s.text[s.at:], "''"):
			b.WriteByte('\'')
			s.at += 2
		case c == '\'':
			s.at++
			return true
		case c == '\\' && escapes:
			if !s.escape(start, b) {
				return false
			}
		default:
			b.WriteByte(c)
			s.at++
		}
	}
	s.bad(codeUnterminated, open, open+1, "close it with ' (a quote inside a string is written '')", "string is not closed")
	return false
}

var simpleEscapes = map[byte]byte{'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escape reads one backslash escape of an E” string.
func (s *scanner) escape(start int, b *strings.Builder) bool {
	from := s.at
	rest := s.text[s.at+1:]
	if rest == "" {
		s.at = len(s.text)
		s.bad(codeUnterminated, start, start+1, "close it with '", "string is not closed")
		return false
	}
	digits, base, least, most := rest[1:], 16, 1, 2
	switch c := rest[0]; {
	case c >= '0' && c <= '7':
		digits, base, most = rest, 8, 3
	case c == 'x':
	case c == 'u':
		least, most = 4, 4
	case c == 'U':
		least, most = 8, 8
	default:
		if r, ok := simpleEscapes[c]; ok {
			c = r
		}
		b.WriteByte(c)
		s.at += 2
		return true
	}
	n := 0
	for n < most && n < len(digits) && digitValue(digits[n]) < base {
		n++
	}
	value, err := strconv.ParseUint(digits[:n], base, 32)
	if n < least || err != nil {
		s.at += 2
		s.bad(codeEscape, from, s.at, `a backslash itself is written \\`, "malformed escape %s", s.text[from:s.at])
		return true
	}
	s.at += 1 + len(rest) - len(digits) + n
	if least > 1 {
		b.WriteRune(rune(value))
	} else {
		b.WriteByte(byte(value))
	}
	return true
}

func digitValue(c byte) int {
	switch {
	case isDigit(c):
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return 99
}

// dollar reads $1, $$...$$ and $tag$...$tag$.
func (s *scanner) dollar() {
	start, rest := s.at, s.text[s.at+1:]
	n := 0
	for n < len(rest) && isDigit(rest[n]) {
		n++
	}
	if n > 0 {
		s.at += 1 + n
		if n > 5 || rest[0] == '0' {
			s.bad(codeNumber, start, s.at, "parameters are $1, $2, ...", "malformed parameter %s", s.text[start:s.at])
			return
		}
		s.emit(tokPositional, rest[:n], start)
		return
	}
	for n < len(rest) && isNameByte(rest[n]) && rest[n] != '$' {
		n++
	}
	if n == len(rest) || rest[n] != '$' {
		s.at++
		s.bad(codeCharacter, start, s.at, "parameters are @name, :name or $1", "unexpected character '$'")
		return
	}
	quote := "$" + rest[:n+1]
	body := rest[n+1:]
	end := strings.Index(body, quote)
	if end < 0 {
		s.at = len(s.text)
		s.bad(codeUnterminated, start, start+len(quote), "close it with "+quote, "dollar-quoted string is not closed")
		return
	}
	s.at += 2*len(quote) + end
	s.emit(tokString, body[:end], start)
}
