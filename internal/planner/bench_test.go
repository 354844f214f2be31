package planner_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/keyfold-dev/keyfold/internal/planner"
	"github.com/keyfold-dev/keyfold/internal/sqlfront"
)

// BenchmarkPlan plans applications of n tables with three patterns each: by key, by a
// column in an order, and a parent with its children.
func BenchmarkPlan(b *testing.B) {
	for _, n := range []int{10, 100} {
		b.Run(fmt.Sprintf("tables=%d", n), func(b *testing.B) {
			schema, queries := largeApplication(n)
			m, diags := sqlfront.Load([]sqlfront.Source{{Name: "schema.sql", Text: schema}}, []sqlfront.Source{{Name: "queries.sql", Text: queries}})
			if diags.HasErrors() {
				b.Fatal(diags)
			}
			for b.Loop() {
				planner.Plan(m, planner.Options{})
			}
		})
	}
}

func largeApplication(n int) (schema, queries string) {
	r := rand.New(rand.NewPCG(1, 2))
	var s, q strings.Builder
	for i := range n {
		link := ""
		if i > 0 {
			link = fmt.Sprintf("p_id text NOT NULL REFERENCES t%d (id), ", r.IntN(i))
		}
		fmt.Fprintf(&s, "CREATE TABLE t%d (id text PRIMARY KEY, %sa text NOT NULL, b timestamptz NOT NULL);\n", i, link)
		fmt.Fprintf(&q, "-- name: Get%d :one\nSELECT * FROM t%d WHERE id = @id;\n", i, i)
		fmt.Fprintf(&q, "-- name: List%d :many\nSELECT * FROM t%d WHERE a = @a ORDER BY b;\n", i, i)
		if i > 0 {
			fmt.Fprintf(&q, "-- name: With%d :many\nSELECT p.a, c.id FROM t%d c JOIN %s p ON p.id = c.p_id WHERE p.id = @id;\n",
				i, i, strings.Fields(link)[5])
		}
	}
	return s.String(), q.String()
}
