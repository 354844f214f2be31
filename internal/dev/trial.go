package dev

import (
	"context"
	"errors"

	"github.com/keyfold-dev/keyfold/engine"
	"github.com/keyfold-dev/keyfold/internal/design"
	"github.com/keyfold-dev/keyfold/internal/exec"
	"github.com/keyfold-dev/keyfold/internal/sample"
)

// A Trial is one call of one access pattern.
type Trial struct {
	Plan   *design.Plan
	Args   exec.Args
	Result *exec.Result // nil when Err is set, and for a refused plan
	Err    error
}

// Try calls every access pattern once, with arguments from the sample rows: reads on the
// database, writes on a copy of the sample rows in memory, so that the database stays as
// it is. The error is of the session; that of a call is in its Trial.
func (s *Session) Try(ctx context.Context, d *design.Design, data *sample.Data) ([]Trial, error) {
	copied, err := engine.Open(engine.Options{Region: s.options.Region})
	if err != nil {
		return nil, err
	}
	defer copied.Close()
	if err := load(ctx, copied, d, data, nil); err != nil {
		return nil, err
	}
	var out []Trial
	for _, p := range d.Plans {
		client := exec.Client(s.DB)
		if p.Pattern.IsWrite() {
			client = copied
		}
		out = append(out, try(ctx, client, d, p, data))
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// try calls a plan with one proposal of arguments after the other until a call finds or
// changes a row; the first call stands when none does. An INSERT that meets a row that is
// there already counts as none.
func try(ctx context.Context, c exec.Client, d *design.Design, p *design.Plan, data *sample.Data) Trial {
	first := Trial{Plan: p}
	if p.Refused {
		return first
	}
	for i, args := range data.Arguments(p.Pattern) {
		t := Trial{Plan: p, Args: args}
		t.Result, t.Err = exec.Run(ctx, c, d, p, args)
		if i == 0 {
			first = t
		}
		if t.Err == nil && (len(t.Result.Rows) > 0 || t.Result.Affected > 0) {
			return t
		}
		if first.Err != nil && t.Err == nil {
			first = t
		}
	}
	if first.Result == nil && first.Err == nil {
		first.Err = errNoRows
	}
	return first
}

var errNoRows = errors.New("there are no sample rows to take arguments from")
