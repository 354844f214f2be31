package verify

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/exec"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// A dataset holds the rows of every entity, in the model's order of entities.
type dataset []table

type table struct {
	entity *model.Entity
	rows   []exec.Row
}

func (d dataset) of(entity string) []exec.Row {
	for _, t := range d {
		if t.entity.Name == entity {
			return t.rows
		}
	}
	return nil
}

func (d dataset) size() int {
	n := 0
	for _, t := range d {
		n += len(t.rows)
	}
	return n
}

// A generator makes rows and arguments. Every column draws from a small pool of values,
// so that equalities hit and several rows share a value.
type generator struct {
	model   *model.Model
	rng     *rand.Rand
	perLeaf int
	plain   bool // numbers stay small and exact in binary, because statements compute with them
	pools   map[*model.Attribute][]dynamo.Value
	current dataset // the rows as they are now
}

func newGenerator(m *model.Model, rng *rand.Rand, rows int) *generator {
	g := &generator{model: m, rng: rng, perLeaf: rows, plain: computes(m), pools: map[*model.Attribute][]dynamo.Value{}}
	for _, e := range m.Entities {
		for _, a := range e.Attributes {
			n := g.poolSize(e, a)
			pool := make([]dynamo.Value, n)
			for i := range pool {
				pool[i] = g.value(a.Type)
				if i%2 == 1 {
					pool[i] = g.longer(a.Type, pool[i-1])
				}
			}
			g.pools[a] = pool
		}
		g.current = append(g.current, table{entity: e})
	}
	for _, p := range m.Patterns {
		for _, q := range branches(p) {
			g.noteConstants(q)
		}
	}
	return g
}

// noteConstants puts the constants that a statement compares columns with into the
// columns' pools, alone and with something behind them.
func (g *generator) noteConstants(q *model.Query) {
	note := func(e, constant model.Expr) {
		c, isColumn := e.(*model.Column)
		l, isLiteral := constant.(*model.Literal)
		if !isColumn || !isLiteral || c.Source < 0 || c.Source >= len(q.Sources) {
			return
		}
		a := g.model.Entity(q.Sources[c.Source].Entity).Attribute(c.Attribute)
		add := func(v dynamo.Value) {
			if !v.IsAbsent() && !v.IsNull() && exec.CheckValue(a.Type, v) == nil {
				g.pools[a] = append(g.pools[a], v)
			}
		}
		v := l.Value
		if a.Type.IsNumber() && !a.Type.Array && v.Type() == dynamo.TypeNumber {
			// No row holds more decimals than its column.
			v, _ = exec.ParseValue(a.Type, v.Str())
		}
		add(v)
		if a.Type.Kind == model.Text && !a.Type.Array {
			start := strings.TrimRight(l.Value.Str(), "%")
			for _, more := range []string{"", "#", "X"} {
				if s := start + more; a.Type.Length == 0 || len(s) <= a.Type.Length {
					add(dynamo.String(s))
				}
			}
		}
	}
	conjuncts := slices.Clone(q.Where)
	for _, s := range q.Sources {
		conjuncts = append(conjuncts, s.On...)
	}
	for _, c := range conjuncts {
		model.Walk(c, func(e model.Expr) bool {
			switch e := e.(type) {
			case *model.Binary:
				note(e.Left, e.Right)
				note(e.Right, e.Left)
			case *model.In:
				for _, el := range e.List {
					note(e.X, el)
				}
			}
			return true
		})
	}
}

// computes reports whether any statement does arithmetic.
func computes(m *model.Model) bool {
	found := false
	look := func(e model.Expr) {
		model.Walk(e, func(e model.Expr) bool {
			switch e := e.(type) {
			case *model.Binary:
				switch e.Op {
				case model.OpAdd, model.OpSub, model.OpMul, model.OpDiv, model.OpMod:
					found = true
				}
			case *model.Call:
				found = found || e.Func == "sum" || e.Func == "avg"
			}
			return !found
		})
	}
	for _, p := range m.Patterns {
		eachExpr(p, look)
	}
	return found
}

// poolSize is large for columns that are unique by themselves or close a composite key,
// and small for all others.
func (g *generator) poolSize(e *model.Entity, a *model.Attribute) int {
	for _, key := range append([][]string{e.PrimaryKey}, e.Unique...) {
		switch i := slices.Index(key, a.Name); {
		case i < 0:
		case i == len(key)-1:
			return 2*g.perLeaf + 8
		default:
			return 3 + i
		}
	}
	return 6
}

