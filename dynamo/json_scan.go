package dynamo

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// The service's names of classes that its texts about wrong types mention.
const (
	classPackage        = "com.amazonaws.dynamodb.v20120810."
	classAttributeValue = classPackage + "AttributeValue"
)

// The service's texts about wrong types that are the same for many.
const (
	textUnexpectedObject = "Start of structure or map found where not expected"
	textUnexpectedField  = "Unexpected field type"
	textUnexpectedValue  = "Unexpected value type in payload"
	textCannotCast       = "class sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl cannot be cast to class java.lang.Class (sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl and java.lang.Class are in module java.base of loader 'bootstrap')"
)

func (r *JSONReader) fail(message string) {
	if r.fault == nil {
		r.fault = &Error{Code: CodeSerialization, Message: message}
	}
	r.pos = len(r.text)
}

// syntaxError reports text that is not JSON, for which the service has no words.
func (r *JSONReader) syntaxError() { r.fail("") }

// next passes over white space and returns the byte that comes next, 0 at the end.
func (r *JSONReader) next() byte {
	for r.pos < len(r.text) {
		switch c := r.text[r.pos]; c {
		case ' ', '\n', '\t', '\r':
			r.pos++
		default:
			return c
		}
	}
	return 0
}

// A jsonShape says what an object or a list is in the API, for the texts of faults.
type jsonShape struct {
	structure bool
	class     string // of the structure, or of the values of a map
}

// open enters an object ('{') or list ('['). It returns false for null and for faults.
func (r *JSONReader) open(bracket byte, shape jsonShape) bool {
	if r.next() == bracket {
		if r.depth++; r.depth > maxJSONDepth {
			r.fail("")
			return false
		}
		r.pos++
		r.first = true
		return true
	}
	if r.null() || r.fault != nil {
		return false
	}
	switch c := r.next(); {
	case c == '{':
		r.fail(textUnexpectedObject)
	case c == '[' && shape.structure:
		r.fail("Unrecognized collection type class " + classPackage + shape.class)
	case c == '[':
		r.fail("Unrecognized collection type java.util.Map<java.lang.String, " + shape.class + ">")
	case r.tokenName() == "":
		r.syntaxError()
	case !r.element:
		r.fail(textUnexpectedField)
	case shape.structure:
		r.fail(textUnexpectedValue)
	default:
		r.fail(textCannotCast)
	}
	return false
}

// more reports whether the innermost object or list, which end closes, goes on, and
// leaves it if not.
func (r *JSONReader) more(end byte) bool {
	first := r.first
	r.first = false
	switch c := r.next(); {
	case c == end:
		r.pos++
		r.depth--
		return false
	case first && c != 0:
		return true
	case c == ',' && !first:
		r.pos++
		if r.next() != end {
			return true
		}
	}
	r.syntaxError()
	return false
}

func (r *JSONReader) nextElement() bool { return r.more(']') }

func (r *JSONReader) nextKey() (string, bool) {
	if !r.more('}') {
		return "", false
	}
	if r.next() != '"' {
		r.syntaxError()
		return "", false
	}
	key := r.quoted()
	if r.next() != ':' {
		r.syntaxError()
		return "", false
	}
	r.pos++
	return key, true
}

// null passes over a null.
func (r *JSONReader) null() bool { return r.next() == 'n' && r.literal("null") }

func (r *JSONReader) literal(word string) bool {
	if !strings.HasPrefix(r.text[r.pos:], word) {
		r.syntaxError()
		return false
	}
	r.pos += len(word)
	return true
}

// quoted reads a string; the caller has seen the opening quote.
func (r *JSONReader) quoted() string {
	start := r.pos + 1
	text := r.text
	for i := start; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			r.pos = i + 1
			return text[start:i]
		case c == '\\':
			return r.escaped(start, i)
		case c < ' ':
			r.syntaxError()
			return ""
		}
	}
	r.syntaxError()
	return ""
}

var jsonEscapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escaped reads the rest of a string that began at start and has its first escape at i.
func (r *JSONReader) escaped(start, i int) string {
	text := r.text
	out := append(make([]byte, 0, 2*(i-start)+32), text[start:i]...)
	for i < len(text) {
		switch c := text[i]; {
		case c == '"':
			r.pos = i + 1
			return string(out)
		case c < ' ':
			r.syntaxError()
			return ""
		case c != '\\':
			out = append(out, c)
			i++
		case i+1 < len(text) && jsonEscapes[text[i+1]] != 0:
			out = append(out, jsonEscapes[text[i+1]])
			i += 2
		default:
			char, size := unicodeEscape(text[i:])
			if size == 0 {
				r.syntaxError()
				return ""
			}
			out = utf8.AppendRune(out, char)
			i += size
		}
	}
	r.syntaxError()
	return ""
}

