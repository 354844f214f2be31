package partiql

import (
	"cmp"
	"slices"

	"github.com/keyfold-dev/keyfold/dynamo"
)

// A target is the key schema that a SELECT reads by.
type target struct {
	table         *dynamo.Table
	partition     string
	sort          string // "" for none
	partitionType dynamo.Type
	sortType      dynamo.Type
}

func (b *Bound) target(t *dynamo.Table) (*target, error) {
	keys := t.Keys
	if b.Index() != "" {
		ix, _ := t.Index(b.Index())
		if ix == nil {
			return nil, invalid("%s", faultNoIndex)
		}
		keys = ix.Keys
	}
	g := &target{table: t}
	for _, k := range keys {
		name := &g.partition
		if k.Sort {
			name = &g.sort
		}
		if *name != "" {
			return nil, invalid("%s", faultManyKeys)
		}
		*name = k.Name
	}
	g.partitionType, g.sortType = t.AttributeType(g.partition), t.AttributeType(g.sort)
	return g, nil
}

// Read makes the requests of a SELECT from t. A WHERE clause that fixes the partition key by
// = or IN, in each of its alternatives, becomes Queries, one for each value; any other a Scan
// (Developer Guide, "PartiQL select statements for DynamoDB").
func (b *Bound) Read(t *dynamo.Table) (*Read, error) {
	g, err := b.target(t)
	if err != nil {
		return nil, err
	}
	r := &Read{}
	if r.Columns, err = b.projection(); err != nil {
		return nil, err
	}
	branches := members(nil, b.where, opOr)
	r.Alternatives = len(branches) > 1
	spans, keyed, err := b.spans(g, branches)
	if err != nil {
		return nil, err
	}
	if err := b.checkOrder(g, spans, keyed); err != nil {
		return nil, err
	}
	if !keyed {
		r.Scan, err = b.scan()
		return r, err
	}
	if spans, err = b.arrange(g, spans); err != nil {
		return nil, err
	}
	for _, s := range spans {
		q, err := b.query(g, s)
		if err != nil {
			return nil, err
		}
		r.Queries = append(r.Queries, q)
	}
	return r, nil
}

func (b *Bound) scan() (*dynamo.ScanInput, error) {
	w := writer{bound: b, kind: "Condition"}
	in := &dynamo.ScanInput{TableName: b.Table(), IndexName: b.Index(), ProjectionExpression: w.columns()}
	if b.where != nil {
		in.FilterExpression = w.condition(b.where, 0)
	}
	in.Expressions = w.expressions()
	return in, w.err
}

// query makes the request for a span. Of several conditions on the sort key the first that
// narrows most becomes part of the key condition, the others filter.
func (b *Bound) query(g *target, s *span) (dynamo.QueryInput, error) {
	w := writer{bound: b, kind: "Condition"}
	in := dynamo.QueryInput{TableName: b.Table(), IndexName: b.Index(), Backward: b.backward(g)}
	in.KeyConditionExpression = w.name(g.partition) + " = " + w.literal(s.partition)
	filter := s.filter
	switch narrow := s.narrowest(); {
	case s.point != nil:
		in.KeyConditionExpression += " AND " + w.name(g.sort) + " = " + w.literal(*s.point)
	case narrow >= 0:
		in.KeyConditionExpression += " AND " + w.condition(s.sort[narrow], opAnd.binding())
		filter = slices.Concat(slices.Delete(slices.Clone(s.sort), narrow, narrow+1), filter)
	}
	if n := joined(filter, opAnd); n != nil {
		in.FilterExpression = w.condition(n, 0)
	}
	in.ProjectionExpression = w.columns()
	in.Expressions = w.expressions()
	return in, w.err
}

// backward tells the order of items in a partition. An ORDER BY that does not name the sort
// key makes the service read backward.
func (b *Bound) backward(g *target) bool {
	if b.order == nil {
		return false
	}
	for _, o := range b.order {
		if o.by.path[0].Name == g.sort {
			return o.descending
		}
	}
	return g.sort != ""
}

func (b *Bound) checkOrder(g *target, spans []*span, keyed bool) error {
	if b.order == nil {
		return nil
	}
	if b.where == nil {
		return invalid("%s", faultOrderWhere)
	}
	byPartition := false
	for _, o := range b.order {
		name := o.by.path[0].Name
		if name != g.partition && name != g.sort {
			return invalid(faultOrderKey, name)
		}
		byPartition = byPartition || name == g.partition
	}
	if !keyed {
		return invalid("%s", faultOrderHash)
	}
	for _, s := range spans {
		if !dynamo.Equal(s.partition, spans[0].partition) && !byPartition {
			return invalid("%s", faultOrderHashes)
		}
	}
	return nil
}

