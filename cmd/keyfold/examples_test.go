package main

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/engine"
	"github.com/keyfold-dev/keyfold/inprocess"
	"github.com/keyfold-dev/keyfold/internal/design"
	"github.com/keyfold-dev/keyfold/internal/dev"
	"github.com/keyfold-dev/keyfold/internal/diag"
	"github.com/keyfold-dev/keyfold/internal/exec"
	"github.com/keyfold-dev/keyfold/internal/exec/remote"
	"github.com/keyfold-dev/keyfold/internal/sample"
	"github.com/keyfold-dev/keyfold/internal/verify"
)

// eachExample calls f for every project in examples, compiled.
func eachExample(t *testing.T, f func(t *testing.T, p *compiled)) {
	t.Helper()
	dirs, err := filepath.Glob(repository(t, "examples/*"))
	if err != nil || len(dirs) < 6 {
		t.Fatalf("%d examples: %v", len(dirs), err)
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			p, err := quiet().design(dir, diag.Error)
			if err != nil {
				t.Fatal(err)
			}
			if !p.OK() {
				t.Fatalf("the design has errors: %v", p.Diagnostics)
			}
			f(t, p)
		})
	}
}

// TestExamplesAnswerAsSQL verifies every example, and holds its patterns to no Scan.
func TestExamplesAnswerAsSQL(t *testing.T) {
	eachExample(t, func(t *testing.T, p *compiled) {
		r, err := verify.Run(t.Context(), p.Model, p.Design, verify.Options{Rows: 60, Runs: 25, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range r.Failures {
			t.Errorf("%s(%s): %s\n%s", f.Pattern, f.Args, f.Reason, f.Script)
		}
		for _, pattern := range r.Patterns {
			if pattern.Status != verify.OK || pattern.NoHits {
				t.Errorf("%s: %s, %d hits in %d runs", pattern.Name, pattern.Status, pattern.Hits, pattern.Runs)
			}
		}
	})
}

// TestSampleArgumentsFindSomething holds the report of `keyfold dev` on every example to
// calls that return or change rows.
func TestSampleArgumentsFindSomething(t *testing.T) {
	eachExample(t, func(t *testing.T, p *compiled) {
		for _, files := range []int{0, len(p.Samples)} {
			data, diags := sample.Rows(p.Model, p.Samples[:files], 20)
			if len(diags) > 0 {
				t.Fatal(diags)
			}
			s, err := dev.Open(dev.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if _, err := s.Adopt(t.Context(), p.Design, data); err != nil {
				t.Fatal(err)
			}
			trials, err := s.Try(t.Context(), p.Design, data)
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range trials {
				if x.Err != nil || len(x.Result.Rows)+x.Result.Affected == 0 {
					t.Errorf("%s with %d sample files: %+v, %v", x.Plan.Pattern.Name, files, x.Result, x.Err)
				}
			}
		}
	})
}

// TestRemoteIsTheSame runs every example through the SDK's client and directly: the same
// rows, the same units, the same state.
func TestRemoteIsTheSame(t *testing.T) {
	eachExample(t, func(t *testing.T, p *compiled) {
		data, diags := sample.Rows(p.Model, p.Samples, 20)
		if len(diags) > 0 {
			t.Fatal(diags)
		}
		direct, far := openEngine(t), remote.New(inprocess.New(openEngine(t)))
		for _, c := range []exec.Client{direct, far} {
			if err := exec.CreateTables(t.Context(), c, p.Design); err != nil {
				t.Fatal(err)
			}
			for _, table := range data.Tables {
				if err := exec.Load(t.Context(), c, p.Design, table.Entity.Name, table.Rows); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, plan := range p.Design.Plans {
			for _, args := range data.Arguments(plan.Pattern) {
				want, err1 := exec.Run(t.Context(), direct, p.Design, plan, args)
				got, err2 := exec.Run(t.Context(), far, p.Design, plan, args)
				if (err1 == nil) != (err2 == nil) || err1 != nil && err1.Error() != err2.Error() {
					t.Errorf("%s: direct %v, remote %v", plan.Pattern.Name, err1, err2)
				}
				if diff := cmp.Diff(want, got, cmp.Comparer(dynamo.Equal)); diff != "" {
					t.Errorf("%s: (-direct +remote)\n%s", plan.Pattern.Name, diff)
				}
			}
		}
		if diff := cmp.Diff(dump(t, direct, p.Design), dump(t, far, p.Design), cmp.Comparer(dynamo.Equal)); diff != "" {
			t.Errorf("state: (-direct +remote)\n%s", diff)
		}
	})
}

func openEngine(t *testing.T) *engine.DB {
	t.Helper()
	db, err := engine.Open(engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func dump(t *testing.T, c exec.Client, d *design.Design) map[string][]exec.Row {
	t.Helper()
	rows, err := exec.Dump(t.Context(), c, d)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}
