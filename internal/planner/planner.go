// Package planner turns a model into a design: it reads demands off the access patterns,
// enumerates the access paths that could serve them, and chooses for every entity a base
// key and index keys so that together they refuse the fewest patterns, need the fewest
// requests, then the fewest indexes, then the least writing. It hides the search; the
// result is a plain design.Design, and the same model always gives the same one.
//
// The vocabulary: a demand is what one read asks of one entity (columns fixed by equality,
// one range, an order). A path is a way to key an entity: partition columns, then sort
// columns. Demands share a path when their equality sets form a chain that the sort key
// can spell (Subotić et al., "Automatic Index Selection for Large-Scale Datalog
// Computation", VLDB 2018). One path of each entity is the base table's key; the others
// take index slots, which entities share by overloading.
package planner

import (
	"github.com/keyfold-dev/keyfold/internal/cost"
	"github.com/keyfold-dev/keyfold/internal/design"
	"github.com/keyfold-dev/keyfold/internal/diag"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// Options are the choices that are not the planner's.
type Options struct {
	// TableName is the name of the single table; "app" when empty.
	TableName string
}

// Plan chooses a design for m. Every access pattern has a plan: one that serves it, or a
// refused one whose diagnostics say which clause cannot be served, why, and what would
// help. A refused pattern does not stop the others. Plan is deterministic.
func Plan(m *model.Model, o Options) (*design.Design, diag.List) {
	if o.TableName == "" {
		o.TableName = "app"
	}
	var diags diag.List
	w := analyse(m)
	choice := search(m, w)
	l := newLayout(m, w, choice, o.TableName)
	d := l.design()
	for _, p := range m.Patterns {
		d.Plans = append(d.Plans, l.plan(p))
	}
	l.project(d)
	cost.Estimate(m, d)
	for _, f := range w.findings {
		diags = append(diags, f.diagnostic())
	}
	for _, p := range d.Plans {
		for _, f := range w.of(p.Pattern) {
			p.Codes = append(p.Codes, f.code)
			if p.Refused {
				p.Reason = f.message
			}
		}
	}
	diags = append(diags, design.Check(m, d)...)
	diags.Sort()
	return d, diags
}

// A finding is something to say about one access pattern, or about the model when the
// pattern is nil.
type finding struct {
	pattern  *model.AccessPattern
	severity diag.Severity
	code     diag.Code
	pos      diag.Pos
	message  string
	hint     string
}

func (f finding) diagnostic() diag.Diagnostic {
	message := f.message
	if f.pattern != nil {
		message = f.pattern.Name + ": " + message
	}
	return diag.Diagnostic{Severity: f.severity, Code: f.code, Pos: f.pos, Message: message, Hint: f.hint}
}