// rows makes a dataset. Parents come before children; a foreign key that leads back is
// filled in afterwards where it may be NULL.
func (g *generator) rows() dataset {
	for _, e := range g.order() {
		g.fill(e)
	}
	g.closeCycles()
	return slices.Clone(g.current)
}

// order puts parents before children as far as the foreign keys allow.
func (g *generator) order() []*model.Entity {
	var out []*model.Entity
	done := map[string]bool{}
	for len(out) < len(g.model.Entities) {
		best, fewest := (*model.Entity)(nil), 0
		for _, e := range g.model.Entities {
			if done[e.Name] {
				continue
			}
			waits := 0
			for _, r := range g.parents(e) {
				if !done[r.Parent] && r.Parent != e.Name {
					waits++
				}
			}
			if best == nil || waits < fewest {
				best, fewest = e, waits
			}
		}
		done[best.Name] = true
		out = append(out, best)
	}
	return out
}

// fill makes an entity's rows. Rows that keep violating a key after some tries are left
// out.
func (g *generator) fill(e *model.Entity) {
	want := g.perLeaf
	if slices.ContainsFunc(g.model.Relationships, func(r *model.Relationship) bool { return r.Parent == e.Name && r.Child != e.Name }) {
		want = max(4, g.perLeaf/6)
	}
	keys := newKeySet(e)
	t := &g.current[slices.Index(g.model.Entities, e)]
	for range want {
		for range 20 {
			row, ok := g.row(e)
			if ok && keys.add(row) {
				t.rows = append(t.rows, row)
				break
			}
		}
	}
}

// row makes one row that refers to rows that are there, or to itself.
func (g *generator) row(e *model.Entity) (exec.Row, bool) {
	row := exec.Row{}
	set := map[string]bool{}
	for _, r := range g.parents(e) {
		var ok bool
		if row, ok = g.refer(e, r, row, set); !ok {
			return nil, false
		}
	}
	for _, a := range e.Attributes {
		if set[a.Name] {
			continue
		}
		if isNullable(a) && g.rng.IntN(4) == 0 {
			continue
		}
		row = row.Set(a.Name, g.pick(a))
	}
	for _, r := range g.parents(e) {
		if r.Parent == e.Name && !g.hasParent(r, row) && !g.refersToItself(r, row) {
			return nil, false
		}
	}
	return row, g.satisfies(e, row)
}

func isNullable(a *model.Attribute) bool { return !a.NotNull }

func (g *generator) pick(a *model.Attribute) dynamo.Value {
	pool := g.pools[a]
	return pool[g.rng.IntN(len(pool))]
}

// satisfies evaluates the CHECK constraints; unknown is allowed, as in SQL.
func (g *generator) satisfies(e *model.Entity, row exec.Row) bool {
	scope := exec.Scope{Column: func(c *model.Column) (dynamo.Value, error) { return row.Get(c.Attribute), nil }}
	for _, check := range e.Checks {
		v, err := scope.Eval(check)
		if err != nil || v.Type() == dynamo.TypeBool && !v.IsTrue() {
			return false
		}
	}
	return true
}

// A keySet holds the key values of an entity's rows.
type keySet struct {
	keys [][]string
	seen []map[string]bool
}

func newKeySet(e *model.Entity) *keySet {
	s := &keySet{keys: append([][]string{e.PrimaryKey}, e.Unique...)}
	for range s.keys {
		s.seen = append(s.seen, map[string]bool{})
	}
	return s
}

// add takes a row's keys in, unless one is taken. A key with a NULL is never taken.
func (s *keySet) add(row exec.Row) bool {
	var spelled []string
	for i, key := range s.keys {
		text := spellKey(row, key)
		if text != "" && s.seen[i][text] {
			return false
		}
		spelled = append(spelled, text)
	}
	for i, text := range spelled {
		if text != "" {
			s.seen[i][text] = true
		}
	}
	return true
}

// spellKey is "" for a key with a NULL.
func spellKey(row exec.Row, key []string) string {
	s := ""
	for _, c := range key {
		v := row.Get(c)
		if v.IsAbsent() {
			return ""
		}
		s += spell(v) + ","
	}
	return s
}
