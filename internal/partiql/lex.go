package partiql

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

type tokenKind uint8

const (
	tokEnd tokenKind = iota
	tokName
	tokQuoted // a name in double quotes
	tokKeyword
	tokString
	tokNumber
	tokIon // text in back quotes
	tokPunctuation
)

// A token is a piece of a statement. Text is what it stands for: keywords are in capital
// letters, quotes are removed.
type token struct {
	kind       tokenKind
	text       string
	start, end int
	at         position
}

// keywords are the words that are no names unless quoted. They are those that DynamoDB Local
// refuses as names, and far fewer than the reserved words of expressions.
var keywords = func() map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(`
		ABSOLUTE ACTION ADD ALL ALLOCATE ALTER AND ANY ARE AS ASC ASSERTION AT AUTHORIZATION AVG BAG BEGIN BETWEEN BIT
		BLOB BOOL BOOLEAN BY CASCADE CASCADED CASE CAST CATALOG CHAR CHARACTER CHECK CLOB CLOSE COALESCE COLLATE COLLATION
		COLUMN COMMIT CONFLICT CONNECT CONNECTION CONSTRAINT CONSTRAINTS CONTINUE CONVERT CORRESPONDING COUNT CREATE CROSS
		CURRENT CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP CURRENT_USER CURSOR DATE DEALLOCATE DEC DECIMAL DECLARE DEFAULT
		DEFERRABLE DEFERRED DELETE DESC DESCRIBE DESCRIPTOR DIAGNOSTICS DISCONNECT DISTINCT DO DOMAIN DOUBLE DROP ELSE END
		ESCAPE EXCEPT EXCEPTION EXEC EXECUTE EXISTS EXTERNAL EXTRACT FALSE FETCH FIRST FLOAT FOR FOREIGN FOUND FROM FULL GET
		GLOBAL GO GOTO GRANT GROUP HAVING IDENTITY IMMEDIATE IN INDEX INDICATOR INITIALLY INNER INPUT INSENSITIVE INSERT INT
		INTEGER INTERSECT INTERVAL INTO IS ISOLATION JOIN KEY LANGUAGE LAST LEFT LET LEVEL LIKE LIMIT LIST LOCAL LOWER MATCH
		MAX MIN MISSING MODIFIED MODULE NAMES NATIONAL NATURAL NCHAR NEW NEXT NO NOT NOTHING NULL NULLIF NUMERIC OF OLD ON
		ONLY OPEN OPTION OR ORDER OUTER OUTPUT OVERLAPS PAD PARTIAL PIVOT POSITION PRECISION PREPARE PRESERVE PRIMARY PRIOR
		PRIVILEGES PROCEDURE PUBLIC READ REAL REFERENCES RELATIVE REMOVE RESTRICT RETURNING REVOKE RIGHT ROLLBACK ROWS
		SCHEMA SCROLL SECTION SELECT SESSION SESSION_USER SET SEXP SIZE SMALLINT SOME SPACE SQL SQLCODE SQLERROR SQLSTATE
		STRING STRUCT SUBSTRING SUM SYMBOL SYSTEM_USER TABLE TEMPORARY THEN TIME TIMESTAMP TO TRANSACTION TRANSLATE
		TRANSLATION TRIM TRUE TUPLE UNION UNIQUE UNKNOWN UNPIVOT UPDATE UPPER USAGE USER USING VALUE VALUES VARCHAR VARYING
		VIEW WHEN WHENEVER WHERE WITH WORK WRITE ZONE`) {
		set[word] = true
	}
	return set
}()

// functionWords are the keywords that may stand as the name of a function.
var functionWords = map[string]bool{"SIZE": true, "EXISTS": true, "COALESCE": true, "LOWER": true, "UPPER": true,
	"NULLIF": true, "TRIM": true, "AVG": true, "COUNT": true, "MAX": true, "MIN": true, "SUM": true}

// A lexer cuts a statement into tokens.
type lexer struct {
	src string
	at  int

	// The place of the position that was last told.
	told, line, column int
}

// lex returns the tokens of src, the last of which is the end. ok is false when there is
// something that starts no token, or a quote or a comment that does not end.
func lex(src string) (tokens []token, ok bool) {
	l := lexer{src: src, line: 1, column: 1}
	for {
		if !l.skip() {
			return nil, false
		}
		t, ok := l.token()
		if !ok {
			return nil, false
		}
		tokens = append(tokens, t)
		if t.kind == tokEnd {
			return tokens, true
		}
	}
}

