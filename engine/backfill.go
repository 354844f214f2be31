package engine

import (
	"context"
	"errors"
	"slices"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/engine/internal/store"
)

// An index of a table that holds items already is built in the background. From the moment
// that the catalog says CREATING, every write maintains the index as any other. Meanwhile
// a pass over the table adds the entry of each item, with the item locked, and notes in
// the same batch how far it has come; so whatever is behind it has its entry, and what is
// before it may have one. After a crash the pass goes on from the note. Statistics are
// counted at the end, because writers cannot tell whether what they change was there.

// Parts of the pass that keep items locked.
const (
	buildItems = 128
	buildBytes = 1 << 20
)

// resumeBuilds goes on with what was being built when the database was closed.
func (db *DB) resumeBuilds() {
	// The first build may finish before the last one starts.
	db.catalog.Lock()
	defer db.catalog.Unlock()
	for _, t := range db.tables {
		db.startBuilds(t)
	}
}

// startBuilds starts to build the indexes of t that nobody builds. The catalog is locked.
func (db *DB) startBuilds(t *table) {
	name := t.name()
	for _, ix := range t.indexes {
		if !ix.building || db.builds[ix.ID] != nil {
			continue
		}
		built := make(chan struct{})
		db.builds[ix.ID] = built
		db.working.Go(func() {
			defer close(built)
			err := db.build(db.life, name, ix.ID)
			if err != nil && db.life.Err() == nil && !errors.Is(err, ErrClosed) {
				db.log.Error("build index", "table", name, "index", ix.def.Name, "error", err)
			}
		})
	}
}

// WaitForIndexes waits until no index is being created any more, or the database is closed.
func (db *DB) WaitForIndexes(ctx context.Context) error {
	if err := db.enter(ctx); err != nil {
		return err
	}
	var all []chan struct{}
	for _, built := range db.builds {
		all = append(all, built)
	}
	db.leave()
	for _, built := range all {
		select {
		case <-built:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// build fills the index with that tree, counts it and makes it active. It stops without a
// fault when the index has been deleted.
func (db *DB) build(ctx context.Context, name string, id uint32) error {
	last, err := db.store.Built(id)
	for more := true; more; {
		if err != nil {
			return err
		}
		last, more, err = db.buildSome(ctx, name, id, last)
	}
	if err != nil {
		return err
	}
	return db.finishBuild(ctx, name, id)
}

// building finds the index with that tree; nil if it is not being built any more. The
// caller has entered.
func (db *DB) building(name string, id uint32) (*table, *index) {
	if t := db.tables[name]; t != nil {
		for _, ix := range t.indexes {
			if ix.ID == id && ix.building {
				return t, ix
			}
		}
	}
	return nil, nil
}

// buildSome adds the entries of some items that follow a key, and returns the last one's key.
func (db *DB) buildSome(ctx context.Context, name string, id uint32, after store.Key) (last store.Key, more bool, err error) {
	if err := db.enter(ctx); err != nil {
		return nil, false, err
	}
	defer db.leave()
	t, ix := db.building(name, id)
	if ix == nil {
		return nil, false, nil
	}
	keys, err := t.nextKeys(ctx, db.store.Now(), after)
	if err != nil || len(keys) == 0 {
		return nil, false, err
	}
	b := db.store.Batch()
	defer b.Release()
	if err := db.addEntries(ix, keys, b); err != nil {
		return nil, false, err
	}
	return keys[len(keys)-1], true, b.Wait()
}

// nextKeys returns the keys of some items that follow a key.
func (t *table) nextKeys(ctx context.Context, v store.View, after store.Key) (keys []store.Key, err error) {
	r := t.base.All()
	if after != nil {
		r = r.After(after, false)
	}
	c, err := v.Cursor(ctx, r, false)
	if err != nil {
		return nil, err
	}
	for size := 0; len(keys) < buildItems && size < buildBytes && c.Next(); {
		keys = append(keys, slices.Clone(c.Key()))
		size += c.Row().Size
	}
	return keys, c.Close()
}

// addEntries writes the entries of the items with these keys, as they are now. What comes
// in between a scan and the locks does not matter: its writer has seen to the index.
func (db *DB) addEntries(ix *index, keys []store.Key, b *store.Batch) error {
	var locks lockSet
	for _, key := range keys {
		locks.add(&db.items, key)
	}
	locks.lock()
	defer locks.unlock()
	view := db.store.Now()
	var e entry
	for _, key := range keys {
		it, _, err := view.Item(key)
		if err != nil {
			return err
		}
		if e.take(ix, it); e.exists {
			b.Put(e.locate(ix), e.encode())
		}
	}
	b.PutBuilt(ix.ID, keys[len(keys)-1])
	return b.Apply()
}

// finishBuild counts the index and makes it active.
func (db *DB) finishBuild(ctx context.Context, name string, id uint32) error {
	db.catalog.Lock()
	_, ix := db.building(name, id)
	if db.closed || ix == nil {
		delete(db.builds, id)
		db.catalog.Unlock()
		return nil
	}
	// Nobody writes now, so what writers add from here on comes on top of the snapshot.
	tr := ix.tree
	tr.items.Store(0)
	tr.bytes.Store(0)
	snapshot := db.store.Snapshot()
	db.catalog.Unlock()
	err := tr.count(ctx, snapshot.View)
	snapshot.Close()
	if err != nil {
		return err
	}
	_, _, err = db.alter(ctx, name, func(t *table, s *store.Table, b *store.Batch) error {
		for i := range s.Definition.GlobalIndexes {
			if ix := &s.Definition.GlobalIndexes[i]; s.Indexes[ix.Name] == id {
				ix.Status = ""
				b.DropBuilt(id)
			}
		}
		delete(db.builds, id)
		return nil
	})
	// The table may have been dropped in the meantime.
	var fault *dynamo.Error
	if errors.As(err, &fault) {
		return nil
	}
	return err
}
