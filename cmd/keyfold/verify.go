package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/keyfold-dev/keyfold"
	"github.com/keyfold-dev/keyfold/internal/diag"
	"github.com/keyfold-dev/keyfold/internal/exec"
	"github.com/keyfold-dev/keyfold/internal/exec/remote"
	"github.com/keyfold-dev/keyfold/internal/verify"
)

type verifyFlags struct {
	rows, runs int
	seed       uint64
	only       []string
	endpoint   string
	asJSON     bool
}

func newVerify(c *console) *cobra.Command {
	var f verifyFlags
	cmd := &cobra.Command{
		Use:   "verify DIR",
		Short: "Compare the design's answers with SQL's on the same random rows",
		Long: `Fill SQLite and the engine with the same random rows, run every access pattern on both
with many arguments, writes among them, and compare rows, order and stored state. The
same seed tries the same things. A difference is shown on the smallest case found, and
makes the exit status 1.

With --endpoint the design runs on another DynamoDB in place of the engine, in a table of
its own that is deleted afterwards.`,
		Example: "  keyfold verify examples/catalog\n  keyfold verify examples/catalog --rows 200 --runs 50 --seed 1 --json\n" +
			"  keyfold verify examples/catalog --endpoint http://127.0.0.1:8000",
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.runVerify(cmd.Context(), args[0], f)
		},
	}
	cmd.Flags().IntVar(&f.rows, "rows", 200, "rows of each table that others do not refer to; the others get fewer")
	cmd.Flags().IntVar(&f.runs, "runs", 50, "calls of each access pattern")
	cmd.Flags().Uint64Var(&f.seed, "seed", 1, "what the rows and arguments are made from")
	cmd.Flags().StringSliceVar(&f.only, "query", nil, "only these access patterns")
	cmd.Flags().StringVar(&f.endpoint, "endpoint", "", "URL of the DynamoDB to run on, instead of the engine in memory")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print one JSON document")
	return cmd
}

func (c *console) runVerify(ctx context.Context, dir string, f verifyFlags) error {
	if f.rows < 1 || f.runs < 1 {
		return usagef("--rows and --runs are at least 1")
	}
	p, err := c.design(dir, diag.Warning)
	if err != nil {
		return err
	}
	for i, name := range f.only {
		plan, err := p.plan(name)
		if err != nil {
			return err
		}
		f.only[i] = plan.Pattern.Name
	}
	o := verify.Options{Rows: f.rows, Runs: f.runs, Seed: f.seed, Only: f.only}
	tried := p.Result
	if f.endpoint != "" {
		tried, o.Open = elsewhere(ctx, p, f.endpoint)
	}
	rounds := c.progress("verifying")
	defer rounds.stop()
	o.Progress = rounds.at
	r, err := verify.Run(ctx, tried.Model, tried.Design, o)
	rounds.stop()
	if err != nil {
		return err
	}
	if f.asJSON {
		if err := c.json(r); err != nil {
			return err
		}
	} else {
		c.showReport(r)
	}
	if !r.OK || p.Diagnostics.HasErrors() {
		return errReported
	}
	return nil
}

// elsewhere compiles the project for a table of verify's own, and opens another DynamoDB
// without that table.
func elsewhere(ctx context.Context, p *compiled, endpoint string) (*keyfold.Result, func() (exec.Client, func() error, error)) {
	in := p.Input
	in.Table = "keyfold-verify-" + in.Table
	r := keyfold.Compile(in)
	client := remote.At(endpoint, p.Config.Region.Text)
	drop := func() error {
		for _, t := range r.Design.Tables {
			if err := client.DeleteTable(ctx, t.Name); err != nil {
				return err
			}
		}
		return nil
	}
	return r, func() (exec.Client, func() error, error) { return client, drop, drop() }
}

func (c *console) showReport(r *verify.Report) {
	verdict := styleGood.Render("The answers are SQL's.")
	switch {
	case len(r.Patterns) == 0:
		verdict = "There is nothing to verify: queries.sql has no statement."
	case !r.OK:
		verdict = styleBad.Render("The answers differ from SQL's.")
	}
	c.printf("%s\n", verdict)
	c.paragraph(fmt.Sprintf("%d rows, seed %d; the whole stored state was compared %s.", r.Rows, r.Seed, times(r.States)))
	c.printf("\n")
	t := &table{head: []string{"Access pattern", "Result", "Runs", "Found", "Compared", "Units", "Estimate"},
		right: map[int]bool{2: true, 3: true, 4: true, 5: true, 6: true}}
	for _, p := range r.Patterns {
		result := p.Status
		switch {
		case p.Status == verify.Failed:
			result = styleBad.Render(result)
		case p.NoHits:
			result += ", found nothing"
			if p.Rejected > 0 {
				result += fmt.Sprintf(" (%d rejected by constraints)", p.Rejected)
			}
		}
		t.add(p.Name, result, strconv.Itoa(p.Runs), strconv.Itoa(p.Hits), strconv.Itoa(p.RowsCompared),
			unitsText(p.ReadUnits, p.WriteUnits), unitsText(p.PredictedReadUnits, p.PredictedWriteUnits))
	}
	t.print(c.out, c.width)
	c.printf("\n")
	c.paragraph("Found: calls that returned or changed a row. Compared: rows of all answers. Units: on average for one call; the estimate is for the statistics of the schema, not for these rows.")
	for _, f := range r.Failures {
		c.showFailure(f)
	}
}

func (c *console) showFailure(f *verify.Failure) {
	c.printf("\n")
	c.title("%s %s", f.Pattern, f.Args)
	c.field("Reason", f.Reason)
	c.rowList("Design", f.Got)
	c.rowList("SQL", f.Want)
	if f.Script != "" {
		c.printf("  The smallest case found:\n")
		for line := range strings.Lines(f.Script) {
			c.printf("    %s", line)
		}
		c.printf("\n")
	}
}

// rowList prints the rows of one side of a difference.
func (c *console) rowList(label string, rows []string) {
	if len(rows) == 0 {
		c.field(label, "no rows")
	}
	for i, row := range rows {
		if i > 0 {
			label = " "
		}
		c.field(label, row)
	}
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