// skip passes over space and comments.
func (l *lexer) skip() bool {
	for l.at < len(l.src) {
		rest := l.src[l.at:]
		switch {
		case strings.ContainsRune(" \t\r\n\f\v", rune(rest[0])):
			l.at++
		case strings.HasPrefix(rest, "--"):
			end := strings.IndexByte(rest, '\n')
			if end < 0 {
				end = len(rest)
			}
			l.at += end
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				return false
			}
			l.at += end + len("/**/")
		default:
			return true
		}
	}
	return true
}

func (l *lexer) token() (token, bool) {
	if l.at == len(l.src) {
		return l.make(tokEnd, "", l.at), true
	}
	c := l.src[l.at]
	switch {
	case isNameStart(c):
		return l.word(), true
	case c == '\'':
		return l.quoted(tokString, c)
	case c == '"':
		return l.quoted(tokQuoted, c)
	case c == '`':
		return l.quoted(tokIon, c)
	case isDigit(c), c == '.' && l.at+1 < len(l.src) && isDigit(l.src[l.at+1]):
		return l.number()
	}
	return l.punctuation()
}

// make ends a token at position end.
func (l *lexer) make(kind tokenKind, text string, end int) token {
	passed := l.src[l.told:l.at]
	if line := strings.LastIndexByte(passed, '\n'); line >= 0 {
		l.line += strings.Count(passed, "\n")
		l.column, passed = 1, passed[line+1:]
	}
	l.column += utf8.RuneCountInString(passed)
	t := token{kind: kind, text: text, start: l.at, end: end,
		at: position{l.line, l.column, utf8.RuneCountInString(l.src[l.at:end])}}
	l.told, l.at = l.at, end
	return t
}

func (l *lexer) word() token {
	end := l.at + 1
	for end < len(l.src) && (isNameStart(l.src[end]) || isDigit(l.src[end])) {
		end++
	}
	text := l.src[l.at:end]
	if upper := strings.ToUpper(text); keywords[upper] {
		return l.make(tokKeyword, upper, end)
	}
	return l.make(tokName, text, end)
}

// quoted reads text in quotes; a quote inside it is doubled.
func (l *lexer) quoted(kind tokenKind, quote byte) (token, bool) {
	var text strings.Builder
	for i := l.at + 1; i < len(l.src); i++ {
		if l.src[i] != quote {
			text.WriteByte(l.src[i])
			continue
		}
		if i+1 < len(l.src) && l.src[i+1] == quote {
			text.WriteByte(quote)
			i++
			continue
		}
		if !utf8.ValidString(text.String()) {
			return token{}, false
		}
		return l.make(kind, text.String(), i+1), true
	}
	return token{}, false
}

// number reads a number without a sign. The service reads it as a Java BigDecimal, whose
// exponent and scale are integers of 32 bits.
func (l *lexer) number() (token, bool) {
	end, fraction := l.digits(l.at), 0
	if end < len(l.src) && l.src[end] == '.' {
		point := end
		end = l.digits(point + 1)
		fraction = end - point - 1
	}
	exponent := int64(0)
	if i := end; i < len(l.src) && (l.src[i] == 'e' || l.src[i] == 'E') {
		i++
		if i < len(l.src) && (l.src[i] == '+' || l.src[i] == '-') {
			i++
		}
		if stop := l.digits(i); stop > i {
			var err error
			if exponent, err = strconv.ParseInt(l.src[end+1:stop], 10, 32); err != nil {
				return token{}, false
			}
			end = stop
		}
	}
	if scale := int64(fraction) - exponent; scale > math.MaxInt32 || scale < math.MinInt32 {
		return token{}, false
	}
	return l.make(tokNumber, l.src[l.at:end], end), true
}

func (l *lexer) digits(at int) int {
	for at < len(l.src) && isDigit(l.src[at]) {
		at++
	}
	return at
}

func (l *lexer) punctuation() (token, bool) {
	rest := l.src[l.at:]
	for _, p := range [...]string{"<<", ">>", "<=", ">=", "<>", "!=", "||"} {
		if strings.HasPrefix(rest, p) {
			return l.make(tokPunctuation, p, l.at+len(p)), true
		}
	}
	if strings.IndexByte("=<>+-*/%()[]{},.:;?", rest[0]) < 0 {
		return token{}, false
	}
	return l.make(tokPunctuation, rest[:1], l.at+1), true
}

func isNameStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$'
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
