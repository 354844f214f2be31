package design

import (
	"fmt"
	"slices"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/diag"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// The codes of Check. A design of the planner never has one; a hand-written or edited
// design may.
const (
	CodeLimits     diag.Code = "KF301" // more indexes or projected attributes than DynamoDB takes
	CodeKey        diag.Code = "KF302" // a base key that does not tell all rows apart, or may be absent
	CodeOverRead   diag.Code = "KF303" // requests return rows that the WHERE excludes
	CodeUnderRead  diag.Code = "KF304" // the key condition excludes rows that the WHERE keeps
	CodeKinds      diag.Code = "KF305" // items of other kinds can lie in the range that is read
	CodeSparse     diag.Code = "KF306" // rows with a NULL are missing from the index, and the WHERE keeps them
	CodeOrdering   diag.Code = "KF307" // the order of the key is not the ORDER BY
	CodeProjection diag.Code = "KF308" // the index does not hold a column that the answer needs
	CodeLimitEarly diag.Code = "KF309" // LIMIT is applied before rows are dropped
	CodeMaintain   diag.Code = "KF310" // a write leaves a key or a guard out of date
)

// Check proves a design: that DynamoDB accepts it, that keys tell rows apart, and that for
// every served read the items its requests select are the rows its WHERE keeps, in the
// order of its ORDER BY, with the columns it returns; and that every write maintains all
// keys made of what it assigns. The argument is made from templates alone and does not
// trust whoever made the design. An empty list is a proof.
func Check(m *model.Model, d *Design) diag.List {
	c := &checker{m: m, d: d}
	for _, t := range d.Tables {
		c.limits(t)
	}
	for _, e := range d.Entities {
		c.keys(e)
	}
	for _, p := range d.Plans {
		if p.Refused {
			continue
		}
		c.plan = p
		if p.Pattern.IsWrite() {
			c.write(p)
		} else {
			for _, branch := range p.Branches() {
				c.read(branch)
			}
		}
	}
	return c.diags
}

type checker struct {
	m     *model.Model
	d     *Design
	plan  *Plan
	diags diag.List
}

func (c *checker) fault(code diag.Code, format string, args ...any) {
	pos, name := diag.Pos{}, ""
	if c.plan != nil {
		pos, name = c.plan.Pattern.Pos, c.plan.Pattern.Name+": "
	}
	c.diags.Errorf(code, pos, "", "%s", name+fmt.Sprintf(format, args...))
}

// limits holds a table to "Quotas in Amazon DynamoDB", secondary indexes.
func (c *checker) limits(t *Table) {
	if len(t.GSIs) > dynamo.MaxGlobalIndexes {
		c.fault(CodeLimits, "table %s has %d global indexes, the most is %d", t.Name, len(t.GSIs), dynamo.MaxGlobalIndexes)
	}
	if len(t.LSIs) > dynamo.MaxLocalIndexes {
		c.fault(CodeLimits, "table %s has %d local indexes, the most is %d", t.Name, len(t.LSIs), dynamo.MaxLocalIndexes)
	}
	n := 0
	for _, ix := range slices.Concat(t.GSIs, t.LSIs) {
		n += len(ix.Projection.Attributes)
	}
	if n > dynamo.MaxProjectedAttributes {
		c.fault(CodeLimits, "the indexes of %s project %d attributes, the most is %d", t.Name, n, dynamo.MaxProjectedAttributes)
	}
}

// keys checks that an entity's base key is always there and is different for different
// rows: its components are encoded injectively, so it is enough that they hold the
// primary key (for a guard, the unique key).
func (c *checker) keys(e *Entity) {
	if e.EmbeddedIn != "" {
		return
	}
	t, entity := c.d.Table(e.Table), c.m.Entity(e.RowEntity())
	if t == nil || entity == nil {
		c.fault(CodeKey, "%s has no table or no entity", e.Name)
		return
	}
	var columns []string
	for _, attribute := range []string{t.PartitionKey.Name, t.SortKey.Name} {
		if attribute == "" {
			continue
		}
		k := e.Key(attribute)
		if k == nil {
			c.fault(CodeKey, "%s does not spell %s", e.Name, attribute)
			return
		}
		columns = append(columns, k.Template.Columns()...)
	}
	unique := entity.PrimaryKey
	if e.Of != "" {
		unique = e.Unique
	}
	for _, u := range unique {
		if !slices.Contains(columns, u) {
			c.fault(CodeKey, "the key of %s leaves out %s, so two rows can have one key", e.Name, u)
		}
	}
	for _, col := range columns {
		if a := entity.Attribute(col); e.Of == "" && !a.NotNull {
			c.fault(CodeKey, "the key of %s contains %s, which may be NULL", e.Name, col)
		}
	}
}

// read proves one read.
func (c *checker) read(p *Plan) {
	facts := newFacts(p)
	fed := map[int]bool{}
	for _, r := range p.Requests {
		for _, s := range r.Sources() {
			fed[s] = true
		}
		switch r.Op {
		case Query:
			c.query(p, r, facts)
		case GetItem, BatchGetItem:
			for _, g := range r.Gets {
				c.get(p, g, facts)
			}
		default:
			c.fault(CodeOverRead, "a read has a %s", r.Op)
		}
	}
	c.covers(p)
	for i, s := range p.Query.Sources {
		if !fed[i] {
			c.fault(CodeUnderRead, "no request reads %s", s.Entity)
		}
	}
}

// get proves that one item read by its key is the row the WHERE wants.
func (c *checker) get(p *Plan, g Get, facts *facts) {
	e := c.d.Entity(g.Kind.Entity)
	t := c.d.Table(e.Table)
	bounds := &bounds{}
	for _, k := range []struct {
		name string
		t    Template
	}{{t.PartitionKey.Name, g.PK}, {t.SortKey.Name, g.SK}} {
		if k.name == "" {
			continue
		}
		if !bounds.equal(e.Key(k.name).Template, k.t) {
			c.fault(CodeUnderRead, "%s = %s is not how %s spells it", k.name, k.t, e.Name)
		}
	}
	c.compare(p, nil, g.Kind, bounds, facts)
	c.columns(p, nil, g.Kind, e)
}

// query proves a Query for each kind of item it returns.
func (c *checker) query(p *Plan, r *Request, facts *facts) {
	t := c.d.Table(r.Table)
	ix := t.Index(r.Index)
	if r.Index != "" && ix == nil {
		c.fault(CodeUnderRead, "there is no index %s", r.Index)
		return
	}
	for _, k := range r.Kinds {
		e := c.d.Entity(k.Entity)
		b := &bounds{}
		for _, cond := range r.Partition {
			key := e.Key(cond.Attribute)
			if key == nil || !b.equal(key.Template, cond.Value) {
				c.fault(CodeUnderRead, "%s = %s is not how %s spells it", cond.Attribute, cond.Value, e.Name)
				return
			}
		}
		if r.Sort != nil && !c.sort(r, e, b) {
			c.fault(CodeUnderRead, "%s is not how %s spells its sort key", r.Sort, e.Name)
			return
		}
		c.compare(p, r, k, b, facts)
		c.sparse(p, r, k, e, facts)
		c.columns(p, ix, k, e)
	}
	c.otherKinds(r)
	c.order(p, r, facts)
	if r.Limit != nil && (len(r.Filter) > 0 || r.SkipKinds || p.Client.Join || p.Client.Sort || p.Client.Aggregate ||
		p.Client.Distinct || len(p.Client.Filter) > 0) {
		c.fault(CodeLimitEarly, "LIMIT is pushed to a request whose rows are dropped or regrouped afterwards")
	}
}

func (c *checker) sort(r *Request, e *Entity, b *bounds) bool {
	key := e.Key(r.Sort.Attribute)
	if key == nil {
		return false
	}
	switch r.Sort.Op {
	case SortEqual:
		return b.equal(key.Template, r.Sort.Low)
	case SortBeginsWith:
		return b.prefix(key.Template, r.Sort.Low)
	}
	if isLiteral(r.Sort.Low) && isLiteral(r.Sort.High) {
		lead := leadOf(key.Template)
		return r.Sort.Low.String() <= lead && lead < r.Sort.High.String()
	}
	return b.between(key.Template, r.Sort.Low, r.Sort.High)
}

// columns checks that the item read holds every column the answer is made of.
func (c *checker) columns(p *Plan, ix *Index, k Kind, e *Entity) {
	if k.Source < 0 {
		return
	}
	for _, col := range answerColumns(p, k.Source) {
		a := e.Column(col)
		if a == nil {
			c.fault(CodeProjection, "%s does not hold %s", e.Name, col)
			continue
		}
		if ix != nil && ix.Projection.Type != dynamo.ProjectAll && !slices.Contains(ix.Projection.Attributes, a.Name) {
			c.fault(CodeProjection, "%s does not project %s", ix.Name, a.Name)
		}
	}
	if ix != nil && ix.Projection.Type != dynamo.ProjectAll && !slices.Contains(ix.Projection.Attributes, TypeAttribute) {
		c.fault(CodeProjection, "%s does not project %s", ix.Name, TypeAttribute)
	}
}

// answerColumns are the columns of a source that the client needs after the requests.
func answerColumns(p *Plan, source int) []string {
	var out []string
	add := func(e model.Expr) {
		model.Walk(e, func(x model.Expr) bool {
			if c, ok := x.(*model.Column); ok && c.Source == source && !slices.Contains(out, c.Attribute) {
				out = append(out, c.Attribute)
			}
			return true
		})
	}
	q := p.Query
	for _, c := range q.Columns {
		add(c.Expr)
	}
	for _, e := range slices.Concat(q.GroupBy, q.Having, p.Client.Filter) {
		add(e)
	}
	if p.Client.Sort {
		for _, o := range q.OrderBy {
			add(o.Expr)
		}
	}
	if p.Client.Join {
		for _, e := range q.Where {
			add(e)
		}
		for _, s := range q.Sources {
			for _, e := range s.On {
				add(e)
			}
		}
	}
	return out
}
