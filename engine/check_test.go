package engine

import (
	"bytes"
	"context"

	"github.com/google/go-cmp/cmp"
	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/engine/internal/store"
	"pgregory.net/rapid"
)

// A stored entry, as the store has it.
type storedEntry struct {
	Key  string
	Item string
	Size int
}

// typeOf is the declared type of a key attribute.
func (ix *index) typeOf(name string) dynamo.Type {
	for _, part := range [][]store.KeyAttribute{ix.Partition, ix.Sort} {
		for _, k := range part {
			if k.Name == name {
				return k.Type
			}
		}
	}
	return dynamo.Absent
}

// checkIndexes fails unless every index holds exactly the entries that follow from the
// items of its table, every size is right, and the statistics say so.
func checkIndexes(t rapid.TB, db *DB) {
	t.Helper()
	snapshot := db.store.Snapshot()
	defer snapshot.Close()
	for _, tab := range db.tables {
		items := entries(t, snapshot.View, &tab.base.Tree)
		want := make([]map[string]storedEntry, len(tab.indexes))
		for i := range want {
			want[i] = map[string]storedEntry{}
		}
		for _, e := range items {
			for i, ix := range tab.indexes {
				if w, ok := entryOf(ix, e.item); ok {
					want[i][w.Key] = w
				}
			}
		}
		for i, ix := range tab.indexes {
			if ix.building {
				continue
			}
			got := map[string]storedEntry{}
			for _, e := range entries(t, snapshot.View, &ix.Tree) {
				got[e.Key] = e.storedEntry
			}
			if diff := cmp.Diff(want[i], got); diff != "" {
				t.Fatalf("index %s of %s is not what its table says (-want +got):\n%s", ix.def.Name, tab.name(), diff)
			}
		}
	}
}

// checkStats fails unless the statistics are those of the items.
func checkStats(t rapid.TB, db *DB) {
	t.Helper()
	for _, tab := range db.tables {
		for _, tr := range tab.trees() {
			var want, got store.Stats
			for _, e := range entries(t, db.store.Now(), &tr.Tree) {
				want.Items++
				want.Bytes += int64(e.Size)
			}
			got = store.Stats{Items: tr.items.Load(), Bytes: tr.bytes.Load()}
			if want != got {
				t.Fatalf("statistics of tree %d of %s: got %v, want %v", tr.ID, tab.name(), got, want)
			}
		}
	}
}

type readEntry struct {
	storedEntry
	item dynamo.Item
}

func entries(t rapid.TB, v store.View, tr *store.Tree) []readEntry {
	t.Helper()
	c, err := v.Cursor(context.Background(), tr.All(), false)
	if err != nil {
		t.Fatal(err)
	}
	var out []readEntry
	for c.Next() {
		it, err := c.Row().Item()
		if err != nil {
			t.Fatal(err)
		}
		if size := dynamo.ItemSize(it); size != c.Row().Size {
			t.Fatalf("stored size %d of an item of %d bytes", c.Row().Size, size)
		}
		if key, ok := tr.AppendKey(nil, it); !ok || !bytes.Equal(key, c.Key()) {
			t.Fatalf("key %x of an item that belongs at %x", c.Key(), key)
		}
		out = append(out, readEntry{storedEntry{string(c.Key()), string(dynamo.AppendItem(nil, it)), c.Row().Size}, it})
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	return out
}

// entryOf computes an item's entry from the index's definition, not with the code that
// the database uses.
func entryOf(ix *index, it dynamo.Item) (storedEntry, bool) {
	keep := map[string]bool{}
	for _, k := range ix.def.Keys {
		if v := it.Get(k.Name); v.Type() != ix.typeOf(k.Name) || v.Type() != dynamo.TypeNumber && (v.Str() == "" || len(v.Str()) > 2048) {
			return storedEntry{}, false
		}
		keep[k.Name] = true
	}
	for _, k := range ix.Base {
		keep[k.Name] = true
	}
	for _, name := range ix.def.Projection.Attributes {
		keep[name] = true
	}
	var held dynamo.Item
	for _, a := range it {
		if keep[a.Name] || ix.def.Projection.Type == dynamo.ProjectAll {
			held = held.Set(a.Name, a.Value)
		}
	}
	key, ok := ix.AppendKey(nil, it)
	return storedEntry{string(key), string(dynamo.AppendItem(nil, held)), dynamo.ItemSize(held)}, ok
}
