package planner

import (
	"slices"

	"github.com/keyfold-dev/keyfold/internal/design"
	"github.com/keyfold-dev/keyfold/internal/diag"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// plan builds the plan of one access pattern on the layout.
func (l *layout) plan(p *model.AccessPattern) *design.Plan {
	out := &design.Plan{Pattern: p}
	switch {
	case l.w.refused(p):
		out.Refused = true
	case p.IsWrite():
		l.planWrite(out, l.w.write(p))
	default:
		if r := l.w.read(p); len(r.parts) > 0 {
			l.planUnion(out, r)
		} else {
			l.planRead(out, r)
		}
		l.remark(out)
	}
	return out
}

// planUnion puts the plans of the branches side by side.
func (l *layout) planUnion(out *design.Plan, r *read) {
	offset := 0
	for i, part := range r.parts {
		branch := &design.Plan{Pattern: out.Pattern}
		l.planRead(branch, part)
		for _, req := range branch.Requests {
			out.Requests = append(out.Requests, req.Shift(offset))
		}
		offset += len(part.query.Sources)
		out.Client.Join = out.Client.Join || branch.Client.Join
		out.Client.Distinct = out.Client.Distinct || branch.Client.Distinct
		out.Client.Aggregate = out.Client.Aggregate || branch.Client.Aggregate
		out.Client.Filter = append(out.Client.Filter, branch.Client.Filter...)
		if i == 0 {
			out.Reason = branch.Reason
		}
	}
	out.Query = r.query
	out.Client.Sort = len(r.query.OrderBy) > 0
	out.Client.Limit = r.query.Limit != nil || r.query.Offset != nil
	out.Strategy = "parallel Queries, merged"
}

func (l *layout) planRead(out *design.Plan, r *read) {
	w := l.c.ways[r]
	out.Query = r.query
	switch w.kind {
	case direct:
		l.planDirect(out, w.demands[0])
	case collection:
		l.planCollection(out, r, w)
	case points:
		l.planPoints(out, w)
	case chain:
		l.planChain(out, r, w)
	case parallel:
		l.planParallel(out, w)
	}
	l.finish(out, r, w)
	out.Alternatives = append(l.otherWays(r, w), out.Alternatives...)
}

// finish settles what is left to the client.
func (l *layout) finish(out *design.Plan, r *read, w *way) {
	q := r.query
	c := &out.Client
	if w.kind != direct {
		c.Join = true
		c.Sort = len(q.OrderBy) > 0
		c.Limit = q.Limit != nil || q.Offset != nil
		c.Filter = append(c.Filter, l.unexpressed(r, w)...)
	}
	if c.Aggregate = aggregates(q); c.Aggregate {
		c.Sort = len(q.OrderBy) > 0
	}
	c.Distinct = q.Distinct
	if len(w.demands) == 1 && len(w.demands[0].eq) == 0 && w.demands[0].exact == nil {
		e := w.demands[0].entity
		f := finding{r.pattern, diag.Note, CodeSingleton, r.query.Pos,
			"all rows of " + e.Name + " lie in one partition, which serves at most 3,000 read and 1,000 write units a second",
			"fine for small sets; a large or busy one wants shards"}
		if l.w.crowded(e) {
			f.severity = diag.Warning
			f.hint = "there are too many rows or calls for that; ask by a column that divides the rows, or keep what the query computes in a row of its own"
		}
		l.w.findings = append(l.w.findings, f)
	}
}

// unexpressed returns the conjuncts on single sources that no key of the plan holds: of
// rows got by their whole key, of the members of a collection, and of left-joined rows
// after the join.
func (l *layout) unexpressed(r *read, w *way) []model.Expr {
	var out []model.Expr
	for _, c := range r.query.Where {
		for source := range sourcesIn(c) {
			if len(sourcesIn(c)) == 1 && r.query.Sources[source].Left {
				out = append(out, c)
			}
		}
	}
	check := func(source int, inKey func(string) bool) {
		for _, c := range conjunctsOf(r.query, source) {
			col, _, ok := columnOperand(r.pattern, c)
			if slices.Contains(r.query.Where, c) && !(ok && r.eq.explains(c) && inKey(col.attr)) {
				out = append(out, c)
			}
		}
	}
	for _, g := range w.gets {
		check(g.source, l.baseSeat(g.entity).path.has)
	}
	for _, d := range w.demands {
		if w.kind == collection {
			check(d.source, func(attr string) bool { return slices.Contains(d.exact, attr) })
		}
	}
	return out
}