// arrange puts spans into the order of the answer: partitions as written or as ORDER BY
// says, and in each of them by the sort key. Spans of one partition that overlap become one.
func (b *Bound) arrange(g *target, spans []*span) ([]*span, error) {
	var partitions [][]*span
	number := map[string]int{}
	for _, s := range spans {
		key := string(dynamo.AppendKey(nil, s.partition))
		i, ok := number[key]
		if !ok {
			i = len(partitions)
			number[key] = i
			partitions = append(partitions, nil)
		}
		partitions[i] = append(partitions[i], s)
	}
	for _, o := range b.order {
		if o.by.path[0].Name != g.partition {
			continue
		}
		slices.SortStableFunc(partitions, func(x, y []*span) int {
			order, _ := dynamo.Compare(x[0].partition, y[0].partition)
			if o.descending {
				return -order
			}
			return order
		})
		break
	}
	var out []*span
	for _, p := range partitions {
		p, err := disjoint(p)
		if err != nil {
			return nil, err
		}
		if b.backward(g) {
			slices.Reverse(p)
		}
		out = append(out, p...)
	}
	return out, nil
}

// disjoint sorts the spans of one partition. When two of them have items in common, the
// service refuses those that have a condition on the sort key, unless it is a negative one;
// the others are read as one.
func disjoint(spans []*span) ([]*span, error) {
	slices.SortStableFunc(spans, func(x, y *span) int { return compareLow(x.interval, y.interval) })
	if !overlap(spans) {
		return spans, nil
	}
	positive := slices.DeleteFunc(slices.Clone(spans), func(s *span) bool { return s.negative })
	if overlap(positive) && slices.ContainsFunc(positive, (*span).sorted) {
		return nil, invalid("%s", faultOverlap)
	}
	var alternatives []*node
	for _, s := range spans {
		if !slices.Contains(alternatives, s.branch) {
			alternatives = append(alternatives, s.branch)
		}
	}
	return []*span{{partition: spans[0].partition, filter: []*node{joined(alternatives, opOr)}}}, nil
}

// overlap reports whether two spans have sort keys in common. They are sorted by where they
// begin.
func overlap(spans []*span) bool {
	var before interval
	for i, s := range spans {
		end := interval{high: s.interval.high, highOpen: s.interval.highOpen}
		if i > 0 && before.meets(s.interval) {
			return true
		}
		if i == 0 || compareHigh(end, before) > 0 {
			before = end
		}
	}
	return false
}

// An interval is a range of sort keys. A bound that is absent leaves it open on that side.
type interval struct {
	low, high         dynamo.Value
	lowOpen, highOpen bool // the bound itself is outside
}

// intersect returns what is in both.
func (x interval) intersect(y interval) interval {
	if compareLow(y, x) > 0 {
		x.low, x.lowOpen = y.low, y.lowOpen
	}
	if compareHigh(y, x) < 0 {
		x.high, x.highOpen = y.high, y.highOpen
	}
	return x
}

// meets reports whether x and y have a sort key in common.
func (x interval) meets(y interval) bool {
	both := x.intersect(y)
	if both.low.IsAbsent() || both.high.IsAbsent() {
		return true
	}
	order, _ := dynamo.Compare(both.low, both.high)
	return order < 0 || order == 0 && !both.lowOpen && !both.highOpen
}

func compareLow(x, y interval) int {
	switch {
	case x.low.IsAbsent() || y.low.IsAbsent():
		return cmp.Compare(present(x.low), present(y.low))
	}
	order, _ := dynamo.Compare(x.low, y.low)
	return cmp.Or(order, cmp.Compare(bit(x.lowOpen), bit(y.lowOpen)))
}

func compareHigh(x, y interval) int {
	switch {
	case x.high.IsAbsent() || y.high.IsAbsent():
		return cmp.Compare(present(y.high), present(x.high))
	}
	order, _ := dynamo.Compare(x.high, y.high)
	return cmp.Or(order, cmp.Compare(bit(y.highOpen), bit(x.highOpen)))
}

func present(v dynamo.Value) int { return bit(!v.IsAbsent()) }

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
