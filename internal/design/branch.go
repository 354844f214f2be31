package design

import "github.com/keyfold-dev/keyfold/internal/model"

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
	move := func(c *model.Column) model.Expr {
		return model.NewColumn(model.At(c.Type(), c.Pos()), c.Source+n, c.Alias, c.Attribute)
	}
	template := func(t Template) Template {
		out := make(Template, len(t))
		for i, p := range t {
			if p.Value != nil {
				p.Value = model.Map(p.Value, move)
			}
			out[i] = p
		}
		return out
	}
	out := *r
	out.Gets, out.Kinds = nil, nil
	for _, g := range r.Gets {
		g.Kind.Source += n
		g.PK, g.SK = template(g.PK), template(g.SK)
		out.Gets = append(out.Gets, g)
	}
	for _, k := range r.Kinds {
		k.Source += n
		out.Kinds = append(out.Kinds, k)
	}
	if r.Each >= 0 {
		out.Each += n
	}
	out.Filter = model.MapAll(r.Filter, move)
	return &out
}
