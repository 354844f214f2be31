package verify

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/design"
	"github.com/keyfold-dev/keyfold/internal/exec"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// A world is the two databases with the same rows.
type world struct {
	model     *model.Model
	design    *design.Design
	client    exec.Client
	reference *reference
	shut      func() error
}

// A step is one call of an access pattern.
type step struct {
	pattern   *model.AccessPattern
	args      exec.Args
	now       time.Time
	uuid      dynamo.Value
	pageLimit int64
}

// An outcome is what a step gave.
type outcome struct {
	rejected  bool // a constraint forbids the write; it was run on neither side
	hit       bool
	rows      int
	requests  int
	readUnits float64

	writeUnits float64
	diff       *difference
}

// A difference between the two sides.
type difference struct {
	reason    string
	got, want []string
}

// A loadError is a row that the design cannot hold.
type loadError struct{ err error }

func (e *loadError) Error() string { return e.err.Error() }

func openWorld(ctx context.Context, m *model.Model, d *design.Design, open func() (exec.Client, func() error, error), data dataset) (*world, error) {
	client, shut, err := open()
	if err != nil {
		return nil, err
	}
	w := &world{model: m, design: d, client: client, shut: shut}
	if err := exec.CreateTables(ctx, client, d); err != nil {
		return w, err
	}
	for _, t := range data {
		if d.Entity(t.entity.Name) == nil {
			continue
		}
		if err := exec.Load(ctx, client, d, t.entity.Name, t.rows); err != nil {
			return w, &loadError{err}
		}
	}
	if w.reference, err = openReference(ctx, m); err != nil {
		return w, err
	}
	return w, w.reference.load(ctx, data)
}

func (w *world) close() {
	if w.reference != nil {
		_ = w.reference.close()
	}
	_ = w.shut()
}

// do runs a step on both sides.
func (w *world) do(ctx context.Context, s step) (*outcome, error) {
	plan := w.design.Plan(s.pattern.Name)
	if plan == nil || plan.Refused {
		return &outcome{rejected: true}, nil
	}
	if s.pattern.IsWrite() {
		return w.write(ctx, plan, s)
	}
	return w.read(ctx, plan, s)
}

// runner gives now() and gen_random_uuid() the values that the reference gets.
func (w *world) runner(s step) *exec.Runner {
	b, _ := hex.DecodeString(strings.ReplaceAll(s.uuid.Str(), "-", ""))
	return &exec.Runner{Client: w.client, Design: w.design, Audit: true,
		Clock: func() time.Time { return s.now }, Random: &repeat{b: b}}
}

// A repeat reads the same bytes for ever.
type repeat struct {
	b    []byte
	rest bytes.Reader
}

func (r *repeat) Read(p []byte) (int, error) {
	if r.rest.Len() == 0 {
		r.rest.Reset(r.b)
	}
	return io.ReadFull(&r.rest, p[:min(len(p), r.rest.Len())])
}

func outputTypes(list []*model.Output) []model.Type {
	var out []model.Type
	for _, o := range list {
		out = append(out, o.Type)
	}
	return out
}

// read compares the whole answer, and the part that LIMIT keeps of it with the whole.
func (w *world) read(ctx context.Context, plan *design.Plan, s step) (*outcome, error) {
	q := s.pattern.Query
	want, err := w.reference.query(ctx, withoutLimit(s.pattern.Reference), s, outputTypes(q.Columns))
	if err != nil {
		return nil, fmt.Errorf("reference database: %s: %w", s.pattern.Name, err)
	}
	out := &outcome{}
	runner := w.runner(s)
	got, err := runner.Run(ctx, plan, s.args)
	if err != nil {
		out.diff = w.explainFailure(ctx, runner, plan, s, err, want)
		return out, nil
	}
	out.rows, out.hit = len(got.Rows), len(got.Rows) > 0
	out.requests, out.readUnits, out.writeUnits = len(got.Requests), got.ReadUnits, got.WriteUnits
	whole := got
	if isCut(s.pattern) {
		if whole, err = runner.Run(ctx, uncut(plan), s.args); err != nil {
			out.diff = &difference{reason: "the plan without LIMIT fails: " + err.Error(), want: printRows(want)}
			return out, nil
		}
	}
	if out.diff = compareRows(q, whole, want); out.diff != nil {
		return out, nil
	}
	if out.diff = compareCut(s, got, whole); out.diff != nil || s.pageLimit == 0 {
		return out, nil
	}
	runner.PageLimit = s.pageLimit
	paged, err := runner.Run(ctx, plan, s.args)
	switch {
	case err != nil:
		out.diff = &difference{reason: fmt.Sprintf("the plan fails with pages of %d items: %v", s.pageLimit, err), want: printRows(got.Rows)}
	case !slices.Equal(printRows(paged.Rows), printRows(got.Rows)):
		out.diff = &difference{reason: fmt.Sprintf("pages of %d items give another answer", s.pageLimit), got: printRows(paged.Rows), want: printRows(got.Rows)}
	}
	return out, nil
}

