package planner

import (
	"slices"
	"strings"

	"github.com/keyfold-dev/keyfold/internal/design"
	"github.com/keyfold-dev/keyfold/internal/model"
)

func (l *layout) planCollection(out *design.Plan, r *read, w *way) {
	first := l.seatOf(w.demands[0])
	req := &design.Request{Op: design.Query, Table: l.table, Index: first.slot.index, Each: -1,
		Consistent: w.demands[0].strong,
		Partition:  []design.KeyCondition{{Attribute: first.slot.pk, Value: first.pkT.Bind(w.demands[0].value)}}}
	var seats []*seat
	for _, d := range w.demands {
		s := l.seatOf(d)
		seats = append(seats, s)
		req.Kinds = append(req.Kinds, l.kind(s, d.source))
	}
	l.narrow(req, seats)
	out.Requests = []*design.Request{req}
	out.Strategy = "item collection + Query"
	if first.slot.index != "" {
		out.Strategy = "item collection in an index + Query"
	}
	out.Reason = "the rows of " + strings.Join(entityNames(w.demands), " and ") + " share the partition " + req.Partition[0].Value.String() + ", so one Query reads them all"
}

// narrow restricts a collection read to the wanted kinds: not at all when no others can
// be in the partition, by one range of sort keys when no other kind sorts between them,
// by a filter on the kind otherwise.
func (l *layout) narrow(req *design.Request, wanted []*seat) {
	var others []*seat
	for _, s := range l.seats {
		if s.slot == wanted[0].slot && shapeText(s.pkT) == shapeText(wanted[0].pkT) && !slices.Contains(wanted, s) {
			others = append(others, s)
		}
	}
	if len(others) == 0 {
		return
	}
	low, high := wanted[0].lead, wanted[0].lead
	for _, s := range wanted {
		low, high = min(low, s.lead), max(high, s.lead)
	}
	req.Sort = &design.SortCondition{Attribute: wanted[0].slot.sk, Op: design.SortBetween,
		Low:  design.Template{{Literal: low}},
		High: design.Template{{Literal: strings.TrimSuffix(high, design.Delimiter) + design.Beyond}}}
	for _, s := range others {
		if s.lead > low && s.lead < high {
			req.SkipKinds = true
		}
	}
}

func entityNames(ds []*demand) []string {
	var out []string
	for _, d := range ds {
		out = append(out, d.entity.Name)
	}
	return out
}

func (l *layout) baseSeat(e *model.Entity) *seat {
	for _, s := range l.seats {
		if s.entity == e && s.guard == nil && s.slot.index == "" {
			return s
		}
	}
	panic("keyfold: internal error: no base key for " + e.Name)
}

func (l *layout) get(g get) design.Get {
	s := l.baseSeat(g.entity)
	value := func(attr string) model.Expr { return g.from[attr] }
	return design.Get{Kind: l.kind(s, g.source), PK: s.pkT.Bind(value), SK: s.skT.Bind(value)}
}

func (l *layout) planPoints(out *design.Plan, w *way) {
	req := &design.Request{Op: design.BatchGetItem, Table: l.table, Each: -1}
	for _, g := range w.gets {
		req.Gets = append(req.Gets, l.get(g))
	}
	out.Requests = []*design.Request{req}
	out.Strategy = "primary keys + BatchGetItem"
	out.Reason = "the parameters hold the whole key of every row, so one batch gets them all and nothing has to be copied"
}

func (l *layout) planChain(out *design.Plan, r *read, w *way) {
	d := w.demands[0]
	s := l.seatOf(d)
	out.Requests = []*design.Request{l.query(s, d)}
	for _, g := range w.gets {
		each := -1
		for _, e := range g.from {
			if c, ok := e.(*model.Column); ok {
				each = max(each, c.Source)
			}
		}
		out.Requests = append(out.Requests, &design.Request{Op: design.BatchGetItem, Table: l.table, Each: each, Gets: []design.Get{l.get(g)}})
	}
	out.Strategy = "Query + BatchGetItem"
	out.Reason = "the rows of " + d.entity.Name + " hold the keys of the others, which are fetched in batches and so are always current"
}

func (l *layout) planParallel(out *design.Plan, w *way) {
	for _, d := range w.demands {
		out.Requests = append(out.Requests, l.query(l.seatOf(d), d))
	}
	out.Strategy = "parallel Queries"
	out.Reason = "each kind is found by its own key condition; no one partition holds them all"
}