// unicodeEscape decodes \u1234 or a pair of surrogates at the start of s; half a pair is
// U+FFFD. Size 0 means that s starts otherwise.
func unicodeEscape(s string) (char rune, size int) {
	char, ok := hexEscape(s)
	if !ok {
		return 0, 0
	}
	if !utf16.IsSurrogate(char) {
		return char, 6
	}
	if low, ok := hexEscape(s[6:]); ok {
		if pair := utf16.DecodeRune(char, low); pair != utf8.RuneError {
			return pair, 12
		}
	}
	return utf8.RuneError, 6
}

func hexEscape(s string) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' || s[2] == '+' || s[2] == '-' {
		return 0, false
	}
	n, err := strconv.ParseUint(s[2:6], 16, 32)
	return rune(n), err == nil
}

// number passes over a number and returns its text; whole says that it has no fraction
// and no exponent.
func (r *JSONReader) number() (text string, whole bool) {
	s, i := r.text, r.pos
	digits := func() int {
		from := i
		for i < len(s) && s[i] >= '0' && s[i] <= '9' {
			i++
		}
		return i - from
	}
	at := func(chars string) bool { return i < len(s) && strings.IndexByte(chars, s[i]) >= 0 }
	whole = true
	if at("-") {
		i++
	}
	lead := at("0")
	if n := digits(); n == 0 || lead && n > 1 {
		r.syntaxError()
		return "", false
	}
	if at(".") {
		whole = false
		if i++; digits() == 0 {
			r.syntaxError()
			return "", false
		}
	}
	if at("eE") {
		whole = false
		if i++; at("+-") {
			i++
		}
		if digits() == 0 {
			r.syntaxError()
			return "", false
		}
	}
	text, r.pos = s[r.pos:i], i
	return text, whole
}

// tokenName passes over a scalar and returns the service's name for its kind, "" for
// anything else.
func (r *JSONReader) tokenName() string {
	switch c := r.next(); {
	case c == '"':
		r.quoted()
		return "STRING_VALUE"
	case c == 't' && r.literal("true"):
		return "TRUE_VALUE"
	case c == 'f' && r.literal("false"):
		return "FALSE_VALUE"
	case c == '-' || c >= '0' && c <= '9':
		if _, whole := r.number(); !whole {
			return "DECIMAL_VALUE"
		}
		return "NUMBER_VALUE"
	}
	return ""
}

// wrongScalar reports a value that is not of the scalar type, a class of java.lang.
func (r *JSONReader) wrongScalar(class string) {
	switch r.next() {
	case '{':
		r.fail(textUnexpectedObject)
	case '[':
		r.fail("Unrecognized collection type class java.lang." + class)
	default:
		name := r.tokenName()
		if name == "" {
			r.syntaxError()
		}
		r.fail(name + " cannot be converted to " + class)
	}
}

// Text reads a string.
func (r *JSONReader) Text() string {
	if r.next() == '"' {
		return r.quoted()
	}
	if !r.null() {
		r.wrongScalar("String")
	}
	return ""
}

// Bool reads true or false, or one of the strings that the service takes for them.
func (r *JSONReader) Bool() bool {
	switch r.next() {
	case 't':
		return r.literal("true")
	case 'f':
		r.literal("false")
		return false
	case 'n':
		r.null()
		return false
	case '"':
		switch strings.ToLower(r.quoted()) {
		case "true", "yes", "1":
			return true
		case "false", "no", "0":
			return false
		}
		r.fail("Unexpected token received from parser")
		return false
	}
	r.wrongScalar("Boolean")
	return false
}

// Integer reads a number of bits bits, 32 or 64; a fraction is cut off.
func (r *JSONReader) Integer(bits int) int64 {
	class := "Long"
	if bits == 32 {
		class = "Integer"
	}
	c := r.next()
	if c != '-' && (c < '0' || c > '9') {
		if !r.null() {
			r.wrongScalar(class)
		}
		return 0
	}
	text, whole := r.number()
	if whole {
		if n, err := strconv.ParseInt(text, 10, bits); err == nil {
			return n
		}
	} else if f, err := strconv.ParseFloat(text, 64); err == nil && math.Abs(f) < math.Exp2(float64(bits-1)) {
		return int64(f)
	}
	if r.fault == nil {
		r.fail("NUMBER_VALUE cannot be converted to " + class)
	}
	return 0
}

// Skip passes over a value of any type, which must be well formed.
func (r *JSONReader) Skip() {
	switch r.next() {
	case '{':
		r.open('{', jsonShape{})
		for _, ok := r.nextKey(); ok; _, ok = r.nextKey() {
			r.Skip()
		}
	case '[':
		r.open('[', jsonShape{})
		for r.nextElement() {
			r.Skip()
		}
	case 'n':
		r.null()
	default:
		if r.tokenName() == "" {
			r.syntaxError()
		}
	}
}
