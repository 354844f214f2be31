// Package cost estimates what the plans of a design cost, in DynamoDB's capacity units,
// from the model's statistics. It hides how item sizes and result sizes are derived; the
// rounding to units is dynamo's, the same that the engine charges by.
package cost

import (
	"fmt"
	"math"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/design"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// Estimate fills in the Cost of every plan of d that is not refused. Costs are for one
// call, with typical sizes; Assumed says that at least one statistic was a default.
func Estimate(m *model.Model, d *design.Design) {
	for _, p := range d.Plans {
		if p.Refused {
			continue
		}
		e := estimator{m: m, d: d, plan: p, rows: map[int]float64{}}
		for _, r := range p.Requests {
			e.request(r)
		}
		p.Cost = e.cost
		if !p.Pattern.IsWrite() {
			p.Alternatives = append(p.Alternatives, e.scan())
		}
	}
}

// scan prices what every read can fall back on: reading the whole table.
func (e *estimator) scan() design.Alternative {
	bytes, rows := 0.0, 0.0
	for _, item := range e.d.Entities {
		n := e.m.Entity(item.RowEntity()).Rows.Value
		rows += n
		bytes += n * float64(e.itemSize(item, nil))
	}
	return design.Alternative{Strategy: "Scan with a filter",
		Reason: fmt.Sprintf("reads all %.0f items of the table: %.1f read units instead of %.1f, and more with every row",
			rows, dynamo.ReadUnits(int(bytes), false), e.cost.ReadUnits)}
}

type estimator struct {
	m    *model.Model
	d    *design.Design
	plan *design.Plan
	rows map[int]float64 // rows of each source
	cost design.Cost
}

func (e *estimator) stat(s model.Stat) float64 {
	e.cost.Assumed = e.cost.Assumed || s.Assumed
	return s.Value
}

func (e *estimator) request(r *design.Request) {
	switch r.Op {
	case design.GetItem, design.BatchGetItem:
		e.gets(r)
	case design.Query:
		e.query(r)
	default:
		e.writes(r)
	}
}

func (e *estimator) gets(r *design.Request) {
	times := 1.0
	if r.Each >= 0 {
		times = math.Max(1, e.rows[r.Each])
	}
	e.cost.Requests += math.Ceil(times * float64(len(r.Gets)) / dynamo.MaxBatchGetKeys)
	for _, g := range r.Gets {
		e.rows[g.Kind.Source] = times
		e.cost.Items += times
		size := e.itemSize(e.d.Entity(g.Kind.Entity), nil)
		e.cost.ReadUnits += times * dynamo.ReadUnits(size, r.Consistent)
	}
}

func (e *estimator) query(r *design.Request) {
	bytes := 0.0
	var ix *design.Index
	if t := e.d.Table(r.Table); t != nil {
		ix = t.Index(r.Index)
	}
	for _, k := range r.Kinds {
		rows := e.matching(r, k)
		if r.Limit != nil {
			if l, ok := r.Limit.(*model.Literal); ok {
				rows = math.Min(rows, number(l.Value))
			} else {
				rows = math.Min(rows, e.stat(e.plan.Pattern.Hints.Page))
			}
		}
		e.rows[k.Source] = rows
		e.cost.Items += rows
		bytes += rows * float64(e.itemSize(e.d.Entity(k.Entity), ix))
	}
	pages := math.Max(1, math.Ceil(bytes/dynamo.MaxPageSize))
	e.cost.Requests += pages
	e.cost.ReadUnits += dynamo.ReadUnits(int(math.Round(bytes)), r.Consistent)
}

// matching estimates how many items of a kind a Query reads: the rows of the entity,
// divided by the distinct values of each column that the key condition fixes.
func (e *estimator) matching(r *design.Request, k design.Kind) float64 {
	item := e.d.Entity(k.Entity)
	entity := e.m.Entity(item.RowEntity())
	rows := e.stat(entity.Rows)
	fixed := map[string]bool{}
	for _, c := range r.Partition {
		e.fix(fixed, item, c.Attribute, len(c.Value))
	}
	ranged := false
	if r.Sort != nil {
		e.fix(fixed, item, r.Sort.Attribute, fixedParts(r.Sort))
		ranged = r.Sort.Op == design.SortBetween && len(r.Kinds) == 1
	}
	for _, key := range append([][]string{entity.PrimaryKey}, entity.Unique...) {
		if all(key, fixed) {
			return 1
		}
	}
	for _, rel := range e.m.Relationships {
		if rel.Child == entity.Name && all(rel.ChildAttrs, fixed) && rel.PerParent.Value > 0 {
			rows = math.Min(rows, e.stat(rel.PerParent))
			for _, c := range rel.ChildAttrs {
				delete(fixed, c)
			}
		}
	}
	for _, a := range entity.Attributes {
		if fixed[a.Name] {
			rows /= math.Max(1, e.stat(a.Distinct))
		}
	}
	if ranged {
		rows /= 3
		e.cost.Assumed = true
	}
	return math.Max(1, rows)
}

// fix marks the columns that the first parts of a key attribute spell.
func (e *estimator) fix(fixed map[string]bool, item *design.Entity, attribute string, parts int) {
	key := item.Key(attribute)
	if key == nil {
		return
	}
	for i, p := range key.Template {
		if c, ok := p.Value.(*model.Column); ok && i < parts {
			fixed[c.Attribute] = true
		}
	}
}

func fixedParts(s *design.SortCondition) int {
	if s.Op == design.SortBetween {
		n := 0
		for n < len(s.Low) && n < len(s.High) && s.Low[n].String() == s.High[n].String() {
			n++
		}
		return n
	}
	return len(s.Low)
}

func all(cols []string, in map[string]bool) bool {
	for _, c := range cols {
		if !in[c] {
			return false
		}
	}
	return len(cols) > 0
}

func number(v dynamo.Value) float64 {
	f := 0.0
	for _, c := range v.Str() {
		if c >= '0' && c <= '9' {
			f = f*10 + float64(c-'0')
		}
	}
	return f
}

// writes counts the item and every index entry that a write touches; an entry whose key
// changes is deleted and put.
func (e *estimator) writes(r *design.Request) {
	e.cost.Requests++
	factor := 1.0
	if r.Op == design.TransactWriteItems {
		factor = 2
	}
	for _, w := range r.Writes {
		item := e.d.Entity(w.Kind.Entity)
		t := e.d.Table(item.Table)
		e.cost.Items++
		e.cost.WriteUnits += factor * dynamo.WriteUnits(e.itemSize(item, nil))
		for _, list := range [][]*design.Index{t.GSIs, t.LSIs} {
			for _, ix := range list {
				e.cost.WriteUnits += factor * e.indexWrites(w, item, ix) * dynamo.WriteUnits(e.itemSize(item, ix))
			}
		}
	}
}

// indexWrites is the number of entries of ix that w writes.
func (e *estimator) indexWrites(w *design.Write, item *design.Entity, ix *design.Index) float64 {
	for _, k := range append(append([]design.KeyAttribute{}, ix.PartitionKey...), ix.SortKey...) {
		if item.Key(k.Name) == nil && !(ix.Local && k.Name == e.d.Table(item.Table).PartitionKey.Name) {
			return 0
		}
	}
	if w.Op != design.UpdateItem || w.Upsert {
		return 1
	}
	for _, k := range w.Keys {
		for _, a := range append(append([]design.KeyAttribute{}, ix.PartitionKey...), ix.SortKey...) {
			if a.Name == k.Attribute {
				return 2
			}
		}
	}
	for _, s := range w.Set {
		if a := item.Column(s.Attribute); a != nil && projects(ix, a.Name) {
			return 1
		}
	}
	return 0
}

func projects(ix *design.Index, name string) bool {
	if ix.Projection.Type == dynamo.ProjectAll {
		return true
	}
	for _, a := range ix.Projection.Attributes {
		if a == name {
			return true
		}
	}
	return false
}

// itemSize estimates the bytes of an item, or of its entry in an index, as "DynamoDB item
// sizes and formats" counts them: names and values of all attributes.
func (e *estimator) itemSize(item *design.Entity, ix *design.Index) int {
	entity := e.m.Entity(item.RowEntity())
	size := 0.0
	for _, a := range item.Attributes {
		if ix == nil || projects(ix, a.Name) {
			size += float64(len(a.Name)) + e.stat(entity.Attribute(a.Column).Size)
		}
	}
	if ix == nil || projects(ix, design.TypeAttribute) {
		size += float64(len(design.TypeAttribute) + len(item.Tag))
	}
	for _, k := range item.Keys {
		if ix != nil && !holdsKey(ix, k.Attribute) {
			continue
		}
		size += float64(len(k.Attribute))
		for _, p := range k.Template {
			if c, ok := p.Value.(*model.Column); ok {
				size += e.stat(entity.Attribute(c.Attribute).Size)
			} else {
				size += float64(len(p.Literal))
			}
		}
	}
	return int(math.Ceil(size))
}

// holdsKey reports whether entries of ix carry a key attribute: its own, and the table's.
func holdsKey(ix *design.Index, attribute string) bool {
	if attribute == "PK" || attribute == "SK" {
		return true
	}
	for _, k := range append(append([]design.KeyAttribute{}, ix.PartitionKey...), ix.SortKey...) {
		if k.Name == attribute {
			return true
		}
	}
	return false
}
