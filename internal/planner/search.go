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

// A searcher compares combinations of ways by their scores: conflicts that make them
// impossible, then requests, indexes, cost.
type searcher struct {
	m     *model.Model
	w     *workload
	memo  map[string][]option
	best  *choice
	score [4]float64
}

// combinationLimit is the number of combinations of ways up to which all are compared.
// Beyond it each read is improved in turn until none can be.
const combinationLimit = 3000

// search chooses ways and options. Reads that no combination serves are refused, with a
// finding, one after the other until the rest can be served.
func search(m *model.Model, w *workload) *choice {
	for {
		s := &searcher{m: m, w: w, memo: map[string][]option{}}
		s.run()
		if s.score[0] == 0 {
			return s.best
		}
		refuseOne(w)
	}
}

// refuseOne takes out the last read that asks for strong consistency where nothing can
// give it, or else the last one of several sources.
func refuseOne(w *workload) {
	pick := len(w.reads) - 1
	for i, r := range w.reads {
		if r.pattern.Hints.Strong || !w.reads[pick].pattern.Hints.Strong && len(r.ways) > 1 {
			pick = i
		}
	}
	r := w.reads[pick]
	f := finding{r.pattern, diag.Error, CodeStrong, r.pattern.Pos,
		"a strongly consistent read comes from the table or a local index, and neither can have this key",
		"drop consistency=strong, or fix the columns of the table's own partition key"}
	if !r.pattern.Hints.Strong {
		f.code, f.message = CodeJoin, "the keys that would answer it exclude those of the other access patterns"
		f.hint = "split the query, or fix further columns in it"
	}
	w.findings = append(w.findings, f)
	w.reads = slices.DeleteFunc(w.reads, func(o *read) bool { return o.pattern == r.pattern })
}

// run compares all combinations of the ways with the fewest requests; where those exclude
// each other, or are too many, it climbs from the first of them among all ways.
func (s *searcher) run() {
	ways := make([]int, len(s.w.reads))
	combinations := 1
	for _, r := range s.w.reads {
		combinations = min(combinations*r.fewest(), combinationLimit+1)
	}
	if combinations <= combinationLimit {
		s.walk(0, ways)
		if s.score[0] == 0 {
			return
		}
	}
	s.best = nil
	s.climb(make([]int, len(s.w.reads)))
}

// fewest counts the ways that take the fewest requests; they come first.
func (r *read) fewest() int {
	n := 1
	for n < len(r.ways) && r.ways[n].requests == r.ways[0].requests {
		n++
	}
	return n
}

// walk tries every combination of the cheapest ways of the reads from i on.
func (s *searcher) walk(i int, ways []int) {
	if i == len(s.w.reads) {
		s.weigh(ways)
		return
	}
	for k := range s.w.reads[i].fewest() {
		ways[i] = k
		s.walk(i+1, ways)
	}
}

// climb improves one read after the other until a round changes nothing.
func (s *searcher) climb(ways []int) {
	s.weigh(ways)
	for improved := true; improved; {
		improved = false
		for i, r := range s.w.reads {
			keep := ways[i]
			for k := range r.ways {
				if ways[i] = k; k != keep && s.weigh(ways) {
					keep, improved = k, true
				}
			}
			ways[i] = keep
		}
	}
}

// weigh solves every entity for one combination of ways and keeps it if it is the best,
// which it reports.
func (s *searcher) weigh(ways []int) bool {
	requests, conflicts := 0.0, 0
	c := &choice{ways: map[*read]*way{}, options: map[string]option{}}
	demands := map[string][]*demand{}
	gets := map[string][]get{}
	for i, r := range s.w.reads {
		w := &r.ways[ways[i]]
		c.ways[r] = w
		requests += float64(w.requests)
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
			conflicts++
			opts = []option{{}}
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
	seated, apart := slots(s.m, c.options)
	c.slots = seated
	score := [4]float64{float64(conflicts + apart), requests, float64(seated.global + seated.locals), cost}
	if s.best != nil && slices.Compare(score[:], s.score[:]) >= 0 {
		return false
	}
	s.best, s.score = c, score
	return true
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
