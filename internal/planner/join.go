package planner

import (
	"slices"

	"github.com/keyfold-dev/keyfold/internal/design"
	"github.com/keyfold-dev/keyfold/internal/diag"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// expressible reports why a condition cannot be a DynamoDB expression, or nil.
func expressible(e model.Expr) error { return design.Expressible(e) }

// joinWays enumerates the strategies for a read of several sources, fewest requests
// first. Without any it says why.
func (a *analysis) joinWays(r *read) ([]way, []finding) {
	var ways []way
	if w, ok := a.pointsWay(r); ok {
		ways = append(ways, w)
	}
	for _, place := range []place{inBase, inIndex} {
		if w, ok := a.collectionWay(r, place); ok {
			ways = append(ways, w)
		}
	}
	chains, dropping := a.chainWays(r)
	ways = append(ways, chains...)
	if w, ok := a.parallelWay(r); ok {
		ways = append(ways, w)
	}
	if len(ways) == 0 {
		if dropping != nil {
			return nil, []finding{{pattern: r.pattern, severity: diag.Error, code: CodeFilter, pos: dropping.Pos(),
				message: "the rows that " + dropping.String() + " speaks of are found by the keys in others, so many would be fetched only to be dropped",
				hint:    "write `-- keyfold: filter=allow` above the query to accept that"}}
		}
		return nil, []finding{{pattern: r.pattern, severity: diag.Error, code: CodeJoin, pos: r.query.Sources[1].Pos,
			message: "the joined rows share no partition that the parameters name, and no row holds the whole key of the others",
			hint:    "fix a column that all of them have (a parent's key), or split the query in two"}}
	}
	slices.SortStableFunc(ways, func(x, y way) int { return x.requests - y.requests })
	return ways, nil
}

// leftover returns the conjuncts on one source that no equality explains.
func leftover(r *read, source int) []model.Expr {
	return slices.DeleteFunc(conjunctsOf(r.query, source), r.eq.explains)
}

// collectionWay reads all sources in one partition, whose columns the parameters fix in
// each of them. Rows of other kinds in it are told apart by their sort keys.
func (a *analysis) collectionWay(r *read, at place) (way, bool) {
	var common []ref
	for i := range r.query.Sources {
		var classes []ref
		for _, f := range r.eq.fixedOf(i) {
			classes = append(classes, r.eq.class(ref{i, f.attr}))
		}
		if i == 0 {
			common = classes
		} else {
			common = slices.DeleteFunc(common, func(c ref) bool { return !slices.Contains(classes, c) })
		}
	}
	if len(common) == 0 {
		return way{}, false
	}
	w := way{kind: collection, requests: 1}
	var first []label
	seen := map[string]bool{}
	for i, s := range r.query.Sources {
		d, ok := a.collectionDemand(r, i, common)
		if !ok || seen[s.Entity] {
			return way{}, false
		}
		seen[s.Entity] = true
		d.at = at
		shape := shape(a.m, a.prefix, d.entity, d.exact, 8)
		if i == 0 {
			first = shape
		} else if !a.aligned(r, first, shape, i) {
			return way{}, false
		}
		w.demands = append(w.demands, d)
	}
	return w, true
}

// collectionDemand is a source's part of a collection read. Conditions beyond the
// partition's would be filters over rows already read.
func (a *analysis) collectionDemand(r *read, source int, common []ref) (*demand, bool) {
	e := a.m.Entity(r.query.Sources[source].Entity)
	d := &demand{pattern: r.pattern, query: r.query, source: source, entity: e,
		strong: r.pattern.Hints.Strong, needs: neededColumns(r.query, source)}
	for _, f := range r.eq.fixedOf(source) {
		if slices.Contains(common, r.eq.class(ref{source, f.attr})) {
			d.eq = append(d.eq, f)
		} else if !r.pattern.Hints.AllowFilter {
			return nil, false
		}
	}
	if len(leftover(r, source)) > 0 && !r.pattern.Hints.AllowFilter {
		return nil, false
	}
	for _, attr := range e.Attributes {
		if d.fixes(attr.Name) {
			d.exact = append(d.exact, attr.Name)
		}
	}
	return d, len(d.exact) == len(common)
}

// aligned reports whether two sources spell the same partition key for the same values.
func (a *analysis) aligned(r *read, first, shape []label, source int) bool {
	if len(first) != len(shape) {
		return false
	}
	e0, e := a.m.Entity(r.query.Sources[0].Entity), a.m.Entity(r.query.Sources[source].Entity)
	for i, l := range shape {
		if l.text != first[i].text || r.eq.class(ref{source, l.attr}) != r.eq.class(ref{0, first[i].attr}) {
			return false
		}
		if a, b := r.eq.fixedTo(ref{0, first[i].attr}), r.eq.fixedTo(ref{source, l.attr}); a.String() != b.String() {
			return false // a condition on the left-joined row gives it a second value
		}
		t, u := e0.Attribute(first[i].attr).Type, e.Attribute(l.attr).Type
		if t.Kind != u.Kind || t.Bits != u.Bits || t.Precision != u.Precision || t.Scale != u.Scale {
			return false
		}
	}
	return true
}

// pointsWay gets every source's one row by its key, all in one batch.
func (a *analysis) pointsWay(r *read) (way, bool) {
	w := way{kind: points, requests: 1}
	for i, s := range r.query.Sources {
		e := a.m.Entity(s.Entity)
		g := get{entity: e, source: i, from: map[string]model.Expr{}}
		for _, f := range r.eq.fixedOf(i) {
			g.from[f.attr] = f.expr
		}
		if !g.hasKey() {
			return way{}, false
		}
		w.gets = append(w.gets, g)
	}
	return w, true
}

func (g get) hasKey() bool {
	return !slices.ContainsFunc(g.entity.PrimaryKey, func(a string) bool { return g.from[a] == nil })
}

// chainWays reads one source by a query and follows its rows' references to the others,
// by batches of gets. A chain that would fetch rows only to drop them needs the user's
// consent, unless it starts from one row; dropping is the condition that does it.
func (a *analysis) chainWays(r *read) (out []way, dropping model.Expr) {
	for driver, s := range r.query.Sources {
		if s.Left {
			continue
		}
		d, found := a.single(r.pattern, r.query, driver, r.eq)
		if len(found) > 0 || len(d.eq) == 0 {
			continue
		}
		w := way{kind: chain, demands: []*demand{d}, requests: 1, order: []int{driver}}
		for a.follow(r, &w) {
		}
		if len(w.order) < len(r.query.Sources) {
			continue
		}
		if c := a.dropsRows(r, w); c != nil && !d.soft {
			dropping = c
			continue
		}
		out = append(out, w)
	}
	return out, dropping
}

// dropsRows returns a condition on the rows that a chain follows to that is not on their
// key, or nil.
func (a *analysis) dropsRows(r *read, w way) model.Expr {
	for _, g := range w.gets {
		for _, c := range conjunctsOf(r.query, g.source) {
			col, _, ok := columnOperand(r.pattern, c)
			if slices.Contains(r.query.Where, c) && !(ok && r.eq.explains(c) && slices.Contains(g.entity.PrimaryKey, col.attr)) {
				return c
			}
		}
	}
	return nil
}

// follow adds one source whose key a row of one source read before holds.
func (a *analysis) follow(r *read, w *way) bool {
	for i := range r.query.Sources {
		if slices.Contains(w.order, i) {
			continue
		}
		for _, from := range w.order {
			if g := a.pointer(r, i, from); g.hasKey() {
				w.gets = append(w.gets, g)
				w.order = append(w.order, i)
				w.requests++
				return true
			}
		}
	}
	return false
}

// pointer collects what the parameters and a row of from say about the key of source.
func (a *analysis) pointer(r *read, source, from int) get {
	g := get{entity: a.m.Entity(r.query.Sources[source].Entity), source: source, from: map[string]model.Expr{}}
	for _, f := range r.eq.fixedOf(source) {
		g.from[f.attr] = f.expr
	}
	holder := r.query.Sources[from]
	for attr, link := range r.eq.linked(source, func(o int) bool { return o == from }) {
		if g.from[attr] != nil {
			continue // the parameters say it already
		}
		t := a.m.Entity(holder.Entity).Attribute(link.attr).Type
		g.from[attr] = model.NewColumn(model.At(t, holder.Pos), from, holder.Alias, link.attr)
	}
	return g
}

// parallelWay asks for every source by a query of its own.
func (a *analysis) parallelWay(r *read) (way, bool) {
	w := way{kind: parallel}
	for i := range r.query.Sources {
		d, found := a.single(r.pattern, r.query, i, r.eq)
		if len(found) > 0 || len(d.eq) == 0 {
			return way{}, false
		}
		w.demands = append(w.demands, d)
		w.requests++
	}
	return w, true
}
