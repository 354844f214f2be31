package planner

import (
	"slices"

	"github.com/keyfold-dev/keyfold/internal/diag"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// A workload is the model's access patterns as the search sees them.
type workload struct {
	m        *model.Model
	reads    []*read // SELECTs, and the branches of UNION ALLs
	unions   []*read
	writes   []*write
	findings []finding
}

// A read is a SELECT with the ways to serve it, fewest requests first.
type read struct {
	pattern *model.AccessPattern
	query   *model.Query // canonical
	eq      *equalities
	ways    []way
	parts   []*read // of a UNION ALL: its branches, which are planned one by one
}

// A wayKind is a strategy for a read.
type wayKind uint8

const (
	direct     wayKind = iota // one source: a get or a query
	collection                // several sources that share one partition
	points                    // several sources, each by its whole key: one batch
	chain                     // a query, then the rows it points at in batches
	parallel                  // a query for each source
)

// A way is one strategy for one read: the demands it makes, the keys that must be
// computable for its gets, and how many requests it takes.
type way struct {
	kind     wayKind
	demands  []*demand
	gets     []get
	requests int
	order    []int // chain: the sources in the order of reading
}

// A get asks that the base key of an entity be made of some columns alone.
type get struct {
	entity *model.Entity
	source int
	from   map[string]model.Expr // the columns known, and their values
}

// A write is an INSERT, UPDATE or DELETE that is planned.
type write struct {
	pattern *model.AccessPattern
	entity  *model.Entity
	eq      []fixed // the columns its WHERE fixes; nil for an INSERT
	rest    []model.Expr
	sets    []string // columns an UPDATE assigns
	insert  bool
	update  bool
}

func (w *workload) of(p *model.AccessPattern) []finding {
	var out []finding
	for _, f := range w.findings {
		if f.pattern == p {
			out = append(out, f)
		}
	}
	return out
}

func (w *workload) read(p *model.AccessPattern) *read {
	for _, r := range slices.Concat(w.unions, w.reads) {
		if r.pattern == p {
			return r
		}
	}
	return nil
}

func (w *workload) write(p *model.AccessPattern) *write {
	for _, x := range w.writes {
		if x.pattern == p {
			return x
		}
	}
	return nil
}

// refused reports whether p has an error.
func (w *workload) refused(p *model.AccessPattern) bool {
	return slices.ContainsFunc(w.findings, func(f finding) bool {
		return f.pattern == p && f.severity == diag.Error
	})
}

// updates reports whether a pattern assigns the column of an existing row.
func (w *workload) updates(entity, column string) bool {
	return slices.ContainsFunc(w.writes, func(x *write) bool {
		return x.entity.Name == entity && slices.Contains(x.sets, column)
	})
}

// What one partition serves in a second, and the number of rows from which on one is too
// few for a table (Developer Guide, "Burst and adaptive capacity").
const (
	partitionRate = 1000
	partitionRows = 1_000_000
)

// crowded reports whether all rows of an entity in one partition would ask too much of it:
// there are very many, or the patterns that use the entity are called too often.
func (w *workload) crowded(e *model.Entity) bool {
	if !e.Rows.Assumed && e.Rows.Value > partitionRows {
		return true
	}
	rate := 0.0
	for _, p := range w.m.Patterns {
		if uses(p, e.Name) {
			rate += max(p.Hints.Rate.Value, p.Hints.Peak.Value)
		}
	}
	return rate > partitionRate
}

func uses(p *model.AccessPattern, entity string) bool {
	switch {
	case p.Insert != nil:
		return p.Insert.Entity == entity
	case p.Update != nil:
		return p.Update.Entity == entity
	case p.Delete != nil:
		return p.Delete.Entity == entity
	}
	return slices.ContainsFunc(append([]*model.Query{p.Query}, p.Query.Union...), func(q *model.Query) bool {
		return slices.ContainsFunc(q.Sources, func(s *model.Source) bool { return s.Entity == entity })
	})
}

// guards reports whether writes could break a unique key, which takes an item to keep.
func (w *workload) guards(e *model.Entity, unique []string) bool {
	return !sameSet(unique, e.PrimaryKey) && (w.inserts(e.Name) ||
		slices.ContainsFunc(unique, func(c string) bool { return w.updates(e.Name, c) }))
}

// inserts reports whether a pattern inserts rows of the entity.
func (w *workload) inserts(entity string) bool {
	return slices.ContainsFunc(w.writes, func(x *write) bool { return x.entity.Name == entity && x.insert })
}

// An analysis reads the workload off a model.
type analysis struct {
	m      *model.Model
	w      *workload
	prefix map[string]string
}

func analyse(m *model.Model) *workload {
	a := &analysis{m, &workload{m: m}, prefixes(m)}
	for _, e := range m.Entities {
		if e.Embed {
			a.find(finding{nil, diag.Note, CodeEmbed, e.Pos,
				e.Name + " is not stored inside its parent yet; its rows share the parent's partition where a query reads both",
				"nothing has to be done: one Query reads parent and children"})
		}
		a.expiry(e)
	}
	for _, p := range m.Patterns {
		if p.IsWrite() {
			a.write(p)
		} else {
			a.read(p)
		}
	}
	return a.w
}

// expiry holds the columns that rows expire by to what DynamoDB understands: one Number
// attribute for the whole table.
func (a *analysis) expiry(e *model.Entity) {
	for _, c := range e.Attributes {
		if c.TTL && !c.Type.IsNumber() {
			a.find(finding{nil, diag.Warning, CodeTTL, c.Pos,
				"rows do not expire by " + e.Name + "." + c.Name + ": DynamoDB wants a Number of seconds since 1970, and it is a " + c.Type.String(),
				"make the column a bigint with seconds since 1970"})
		}
	}
}

func (a *analysis) find(fs ...finding) { a.w.findings = append(a.w.findings, fs...) }

func (a *analysis) refuse(p *model.AccessPattern, code diag.Code, pos diag.Pos, hint, message string) {
	if !pos.IsValid() {
		pos = p.Pos
	}
	a.find(finding{p, diag.Error, code, pos, message, hint})
}

// read analyses a SELECT; the branches of a UNION ALL one by one.
func (a *analysis) read(p *model.AccessPattern) {
	if len(p.Query.Union) == 0 {
		if r := a.branch(p, p.Query); r != nil {
			a.w.reads = append(a.w.reads, r)
		}
		return
	}
	whole := &read{pattern: p}
	for i, q := range append([]*model.Query{p.Query}, p.Query.Union...) {
		// ORDER BY and LIMIT speak of all branches together.
		alone := *q
		alone.Union, alone.OrderBy, alone.Limit, alone.Offset = nil, nil, nil, nil
		r := a.branch(p, &alone)
		if r == nil {
			return
		}
		whole.parts = append(whole.parts, r)
		if i == 0 {
			first := *r.query
			first.OrderBy, first.Limit, first.Offset = q.OrderBy, q.Limit, q.Offset
			whole.query = &first
		} else {
			whole.query.Union = append(whole.query.Union, r.query)
		}
	}
	a.w.reads = append(a.w.reads, whole.parts...)
	a.w.unions = append(a.w.unions, whole)
}

// branch analyses one SELECT, nil if it is refused.
func (a *analysis) branch(p *model.AccessPattern, written *model.Query) *read {
	q := canonical(a.m, p, written)
	r := &read{pattern: p, query: q, eq: newEqualities(p, q)}
	found := a.contradictions(r)
	if len(found) > 0 {
		a.find(found...)
		return nil
	}
	if len(q.Sources) == 1 {
		var d *demand
		d, found = a.single(p, q, 0, r.eq)
		r.ways = []way{{kind: direct, demands: []*demand{d}, requests: 1}}
	} else {
		r.ways, found = a.joinWays(r)
	}
	if len(found) > 0 {
		a.find(found...)
		return nil
	}
	if aggregates(q) {
		a.find(finding{p, diag.Note, CodeAggregate, q.Pos,
			"the aggregate is computed from the rows it covers, all of which are read on every call",
			"a counter kept by the writes would make it one read"})
	}
	return r
}

// contradictions finds conditions that hold for no row that is stored.
func (a *analysis) contradictions(r *read) []finding {
	for _, c := range r.query.Where {
		if col := nullOfLeft(r.query, c); col != nil {
			return []finding{{r.pattern, diag.Error, CodeJoin, c.Pos(),
				col.String() + " IS NULL also holds where " + col.Alias + " has no row at all, which no key can ask for",
				"leave the condition out and keep those rows in the program"}}
		}
	}
	for i, s := range r.query.Sources {
		for _, f := range r.eq.fixedOf(i) {
			if isNull(f.expr) && a.m.Entity(s.Entity).Attribute(f.attr).NotNull {
				return []finding{{r.pattern, diag.Error, CodeFilter, f.expr.Pos(),
					s.Entity + "." + f.attr + " is never NULL, so the condition holds for no row", "drop the condition, or the NOT NULL"}}
			}
		}
	}
	return nil
}

// nullOfLeft returns the column of a left join's source that a conjunct wants to be NULL.
func nullOfLeft(q *model.Query, c model.Expr) *model.Column {
	u, ok := c.(*model.Unary)
	if !ok || u.Op != model.OpIsNull {
		return nil
	}
	if col, ok := u.X.(*model.Column); ok && q.Sources[col.Source].Left {
		return col
	}
	return nil
}

func (a *analysis) write(p *model.AccessPattern) {
	switch {
	case p.Insert != nil:
		a.w.writes = append(a.w.writes, a.insert(p))
	case p.Update != nil:
		w := &write{pattern: p, entity: a.m.Entity(p.Update.Entity), update: true}
		for _, s := range p.Update.Set {
			w.sets = append(w.sets, s.Attribute)
		}
		a.keyed(w, p.Update.Where)
	default:
		a.keyed(&write{pattern: p, entity: a.m.Entity(p.Delete.Entity)}, p.Delete.Where)
	}
}

func (a *analysis) insert(p *model.AccessPattern) *write {
	w := &write{pattern: p, entity: a.m.Entity(p.Insert.Entity), insert: true}
	if c := p.Insert.Conflict; c != nil {
		for _, s := range c.Set {
			w.sets = append(w.sets, s.Attribute)
		}
	}
	return w
}

// keyed admits an UPDATE or DELETE whose WHERE fixes the primary key; what else it says
// becomes a condition on the row.
func (a *analysis) keyed(w *write, where []model.Expr) {
	q := &model.Query{Sources: []*model.Source{{Entity: w.entity.Name}}, Where: where}
	eq := newEqualities(w.pattern, q)
	w.eq = eq.fixedOf(0)
	for _, c := range where {
		if !eq.explains(c) {
			w.rest = append(w.rest, c)
		}
	}
	for _, attr := range w.entity.PrimaryKey {
		if !slices.ContainsFunc(w.eq, func(f fixed) bool { return f.attr == attr }) {
			a.refuse(w.pattern, CodeWriteKey, wherePos(w.pattern, where),
				"name the row by its whole primary key; to change several rows, read their keys first",
				"the WHERE does not fix "+w.entity.Name+"."+attr+", so the key of the item to write cannot be computed")
			return
		}
	}
	if !a.checkShape(w) {
		return
	}
	a.w.writes = append(a.w.writes, w)
}

func wherePos(p *model.AccessPattern, where []model.Expr) diag.Pos {
	if len(where) > 0 {
		return where[0].Pos()
	}
	return p.Pos
}

// checkShape refuses what no conditional write can do.
func (a *analysis) checkShape(w *write) bool {
	for _, s := range w.sets {
		if slices.Contains(w.entity.PrimaryKey, s) {
			a.refuse(w.pattern, CodeWriteShape, w.pattern.Pos, "insert the row under its new key and delete the old one",
				"an item's key never changes, and "+s+" is part of the primary key")
			return false
		}
	}
	for _, c := range w.rest {
		if err := expressible(c); err != nil {
			a.refuse(w.pattern, CodeWriteShape, c.Pos(), "", "the condition "+c.String()+" cannot be a DynamoDB condition: "+err.Error())
			return false
		}
	}
	return true
}
