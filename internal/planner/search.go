package planner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/keyfold-dev/keyfold/internal/diag"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// A choice is what the search decided: a way for each read, an option for each entity.
type choice struct {
	ways    map[*read]*way
	options map[string]option
	slots   *slotting
}

// A searcher walks the combinations of ways. Requests count before indexes, indexes
// before cost, so branches that already need more requests than the best are cut.
type searcher struct {
	m     *model.Model
	w     *workload
	memo  map[string][]option
	best  *choice
	score [3]float64
	nodes int
}

// nodeLimit bounds the search over ways; beyond it the best choice so far stands.
const nodeLimit = 20000

// search chooses ways and options. Reads that no combination serves are refused, with a
// finding, one after the other until the rest can be served.
func search(m *model.Model, w *workload) *choice {
	for {
		s := &searcher{m: m, w: w, memo: map[string][]option{}}
		s.walk(0, make([]int, len(w.reads)), 0)
		if s.best != nil {
			return s.best
		}
		refuseOne(w)
	}
}

// refuseOne takes out the last read whose consistency nothing can give; the constraints
// of the others never exclude each other.
func refuseOne(w *workload) {
	for i := len(w.reads) - 1; i >= 0; i-- {
		r := w.reads[i]
		if !r.pattern.Hints.Strong {
			continue
		}
		w.findings = append(w.findings, finding{r.pattern, diag.Error, CodeStrong, r.pattern.Pos,
			"a strongly consistent read comes from the table or a local index, and neither can have this key",
			"drop consistency=strong, or fix the columns of the table's own partition key"})
		w.reads = slices.DeleteFunc(w.reads, func(o *read) bool { return o.pattern == r.pattern })
		return
	}
	panic("keyfold: internal error: the access patterns exclude each other")
}

// walk tries every way of the reads from i on.
func (s *searcher) walk(i int, ways []int, requests float64) {
	s.nodes++
	if s.best != nil && (requests > s.score[0] || s.nodes > nodeLimit) {
		return
	}
	if i == len(s.w.reads) {
		s.weigh(ways, requests)
		return
	}
	for k := range s.w.reads[i].ways {
		ways[i] = k
		s.walk(i+1, ways, requests+float64(s.w.reads[i].ways[k].requests))
	}
}

// weigh solves every entity for one combination of ways and keeps it if it is the best.
func (s *searcher) weigh(ways []int, requests float64) {
	c := &choice{ways: map[*read]*way{}, options: map[string]option{}}
	demands := map[string][]*demand{}
	gets := map[string][]get{}
	for i, r := range s.w.reads {
		w := &r.ways[ways[i]]
		c.ways[r] = w
		for _, d := range w.demands {
			demands[d.entity.Name] = append(demands[d.entity.Name], d)
		}
		for _, g := range w.gets {
			gets[g.entity.Name] = append(gets[g.entity.Name], g)
		}
	}
	all := map[string][]option{}
	most := 0
	for _, e := range s.m.Entities {
		opts := s.solve(e, demands[e.Name], gets[e.Name])
		if len(opts) == 0 {
			return
		}
		all[e.Name] = opts
		most = max(most, len(opts[0].indexes))
	}
	cost := 0.0
	for _, e := range s.m.Entities {
		var pick option
		for i, o := range all[e.Name] {
			if len(o.indexes) <= most && (i == 0 || o.cost < pick.cost-1e-12) {
				pick = o
			}
		}
		c.options[e.Name] = pick
		cost += pick.cost
	}
	seated, ok := slots(s.m, c.options)
	if !ok {
		return
	}
	c.slots = seated
	score := [3]float64{requests, float64(seated.global + seated.locals), cost}
	if s.best == nil || slices.Compare(score[:], s.score[:]) < 0 {
		s.best, s.score = c, score
	}
}

func (s *searcher) solve(e *model.Entity, ds []*demand, gets []get) []option {
	key := e.Name
	for _, d := range ds {
		key += fmt.Sprintf(" %p", d)
	}
	for _, g := range gets {
		cols := make([]string, 0, len(g.from))
		for c := range g.from {
			cols = append(cols, c)
		}
		slices.Sort(cols)
		key += " get " + strings.Join(cols, ",")
	}
	opts, ok := s.memo[key]
	if !ok {
		opts = s.solveDistinct(e, ds, gets)
		s.memo[key] = opts
	}
	return opts
}

// solveDistinct solves for demands that differ, and gives each option's places to the
// demands that are alike.
func (s *searcher) solveDistinct(e *model.Entity, ds []*demand, gets []get) []option {
	alike := map[string][]*demand{}
	var order []string
	for _, d := range ds {
		sig := d.signature()
		if alike[sig] == nil {
			order = append(order, sig)
		}
		alike[sig] = append(alike[sig], d)
	}
	t := &task{w: s.w, e: e, gets: gets}
	for _, sig := range order {
		t.ds = append(t.ds, alike[sig][0])
	}
	opts := t.options()
	all := func(ds []*demand) []*demand {
		var out []*demand
		for _, d := range ds {
			out = append(out, alike[d.signature()]...)
		}
		return out
	}
	for i := range opts {
		opts[i].inBase = all(opts[i].inBase)
		for j := range opts[i].indexes {
			opts[i].indexes[j].ds = all(opts[i].indexes[j].ds)
		}
		for j := range opts[i].guards {
			opts[i].guards[j].ds = all(opts[i].guards[j].ds)
		}
	}
	return opts
}

// signature tells demands apart that need not have the same path.
func (d *demand) signature() string {
	var b strings.Builder
	for _, f := range d.eq {
		b.WriteString(f.attr + "=")
		if d.wantsNull(f.attr) {
			b.WriteString("NULL")
		}
	}
	for _, o := range d.seq {
		fmt.Fprintf(&b, ">%s%v", o.attr, o.desc)
	}
	fmt.Fprint(&b, d.unique, d.lists, d.soft, d.notNull, d.strong, d.exact, d.at)
	if d.span != nil {
		b.WriteString(" span")
	}
	if d.unique != nil {
		// What a guard may hold depends on the columns.
		fmt.Fprint(&b, d.needs)
	}
	return b.String()
}
