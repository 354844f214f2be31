package exec

import (
	"fmt"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// isAggregated reports whether a SELECT computes over groups of rows.
func isAggregated(q *model.Query) bool {
	if len(q.GroupBy) > 0 || len(q.Having) > 0 {
		return true
	}
	found := false
	for _, o := range q.Columns {
		model.Walk(o.Expr, func(e model.Expr) bool {
			if c, ok := e.(*model.Call); ok && c.IsAggregate() {
				found = true
			}
			return !found
		})
	}
	return found
}

// aggregate computes a row for each group, groups in the order of their first rows.
// Without GROUP BY all rows are one group, even when there are none.
func (f *fetch) aggregate(q *model.Query, tuples []tuple, whole *model.Query) ([]answer, error) {
	if !f.plan.Client.Aggregate {
		return nil, f.fault("the plan does not compute the query's aggregates")
	}
	groups, err := f.groups(q, tuples)
	if err != nil {
		return nil, err
	}
	var out []answer
	for i, g := range groups {
		s := f.groupScope(q, g)
		ok, err := f.all(q.Having, s)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		a, err := f.answer(q, whole, s, i)
		if err != nil {
			return nil, err
		}
		out = append(out, a)
	}
	return out, nil
}

func (f *fetch) groups(q *model.Query, tuples []tuple) ([][]tuple, error) {
	if len(q.GroupBy) == 0 {
		return [][]tuple{tuples}, nil
	}
	var out [][]tuple
	index := map[string]int{}
	for _, t := range tuples {
		s := f.rowScope(t)
		key := ""
		for _, e := range q.GroupBy {
			v, err := s.Eval(e)
			if err != nil {
				return nil, err
			}
			key += fingerprint(v)
		}
		i, ok := index[key]
		if !ok {
			i = len(out)
			index[key] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], t)
	}
	return out, nil
}

// groupScope resolves columns by the group's first row and aggregates over all of it.
func (f *fetch) groupScope(q *model.Query, g []tuple) *Scope {
	first := tuple{records: make([]*record, len(q.Sources))}
	if len(g) > 0 {
		first = g[0]
	}
	s := f.rowScope(first)
	s.Aggregate = func(c *model.Call) (dynamo.Value, error) {
		if c.Star {
			return dynamo.Int(int64(len(g))), nil
		}
		values, err := f.aggregated(c, g)
		if err != nil {
			return dynamo.Value{}, err
		}
		return reduce(c, values)
	}
	return s
}

// aggregated lists the values an aggregate sees: no NULLs, with DISTINCT each once.
func (f *fetch) aggregated(c *model.Call, g []tuple) ([]dynamo.Value, error) {
	if len(c.Args) != 1 {
		return nil, fmt.Errorf("%s: an aggregate takes one argument", c)
	}
	var out []dynamo.Value
	seen := map[string]bool{}
	for _, t := range g {
		v, err := f.rowScope(t).Eval(c.Args[0])
		if err != nil {
			return nil, err
		}
		fp := fingerprint(v)
		if v.IsNull() || c.Distinct && seen[fp] {
			continue
		}
		seen[fp] = true
		out = append(out, v)
	}
	return out, nil
}

// reduce computes an aggregate of values that are not NULL. The sum of integers may be
// larger than their type; avg is a numeric but for floats.
func reduce(c *model.Call, values []dynamo.Value) (dynamo.Value, error) {
	n := dynamo.Int(int64(len(values)))
	if c.Func == "count" {
		return n, nil
	}
	if len(values) == 0 {
		return dynamo.Null(), nil
	}
	t := c.Args[0].Type()
	best := values[0]
	for _, v := range values[1:] {
		switch c.Func {
		case "sum", "avg":
			wide := t
			if t.Kind == model.Integer {
				wide = model.Type{Kind: model.Decimal}
			}
			var err error
			if best, err = compute(wide, model.OpAdd, best, v); err != nil {
				return v, err
			}
		default:
			o, err := order(t, v, best)
			if err != nil {
				return v, err
			}
			if c.Func == "min" && o < 0 || c.Func == "max" && o > 0 {
				best = v
			}
		}
	}
	if c.Func != "avg" {
		return best, nil
	}
	if t.Kind == model.Float {
		return computeFloat(model.OpDiv, best, n)
	}
	return divide(best, n, t.Scale)
}

// countAnswer is the row of a query that is answered by a count alone.
func (f *fetch) countAnswer(q *model.Query) ([]answer, error) {
	if !f.plan.Client.Aggregate {
		return nil, f.fault("the plan counts and does not say so")
	}
	s := f.scope(drive{})
	s.Aggregate = func(c *model.Call) (dynamo.Value, error) {
		if c.Func != "count" || c.Distinct {
			return dynamo.Value{}, f.fault("a count cannot give %s", c)
		}
		return dynamo.Int(f.count), nil
	}
	ok, err := f.all(q.Having, s)
	if err != nil || !ok {
		return nil, err
	}
	a, err := f.answer(q, q, s, 0)
	return []answer{a}, err
}
