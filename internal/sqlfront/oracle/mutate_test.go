package oracle

import (
	"database/sql"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyfold-dev/keyfold/internal/model"
	"github.com/keyfold-dev/keyfold/internal/sqlfront"
)

var tokens = regexp.MustCompile(`--[^\n]*\n|'(?:[^']|'')*'|[@:$]?\w+|::|[<>]=|<>|\|\||\s+|.`)

// TestMutated spoils the queries of every application token by token: whatever of that we
// still accept, PostgreSQL must accept with the same shape.
func TestMutated(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var words []string
	apps := applications(t)
	for _, app := range apps {
		words = append(words, tokens.FindAllString(app.queries, -1)...)
	}
	dbs := map[string]*sql.DB{}
	for _, app := range apps {
		dbs[app.name] = database(t, &app)
		defer dbs[app.name].Close()
	}
	accepted := 0
	for round := range 2000 {
		app := apps[round%len(apps)]
		queries := spoil(rng, tokens.FindAllString(app.queries, -1), words)
		m, _ := sqlfront.Load([]sqlfront.Source{{Name: "schema.sql", Text: app.schema}}, []sqlfront.Source{{Name: "queries.sql", Text: queries}})
		for _, p := range m.Patterns {
			if !strings.Contains(app.queries, p.SQL) {
				accepted++
				agree(t, m, p)
				runReference(t, dbs[app.name], app.name, p)
			}
		}
		if t.Failed() {
			return
		}
	}
	if accepted < 100 {
		t.Errorf("only %d spoiled queries were accepted", accepted)
	}
	t.Logf("%d spoiled queries accepted", accepted)
}

// agree holds one pattern to PostgreSQL's grammar.
func agree(t *testing.T, m *model.Model, p *model.AccessPattern) {
	// The library's lexer loses NULLS FIRST when a comment stands between the words.
	var text strings.Builder
	for _, w := range tokens.FindAllString(sqlfront.Positional(p.SQL), -1) {
		if strings.HasPrefix(w, "--") {
			w = "\n"
		}
		text.WriteString(w)
	}
	stmts, err := parse(text.String())
	if err != nil || len(stmts) != 1 {
		t.Errorf("%s: PostgreSQL: %v\n%s", p.Name, err, p.SQL)
		return
	}
	r := reader{m, map[string]bool{}}
	if diff := cmp.Diff(r.statement(stmts[0]), patternShape(p)); diff != "" {
		t.Errorf("%s (-PostgreSQL +ours):\n%s\n%s", p.Name, diff, p.SQL)
	}
}

// spoil drops, doubles, swaps and replaces tokens.
func spoil(rng *rand.Rand, in, words []string) string {
	out := append([]string(nil), in...)
	for range 1 + len(out)/40 {
		i := rng.IntN(len(out) + 1)
		if i == len(out) {
			continue
		}
		switch rng.IntN(5) {
		case 0:
			out[i] = ""
		case 1:
			out[i] += " " + out[i]
		case 2:
			j := min(i+2, len(out)-1)
			out[i], out[j] = out[j], out[i]
		case 3:
			out[i] = words[rng.IntN(len(words))]
		case 4:
			out[i] += " " + words[rng.IntN(len(words))]
		}
	}
	return strings.Join(out, "")
}
