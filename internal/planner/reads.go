package planner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/keyfold-dev/keyfold/dynamo"
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

var wayNames = map[wayKind]string{direct: "key + Query", collection: "item collection + Query",
	points: "primary keys + BatchGetItem", chain: "Query + BatchGetItem", parallel: "parallel Queries"}

// otherWays tells of the strategies that were possible and lost.
func (l *layout) otherWays(r *read, chosen *way) []design.Alternative {
	var out []design.Alternative
	for i := range r.ways {
		w := &r.ways[i]
		name := wayNames[w.kind]
		if w == chosen || slices.ContainsFunc(out, func(a design.Alternative) bool { return a.Strategy == name }) || w.kind == chosen.kind {
			continue
		}
		reason := fmt.Sprintf("takes %d requests instead of %d", w.requests, chosen.requests)
		if w.requests == chosen.requests {
			reason = "takes as many requests, and more indexes or more writing for the other patterns"
		}
		out = append(out, design.Alternative{Strategy: name, Reason: reason})
	}
	return out
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
	c.Aggregate = aggregates(q)
	c.Distinct = q.Distinct
	if len(w.demands) == 1 && len(w.demands[0].eq) == 0 && w.demands[0].exact == nil {
		l.w.findings = append(l.w.findings, finding{r.pattern, diag.Note, CodeSingleton, r.query.Pos,
			"all rows of " + w.demands[0].entity.Name + " lie in one partition, which serves at most 3,000 read and 1,000 write units a second",
			"fine for small sets; a large or busy one wants shards"})
	}
}

// remark says what a served read costs in requests.
func (l *layout) remark(out *design.Plan) {
	if len(out.Requests) < 2 || strings.HasSuffix(out.Strategy, "element") {
		return
	}
	l.w.findings = append(l.w.findings, finding{out.Pattern, diag.Warning, CodeRequests, out.Pattern.Pos,
		fmt.Sprintf("served by %d requests, one after the other's rows are known or side by side", len(out.Requests)),
		"a copy of the joined columns would make it one; the rows here are always current"})
}

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

// strategy names how a Query finds its rows.
func (l *layout) strategy(s *seat, d *demand) string {
	reach := d.reach(s.path)
	switch {
	case s.guard != nil:
		return "unique key item + Query"
	case len(s.path.h) == 0 && len(d.eq) == 0:
		return strings.TrimSpace("singleton partition + Query")
	case s.slot.local:
		return "local secondary index + Query"
	case s.slot.index == "" && reach > 0:
		return "composite sort key + Query"
	case s.slot.index == "":
		return "primary key + Query"
	case reach > 0:
		return "secondary index + composite sort key + Query"
	}
	return "secondary index + Query"
}

// why says in a sentence what makes the path fit.
func (l *layout) why(s *seat, d *demand) string {
	if s.guard != nil {
		return l.d.Entity(l.kind(s, 0).Entity).Reason
	}
	where := "the table's key"
	if s.slot.index != "" {
		where = s.slot.index
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s has the partition %s", where, s.pkT)
	if s.skT != nil {
		fmt.Fprintf(&b, " and the sort key %s", s.skT)
	}
	if len(s.ds) > 1 {
		var with []string
		for _, o := range s.ds {
			if o.pattern != d.pattern && !slices.Contains(with, o.pattern.Name) {
				with = append(with, o.pattern.Name)
			}
		}
		if len(with) > 0 {
			b.WriteString(", shared with " + strings.Join(with, ", "))
		}
	}
	return b.String()
}
