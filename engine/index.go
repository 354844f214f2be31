package engine

import (
	"slices"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/engine/internal/store"
)

// An index is an open secondary index. An entry holds the index's keys, the table's keys
// and what the projection adds; an item without a proper value for each of the index's keys has no entry.
type index struct {
	tree
	def        *dynamo.Index
	local      bool
	building   bool     // entries of some items are missing yet
	all        bool     // an entry is the whole item
	attributes []string // otherwise what an entry holds, sorted
}

func newIndex(def *dynamo.Index, local bool, t *table) *index {
	ix := &index{def: def, local: local, building: def.Status == dynamo.StatusCreating, all: def.Projection.Type == dynamo.ProjectAll}
	ix.tree = tree{keyTree(t.stored.Indexes[def.Name], def.Keys, &t.stored.Definition), new(statistics)}
	ix.uncounted.Store(ix.building)
	ix.Base = t.keys
	ix.attributes = slices.Clone(def.Projection.Attributes)
	for _, list := range [][]store.KeyAttribute{ix.Partition, ix.Sort, ix.Base} {
		for _, k := range list {
			ix.attributes = append(ix.attributes, k.Name)
		}
	}
	slices.Sort(ix.attributes)
	ix.attributes = slices.Compact(ix.attributes)
	return ix
}

// project appends to dst what an entry holds of it.
func (ix *index) project(dst, it dynamo.Item) dynamo.Item {
	if ix.all {
		return append(dst, it...)
	}
	i := 0
	for _, a := range it {
		for i < len(ix.attributes) && ix.attributes[i] < a.Name {
			i++
		}
		if i == len(ix.attributes) {
			break
		}
		if ix.attributes[i] == a.Name {
			dst = append(dst, a)
		}
	}
	return dst
}

// holds reports whether entries have an attribute when the item has it.
func (ix *index) holds(name string) bool {
	if ix.all {
		return true
	}
	_, found := slices.BinarySearch(ix.attributes, name)
	return found
}

// An entry is an item's entry in an index, in reused memory.
type entry struct {
	item   dynamo.Item
	size   int
	exists bool
	key    store.Key
	value  store.Value
}

// take makes e the entry of it, which is nil when there is no item.
func (e *entry) take(ix *index, it dynamo.Item) {
	e.exists = it != nil && hasKey(it, ix.Partition, dynamo.MaxPartitionKeySize) && hasKey(it, ix.Sort, dynamo.MaxSortKeySize)
	if e.exists {
		e.item = ix.project(e.item[:0], it)
		e.size = dynamo.ItemSize(e.item)
	}
}

// hasKey reports whether it has the attributes with values that a key may have. Writes of
// others are refused, but an item may be older than the index: then it has no entry
// (Developer Guide, "Detecting and correcting index key violations").
func hasKey(it dynamo.Item, attrs []store.KeyAttribute, most int) bool {
	for i := range attrs {
		v := it.Get(attrs[i].Name)
		if v.Type() != attrs[i].Type {
			return false
		}
		if v.Type() == dynamo.TypeNumber {
			continue
		}
		n := len(v.Str())
		if most -= n; n == 0 || most < 0 {
			return false
		}
	}
	return true
}

// locate encodes the entry's key.
func (e *entry) locate(ix *index) store.Key {
	var ok bool
	if e.key, ok = ix.AppendKey(e.key[:0], e.item); !ok {
		panic("keyfold: internal error: an entry without a key")
	}
	return e.key
}

// encode encodes the entry's contents.
func (e *entry) encode() store.Value {
	e.value = store.AppendValue(e.value[:0], e.item, e.size)
	return e.value
}

// An indexWriter keeps the entries of an index in step with an item.
type indexWriter struct{ old, new entry }

// write adds to b what turns the entry of old into that of new. It costs nothing if the
// entry does not change, one write if its contents do or if it comes or goes, and two if
// its key changes.
func (w *indexWriter) write(b *store.Batch, ix *index, old, new dynamo.Item) (c change) {
	w.old.take(ix, old)
	w.new.take(ix, new)
	both := w.old.exists && w.new.exists
	switch {
	case both && dynamo.EqualItems(w.old.item, w.new.item):
		return c
	case both && w.sameKey(ix):
		b.Put(w.new.locate(ix), w.new.encode())
		return change{units: dynamo.WriteUnits(max(w.old.size, w.new.size)), bytes: int64(w.new.size - w.old.size)}
	}
	if w.old.exists {
		b.Delete(w.old.locate(ix))
		c = change{dynamo.WriteUnits(w.old.size), -1, -int64(w.old.size)}
	}
	if w.new.exists {
		b.Put(w.new.locate(ix), w.new.encode())
		c.units += dynamo.WriteUnits(w.new.size)
		c.items++
		c.bytes += int64(w.new.size)
	}
	return c
}

// sameKey reports whether both entries have the same key; the table's part of it is the
// same anyway.
func (w *indexWriter) sameKey(ix *index) bool {
	for _, part := range [...][]store.KeyAttribute{ix.Partition, ix.Sort} {
		for i := range part {
			if w.old.item.Get(part[i].Name).Str() != w.new.item.Get(part[i].Name).Str() {
				return false
			}
		}
	}
	return true
}
