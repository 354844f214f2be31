// Package verify holds a design against SQL: the same random rows go into SQLite and into
// a DynamoDB, every access pattern runs on both with many arguments, writes among them,
// and the answers and the stored state must agree. It hides how rows that respect keys are
// made, how arguments that hit and narrowly miss are chosen, what may differ (the order of
// ties), and how a failure is shrunk to a few rows.
//
// The reference database gets each statement as the front end spelled it for SQLite, past
// the model, so that a fault in lowering shows as well as one in planning.
package verify

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"

	"github.com/keyfold-dev/keyfold/engine"
	"github.com/keyfold-dev/keyfold/internal/design"
	"github.com/keyfold-dev/keyfold/internal/exec"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// Options say how much is tried. The zero value is 200 rows, 50 runs, seed 0.
type Options struct {
	Rows int    // of each entity that has no children; parents get fewer
	Runs int    // calls of each access pattern
	Seed uint64 // the same seed tries the same things
	Only []string
	// Open gives a DynamoDB without tables, and a function that closes it. It is called
	// for every attempt to shrink a failure. Nil opens an engine in memory.
	Open func() (exec.Client, func() error, error)
	// Progress, when set, is called after every round with the number of rounds done.
	Progress func(done, of int)
}

// The statuses of a pattern in a Report.
const (
	OK      = "ok"
	Failed  = "failed"
	Refused = "refused" // the design does not serve it
	Skipped = "skipped" // not asked for, or never called because another pattern failed
)

// A Report is the outcome. Equal inputs and seeds give equal reports.
type Report struct {
	Seed     uint64     `json:"seed"`
	OK       bool       `json:"ok"`
	Rows     int        `json:"rows"`   // loaded, of all entities
	States   int        `json:"states"` // comparisons of the whole stored state
	Patterns []*Pattern `json:"patterns"`
	Failures []*Failure `json:"failures"`
}

// A Pattern is what was tried of one access pattern. Units and Requests are those of one
// call: measured on average and at most, and as the plan predicts.
type Pattern struct {
	Name         string  `json:"name"`
	Kind         string  `json:"kind"` // read or write
	Status       string  `json:"status"`
	Runs         int     `json:"runs"`
	RowsCompared int     `json:"rows_compared"`
	Hits         int     `json:"hits"`     // runs that returned or changed a row
	NoHits       bool    `json:"no_hits"`  // it ran and never found anything: little was tested
	Rejected     int     `json:"rejected"` // writes that a foreign key or CHECK forbids, run on neither side
	Requests     int     `json:"requests"`
	ReadUnits    float64 `json:"read_units"`
	WriteUnits   float64 `json:"write_units"`

	PredictedReadUnits  float64 `json:"predicted_read_units"`
	PredictedWriteUnits float64 `json:"predicted_write_units"`

	read, write float64 // units of all runs
}

// A Failure is a difference between the two, on the smallest case that was found.
type Failure struct {
	Pattern string   `json:"pattern"` // "" when the state differs for no known reason
	Reason  string   `json:"reason"`
	Args    string   `json:"args"`
	Got     []string `json:"got"`    // rows of the design
	Want    []string `json:"want"`   // rows of SQL
	Script  string   `json:"script"` // INSERTs and calls that lead there
}

// Run verifies a design of m. Errors are those of the databases themselves; differences
// are in the report.
func Run(ctx context.Context, m *model.Model, d *design.Design, o Options) (*Report, error) {
	if o.Rows == 0 {
		o.Rows = 200
	}
	if o.Runs == 0 {
		o.Runs = 50
	}
	if o.Open == nil {
		o.Open = openEngine
	}
	rng := rand.New(rand.NewPCG(o.Seed, 0x6b6579666f6c64))
	v := &verifier{ctx: ctx, options: o, model: m, design: d, rng: rng,
		report: &Report{Seed: o.Seed, Patterns: []*Pattern{}, Failures: []*Failure{}}}
	v.patterns()
	gen := newGenerator(m, rng, o.Rows)
	v.data = gen.rows()
	v.gen = gen
	if err := v.run(); err != nil {
		return nil, err
	}
	v.finish()
	return v.report, nil
}

func openEngine() (exec.Client, func() error, error) {
	db, err := engine.Open(engine.Options{})
	if err != nil {
		return nil, nil, err
	}
	return db, db.Close, nil
}

type verifier struct {
	ctx     context.Context
	options Options
	model   *model.Model
	design  *design.Design
	rng     *rand.Rand
	gen     *generator
	data    dataset
	report  *Report
	active  []*Pattern
	history []step // the writes so far
}

