package engine

import (
	"bytes"
	"slices"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/engine/internal/store"
)

// An index is an open secondary index. An entry holds the index's keys, the table's keys
// and what the projection adds; an item that lacks one of the index's keys has no entry.
type index struct {
	tree
	def        *dynamo.Index
	local      bool
	all        bool     // an entry is the whole item
	attributes []string // otherwise what an entry holds, sorted
}

func newIndex(def *dynamo.Index, local bool, t *table) *index {
	ix := &index{def: def, local: local, all: def.Projection.Type == dynamo.ProjectAll}
	ix.Tree = keyTree(t.stored.Indexes[def.Name], def.Keys, &t.stored.Definition)
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

// An entry is an item's entry in an index, encoded; in reused memory.
type entry struct {
	key    store.Key
	value  store.Value
	item   dynamo.Item
	size   int
	exists bool
}

// encode makes e the entry of it, which is nil when there is no item.
func (e *entry) encode(ix *index, it dynamo.Item) {
	if it == nil {
		e.exists = false
		return
	}
	if e.key, e.exists = ix.AppendKey(e.key[:0], it); !e.exists {
		return
	}
	e.item = ix.project(e.item[:0], it)
	e.size = dynamo.ItemSize(e.item)
	e.value = store.AppendValue(e.value[:0], e.item, e.size)
}

// An indexWriter keeps the entries of an index in step with an item.
type indexWriter struct{ old, new entry }

// write adds to b what turns the entry of old into that of new. It costs nothing if the
// entry does not change, one write if its contents do or if it comes or goes, and two if
// its key changes.
func (w *indexWriter) write(b *store.Batch, ix *index, old, new dynamo.Item) (c change) {
	w.old.encode(ix, old)
	w.new.encode(ix, new)
	if w.old.exists && w.new.exists && bytes.Equal(w.old.key, w.new.key) {
		if bytes.Equal(w.old.value, w.new.value) {
			return c
		}
		b.Put(w.new.key, w.new.value)
		return change{units: dynamo.WriteUnits(max(w.old.size, w.new.size)), bytes: int64(w.new.size - w.old.size)}
	}
	if w.old.exists {
		b.Delete(w.old.key)
		c = change{dynamo.WriteUnits(w.old.size), -1, -int64(w.old.size)}
	}
	if w.new.exists {
		b.Put(w.new.key, w.new.value)
		c.units += dynamo.WriteUnits(w.new.size)
		c.items++
		c.bytes += int64(w.new.size)
	}
	return c
}
