package planner

import (
	"slices"
	"strings"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/design"
	"github.com/keyfold-dev/keyfold/internal/diag"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// seatOf returns the seat that serves a demand.
func (l *layout) seatOf(d *demand) *seat {
	for _, s := range l.seats {
		if slices.Contains(s.ds, d) {
			return s
		}
	}
	panic("keyfold: internal error: no path serves " + d.pattern.Name)
}

func (l *layout) planDirect(out *design.Plan, d *demand) {
	s := l.seatOf(d)
	q := d.query
	wholeKey := s.slot.index == "" && !slices.ContainsFunc(s.path.columns(), func(c string) bool { return !d.fixes(c) })
	if wholeKey && len(l.filters(s, d)) == 0 {
		out.Requests = []*design.Request{l.getItem(s, d)}
		out.Strategy = "primary key + GetItem"
		if s.guard != nil {
			out.Strategy = "unique key item + GetItem"
		}
		if d.lists {
			out.Requests[0].Op = design.BatchGetItem
			out.Strategy = "primary keys + BatchGetItem"
			out.Client.Sort = d.sorts
			out.Client.Limit = q.Limit != nil
		}
	} else {
		req := l.query(s, d)
		out.Requests = []*design.Request{req}
		out.Strategy = l.strategy(s, d)
		out.Client.Sort = d.sorts
		l.limit(out, req, d)
		if d.lists {
			out.Strategy += " for each element"
			l.w.findings = append(l.w.findings, finding{d.pattern, diag.Warning, CodeRequests, d.pattern.Pos,
				"sends a Query for each element of the list", "keep the list short, or ask by a column that all of its rows share"})
		}
	}
	out.Requests = spread(out.Requests[0], d)
	out.Reason = l.why(s, d)
	out.Client.Limit = out.Client.Limit || q.Offset != nil
}

// spread replaces a request whose key holds a list of constants by one for each of them;
// gets by whole keys stay one batch.
func spread(req *design.Request, d *demand) []*design.Request {
	out := []*design.Request{req}
	for _, f := range d.eq {
		list := elements(f.expr)
		if list == nil {
			continue
		}
		var next []*design.Request
		for _, r := range out {
			var batch []design.Get
			for _, e := range list {
				one := r.With(f.expr, e)
				batch = append(batch, one.Gets...)
				next = append(next, one)
			}
			if len(r.Gets) > 0 {
				one := *r
				one.Gets = batch
				next = []*design.Request{&one}
			}
		}
		out = next
	}
	return out
}

// limit pushes LIMIT down to the request where each item read is a row of the answer.
func (l *layout) limit(out *design.Plan, req *design.Request, d *demand) {
	q := d.query
	limit := q.Limit
	if limit == nil && d.pattern.Cardinality == model.One && d.unique == nil && !aggregates(q) {
		limit = model.NewLiteral(model.At(model.Type{Kind: model.Integer, Bits: 64}, q.Pos), dynamo.Int(1))
	}
	switch {
	case limit == nil:
	case len(req.Filter) > 0 || d.sorts || d.lists || q.Distinct || aggregates(q) || q.Offset != nil:
		out.Client.Limit = true
	default:
		req.Limit = limit
	}
}

func (l *layout) getItem(s *seat, d *demand) *design.Request {
	return &design.Request{Op: design.GetItem, Table: l.table, Each: -1, Consistent: d.strong,
		Gets: []design.Get{{Kind: l.kind(s, d.source), PK: s.pkT.Bind(d.value), SK: s.skT.Bind(d.value)}}}
}

func (l *layout) kind(s *seat, source int) design.Kind {
	name := s.entity.Name
	if s.guard != nil {
		name += "." + strings.Join(s.guard.unique, "_")
	}
	return design.Kind{Entity: name, Source: source}
}

// filters returns the fixed columns that the key does not express, as conjuncts, and the
// demand's other filters.
func (l *layout) filters(s *seat, d *demand) []model.Expr {
	reach := d.reach(s.path)
	out := slices.Clone(d.filter)
	e := d.entity
	for _, f := range d.eq {
		if slices.Contains(s.path.h, f.attr) || slices.ContainsFunc(s.path.s[:reach], func(c comp) bool { return c.attr == f.attr }) {
			continue
		}
		a := e.Attribute(f.attr)
		col := model.NewColumn(model.At(a.Type, f.expr.Pos()), d.source, d.query.Sources[d.source].Alias, f.attr)
		out = append(out, f.conjunct(d.pattern, col))
	}
	return out
}

// query builds the Query that serves d in seat s.
func (l *layout) query(s *seat, d *demand) *design.Request {
	req := &design.Request{Op: design.Query, Table: l.table, Index: s.slot.index, Each: -1,
		Consistent: d.strong, Descending: d.back, Filter: l.filters(s, d),
		Kinds: []design.Kind{l.kind(s, d.source)}}
	req.Partition = []design.KeyCondition{{Attribute: s.slot.pk, Value: s.pkT.Bind(d.value)}}
	req.Sort = l.sortCondition(s, d)
	return req
}

// sortCondition restricts the sort key to the fixed columns that begin it, and to the
// range on the column after them.
func (l *layout) sortCondition(s *seat, d *demand) *design.SortCondition {
	if s.guard != nil {
		return &design.SortCondition{Attribute: s.slot.sk, Op: design.SortEqual, Low: s.skT}
	}
	fixedParts := d.reach(s.path)
	head, next := cutTemplate(s.skT, fixedParts)
	head = head.Bind(d.value)
	c := &design.SortCondition{Attribute: s.slot.sk, Op: design.SortBeginsWith, Low: head}
	if d.span != nil && fixedParts < len(s.path.s) && s.path.s[fixedParts].attr == d.span.attr {
		return l.rangeCondition(c, head, next, d)
	}
	if n := len(head); fixedParts > 0 && fixedParts < len(s.path.s) {
		// The next column's label is not part of the prefix: any key that goes on matches.
		head[n-1].Literal = design.Delimiter
	}
	switch {
	case fixedParts == len(s.path.s):
		c.Op = design.SortEqual
	case fixedParts == 0 && l.alone(s):
		return nil
	}
	return c
}

// alone reports whether no other kind of item can lie in a partition of s.
func (l *layout) alone(s *seat) bool {
	return !slices.ContainsFunc(l.seats, func(o *seat) bool {
		return o != s && o.slot == s.slot && shapeText(o.pkT) == shapeText(s.pkT)
	})
}

// cutTemplate splits a sort key behind its first n columns and the literal that follows
// them; next is the column after that.
func cutTemplate(t design.Template, n int) (head design.Template, next design.Part) {
	for i, p := range t {
		if p.Value == nil {
			continue
		}
		if n == 0 {
			return slices.Clone(t[:i]), p
		}
		n--
	}
	return slices.Clone(t), design.Part{}
}

func (l *layout) rangeCondition(c *design.SortCondition, head design.Template, next design.Part, d *demand) *design.SortCondition {
	at := func(e model.Expr) design.Template {
		p := next
		p.Value = e
		return append(slices.Clone(head), p)
	}
	if d.span.prefix != nil {
		t := at(d.span.prefix)
		t[len(t)-1].Prefix = true
		c.Low = t
		return c
	}
	c.Op = design.SortBetween
	c.Low, c.High = openLow(head, next), openHigh(head, next)
	if d.span.low != nil {
		c.Low = at(d.span.low)
		if !d.span.lowIn {
			c.Low = append(c.Low, design.Part{Literal: design.Beyond})
		}
	}
	if d.span.high != nil {
		c.High = at(d.span.high)
		if d.span.highIn {
			c.High = append(c.High, design.Part{Literal: design.Beyond})
		}
	}
	return c
}

// openLow and openHigh bound all keys that begin with head and have a value in next.
func openLow(head design.Template, next design.Part) design.Template {
	if next.Nullable {
		return append(slices.Clone(head), design.Part{Literal: "="})
	}
	return slices.Clone(head)
}

func openHigh(head design.Template, next design.Part) design.Template {
	out := slices.Clone(head)
	if next.Nullable {
		return append(out, design.Part{Literal: ">"})
	}
	last := out[len(out)-1]
	last.Literal = strings.TrimSuffix(last.Literal, design.Delimiter) + design.Beyond
	out[len(out)-1] = last
	return out
}
