package planner_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/keyfold-dev/keyfold/internal/planner"
	"github.com/keyfold-dev/keyfold/internal/verify"
)

// TestRandomApplicationsAnswerAsSQL runs the designs of random applications: every served
// pattern must answer as the reference database does, and leave the same state.
func TestRandomApplicationsAnswerAsSQL(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		schema, queries := application(t)
		m := load(t, schema, queries)
		d, _ := planner.Plan(m, planner.Options{})
		report, err := verify.Run(t.Context(), m, d, verify.Options{Rows: 12, Runs: 4, Seed: rapid.Uint64().Draw(t, "seed")})
		if err != nil {
			t.Fatalf("%v\n%s%s\n%s", err, schema, queries, d)
		}
		if !report.OK {
			t.Fatalf("%s\n%s%s\n%s", report, schema, queries, d)
		}
	})
}
