package design

import (
	"slices"

	"github.com/keyfold-dev/keyfold/internal/model"
)

// Branches returns the plan taken apart by the branches of its UNION ALL: a plan for each
// SELECT, with its own requests and its sources counted from 0. A plan of one SELECT is
// its own only branch. What the client does with all rows together (sort, cut) stays with
// every branch.
func (p *Plan) Branches() []*Plan {
	if p.Query == nil || len(p.Query.Union) == 0 {
		return []*Plan{p}
	}
	var out []*Plan
	offset := 0
	for _, q := range append([]*model.Query{p.Query}, p.Query.Union...) {
		branch := *p
		alone := *q
		alone.Union = nil
		branch.Query = &alone
		branch.Requests = nil
		for _, r := range p.Requests {
			if s := r.Sources()[0]; s >= offset && s < offset+len(q.Sources) {
				branch.Requests = append(branch.Requests, r.Shift(-offset))
			}
		}
		out = append(out, &branch)
		offset += len(q.Sources)
	}
	return out
}

// Shift returns a copy of a read with all its sources renumbered by n.
func (r *Request) Shift(n int) *Request {
	out := r.rewrite(func(e model.Expr) model.Expr {
		return model.Map(e, func(c *model.Column) model.Expr {
			return model.NewColumn(model.At(c.Type(), c.Pos()), c.Source+n, c.Alias, c.Attribute)
		})
	})
	for i := range out.Gets {
		out.Gets[i].Kind.Source += n
	}
	for i := range out.Kinds {
		out.Kinds[i].Source += n
	}
	if r.Each >= 0 {
		out.Each += n
	}
	return out
}

// With returns a copy of a read whose keys have one expression in place of another.
func (r *Request) With(old, other model.Expr) *Request {
	return r.rewrite(func(e model.Expr) model.Expr {
		if e == old {
			return other
		}
		return e
	})
}

// rewrite copies a read with the expressions of its keys and filters replaced.
func (r *Request) rewrite(f func(model.Expr) model.Expr) *Request {
	template := func(t Template) Template {
		out := slices.Clone(t)
		for i, p := range out {
			if p.Value != nil {
				out[i].Value = f(p.Value)
			}
		}
		return out
	}
	out := *r
	out.Gets, out.Kinds, out.Partition = slices.Clone(r.Gets), slices.Clone(r.Kinds), slices.Clone(r.Partition)
	for i, g := range r.Gets {
		out.Gets[i].PK, out.Gets[i].SK = template(g.PK), template(g.SK)
	}
	for i, k := range r.Partition {
		out.Partition[i].Value = template(k.Value)
	}
	if r.Sort != nil {
		sort := *r.Sort
		sort.Low, sort.High = template(r.Sort.Low), template(r.Sort.High)
		out.Sort = &sort
	}
	out.Filter = nil
	for _, e := range r.Filter {
		out.Filter = append(out.Filter, f(e))
	}
	return &out
}
