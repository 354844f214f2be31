package sqlfront

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/keyfold-dev/keyfold/internal/diag"
)

// TestMutated takes the cases apart into tokens, spoils some, and demands of the result
// what FuzzLoad demands of any input. Spoiled SQL reaches corners of the parser and the
// lowering that spoiled bytes do not.
func TestMutated(t *testing.T) {
	var texts [][]string
	var words []string
	for _, text := range corpus(t) {
		tokens := cut(text)
		texts = append(texts, tokens)
		words = append(words, tokens...)
	}
	rapid.Check(t, func(r *rapid.T) {
		i := rapid.IntRange(0, len(texts)/2-1).Draw(r, "case")
		schema := spoil(r, texts[2*i], words, rapid.IntRange(0, 3).Draw(r, "schema faults"))
		queries := spoil(r, texts[2*i+1], words, rapid.IntRange(0, 30).Draw(r, "query faults"))
		m, diags := load(schema, queries)
		places(t, diags, schema, queries)
		rendered(diags, schema, queries)
		consistent(t, m)
	})
}

// cut splits a text into tokens, each with the space and the comments before it.
func cut(text string) []string {
	var diags diag.List
	f := scan(Source{Text: text}, &diags)
	var out []string
	at := 0
	for _, t := range f.tokens {
		out = append(out, text[at:t.end])
		at = t.end
	}
	return append(out, text[at:])
}

// spoil drops, doubles, swaps and replaces tokens.
func spoil(r *rapid.T, tokens, words []string, faults int) string {
	tokens = append([]string(nil), tokens...)
	for range faults {
		i := rapid.IntRange(0, len(tokens)-1).Draw(r, "at")
		switch rapid.IntRange(0, 4).Draw(r, "fault") {
		case 0:
			tokens[i] = ""
		case 1:
			tokens[i] += tokens[i]
		case 2:
			j := rapid.IntRange(0, len(tokens)-1).Draw(r, "with")
			tokens[i], tokens[j] = tokens[j], tokens[i]
		case 3:
			tokens[i] = rapid.SampledFrom(words).Draw(r, "word")
		case 4:
			tokens[i] = " (" + tokens[i] + " )"
		}
	}
	return strings.Join(tokens, "")
}

// TestDeep demands that neither nesting nor length brings the parser down.
func TestDeep(t *testing.T) {
	schema := "CREATE TABLE t (id text PRIMARY KEY, n integer);"
	for _, part := range []string{"(", "NOT ", "-", "lower(", "ARRAY[", "CAST(", "1 + ", "id = 'a' AND ", "id = 'a' OR ", "coalesce(n, ", "/*", "'", "$$", "@", "\"", "n::integer", "(SELECT "} {
		for _, n := range []int{50, 300, 100000} {
			q := "-- name: A :many\nSELECT id FROM t WHERE " + strings.Repeat(part, n)
			_, diags := load(schema, q+"1;")
			places(t, diags, schema, q+"1;")
			_, diags = load(strings.Repeat(part, n), "")
			places(t, diags, strings.Repeat(part, n), "")
		}
	}
	long := "-- name: A :many\nSELECT id FROM t WHERE n = 1" + strings.Repeat(" AND n = 1", 3000) + ";"
	if m, diags := load(schema, long); diags.HasErrors() || len(m.Patterns[0].Query.Where) != 3001 {
		t.Errorf("a long condition: %v", diags)
	}
}
