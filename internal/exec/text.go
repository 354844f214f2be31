package exec

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// concat is text || text; other scalars are spelled as PostgreSQL casts them to text.
func concat(e *model.Binary, l, r dynamo.Value) (dynamo.Value, error) {
	if l.Type() == dynamo.TypeList && r.Type() == dynamo.TypeList {
		return dynamo.List(append(append([]dynamo.Value(nil), l.Elements()...), r.Elements()...)...), nil
	}
	a, err := castText(e.Left.Type(), l)
	if err != nil {
		return l, mistyped(e, l)
	}
	b, err := castText(e.Right.Type(), r)
	if err != nil {
		return r, mistyped(e, r)
	}
	return dynamo.String(a + b), nil
}

func castText(t model.Type, v dynamo.Value) (string, error) {
	switch v.Type() {
	case dynamo.TypeString:
		if !isTime(t.Kind) && t.Kind != model.Time {
			return v.Str(), nil
		}
	case dynamo.TypeBool:
		if v.IsTrue() {
			return "true", nil
		}
		return "false", nil
	case dynamo.TypeNumber:
		if t.Kind == model.Decimal && t.Scale > 0 {
			whole, fraction, _ := strings.Cut(v.Str(), ".")
			return whole + "." + fraction + strings.Repeat("0", t.Scale-len(fraction)), nil
		}
		return v.Str(), nil
	}
	return "", errors.New("no text form")
}

// like matches a LIKE pattern: % is any text, _ one character, \ escapes. After a
// mismatch it goes back to the last % only, which is enough.
func like(s, pattern string) (bool, error) {
	retryText, retryPattern := "", ""
	open := false
	for {
		rest, ok, err := likeStep(s, pattern)
		switch {
		case err != nil:
			return false, err
		case strings.HasPrefix(pattern, "%"):
			pattern = pattern[1:]
			open, retryText, retryPattern = true, s, pattern
			continue
		case pattern == "" && s == "":
			return true, nil
		case ok:
			s, pattern = rest.text, rest.pattern
			continue
		case !open || retryText == "":
			return false, nil
		}
		_, n := utf8.DecodeRuneInString(retryText)
		retryText = retryText[n:]
		s, pattern = retryText, retryPattern
	}
}

// A likeRest is what is left of text and pattern after one character.
type likeRest struct{ text, pattern string }

// likeStep matches one character of the pattern that is not %.
func likeStep(s, pattern string) (likeRest, bool, error) {
	if pattern == "" || pattern[0] == '%' {
		return likeRest{}, false, nil
	}
	want := pattern
	if pattern[0] == '\\' {
		if want = pattern[1:]; want == "" {
			return likeRest{}, false, errors.New("LIKE pattern must not end with escape character")
		}
	}
	if s == "" {
		return likeRest{}, false, nil
	}
	if pattern[0] == '_' {
		_, n := utf8.DecodeRuneInString(s)
		return likeRest{s[n:], pattern[1:]}, true, nil
	}
	return likeRest{s[1:], want[1:]}, s[0] == want[0], nil
}

// apply evaluates a function of one argument that is not NULL. Letters are those of
// ASCII, as in COLLATE "C".
func apply(e *model.Call, x dynamo.Value) (dynamo.Value, error) {
	switch t := x.Type(); {
	case e.Func == "lower" && t == dynamo.TypeString:
		return dynamo.String(mapASCII(x.Str(), 'A', 'Z', 'a'-'A')), nil
	case e.Func == "upper" && t == dynamo.TypeString:
		return dynamo.String(mapASCII(x.Str(), 'a', 'z', 'a'-'A')), nil
	case e.Func == "length" && t == dynamo.TypeString:
		return dynamo.Int(int64(utf8.RuneCountInString(x.Str()))), nil
	case e.Func == "length" && t == dynamo.TypeBinary:
		return dynamo.Int(int64(len(x.Str()))), nil
	case e.Func == "abs" && t == dynamo.TypeNumber:
		if strings.HasPrefix(x.Str(), "-") {
			return compute(e.Type(), model.OpSub, dynamo.Int(0), x)
		}
		return x, nil
	}
	return x, mistyped(e, x)
}

func mapASCII(s string, from, to, flip byte) string {
	b := []byte(s)
	for i, c := range b {
		if c >= from && c <= to {
			b[i] = c ^ flip
		}
	}
	return string(b)
}
