package engine

import (
	"bytes"
	"fmt"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/engine/internal/store"
)

// verify panics unless the store holds what an applied action made of its item: the item,
// its entry in each index, and no entry where its old one was. The item is still locked.
func (a *action) verify(v store.View) {
	a.verifyItem(v, a.key, a.new, a.newSize)
	for _, ix := range a.table.indexes {
		var old, new entry
		old.take(ix, a.old)
		new.take(ix, a.new)
		if ix.building && old.exists && new.exists && dynamo.EqualItems(old.item, new.item) {
			continue // not written, for it is there or still to come
		}
		if new.exists {
			a.verifyItem(v, new.locate(ix), new.item, new.size)
		}
		if old.exists && (!new.exists || !bytes.Equal(old.locate(ix), new.key)) {
			a.verifyItem(v, old.locate(ix), nil, 0)
		}
	}
}

func (a *action) verifyItem(v store.View, key store.Key, want dynamo.Item, size int) {
	got, n, err := v.Item(key)
	if err != nil || n != size || (got == nil) != (want == nil) || !dynamo.EqualItems(got, want) {
		panic(fmt.Sprintf("keyfold: internal error: after a write to %s, key %x holds %v (%d bytes, %v), not %v (%d bytes)",
			a.table.name(), []byte(key), got, n, err, want, size))
	}
}
