package planner

import (
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
		for i := range q.Sources {
			if !q.Sources[i].Left {
				c.Filter = append(c.Filter, leftover(r, i)...)
			}
		}
	}
	if c.Aggregate = aggregates(q); c.Aggregate {
		c.Sort = len(q.OrderBy) > 0
	}
	c.Distinct = q.Distinct
	if len(w.demands) == 1 && len(w.demands[0].eq) == 0 && w.demands[0].exact == nil {
		l.w.findings = append(l.w.findings, finding{r.pattern, diag.Note, CodeSingleton, r.query.Pos,
			"all rows of " + w.demands[0].entity.Name + " lie in one partition, which serves at most 3,000 read and 1,000 write units a second",
			"fine for small sets; a large or busy one wants shards"})
	}
}
