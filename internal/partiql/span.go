package partiql

import (
	"cmp"
	"slices"

	"github.com/keyfold-dev/keyfold/dynamo"
)

// A span is a part of a partition that a SELECT reads.
type span struct {
	partition dynamo.Value
	point     *dynamo.Value // the sort key, if it is fixed
	sort      []*node       // other conditions on the sort key
	filter    []*node
	branch    *node    // the alternative of the WHERE clause that it is for
	interval  interval // of the sort key
	negative  bool     // the filter excludes sort keys
}

// sorted reports whether the sort key has a condition.
func (s *span) sorted() bool { return s.point != nil || len(s.sort) > 0 }

// narrowest returns the position of the condition on the sort key to query by, -1 if there
// is none: BETWEEN and begins_with have two ends.
func (s *span) narrowest() int {
	best := -1
	for i, n := range s.sort {
		if n.op == opBetween || n.op == opCall {
			return i
		}
		if best < 0 {
			best = i
		}
	}
	return best
}

// spans makes the spans of each alternative. keyed is false if one of them does not fix the
// partition key.
func (b *Bound) spans(g *target, branches []*node) (spans []*span, keyed bool, err error) {
	for _, branch := range branches {
		list, keyed, err := b.branchSpans(g, branch)
		if err != nil || !keyed {
			return nil, false, err
		}
		spans = append(spans, list...)
	}
	return spans, len(branches) > 0, nil
}

func (b *Bound) branchSpans(g *target, branch *node) (spans []*span, keyed bool, err error) {
	var partitions, points []dynamo.Value
	var fault error
	common := span{branch: branch}
	for _, n := range members(nil, branch, opAnd) {
		name, values := n.fixes()
		switch {
		case !keyed && values != nil && name == g.partition:
			keyed = true
			partitions, err = b.keyValues(values, g.partition, g.partitionType)
		case points == nil && values != nil && name == g.sort:
			points, err = b.keyValues(values, g.sort, g.sortType)
		default:
			err = b.place(g, &common, n)
		}
		fault = cmp.Or(fault, err)
	}
	switch {
	case fault != nil && !keyed:
		return nil, false, invalid("%s", faultScanType)
	case fault != nil:
		return nil, false, fault
	}
	// What is said of the sort key besides its value can only filter.
	if points != nil {
		common.filter = slices.Concat(common.sort, common.filter)
		common.sort = nil
	}
	for _, p := range partitions {
		s := common
		s.partition = p
		if points == nil {
			spans = append(spans, &s)
			continue
		}
		for _, v := range points {
			at := s
			at.point, at.interval = &v, interval{low: v, high: v}
			spans = append(spans, &at)
		}
	}
	return spans, keyed, nil
}

// fixes takes apart a condition that fixes an attribute to one or several values, written
// with =, IN or alternatives of =.
func (n *node) fixes() (name string, values []*node) {
	switch n.op {
	case opEq:
		name, value := n.equality()
		if value == nil {
			return "", nil
		}
		return name, []*node{value}
	case opIn:
		list := n.args[1]
		if list.op != opList && list.op != opBag || slices.ContainsFunc(list.args, func(v *node) bool { return !v.isValue() }) {
			return "", nil
		}
		if name = n.args[0].attribute(); name == "" {
			return "", nil
		}
		return name, list.args
	case opOr:
		for i, a := range members(nil, n, opOr) {
			other, more := a.fixes()
			if more == nil || i > 0 && other != name {
				return "", nil
			}
			name, values = other, append(values, more...)
		}
	}
	return name, values
}

// keyValues makes the values of a key attribute, without duplicates.
func (b *Bound) keyValues(nodes []*node, name string, t dynamo.Type) ([]dynamo.Value, error) {
	var list []dynamo.Value
	for _, n := range nodes {
		v, err := b.keyValue(n, name, t)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(list, func(o dynamo.Value) bool { return dynamo.Equal(o, v) }) {
			list = append(list, v)
		}
	}
	return list, nil
}

func (b *Bound) keyValue(n *node, name string, t dynamo.Type) (dynamo.Value, error) {
	v, err := b.value(n, root)
	if err == nil && v.Type() != t {
		err = invalid(faultKeyType, name)
	}
	return v, err
}

// place puts a condition that fixes no key where it belongs.
func (b *Bound) place(g *target, s *span, n *node) error {
	if bounds := n.sortBounds(g.sort); bounds != nil {
		values := make([]dynamo.Value, len(bounds))
		for i, a := range bounds {
			var err error
			if values[i], err = b.keyValue(a, g.sort, g.sortType); err != nil {
				return err
			}
		}
		s.interval = s.interval.intersect(n.interval(values))
		s.sort = append(s.sort, n)
		return nil
	}
	s.negative = s.negative || n.excludes(g.sort)
	s.filter = append(s.filter, n)
	return nil
}

// sortBounds returns the values that a condition compares the sort key with, nil if it is
// none that a key condition can have.
func (n *node) sortBounds(sort string) []*node {
	switch n.op {
	case opLt, opLe, opGt, opGe:
		for i, a := range n.args {
			if sort != "" && a.attribute() == sort && n.args[1-i].isValue() {
				return n.args[1-i : 2-i]
			}
		}
		return nil
	case opBetween:
	case opCall:
		if n.text != "begins_with" || len(n.args) != 2 {
			return nil
		}
	default:
		return nil
	}
	if sort == "" || n.args[0].attribute() != sort || slices.ContainsFunc(n.args[1:], func(v *node) bool { return !v.isValue() }) {
		return nil
	}
	return n.args[1:]
}

// mirrored gives the comparison with its operands exchanged.
var mirrored = map[op]op{opLt: opGt, opLe: opGe, opGt: opLt, opGe: opLe}

// interval is the range of sort keys for which a condition with those values holds.
func (n *node) interval(values []dynamo.Value) interval {
	v := values[0]
	o := n.op
	if n.args[0].isValue() {
		o = mirrored[o]
	}
	switch o {
	case opLt, opLe:
		return interval{high: v, highOpen: o == opLt}
	case opGt, opGe:
		return interval{low: v, lowOpen: o == opGt}
	case opBetween:
		return interval{low: v, high: values[1]}
	}
	return interval{low: v, high: afterPrefix(v), highOpen: true}
}

// afterPrefix is the first value after all that begin with prefix, absent if there is none.
func afterPrefix(prefix dynamo.Value) dynamo.Value {
	b := []byte(prefix.Str())
	for len(b) > 0 && b[len(b)-1] == 0xff {
		b = b[:len(b)-1]
	}
	if len(b) == 0 {
		return dynamo.Value{}
	}
	b[len(b)-1]++
	if prefix.Type() == dynamo.TypeBinary {
		return dynamo.Binary(b)
	}
	return dynamo.String(string(b))
}

// excludes reports whether a condition is a negative one on the attribute.
func (n *node) excludes(name string) bool {
	switch n.op {
	case opNe:
		return n.args[0].attribute() == name || n.args[1].attribute() == name
	case opNot:
		a := n.args[0]
		return len(a.args) > 0 && a.args[0].attribute() == name
	}
	return false
}