// patterns lists what is to be tried.
func (v *verifier) patterns() {
	for _, p := range v.model.Patterns {
		out := &Pattern{Name: p.Name, Kind: "read", Status: OK}
		if p.IsWrite() {
			out.Kind = "write"
		}
		plan := v.design.Plan(p.Name)
		switch {
		case len(v.options.Only) > 0 && !slices.Contains(v.options.Only, p.Name):
			out.Status = Skipped
		case plan == nil || plan.Refused:
			out.Status = Refused
		default:
			out.PredictedReadUnits, out.PredictedWriteUnits = plan.Cost.ReadUnits, plan.Cost.WriteUnits
			v.active = append(v.active, out)
		}
		v.report.Patterns = append(v.report.Patterns, out)
	}
}

// run calls every pattern once in each round, in a new order, and compares the states
// after it.
func (v *verifier) run() error {
	w, err := openWorld(v.ctx, v.model, v.design, v.options.Open, v.data)
	if w != nil {
		defer w.close()
	}
	if err != nil {
		return v.failedLoad(err)
	}
	v.report.Rows = v.data.size()
	for round := range v.options.Runs {
		v.rng.Shuffle(len(v.active), func(i, j int) { v.active[i], v.active[j] = v.active[j], v.active[i] })
		rows, err := w.reference.dump(v.ctx)
		if err != nil {
			return err
		}
		v.gen.current = rows
		wrote := false
		for _, p := range slices.Clone(v.active) {
			ok, err := v.call(w, p)
			if err != nil || !ok {
				return err
			}
			wrote = wrote || p.Kind == "write"
		}
		if wrote || round == 0 {
			if ok, err := v.state(w); err != nil || !ok {
				return err
			}
		}
		if v.options.Progress != nil {
			v.options.Progress(round+1, v.options.Runs)
		}
	}
	return nil
}

// failedLoad reports rows that the design cannot hold.
func (v *verifier) failedLoad(err error) error {
	var bad *loadError
	if !errors.As(err, &bad) {
		return err
	}
	v.fail(nil, scenario{rows: v.data}, &difference{reason: "loading the rows: " + bad.err.Error()})
	return nil
}

// call runs one pattern on both sides. It is false when nothing more can be tried.
func (v *verifier) call(w *world, p *Pattern) (bool, error) {
	pattern := v.model.Pattern(p.Name)
	s := step{pattern: pattern, args: v.gen.args(pattern), now: v.gen.moment(), uuid: v.gen.uuid()}
	if v.rng.IntN(4) == 0 {
		s.pageLimit = 1 + v.rng.Int64N(3)
	}
	out, err := w.do(v.ctx, s)
	if err != nil {
		return false, err
	}
	p.Runs++
	if out.rejected {
		p.Rejected++
		return true, nil
	}
	p.RowsCompared += out.rows
	p.Requests = max(p.Requests, out.requests)
	p.read += out.readUnits
	p.write += out.writeUnits
	if out.hit {
		p.Hits++
	}
	if pattern.IsWrite() {
		v.history = append(v.history, s)
	}
	if out.diff == nil {
		return true, nil
	}
	steps := slices.Clone(v.history)
	if !pattern.IsWrite() {
		steps = append(steps, s)
	}
	v.fail(p, scenario{v.data, steps}, out.diff)
	v.active = slices.DeleteFunc(v.active, func(q *Pattern) bool { return q == p })
	return !pattern.IsWrite(), nil
}

// state compares everything that is stored.
func (v *verifier) state(w *world) (bool, error) {
	diff, err := w.compareStates(v.ctx)
	v.report.States++
	if err != nil || diff == nil {
		return err == nil, err
	}
	v.fail(nil, scenario{v.data, slices.Clone(v.history)}, diff)
	return false, nil
}

// fail shrinks a failing case and reports it.
func (v *verifier) fail(p *Pattern, k scenario, diff *difference) {
	k, diff = v.shrink(k, diff)
	f := &Failure{Reason: diff.reason, Got: diff.got, Want: diff.want, Script: k.script()}
	if n := len(k.steps); n > 0 {
		last := k.steps[n-1]
		f.Pattern, f.Args = last.pattern.Name, last.argText()
		for _, q := range v.report.Patterns {
			if p == nil && q.Name == f.Pattern {
				p = q
			}
		}
	}
	if p != nil {
		p.Status = Failed
	}
	v.report.Failures = append(v.report.Failures, f)
}

func (v *verifier) finish() {
	v.report.OK = len(v.report.Failures) == 0
	for _, p := range v.report.Patterns {
		if n := float64(p.Runs - p.Rejected); n > 0 {
			p.ReadUnits, p.WriteUnits = p.read/n, p.write/n
			p.NoHits = p.Hits == 0 && p.Status == OK
		} else if p.Status == OK {
			p.Status = Skipped
		}
	}
}
