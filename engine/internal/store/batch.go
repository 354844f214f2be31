package store

import (
	"encoding/binary"
	"fmt"
	"sync"

	"github.com/cockroachdb/pebble/v2"
	"github.com/keyfold-dev/keyfold/dynamo"
)

// A Batch is a set of changes that happen all at once or not at all.
type Batch struct {
	s      *Store
	b      *pebble.Batch
	unsure bool // applied, and not known to be on stable storage yet
}

var batches = sync.Pool{New: func() any { return new(Batch) }}

// Batch returns an empty batch. It must be released.
func (s *Store) Batch() *Batch {
	b := batches.Get().(*Batch)
	b.s, b.b = s, s.db.NewBatch()
	return b
}

// Release gives the batch's memory back; changes not applied are forgotten.
func (b *Batch) Release() {
	b.b.Close()
	*b = Batch{}
	batches.Put(b)
}

// A Value is the stored form of an item.
type Value []byte

// AppendValue appends the stored form of it, whose dynamo.ItemSize is size.
func AppendValue(dst Value, it dynamo.Item, size int) Value {
	return dynamo.AppendItem(binary.AppendUvarint(dst, uint64(size)), it)
}

// Put stores an item.
func (b *Batch) Put(key Key, v Value) { must(b.b.Set(key, v, nil)) }

// Delete removes an item.
func (b *Batch) Delete(key Key) { must(b.b.Delete(key, nil)) }

// must is for what a batch in memory cannot fail at.
func must(err error) {
	if err != nil {
		panic("keyfold: internal error: batch: " + err.Error())
	}
}

// Apply makes the changes visible. They are in order with those of other batches from then
// on, but on stable storage only when Wait has returned.
func (b *Batch) Apply() (err error) {
	if b.b.Empty() {
		return nil
	}
	if err := b.s.writable(); err != nil {
		return err
	}
	// Pebble panics when its log cannot be written.
	defer func() {
		if r := recover(); r != nil {
			err = b.s.refuseWrites(fmt.Errorf("%v", r))
		}
	}()
	if b.s.sync == pebble.Sync {
		err = b.s.db.ApplyNoSyncWait(b.b, pebble.Sync)
		b.unsure = err == nil
	} else {
		err = b.s.db.Apply(b.b, pebble.NoSync)
	}
	if err != nil {
		return b.s.refuseWrites(err)
	}
	return nil
}

// Wait waits until what was applied is on stable storage, if the store is to sync.
func (b *Batch) Wait() error {
	if !b.unsure {
		return nil
	}
	b.unsure = false
	if err := b.b.SyncWait(); err != nil {
		return b.s.refuseWrites(err)
	}
	return nil
}

// Commit applies the changes and waits.
func (b *Batch) Commit() error {
	if err := b.Apply(); err != nil {
		return err
	}
	return b.Wait()
}
