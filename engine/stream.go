package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/engine/internal/store"
)

// A stream is an open stream: one shard, to which every change of its table adds a record
// in the batch of the change itself. Sequence numbers are given out and batches applied
// under one lock, so whoever has read a record will find none before it later.
type stream struct {
	stored *store.Stream // changed by whoever is alone in the catalog
	arn    string

	mu   sync.Mutex
	next uint64 // sequence number
}

// recordLifetime is how long records are kept, and closed streams can be read.
const recordLifetime = 24 * time.Hour

// sequenceGap is left in the numbers after a crash, for records that were read and not yet
// on the disk.
const sequenceGap = 1 << 20

func (db *DB) newStream(s *store.Stream) *stream {
	return &stream{stored: s, arn: db.arn + "table/" + s.Table + "/stream/" + s.Label, next: max(s.Next, 1)}
}

// shard is the id of the stream's only shard.
func (s *stream) shard() string {
	return fmt.Sprintf("shardId-%020d-%08x", s.stored.Created.UnixMilli(), s.stored.Number)
}

// sequenceBase makes sequence numbers as long as the service's shortest.
const sequenceBase = "1"

func sequenceText(n uint64) string { return fmt.Sprintf("%s%020d", sequenceBase, n) }

// openStreams opens the streams of the catalog; kept has where those closed in order
// stopped.
func (db *DB) openStreams(kept map[uint32]store.Stats) error {
	stored, err := db.store.Streams()
	if err != nil {
		return err
	}
	b := db.store.Batch()
	defer b.Release()
	for _, s := range stored {
		if st, ok := kept[s.Number]; ok {
			s.Next = uint64(st.Items)
		} else {
			last, err := db.store.LastRecord(s.Number)
			if err != nil {
				return err
			}
			s.Next = max(s.Next, last+1) + sequenceGap
			b.PutStream(s)
		}
		db.streams[s.Number] = db.newStream(s)
	}
	return b.Commit()
}

// open opens a table of the catalog with its stream.
func (db *DB) open(s *store.Table) *table {
	t := newTable(s, db.arn)
	if s.Definition.Stream != "" {
		t.stream = db.streams[s.Stream]
	}
	return t
}

// startStream makes a stream for a table, and has it in db.streams. The caller is alone in
// the catalog.
func (db *DB) startStream(s *store.Table, view dynamo.StreamView, b *store.Batch, number uint32) {
	d := &s.Definition
	created := db.clock()
	for label := created; ; label = label.Add(time.Millisecond) {
		d.StreamLabel = label.UTC().Format("2006-01-02T15:04:05.000")
		if !slices.ContainsFunc(db.streamsOf(d.Name), func(o *stream) bool { return o.stored.Label == d.StreamLabel }) {
			break
		}
	}
	st := &store.Stream{Number: number, Table: d.Name, Label: d.StreamLabel, Keys: d.Keys, View: view, Created: created, Next: 1}
	d.Stream, s.Stream = view, number
	b.PutStream(st)
	db.streams[number] = db.newStream(st)
}

// stopStream closes a table's stream. The caller is alone in the catalog.
func (db *DB) stopStream(s *store.Table, b *store.Batch) {
	s.Definition.Stream = ""
	st := db.streams[s.Stream]
	closed := *st.stored
	closed.Closed, closed.Next = db.clock(), st.next
	st.stored = &closed
	b.PutStream(&closed)
}

// streamsOf returns a table's streams, or all if name is "", in the order of their ARNs.
func (db *DB) streamsOf(name string) []*stream {
	var list []*stream
	for _, s := range db.streams {
		if name == "" || s.stored.Table == name {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b *stream) int { return strings.Compare(a.arn, b.arn) })
	return list
}

// changeStream carries out a stream specification.
func (u *tableUpdate) changeStream(s *store.Table, b *store.Batch) error {
	in, d := u.in.Stream, &s.Definition
	switch {
	case in == nil:
		return nil
	case in.Enabled && d.Stream != "":
		return invalid("Table already has an enabled stream: TableName: %s", d.Name)
	case !in.Enabled && d.Stream == "":
		return invalid("Table has no stream to disable: TableName: %s", d.Name)
	case !in.Enabled:
		u.db.stopStream(s, b)
		return nil
	}
	number, err := b.NewTrees(1)
	if err != nil {
		return err
	}
	u.db.startStream(s, in.View, b, number)
	return nil
}

func checkStream(in *dynamo.StreamSpecification) error {
	switch {
	case in == nil:
		return nil
	case in.Enabled && in.View == "":
		return invalid(parametersInvalid + "If stream is being enabled then UpdateViewType is required")
	case !in.Enabled && in.View != "":
		return invalid(parametersInvalid + "If stream is being disabled, then UpdateViewType must not be specified")
	}
	return checkStreamView(in.View)
}

func checkStreamView(v dynamo.StreamView) error {
	switch v {
	case "", dynamo.StreamKeysOnly, dynamo.StreamNewImage, dynamo.StreamOldImage, dynamo.StreamNewAndOldImages:
		return nil
	}
	return unlike(v, "streamSpecification.streamViewType", textEnum, "[NEW_IMAGE, OLD_IMAGE, NEW_AND_OLD_IMAGES, KEYS_ONLY]")
}

// A pendingRecord is a record whose sequence number and time are yet to be found.
type pendingRecord struct {
	stream *stream
	entry  []byte
}

// appendRecord appends the record of an evaluated action, unless it changes nothing.
func (a *action) appendRecord(list []pendingRecord) []pendingRecord {
	existed, exists := a.old != nil, a.new != nil
	if a.op == opCheck || !existed && !exists || existed && exists && dynamo.EqualItems(a.old, a.new) {
		return list
	}
	e := store.StreamEntry{Expired: a.expired, Existed: existed, Exists: exists, Keys: a.keyItem()}
	switch a.table.stream.stored.View {
	case dynamo.StreamOldImage:
		e.Old = a.old
	case dynamo.StreamNewImage:
		e.New = a.new
	case dynamo.StreamNewAndOldImages:
		e.Old, e.New = a.old, a.new
	}
	return append(list, pendingRecord{a.table.stream, store.AppendStreamEntry(nil, &e)})
}

// applyRecords adds records to a batch and applies it.
func (db *DB) applyRecords(b *store.Batch, list []pendingRecord) error {
	streams := make([]*stream, len(list))
	for i := range list {
		streams[i] = list[i].stream
	}
	slices.SortFunc(streams, func(a, b *stream) int { return cmp.Compare(a.stored.Number, b.stored.Number) })
	streams = slices.Compact(streams)
	for _, s := range streams {
		s.mu.Lock()
		defer s.mu.Unlock()
	}
	now := db.clock()
	for _, r := range list {
		b.PutRecord(r.stream.stored.Number, r.stream.next, r.entry, now)
		r.stream.next++
	}
	return b.Apply()
}

// keyItem is the item's key. What the database itself does to an item has only its old
// value to tell it by.
func (a *action) keyItem() dynamo.Item {
	from := a.item
	if from == nil {
		from = a.old
	}
	var key dynamo.Item
	for _, k := range a.table.keys {
		key = key.Set(k.Name, from.Get(k.Name))
	}
	return key
}
