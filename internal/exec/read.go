package exec

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/design"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// A fetch collects what the requests of one call return, by source.
type fetch struct {
	*call
	records [][]*record // by source, in the order received
	counted bool        // a request answered with a count instead of rows
	count   int64
	arrived int
	enough  int // rows after which a single request may stop; 0 for none
}

// A drive is one set of values for a request that is sent several times: the row of
// another source that drives it, and one element of each list it compares keys with.
type drive struct {
	row    *record
	source int
	params map[string]dynamo.Value
}

// scope resolves parameters, and columns of the driving row.
func (c *call) scope(d drive) *Scope {
	return &Scope{
		Column: func(col *model.Column) (dynamo.Value, error) {
			if d.row == nil || col.Source != d.source && col.Source >= 0 {
				return dynamo.Value{}, c.fault("column %s stands where no row has been read", col)
			}
			return d.row.value(col.Attribute)
		},
		Param: func(name string) (dynamo.Value, error) {
			if v, ok := d.params[name]; ok {
				return v, nil
			}
			if v, ok := c.args[name]; ok {
				return v, nil
			}
			return dynamo.Value{}, c.fault("there is no parameter %s", name)
		},
		Now:  c.nowValue,
		UUID: c.uuid,
	}
}

func (f *fetch) request(r *design.Request) error {
	if f.Design.Table(r.Table) == nil {
		return f.fault("the design has no table %q", r.Table)
	}
	drives, err := f.drives(r)
	if err != nil {
		return err
	}
	switch r.Op {
	case design.GetItem, design.BatchGetItem:
		return f.gets(r, drives)
	case design.Query:
		sent := Sent{Op: r.Op, Table: r.Table, Index: r.Index}
		asked := map[string]bool{}
		for _, d := range drives {
			if err := f.query(r, d, asked, &sent); err != nil {
				return err
			}
		}
		f.sent(sent)
		return nil
	}
	return f.fault("a read cannot use %s", r.Op)
}

// sent notes a request, unless nothing was sent at all.
func (c *call) sent(s Sent) {
	if s.Pages == 0 {
		return
	}
	c.result.Requests = append(c.result.Requests, s)
	if s.isWrite() {
		c.result.WriteUnits += s.Units
	} else {
		c.result.ReadUnits += s.Units
	}
}

func (s Sent) isWrite() bool {
	switch s.Op {
	case design.GetItem, design.BatchGetItem, design.Query:
		return false
	}
	return true
}

// drives lists the values a request is sent for: one empty drive, or one for each row of
// its driving source, times the elements of the lists in its keys.
func (f *fetch) drives(r *design.Request) ([]drive, error) {
	out := []drive{{}}
	if r.Each >= 0 && r.Each < len(f.records) && f.drivesByRow(r) {
		out = nil
		for _, rec := range f.records[r.Each] {
			out = append(out, drive{row: rec, source: r.Each})
		}
	}
	for _, name := range f.listsInKeys(r) {
		var next []drive
		seen := map[string]bool{}
		for _, el := range f.args[name].Elements() {
			if fp := fingerprint(el); el.IsNull() || seen[fp] {
				continue
			} else {
				seen[fp] = true
			}
			for _, d := range out {
				params := map[string]dynamo.Value{name: el}
				for k, v := range d.params {
					params[k] = v
				}
				next = append(next, drive{row: d.row, source: d.source, params: params})
			}
		}
		out = next
	}
	return out, nil
}

// drivesByRow reports whether the keys of the request name a column. Each is 0 in a
// request that no source drives and that did not say so with -1.
func (f *fetch) drivesByRow(r *design.Request) bool {
	for _, t := range keyTemplates(r) {
		if len(t.Columns()) > 0 {
			return true
		}
	}
	return false
}

// keyTemplates lists the templates of a read's keys.
func keyTemplates(r *design.Request) []design.Template {
	var out []design.Template
	for _, g := range r.Gets {
		out = append(out, g.PK, g.SK)
	}
	for _, k := range r.Partition {
		out = append(out, k.Value)
	}
	if r.Sort != nil {
		out = append(out, r.Sort.Low, r.Sort.High)
	}
	return out
}

// listsInKeys names the list parameters that are key components, each once.
func (f *fetch) listsInKeys(r *design.Request) []string {
	var out []string
	for _, t := range keyTemplates(r) {
		for _, p := range t {
			ref, ok := p.Value.(*model.ParamRef)
			if !ok {
				continue
			}
			if q := f.plan.Pattern.Param(ref.Name); q != nil && q.List && !slices.Contains(out, q.Name) {
				out = append(out, q.Name)
			}
		}
	}
	return out
}

func (s *Sent) add(c *dynamo.ConsumedCapacity) {
	if c != nil {
		s.Units += c.Units
	}
}