// explainFailure shows the rows of a plan that breaks its promises, when it gives any.
func (w *world) explainFailure(ctx context.Context, runner *exec.Runner, plan *design.Plan, s step, err error, want [][]dynamo.Value) *difference {
	var broken *exec.PlanError
	if !errors.As(err, &broken) {
		return &difference{reason: "the plan fails: " + err.Error(), want: printRows(want)}
	}
	trusting := *runner
	trusting.Audit = false
	got, err := trusting.Run(ctx, plan, s.args)
	if err != nil {
		return &difference{reason: "the plan fails: " + broken.Reason, want: printRows(want)}
	}
	if diff := compareRows(s.pattern.Query, got, want); diff != nil && !isCut(s.pattern) {
		return diff
	}
	return &difference{"the plan fails: " + broken.Reason, printRows(got.Rows), printRows(want)}
}

// isCut reports whether a read returns only the beginning of its rows.
func isCut(p *model.AccessPattern) bool {
	return p.Query.Limit != nil || p.Query.Offset != nil || p.Cardinality == model.One
}

// uncut is the plan for all rows.
func uncut(p *design.Plan) *design.Plan {
	out, pattern, q := *p, *p.Pattern, *p.Query
	pattern.Cardinality = model.Many
	q.Limit, q.Offset = nil, nil
	out.Pattern, out.Query = &pattern, &q
	out.Requests = nil
	for _, r := range p.Requests {
		whole := *r
		whole.Limit = nil
		out.Requests = append(out.Requests, &whole)
	}
	return &out
}

// write runs the statement in SQL first: what a constraint other than a key forbids is
// outside of what a design keeps.
func (w *world) write(ctx context.Context, plan *design.Plan, s step) (*outcome, error) {
	types := outputTypes(returning(s.pattern))
	want, affected, rej, err := w.reference.write(ctx, s, types)
	if err != nil {
		return nil, err
	}
	if rej != nil && !rej.duplicate {
		return &outcome{rejected: true}, nil
	}
	got, err := w.runner(s).Run(ctx, plan, s.args)
	out := &outcome{}
	var dup *exec.DuplicateError
	switch {
	case errors.As(err, &dup) && rej != nil:
		out.hit = true
		return out, nil
	case err != nil:
		out.diff = &difference{reason: "the plan fails: " + err.Error(), want: []string{fmt.Sprintf("%d rows affected", affected)}}
		return out, nil
	case rej != nil:
		out.diff = &difference{reason: "SQL refuses a duplicate key and the plan does not: " + rej.err.Error(), got: []string{fmt.Sprintf("%d rows affected", got.Affected)}}
		return out, nil
	}
	out.hit, out.rows = affected > 0, affected
	out.requests, out.readUnits, out.writeUnits = len(got.Requests), got.ReadUnits, got.WriteUnits
	switch a, b := sorted(printRows(got.Rows)), sorted(printRows(want)); {
	case got.Affected != affected:
		out.diff = &difference{reason: "another number of rows affected", got: []string{fmt.Sprint(got.Affected)}, want: []string{fmt.Sprint(affected)}}
	case !slices.Equal(a, b):
		out.diff = &difference{reason: "RETURNING gives other rows", got: a, want: b}
	}
	return out, nil
}

func returning(p *model.AccessPattern) []*model.Output {
	switch {
	case p.Insert != nil:
		return p.Insert.Returning
	case p.Update != nil:
		return p.Update.Returning
	}
	return p.Delete.Returning
}

// compareStates compares all rows of both sides, and the design's items with its rows.
func (w *world) compareStates(ctx context.Context) (*difference, error) {
	rows, err := exec.Dump(ctx, w.client, w.design)
	var state *exec.StateError
	if errors.As(err, &state) {
		return &difference{reason: "after the writes, " + state.Error()}, nil
	}
	if err != nil {
		return nil, err
	}
	want, err := w.reference.dump(ctx)
	if err != nil {
		return nil, err
	}
	for _, t := range want {
		if w.design.Entity(t.entity.Name) == nil {
			continue
		}
		a, b := describeRows(t.entity, rows[t.entity.Name]), describeRows(t.entity, t.rows)
		if got, missing := without(a, b), without(b, a); len(got)+len(missing) > 0 {
			return &difference{reason: "after the writes, the rows of " + t.entity.Name + " differ; those of one side alone:", got: got, want: missing}, nil
		}
	}
	return nil, nil
}

// describeRows prints the rows of an entity, sorted.
func describeRows(e *model.Entity, rows []exec.Row) []string {
	var out []string
	for _, r := range rows {
		var parts []string
		for _, a := range e.Attributes {
			parts = append(parts, a.Name+"="+spellAs(a.Type, r.Get(a.Name)))
		}
		out = append(out, strings.Join(parts, " "))
	}
	return sorted(out)
}
