package exec

import (
	"slices"
	"strings"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// A tuple is one row of the FROM clause: a record for each source, nil where a left join
// found no partner.
type tuple struct {
	records []*record
	order   int // of arrival of its first record
}

// An answer is one row of the result with the values it is ordered by.
type answer struct {
	values []dynamo.Value
	keys   []dynamo.Value
	order  int
}

// read sends the plan's requests and builds the result from what they return.
func (c *call) read() error {
	q := c.plan.Query
	if q == nil {
		return c.fault("the plan has no query")
	}
	branches := append([]*model.Query{q}, q.Union...)
	sources := 0
	for _, b := range branches {
		sources += len(b.Sources)
	}
	f := &fetch{call: c, records: make([][]*record, sources)}
	if c.plan.Pattern.Cardinality == model.One && len(c.plan.Requests) == 1 && !c.worksInMemory() {
		f.enough = 1
	}
	fed := make([]bool, sources)
	for _, r := range c.plan.Requests {
		for _, s := range r.Sources() {
			if s < 0 || s >= sources {
				return c.fault("a request feeds source %d of a query with %d", s, sources)
			}
			fed[s] = true
		}
		if err := f.request(r); err != nil {
			return err
		}
	}
	if i := slices.Index(fed, false); i >= 0 && !f.counted {
		return c.fault("no request feeds source %d", i)
	}
	var answers []answer
	offset := 0
	for _, b := range branches {
		part, err := f.branch(b, f.records[offset:offset+len(b.Sources)], q)
		if err != nil {
			return err
		}
		answers = append(answers, part...)
		offset += len(b.Sources)
	}
	if len(branches) > 1 && !c.plan.Client.Sort {
		slices.SortStableFunc(answers, func(a, b answer) int { return a.order - b.order })
	}
	return c.finish(q, answers)
}

func (c *call) worksInMemory() bool {
	w := c.plan.Client
	return w.Join || w.Sort || w.Distinct || w.Aggregate || w.Limit || len(w.Filter) > 0
}

// branch builds one SELECT's rows. whole is the query that ORDER BY belongs to.
func (f *fetch) branch(q *model.Query, records [][]*record, whole *model.Query) ([]answer, error) {
	if f.counted {
		return f.countAnswer(q)
	}
	tuples, err := f.tuples(q, records)
	if err != nil {
		return nil, err
	}
	if f.Audit {
		if err := f.auditRows(q, records, tuples); err != nil {
			return nil, err
		}
	}
	if tuples, err = f.filter(q, tuples); err != nil {
		return nil, err
	}
	if isAggregated(q) {
		return f.aggregate(q, tuples, whole)
	}
	out := make([]answer, 0, len(tuples))
	for _, t := range tuples {
		a, err := f.answer(q, whole, f.rowScope(t), t.order)
		if err != nil {
			return nil, err
		}
		out = append(out, a)
	}
	return out, nil
}

// rowScope resolves the columns of a tuple.
func (c *call) rowScope(t tuple) *Scope {
	s := c.scope(drive{})
	s.Column = func(col *model.Column) (dynamo.Value, error) {
		if col.Source < 0 || col.Source >= len(t.records) {
			return dynamo.Value{}, c.fault("column %s is of no source", col)
		}
		v, err := t.records[col.Source].value(col.Attribute)
		if err != nil {
			return v, c.fault("%v", err)
		}
		return v, nil
	}
	return s
}

// tuples joins the records of a SELECT's sources.
func (f *fetch) tuples(q *model.Query, records [][]*record) ([]tuple, error) {
	if len(q.Sources) == 1 {
		out := make([]tuple, len(records[0]))
		for i, r := range records[0] {
			out[i] = tuple{[]*record{r}, r.order}
		}
		return out, nil
	}
	if !f.plan.Client.Join {
		return nil, f.fault("the plan reads %d sources and does not join them", len(q.Sources))
	}
	j := &join{fetch: f, query: q, records: records, at: make([][]model.Expr, len(q.Sources))}
	for _, e := range q.Where {
		if last, n := lastSource(e); n > 1 {
			j.at[last] = append(j.at[last], e)
		}
	}
	err := j.from(0, tuple{records: make([]*record, len(q.Sources))})
	return j.out, err
}

// lastSource returns the highest source that e names and how many it names.
func lastSource(e model.Expr) (last, n int) {
	seen := map[int]bool{}
	model.Walk(e, func(e model.Expr) bool {
		if c, ok := e.(*model.Column); ok {
			last = max(last, c.Source)
			seen[c.Source] = true
		}
		return true
	})
	return last, len(seen)
}

// A join is a nested loop over the sources in FROM order. Conditions between sources are
// tested as soon as their last source has its record.
type join struct {
	*fetch
	query   *model.Query
	records [][]*record
	at      [][]model.Expr
	out     []tuple
}

func (j *join) from(source int, t tuple) error {
	if source == len(j.query.Sources) {
		t.records = slices.Clone(t.records)
		j.out = append(j.out, t)
		return nil
	}
	left := j.query.Sources[source].Left
	matched := false
	try := func(r *record, conditions []model.Expr) error {
		next := tuple{slices.Clone(t.records), t.order}
		next.records[source] = r
		if source == 0 && r != nil {
			next.order = r.order
		}
		ok, err := j.all(conditions, j.rowScope(next))
		if err != nil || !ok {
			return err
		}
		matched = true
		if ok, err = j.all(j.at[source], j.rowScope(next)); err != nil || !ok {
			return err
		}
		return j.from(source+1, next)
	}
	for _, r := range j.records[source] {
		if err := try(r, j.query.Sources[source].On); err != nil {
			return err
		}
	}
	if left && !matched {
		return try(nil, nil)
	}
	return nil
}

// all reports whether every condition is true. Conditions with an optional argument that
// is NULL are off.
func (c *call) all(conditions []model.Expr, s *Scope) (bool, error) {
	for _, e := range conditions {
		off, err := c.isOff(e)
		if err != nil {
			return false, err
		}
		if off {
			continue
		}
		if ok, err := s.isTrue(e); err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

// filter keeps the rows that the plan's own filter lets through.
func (f *fetch) filter(q *model.Query, tuples []tuple) ([]tuple, error) {
	var own []model.Expr
	for _, e := range f.plan.Client.Filter {
		if len(f.plan.Query.Union) == 0 || slices.Contains(q.Where, e) {
			own = append(own, e)
		}
	}
	if len(own) == 0 {
		return tuples, nil
	}
	out := tuples[:0:0]
	for _, t := range tuples {
		ok, err := f.all(own, f.rowScope(t))
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, t)
		}
	}
	return out, nil
}

// answer computes the result columns and the ordering values of one row.
func (c *call) answer(q, whole *model.Query, s *Scope, order int) (answer, error) {
	a := answer{values: make([]dynamo.Value, len(q.Columns)), order: order}
	for i, o := range q.Columns {
		v, err := s.Eval(o.Expr)
		if err != nil {
			return a, err
		}
		a.values[i] = v
	}
	inner := *s
	inner.Column = func(col *model.Column) (dynamo.Value, error) {
		if col.Source >= 0 && s.Column != nil {
			return s.Column(col)
		}
		for i, o := range whole.Columns {
			if strings.EqualFold(o.Name, col.Attribute) {
				return a.values[i], nil
			}
		}
		return dynamo.Value{}, c.fault("there is no output column %s", col)
	}
	for _, o := range whole.OrderBy {
		v, err := inner.Eval(o.Expr)
		if err != nil {
			return a, err
		}
		a.keys = append(a.keys, v)
	}
	return a, nil
}

// finish puts the rows in order, drops duplicates and cuts, as far as the plan says.
func (c *call) finish(q *model.Query, answers []answer) error {
	work := c.plan.Client
	if q.Distinct {
		if !work.Distinct && c.Audit {
			if err := c.auditDistinct(answers); err != nil {
				return err
			}
		}
		if work.Distinct {
			answers = distinct(answers)
		}
	}
	switch {
	case work.Sort:
		if err := c.sort(q, answers); err != nil {
			return err
		}
	case c.Audit:
		if err := c.auditOrder(q, answers); err != nil {
			return err
		}
	}
	scope := c.scope(drive{})
	skip, err := c.limit(q.Offset, scope)
	if err != nil {
		return err
	}
	most, err := c.limit(q.Limit, scope)
	if err != nil {
		return err
	}
	switch {
	case work.Limit:
		answers = answers[min(max(skip, 0), len(answers)):]
		if most >= 0 {
			answers = answers[:min(most, len(answers))]
		}
	case skip > 0:
		return c.fault("the plan leaves out OFFSET")
	case c.Audit && most >= 0 && len(answers) > most:
		return c.fault("the requests returned %d rows for LIMIT %d", len(answers), most)
	}
	if c.plan.Pattern.Cardinality == model.One && len(answers) > 1 {
		answers = answers[:1]
	}
	c.result.describe(q.Columns)
	for _, a := range answers {
		c.result.Rows = append(c.result.Rows, a.values)
		c.result.Order = append(c.result.Order, a.keys)
	}
	return nil
}

func (r *Result) describe(outputs []*model.Output) {
	for _, o := range outputs {
		r.Columns = append(r.Columns, o.Name)
		r.Types = append(r.Types, o.Type)
	}
}

func distinct(answers []answer) []answer {
	seen := map[string]bool{}
	return slices.DeleteFunc(answers, func(a answer) bool {
		fp := fingerprint(dynamo.List(a.values...))
		dup := seen[fp]
		seen[fp] = true
		return dup
	})
}

// sort orders by the query's ORDER BY and keeps the order of equals.
func (c *call) sort(q *model.Query, answers []answer) error {
	var fault error
	slices.SortStableFunc(answers, func(a, b answer) int {
		o, err := compareKeys(q.OrderBy, a.keys, b.keys)
		if err != nil {
			fault = err
		}
		return o
	})
	return fault
}

// compareKeys compares the ordering values of two rows.
func compareKeys(by []*model.Ordering, a, b []dynamo.Value) (int, error) {
	for i, o := range by {
		c := 0
		switch x, y := a[i], b[i]; {
		case x.IsNull() && y.IsNull():
			continue
		case x.IsNull() || y.IsNull():
			if c = 1; x.IsNull() == o.NullsFirst {
				c = -1
			}
			return c, nil
		default:
			var err error
			if c, err = order(o.Expr.Type(), x, y); err != nil {
				return 0, err
			}
		}
		if o.Desc {
			c = -c
		}
		if c != 0 {
			return c, nil
		}
	}
	return 0, nil
}
