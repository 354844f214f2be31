package exec

import (
	"context"
	"errors"
	"fmt"
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

// errNoMatch says that a key condition cannot match any item, so nothing need be sent.
var errNoMatch = errors.New("no item can match")

// key spells a value that a key attribute is compared with. NULL components, empty keys
// and keys longer than DynamoDB stores are errNoMatch.
func (c *call) key(t *design.Table, attribute string, tpl design.Template, s *Scope) (dynamo.Value, error) {
	for _, p := range tpl {
		if ref, ok := p.Value.(*model.ParamRef); ok && p.Prefix {
			v, err := s.Param(ref.Name)
			if err != nil {
				return v, err
			}
			if err := design.CheckWildcards(ref.Name, v.Str()); err != nil {
				return v, &ArgumentError{c.plan.Pattern.Name, ref.Name, err.Error()}
			}
		}
	}
	// A NULL argument equals nothing, also where the key spells NULLs; IS NULL asks for
	// them by a constant.
	v, err := encodeKey(keyType(t, attribute), tpl, func(e model.Expr) (dynamo.Value, error) {
		v, err := s.Eval(e)
		if _, constant := e.(*model.Literal); err == nil && v.IsNull() && !constant {
			return v, design.ErrNullKey
		}
		return v, err
	})
	switch {
	case errors.Is(err, design.ErrNullKey):
		return v, errNoMatch
	case err != nil:
		return v, err
	case len(v.Str()) == 0 || len(v.Str()) > keyLimit(t, attribute):
		return v, errNoMatch
	}
	return v, nil
}

// bound spells one end of a range of keys. It cannot be longer than a key, for which
// DynamoDB would have to be asked otherwise.
func (c *call) bound(t *design.Table, b design.Binding, s *Scope) (dynamo.Value, error) {
	v, err := c.key(t, b.Attribute, b.Template, s)
	if errors.Is(err, errNoMatch) {
		if w, fault := encodeKey(keyType(t, b.Attribute), b.Template, s.Eval); fault == nil && len(w.Str()) > keyLimit(t, b.Attribute) {
			return v, &ArgumentError{c.plan.Pattern.Name, paramOf(b.Template),
				fmt.Sprintf("the range's end %s would be a key of %d bytes; keys have at most %d", b.Template, len(w.Str()), keyLimit(t, b.Attribute))}
		}
	}
	return v, err
}

// paramOf names the last parameter in a template.
func paramOf(t design.Template) string {
	name := ""
	for _, p := range t {
		if ref, ok := p.Value.(*model.ParamRef); ok {
			name = ref.Name
		}
	}
	return name
}

// keyLimit is the most bytes a value of a key attribute has.
func keyLimit(t *design.Table, attribute string) int {
	if attribute == t.PartitionKey.Name {
		return dynamo.MaxPartitionKeySize
	}
	for _, ix := range t.GSIs {
		for _, k := range ix.PartitionKey {
			if k.Name == attribute {
				return dynamo.MaxPartitionKeySize
			}
		}
	}
	return dynamo.MaxSortKeySize
}

// A lookup is one item to get, and the sources its row is for.
type lookup struct {
	key   dynamo.Item
	kinds []design.Kind
}

// gets reads items by their keys, each key once however often it is asked for.
func (f *fetch) gets(r *design.Request, drives []drive) error {
	t := f.Design.Table(r.Table)
	var order []string
	wanted := map[string]*lookup{}
	for _, d := range drives {
		scope := f.scope(d)
		for _, g := range r.Gets {
			key, err := f.itemKey(t, g.PK, g.SK, scope)
			if errors.Is(err, errNoMatch) {
				continue
			}
			if err != nil {
				return err
			}
			fp := fingerprint(dynamo.Map(key))
			l := wanted[fp]
			if l == nil {
				l = &lookup{key: key}
				wanted[fp] = l
				order = append(order, fp)
			}
			if !slices.Contains(l.kinds, g.Kind) {
				l.kinds = append(l.kinds, g.Kind)
			}
		}
	}
	lookups := make([]*lookup, len(order))
	for i, fp := range order {
		lookups[i] = wanted[fp]
	}
	if r.Op == design.GetItem {
		return f.getEach(r, lookups)
	}
	return f.getBatches(r, lookups, wanted)
}

// itemKey spells a whole base key.
func (c *call) itemKey(t *design.Table, pk, sk design.Template, s *Scope) (dynamo.Item, error) {
	v, err := c.key(t, t.PartitionKey.Name, pk, s)
	if err != nil {
		return nil, err
	}
	key := dynamo.NewItem(dynamo.Attr{Name: t.PartitionKey.Name, Value: v})
	if t.SortKey.Name == "" {
		return key, nil
	}
	if v, err = c.key(t, t.SortKey.Name, sk, s); err != nil {
		return nil, err
	}
	return key.Set(t.SortKey.Name, v), nil
}

func (f *fetch) getEach(r *design.Request, lookups []*lookup) error {
	sent := Sent{Op: r.Op, Table: r.Table}
	for _, l := range lookups {
		out, err := f.Client.GetItem(f.ctx, &dynamo.GetItemInput{TableName: r.Table, Key: l.key,
			ConsistentRead: r.Consistent, ReturnConsumedCapacity: dynamo.CapacityTotal})
		if err != nil {
			return err
		}
		sent.Pages++
		sent.add(out.ConsumedCapacity)
		if out.Item != nil {
			sent.Items++
			if err := f.item(r, nil, l.kinds, out.Item); err != nil {
				return err
			}
		}
	}
	f.sent(sent)
	return nil
}

func (s *Sent) add(c *dynamo.ConsumedCapacity) {
	if c != nil {
		s.Units += c.Units
	}
}

// getBatches reads 100 keys at a time. Items come back in any order and are handed on in
// the order asked for.
func (f *fetch) getBatches(r *design.Request, lookups []*lookup, wanted map[string]*lookup) error {
	sent := Sent{Op: r.Op, Table: r.Table}
	found := map[*lookup]dynamo.Item{}
	t := f.Design.Table(r.Table)
	for part := range slices.Chunk(lookups, dynamo.MaxBatchGetKeys) {
		keys := make([]dynamo.Item, len(part))
		for i, l := range part {
			keys[i] = l.key
		}
		items, err := f.batchGet(dynamo.BatchGetTable{TableName: r.Table, Keys: keys, ConsistentRead: r.Consistent}, &sent)
		if err != nil {
			return err
		}
		for _, it := range items {
			l := wanted[fingerprint(dynamo.Map(baseKey(t, it)))]
			if l == nil {
				return f.fault("BatchGetItem returned an item that was not asked for")
			}
			found[l] = it
		}
	}
	for _, l := range lookups {
		if it, ok := found[l]; ok {
			if err := f.item(r, nil, l.kinds, it); err != nil {
				return err
			}
		}
	}
	f.sent(sent)
	return nil
}

func baseKey(t *design.Table, it dynamo.Item) dynamo.Item {
	key := dynamo.NewItem(dynamo.Attr{Name: t.PartitionKey.Name, Value: it.Get(t.PartitionKey.Name)})
	if t.SortKey.Name == "" {
		return key
	}
	return key.Set(t.SortKey.Name, it.Get(t.SortKey.Name))
}

// batchGet reads one batch and what the service leaves unprocessed of it.
func (f *fetch) batchGet(want dynamo.BatchGetTable, sent *Sent) ([]dynamo.Item, error) {
	var items []dynamo.Item
	for attempt := 0; ; attempt++ {
		out, err := f.Client.BatchGetItem(f.ctx, &dynamo.BatchGetItemInput{
			Tables: []dynamo.BatchGetTable{want}, ReturnConsumedCapacity: dynamo.CapacityTotal})
		if err != nil {
			return nil, err
		}
		sent.Pages++
		for i := range out.ConsumedCapacity {
			sent.add(&out.ConsumedCapacity[i])
		}
		for _, t := range out.Tables {
			items = append(items, t.Items...)
			sent.Items += len(t.Items)
		}
		if len(out.Unprocessed) == 0 || len(out.Unprocessed[0].Keys) == 0 {
			return items, nil
		}
		want.Keys = out.Unprocessed[0].Keys
		if err := backOff(f.ctx, attempt); err != nil {
			return nil, err
		}
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

// isEmptyRange is errNoMatch when the low bound of BETWEEN lies above the high one, which
// DynamoDB rejects.
func isEmptyRange(r *design.Request, x *design.Expressions, values dynamo.Item) error {
	var bounds []dynamo.Value
	for _, b := range x.Values {
		if r.Sort != nil && b.Template != nil && b.Attribute == r.Sort.Attribute {
			bounds = append(bounds, values.Get(b.Placeholder))
		}
	}
	if len(bounds) == 2 {
		if c, ok := dynamo.Compare(bounds[0], bounds[1]); !ok || c > 0 {
			return errNoMatch
		}
	}
	return nil
}

// asArgument makes the refusal of a wildcard an ArgumentError.
func (c *call) asArgument(err error) error {
	var w *design.WildcardError
	if errors.As(err, &w) {
		return &ArgumentError{c.plan.Pattern.Name, w.Param, w.Reason()}
	}
	return err
}

// bind gives the placeholders of x their values; key spells those of key attributes.
func bind(x *design.Expressions, s *Scope, key func(design.Binding) (dynamo.Value, error)) (dynamo.Expressions, error) {
	out := dynamo.Expressions{Names: x.Names}
	attrs := make([]dynamo.Attr, 0, len(x.Values))
	for _, b := range x.Values {
		var v dynamo.Value
		var err error
		if b.Template != nil {
			v, err = key(b)
		} else if v, err = s.Eval(b.Value); err == nil {
			v, err = assignAs(b, v)
		}
		if err != nil {
			return out, err
		}
		attrs = append(attrs, dynamo.Attr{Name: b.Placeholder, Value: v})
	}
	// The service takes no empty lists of placeholders, only none at all.
	if len(attrs) > 0 {
		out.Values = dynamo.NewItem(attrs...)
	}
	return out, nil
}

// assignAs converts the value of a placeholder to what its use wants.
func assignAs(b design.Binding, v dynamo.Value) (dynamo.Value, error) {
	switch {
	case v.IsNull():
		return v, nil
	case b.Use == design.Assigned:
		return assign(b.Type, v)
	case b.Use == design.Added:
		w, err := assign(b.Type, v)
		if err == nil && !dynamo.Equal(v, w) {
			err = fmt.Errorf("%s has more decimals than %s, to which it is added in place", v.Str(), b.Type)
		}
		return w, err
	case v.Type() == dynamo.TypeNumber:
		return v, nil
	}
	t := b.Type
	t.Length = 0
	return assign(t, v)
}
