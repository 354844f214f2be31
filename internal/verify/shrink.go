package verify

import (
	"slices"
	"strings"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/exec"
)

// A scenario is all it takes to see a failure again: the rows, and the calls of which the
// last one fails or leaves a wrong state.
type scenario struct {
	rows  dataset
	steps []step
}

// maxReplays bounds the work that shrinking may do.
const maxReplays = 600

// shrink looks for a smaller case with a failure of the same kind by taking away calls,
// rows and values. It returns the case given when it cannot be seen again.
func (v *verifier) shrink(k scenario, diff *difference) (scenario, *difference) {
	s := &shrinker{verifier: v, best: k, diff: diff, left: maxReplays}
	if _, ok := s.replay(k); !ok {
		return k, diff
	}
	for before := -1; before != s.size() && s.left > 0; {
		before = s.size()
		s.dropSteps()
		s.dropRows()
	}
	s.dropValues()
	return s.best, s.diff
}

type shrinker struct {
	*verifier
	best scenario
	diff *difference
	left int
}

func (s *shrinker) size() int { return s.best.rows.size() + len(s.best.steps) }

// try keeps a smaller case if it still fails.
func (s *shrinker) try(k scenario) bool {
	if s.left == 0 {
		return false
	}
	s.left--
	diff, ok := s.replay(k)
	if ok {
		s.best, s.diff = k, diff
	}
	return ok
}

// replay runs a case on new databases. Its last call must fail, or the state after it,
// with the same kind of difference.
func (s *shrinker) replay(k scenario) (*difference, bool) {
	w, err := openWorld(s.ctx, s.model, s.design, s.options.Open, k.rows)
	if w != nil {
		defer w.close()
	}
	if err != nil {
		if _, bad := err.(*loadError); bad && len(k.steps) == 0 {
			return &difference{reason: "loading the rows: " + err.Error()}, kind(s.diff) == "loading the rows"
		}
		return nil, false
	}
	for i, st := range k.steps {
		out, err := w.do(s.ctx, st)
		if err != nil {
			return nil, false
		}
		if out.diff != nil {
			return out.diff, i == len(k.steps)-1 && kind(out.diff) == kind(s.diff)
		}
	}
	diff, err := w.compareStates(s.ctx)
	return diff, err == nil && diff != nil && kind(diff) == kind(s.diff)
}

// kind is the part of a reason that does not depend on the rows.
func kind(d *difference) string {
	if strings.HasPrefix(d.reason, "after the writes") || strings.HasPrefix(d.reason, "the plan") || strings.HasPrefix(d.reason, "loading") {
		head, _, _ := strings.Cut(d.reason, ":")
		head, _, _ = strings.Cut(head, ",")
		return head
	}
	return "another answer"
}

// dropSteps takes away calls before the last, in ever smaller pieces.
func (s *shrinker) dropSteps() {
	for size := len(s.best.steps) / 2; size >= 1; size /= 2 {
		for start := 0; start+size < len(s.best.steps); {
			steps := slices.Delete(slices.Clone(s.best.steps), start, start+size)
			if !s.try(scenario{s.best.rows, steps}) {
				start += size
			}
		}
	}
	// A wrong state may have come from an earlier call than the last.
	for len(s.best.steps) > 1 && s.try(scenario{s.best.rows, s.best.steps[:len(s.best.steps)-1]}) {
		continue
	}
}

// dropRows takes away rows, with those that refer to them.
func (s *shrinker) dropRows() {
	for size := s.best.rows.size() / 2; size >= 1; size /= 2 {
		for start := 0; start < s.best.rows.size(); {
			if !s.try(scenario{s.without(start, start+size), s.best.steps}) {
				start += size
			}
		}
	}
}

// without takes away the rows of a range, counted through all entities, and every row
// whose foreign key then leads nowhere.
func (s *shrinker) without(from, to int) dataset {
	var out dataset
	n := 0
	for _, t := range s.best.rows {
		kept := table{entity: t.entity}
		for _, r := range t.rows {
			if n < from || n >= to {
				kept.rows = append(kept.rows, r)
			}
			n++
		}
		out = append(out, kept)
	}
	g := &generator{model: s.model, current: out}
	for again := true; again; {
		again = false
		for i := range out {
			e := out[i].entity
			rows := slices.DeleteFunc(slices.Clone(out[i].rows), func(r exec.Row) bool { return !g.consistent(e, r) })
			again = again || len(rows) < len(out[i].rows)
			out[i].rows = rows
		}
	}
	return out
}

// dropValues makes NULL what may be NULL, in cases that are small already.
func (s *shrinker) dropValues() {
	const small = 12
	if s.best.rows.size() > small {
		return
	}
	for ti := range s.best.rows {
		for ri := range s.best.rows[ti].rows {
			for _, a := range s.best.rows[ti].entity.Attributes {
				row := s.best.rows[ti].rows[ri]
				if a.NotNull || row.Get(a.Name).IsAbsent() {
					continue
				}
				next := slices.Clone(s.best.rows)
				next[ti].rows = slices.Clone(next[ti].rows)
				next[ti].rows[ri] = row.Clone().Set(a.Name, dynamo.Value{})
				s.try(scenario{next, s.best.steps})
			}
		}
	}
}

// script prints a case as SQL, with the calls as comments of what to run.
func (k scenario) script() string {
	var b strings.Builder
	for _, t := range k.rows {
		for _, r := range t.rows {
			var names, values []string
			for _, a := range r {
				names = append(names, a.Name)
				values = append(values, spell(a.Value))
			}
			b.WriteString("INSERT INTO " + t.entity.Name + " (" + strings.Join(names, ", ") + ") VALUES (" + strings.Join(values, ", ") + ");\n")
		}
	}
	for _, s := range k.steps {
		b.WriteString("-- " + s.pattern.Name + " " + s.argText() + "\n")
	}
	return b.String()
}

// argText prints the arguments as name=value.
func (s step) argText() string {
	var parts []string
	for _, q := range s.pattern.Params {
		parts = append(parts, q.Name+"="+spell(s.args[q.Name]))
	}
	return strings.Join(parts, " ")
}
