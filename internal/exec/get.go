package exec

import (
	"errors"
	"slices"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/design"
)

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
