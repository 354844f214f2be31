package planner

import "slices"

// readCost weighs what a path costs its readers beyond the units that every path costs:
// fixed columns that end in a filter, a constant partition, and a partition column that
// the query does not name first.
func (t *task) readCost(p path, ds []*demand) float64 {
	cost := 0.0005 * float64(len(p.s))
	if len(p.h) == 0 {
		cost += 0.05
	}
	for _, d := range ds {
		reach := d.reach(p)
		for _, f := range d.eq {
			if !slices.Contains(p.h, f.attr) && !slices.ContainsFunc(p.s[:reach], func(c comp) bool { return c.attr == f.attr }) {
				cost += d.filterCost()
			}
		}
		if d.unique == nil && len(d.eq) > 0 && len(p.h) > 0 && !slices.Contains(p.h, d.eq[0].attr) {
			cost += 0.001
		}
	}
	return cost
}

// filterCost weighs a fixed column that ends in a filter: next to nothing on one row.
func (d *demand) filterCost() float64 {
	if d.unique != nil {
		return 0.0002
	}
	return 0.01
}

// reach returns how many components of the sort key d fixes.
func (d *demand) reach(p path) int {
	for i, c := range p.s {
		if !d.fixes(c.attr) {
			return i
		}
	}
	return len(p.s)
}

// writeCost weighs the index writes that a path adds: one for each insert and delete,
// two for each update of one of its columns (the entry moves), one for each update of a
// column it projects.
func (t *task) writeCost(p path, ds []*demand) float64 {
	cost := 0.01
	for _, d := range ds {
		cost += 0.0001 // the table itself, where both can serve: its reads may be consistent
		if d.unique != nil {
			// The table itself gives one row by GetItem, and consistently.
			cost += 0.002
		}
	}
	for _, w := range t.w.writes {
		if w.entity != t.e {
			continue
		}
		rate := w.pattern.Hints.Rate.Value
		switch {
		case !w.update:
			cost += rate
		case slices.ContainsFunc(w.sets, p.has):
			cost += 2 * rate
			if w.mustRead(p) {
				// A request more on every call weighs as much as all else together.
				cost += 10 * rate
			}
		case slices.ContainsFunc(w.sets, func(attr string) bool {
			return slices.ContainsFunc(ds, func(d *demand) bool { return slices.Contains(d.needs, attr) })
		}):
			cost += rate
		}
	}
	return cost
}

// mustRead reports whether an update of p's columns needs the row first: one of the two
// keys it changes also holds a column that the statement does not give.
func (w *write) mustRead(p path) bool {
	var sort []string
	for _, c := range p.s {
		sort = append(sort, c.attr)
	}
	for _, key := range [][]string{p.h, sort} {
		changed := slices.ContainsFunc(key, func(c string) bool { return slices.Contains(w.sets, c) })
		if changed && slices.ContainsFunc(key, func(c string) bool { return !w.gives(c) }) {
			return true
		}
	}
	return false
}

// gives reports whether the statement alone tells a column's value after the write.
func (w *write) gives(attr string) bool {
	if u := w.pattern.Update; u != nil {
		for _, s := range u.Set {
			if s.Attribute == attr {
				return len(columnsIn(nil, s.Value, 0)) == 0
			}
		}
	}
	return slices.ContainsFunc(w.eq, func(f fixed) bool { return f.attr == attr })
}