// backOff waits longer after every attempt, up to about two seconds, and gives up with
// the context's error.
func backOff(ctx context.Context, attempt int) error {
	const first, most = 10 * time.Millisecond, 2 * time.Second
	timer := time.NewTimer(min(first<<min(attempt, 10), most))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// item hands the row in an item to the sources of the kinds it is of.
func (f *fetch) item(r *design.Request, ix *design.Index, kinds []design.Kind, it dynamo.Item) error {
	e := kindOf(f.Design, r.Table, it)
	if e == nil {
		return f.fault("a request returned an item of no known kind: %s is %q", design.TypeAttribute, it.Get(design.TypeAttribute).Str())
	}
	rec, err := decodeItem(f.Design.Table(r.Table), ix, e, it)
	if err != nil {
		return err
	}
	rec.order = f.arrived
	rec.key = fingerprint(dynamo.Map(baseKey(f.Design.Table(r.Table), it)))
	f.arrived++
	fed := false
	for _, k := range kinds {
		if k.Entity == e.Name {
			source := max(k.Source, 0)
			f.records[source] = append(f.records[source], rec)
			fed = true
		}
	}
	if !fed {
		return f.fault("a request returned an item of kind %s, which the plan does not expect there", e.Name)
	}
	return nil
}

// query reads one range, page by page.
func (f *fetch) query(r *design.Request, d drive, asked map[string]bool, sent *Sent) error {
	in, err := f.queryInput(r, d)
	if errors.Is(err, errNoMatch) {
		return nil
	}
	if err != nil {
		return err
	}
	if fp := fingerprint(dynamo.Map(in.Expressions.Values)); asked[fp] {
		return nil
	} else {
		asked[fp] = true
	}
	limit, err := f.limit(r.Limit, f.scope(d))
	if err != nil || limit == 0 {
		return err
	}
	ix := f.Design.Table(r.Table).Index(r.Index)
	got := 0
	for {
		in.Limit = f.pageLimit(limit, got)
		out, err := f.Client.Query(f.ctx, in)
		if err != nil {
			return err
		}
		sent.Pages++
		sent.Items += int(out.Count)
		sent.add(out.ConsumedCapacity)
		f.count += out.Count
		for _, it := range out.Items {
			if limit > 0 && got == limit {
				break
			}
			if err := f.item(r, ix, r.Kinds, it); err != nil {
				return err
			}
			got++
		}
		if out.LastEvaluatedKey == nil || limit > 0 && got >= limit || f.enough > 0 && got >= f.enough {
			return nil
		}
		in.ExclusiveStartKey = out.LastEvaluatedKey
	}
}

// pageLimit is the Limit of the next page: never more than is still wanted.
func (f *fetch) pageLimit(limit, got int) *int64 {
	n := f.PageLimit
	if rest := int64(limit - got); limit > 0 && (n == 0 || rest < n) {
		n = rest
	}
	if n == 0 {
		return nil
	}
	return &n
}

// limit evaluates LIMIT: -1 for none.
func (c *call) limit(e model.Expr, s *Scope) (int, error) {
	if e == nil {
		return -1, nil
	}
	v, err := s.Eval(e)
	if err != nil || v.IsNull() {
		return -1, err
	}
	n, err := strconv.Atoi(v.Str())
	if err != nil || n < 0 {
		return 0, &ArgumentError{c.plan.Pattern.Name, strings.TrimPrefix(e.String(), "@"), "LIMIT and OFFSET must not be negative"}
	}
	return n, nil
}

// queryInput spells the request for one drive. It is errNoMatch when no item can match.
func (f *fetch) queryInput(r *design.Request, d drive) (*dynamo.QueryInput, error) {
	scope := f.scope(d)
	x, err := f.Design.Express(f.plan, r, scope.Eval)
	switch {
	case err != nil:
		return nil, f.asArgument(err)
	case x.Never:
		return nil, errNoMatch
	}
	in := &dynamo.QueryInput{TableName: r.Table, IndexName: r.Index, KeyConditionExpression: x.KeyCondition,
		FilterExpression: x.Filter, Backward: r.Descending, ConsistentRead: r.Consistent,
		ReturnConsumedCapacity: dynamo.CapacityTotal}
	if r.Count {
		in.Select = "COUNT"
		f.counted = true
	}
	if in.Expressions, err = bind(x, scope, func(b design.Binding) (dynamo.Value, error) {
		if r.Sort != nil && r.Sort.Op == design.SortBetween && b.Attribute == r.Sort.Attribute {
			return f.bound(f.Design.Table(r.Table), b, scope)
		}
		return f.key(f.Design.Table(r.Table), b.Attribute, b.Template, scope)
	}); err != nil {
		return nil, err
	}
	return in, isEmptyRange(r, x, in.Expressions.Values)
}
