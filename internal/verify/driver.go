package verify

import (
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/exec"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// named gives the arguments that a statement names, with @now and @uuid.
func (s step) named(text string) []any {
	var out []any
	for _, q := range s.pattern.Params {
		if names(text, q.Name) {
			out = append(out, sql.Named(q.Name, toSQL(q.Type, s.args[q.Name])))
		}
	}
	if names(text, "now") && s.pattern.Param("now") == nil {
		out = append(out, sql.Named("now", s.now.Format("2006-01-02T15:04:05.000000Z")))
	}
	if names(text, "uuid") && s.pattern.Param("uuid") == nil {
		out = append(out, sql.Named("uuid", s.uuid.Str()))
	}
	return out
}

// names reports whether a statement uses a parameter.
func names(text, param string) bool {
	for rest := text; ; {
		i := strings.Index(rest, "@"+param)
		if i < 0 {
			return false
		}
		rest = rest[i+1+len(param):]
		if rest == "" || !isNameByte(rune(rest[0])) {
			return true
		}
	}
}

func isNameByte(c rune) bool { return c == '_' || unicode.IsLetter(c) || unicode.IsDigit(c) }

// toSQL gives a value as the driver takes it; lists and documents as JSON.
func toSQL(t model.Type, v dynamo.Value) any {
	if (t.Array || t.Kind == model.JSON) && !v.IsAbsent() && !v.IsNull() {
		return jsonOf(v)
	}
	switch v.Type() {
	case dynamo.Absent, dynamo.TypeNull:
		return nil
	case dynamo.TypeBool:
		if v.IsTrue() {
			return int64(1)
		}
		return int64(0)
	case dynamo.TypeNumber:
		if n, err := strconv.ParseInt(v.Str(), 10, 64); err == nil {
			return n
		}
		f, _ := strconv.ParseFloat(v.Str(), 64)
		return f
	case dynamo.TypeString:
		return v.Str()
	case dynamo.TypeBinary:
		return []byte(v.Str())
	}
	return jsonOf(v)
}

// scanRows reads all rows as values of the given types.
func scanRows(rows *sql.Rows, err error) func(types []model.Type) ([][]dynamo.Value, error) {
	return func(types []model.Type) ([][]dynamo.Value, error) {
		if err != nil {
			return nil, err
		}
		defer rows.Close()
		var out [][]dynamo.Value
		for rows.Next() {
			found := make([]any, len(types))
			holes := make([]any, len(types))
			for i := range found {
				holes[i] = &found[i]
			}
			if err := rows.Scan(holes...); err != nil {
				return nil, err
			}
			values := make([]dynamo.Value, len(types))
			for i, x := range found {
				v, err := fromSQL(types[i], x)
				if err != nil {
					return nil, err
				}
				values[i] = v
			}
			out = append(out, values)
		}
		return out, rows.Err()
	}
}

// fromSQL makes a value of what the driver returned.
func fromSQL(t model.Type, x any) (dynamo.Value, error) {
	text := ""
	switch x := x.(type) {
	case nil:
		return dynamo.Null(), nil
	case int64:
		if t.Kind == model.Boolean {
			return dynamo.Bool(x != 0), nil
		}
		return dynamo.Int(x), nil
	case float64:
		if t.Kind == model.Decimal && t.Precision > 0 {
			return dynamo.Number(strconv.FormatFloat(x, 'f', t.Scale, 64))
		}
		return dynamo.Number(strconv.FormatFloat(x, 'g', -1, 64))
	case bool:
		return dynamo.Bool(x), nil
	case []byte:
		if t.Kind == model.Bytes {
			return dynamo.Binary(x), nil
		}
		text = string(x)
	case string:
		if t.Kind == model.Bytes {
			return dynamo.Binary([]byte(x)), nil
		}
		text = x
	default:
		return dynamo.Value{}, fmt.Errorf("reference database: unexpected value %T", x)
	}
	if t.Array || t.Kind == model.JSON {
		return exec.ParseValue(t, text)
	}
	return dynamo.String(text), nil
}

// withoutLimit cuts LIMIT and OFFSET off the end of a statement.
func withoutLimit(text string) string {
	depth, cut := 0, -1
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\'' || c == '"':
			end := strings.IndexByte(text[i+1:], c)
			if end < 0 {
				return text
			}
			i += end + 1
		case c == '(':
			depth++
		case c == ')':
			depth--
		case depth == 0 && cut < 0 && (i == 0 || !isNameByte(rune(text[i-1]))) && text[max(i-1, 0)] != '@' && startsWord(text[i:], "LIMIT", "OFFSET"):
			cut = i
		}
	}
	if cut < 0 {
		return text
	}
	return text[:cut]
}

func startsWord(s string, words ...string) bool {
	for _, w := range words {
		if len(s) >= len(w) && strings.EqualFold(s[:len(w)], w) && (len(s) == len(w) || !isNameByte(rune(s[len(w)]))) {
			return true
		}
	}
	return false
}
