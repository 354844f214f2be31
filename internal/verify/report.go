package verify

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// String prints the report as a table for people, failures below it.
func (r *Report) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "PATTERN\tSTATUS\tRUNS\tHITS\tROWS\tREQUESTS\tREAD UNITS\tWRITE UNITS")
	for _, p := range r.Patterns {
		note := ""
		if p.NoHits {
			note = " (never found anything)"
		}
		fmt.Fprintf(w, "%s\t%s%s\t%d\t%d\t%d\t%d\t%s\t%s\n", p.Name, p.Status, note, p.Runs, p.Hits, p.RowsCompared, p.Requests,
			measured(p.ReadUnits, p.PredictedReadUnits), measured(p.WriteUnits, p.PredictedWriteUnits))
	}
	_ = w.Flush() // a strings.Builder takes everything
	for _, f := range r.Failures {
		b.WriteString("\n" + f.String())
	}
	fmt.Fprintf(&b, "\n%s: %d rows, %d whole-state comparisons, seed %d\n", r.verdict(), r.Rows, r.States, r.Seed)
	return b.String()
}

// measured shows an average beside what was predicted.
func measured(average, predicted float64) string {
	if average == 0 && predicted == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f (predicted %.2f)", average, predicted)
}

func (r *Report) verdict() string {
	ran, failed := 0, 0
	for _, p := range r.Patterns {
		if p.Runs > 0 {
			ran++
		}
		if p.Status == Failed {
			failed++
		}
	}
	if r.OK {
		return fmt.Sprintf("ok: %d access patterns give SQL's answers", ran)
	}
	return fmt.Sprintf("FAILED: %d of %d access patterns", max(failed, 1), ran)
}

// String prints the failure with the case that shows it.
func (f *Failure) String() string {
	var b strings.Builder
	name := f.Pattern
	if name == "" {
		name = "the rows"
	}
	fmt.Fprintf(&b, "%s: %s\n", name, f.Reason)
	if f.Args != "" {
		fmt.Fprintf(&b, "  arguments: %s\n", f.Args)
	}
	for _, side := range []struct {
		title string
		rows  []string
	}{{"the design gives", f.Got}, {"SQL gives", f.Want}} {
		if len(side.rows) == 0 {
			fmt.Fprintf(&b, "  %s: nothing\n", side.title)
			continue
		}
		fmt.Fprintf(&b, "  %s:\n    %s\n", side.title, strings.Join(shortened(side.rows), "\n    "))
	}
	fmt.Fprintf(&b, "  with these rows:\n    %s\n", strings.Join(shortened(strings.Split(strings.TrimSpace(f.Script), "\n")), "\n    "))
	return b.String()
}

// shortened keeps a long list readable.
func shortened(list []string) []string {
	const most = 40
	if len(list) <= most {
		return list
	}
	return append(append([]string(nil), list[:most]...), fmt.Sprintf("... and %d more", len(list)-most))
}
