package exec

import (
	"slices"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/design"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// isOff reports whether a conjunct is switched off by an optional argument.
func (c *call) isOff(e model.Expr) (bool, error) {
	return design.SwitchedOff(c.plan.Pattern, e, c.scope(drive{}).Eval)
}

// auditRows checks that the requests gave each row once and no row that the WHERE
// excludes, but for the conjuncts the plan filters by itself.
func (f *fetch) auditRows(q *model.Query, records [][]*record, tuples []tuple) error {
	for i, list := range records {
		seen := map[string]bool{}
		for _, r := range list {
			if seen[r.key] {
				return f.fault("the requests returned a row of %s twice: %s", q.Sources[i].Alias, r.key)
			}
			seen[r.key] = true
		}
	}
	for _, e := range q.Where {
		own := slices.ContainsFunc(f.plan.Client.Filter, func(x model.Expr) bool { return x.String() == e.String() })
		off, err := f.isOff(e)
		if err != nil {
			return err
		}
		if own || off {
			continue
		}
		for _, t := range tuples {
			if !canCheck(e, t) {
				continue
			}
			ok, err := f.rowScope(t).isTrue(e)
			if err != nil {
				return err
			}
			if !ok {
				return f.fault("the requests returned a row for which %s does not hold: %s", e, t.describe(q))
			}
		}
	}
	return nil
}

// canCheck reports whether the index that was read holds all columns of e.
func canCheck(e model.Expr, t tuple) bool {
	ok := true
	model.Walk(e, func(e model.Expr) bool {
		if c, is := e.(*model.Column); is && c.Source >= 0 && c.Source < len(t.records) {
			if _, err := t.records[c.Source].value(c.Attribute); err != nil {
				ok = false
			}
		}
		return ok
	})
	return ok
}

// describe prints a tuple's rows for messages.
func (t tuple) describe(q *model.Query) string {
	s := ""
	for i, r := range t.records {
		if i > 0 {
			s += " "
		}
		s += q.Sources[i].Alias + "("
		if r != nil {
			for j, a := range r.row {
				if j > 0 {
					s += " "
				}
				s += a.Name + "=" + a.Value.Str()
			}
		}
		s += ")"
	}
	return s
}

// auditOrder checks that rows the plan does not sort came in the query's order.
func (c *call) auditOrder(q *model.Query, answers []answer) error {
	for i := 1; i < len(answers); i++ {
		o, err := compareKeys(q.OrderBy, answers[i-1].keys, answers[i].keys)
		if err != nil {
			return err
		}
		if o > 0 {
			return c.fault("the requests returned rows out of order: %s before %s",
				fingerprint(dynamo.List(answers[i-1].keys...)), fingerprint(dynamo.List(answers[i].keys...)))
		}
	}
	return nil
}

// auditDistinct checks that the plan is right not to drop duplicates.
func (c *call) auditDistinct(answers []answer) error {
	if n := len(distinct(slices.Clone(answers))); n < len(answers) {
		return c.fault("the requests returned duplicates for SELECT DISTINCT")
	}
	return nil
}
