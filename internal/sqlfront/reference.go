package sqlfront

import (
	"encoding/hex"
	"strings"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// A rewrite says how one token is spelled for the reference database (SQLite): what
// stands before and behind it, and, when set, the text that replaces it.
type rewrite struct {
	before, text, after string
	set                 bool
}

// replace gives one token another spelling.
func (st *statement) replace(i int, text string) {
	st.output[i].text, st.output[i].set = text, true
}

// remove leaves tokens out.
func (st *statement) remove(s span) {
	for i := s.from; i < s.to; i++ {
		st.replace(i, "")
	}
}

// clear leaves out also what stands before and behind tokens.
func (st *statement) clear(s span) {
	for i := s.from; i < s.to; i++ {
		st.output[i] = rewrite{set: true}
	}
}

// keepOnly leaves out the tokens of a span that are neither part of an item nor commas
// between items.
func (st *statement) keepOnly(s span, items []expr) {
	next := 0
	for i := s.from; i < s.to; i++ {
		for next < len(items) && i >= items[next].tokens().to {
			next++
		}
		inside := next < len(items) && i >= items[next].tokens().from
		if !inside && st.tokens[i].text != "," {
			st.replace(i, "")
		}
	}
}

// listQuery makes the list parameter in a span a query for the values of its JSON array.
func (st *statement) listQuery(s span) {
	st.output[s.from].before += "SELECT value FROM json_each("
	st.output[s.to-1].after = ")" + st.output[s.to-1].after
}

// wrap puts text around an expression.
func (st *statement) wrap(s span, before, after string) {
	st.output[s.from].before = before + st.output[s.from].before
	st.output[s.to-1].after += after
}

// rewritten spells the tokens of a span for the reference database, on one line.
func (st *statement) rewritten(s span) string {
	var b strings.Builder
	gap := false
	for i := s.from; i < s.to; i++ {
		if i > 0 && st.tokens[i].start > st.tokens[i-1].end {
			gap = true
		}
		out := st.spell(i)
		if out == "" {
			continue
		}
		if b.Len() > 0 && (gap && out != ")" && out != "," || touching(b.String(), out)) {
			b.WriteByte(' ')
		}
		b.WriteString(out)
		gap = false
	}
	return b.String()
}

func (st *statement) spell(i int) string {
	t, r := st.tokens[i], st.output[i]
	text := st.text[t.start:t.end]
	switch {
	case r.set:
		text = r.text
	case t.kind == tokString:
		text = quoteString(t.text)
	case t.kind == tokNumber:
		text = t.text
	}
	return r.before + text + r.after
}

// touching reports whether two spellings would run into one word.
func touching(a, b string) bool {
	return isNameByte(a[len(a)-1]) && (isNameByte(b[0]) || b[0] == '@' || b[0] == '\'')
}

func quoteString(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// quoteName quotes a name for the reference database.
func quoteName(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

// referenceLiteral spells a value for the reference database: lists and maps as JSON.
func referenceLiteral(v dynamo.Value) string {
	switch v.Type() {
	case dynamo.TypeNull:
		return "NULL"
	case dynamo.TypeBool:
		return map[bool]string{true: "true", false: "false"}[v.IsTrue()]
	case dynamo.TypeNumber:
		return v.Str()
	case dynamo.TypeBinary:
		return "X'" + strings.ToUpper(hex.EncodeToString([]byte(v.Str()))) + "'"
	case dynamo.TypeList, dynamo.TypeMap:
		return quoteString(model.PlainJSON(v))
	}
	return quoteString(v.Str())
}
