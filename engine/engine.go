// Package engine is an embedded database that answers DynamoDB's requests. It hides how
// tables, items and indexes are kept on disk, how concurrent writers are kept apart and
// how a request is checked, in the order and the words of the service.
//
// Every fault the service would report is a *dynamo.Error. Anything else (a full disk, a
// closed database) is an ordinary error.
package engine

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"hash/maphash"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/keyfold-dev/keyfold/engine/internal/store"
)

// A Durability says when a write is acknowledged.
type Durability uint8

// The durabilities. With Sync, the default, an acknowledged write is on stable storage.
// With NoSync it is in the operating system's hands or on the way there: a crash of the
// machine or the process may lose the last writes, but never a part of one, and never an
// earlier write without the later ones.
const (
	Sync Durability = iota
	NoSync
)

// Options configure a database. The zero value is a database in memory.
type Options struct {
	// Dir is the folder of the database; it is made if missing. "" keeps everything in
	// memory and forgets it on Close.
	Dir        string
	Durability Durability
	// Clock tells the time; nil is time.Now. It is called concurrently.
	Clock func() time.Time
	// NewID makes table ids; nil makes random UUIDs. It is called by one goroutine at a time.
	NewID func() string
	// Region and Account appear in ARNs. The defaults are us-east-1 and 000000000000.
	Region, Account string
	// ExpiryInterval is the time between sweeps for items whose time to live is over: 0 is
	// a minute, a negative one means that only ExpireItems removes them.
	ExpiryInterval time.Duration
	// Logger receives what an operator should know; nil discards it.
	Logger *slog.Logger

	disk *store.Disk // for tests
}

// ErrClosed is the error of requests to a database that has been closed.
var ErrClosed = errors.New("the database is closed")

// ErrInUse is in the chain of Open's error when the folder is open already, in another
// process or in this one.
var ErrInUse = store.ErrInUse

// A DB is a DynamoDB-compatible database. Its methods are safe for concurrent use, and
// each honours its context in loops that can be long. Requests are not changed and not
// kept; answers belong to the caller.
//
// Single-item writes and transactions are serializable. A read sees every write that was
// acknowledged before it began, indexes included; it may also see one that is on its way
// to the disk.
type DB struct {
	store   *store.Store
	clock   func() time.Time
	newID   func() string
	arn     string // of everything in this database: "arn:aws:dynamodb:REGION:ACCOUNT:"
	log     *slog.Logger
	parsed  parsedExpressions
	items   itemLocks
	life    context.Context // of background work
	stop    context.CancelFunc
	working sync.WaitGroup // background work

	// catalog guards tables, streams, builds and closed. Requests hold it for reading as long as
	// they run, so whoever holds it for writing is alone. Locks are taken in this order:
	// catalog, then items, then streams.
	catalog sync.RWMutex
	tables  map[string]*table
	streams map[uint32]*stream       // by number
	builds  map[uint32]chan struct{} // by tree: indexes being built; closed when they are
	closed  bool
}

// Open opens the database in o.Dir, making it if it is not there. When another process
// has it open, the error says so.
func Open(o Options) (*DB, error) {
	s, err := store.Open(store.Options{Dir: o.Dir, Disk: o.disk, NoSync: o.Durability == NoSync, Logger: o.Logger})
	if err != nil {
		return nil, err
	}
	db := &DB{store: s, clock: o.Clock, newID: o.NewID, log: o.Logger, tables: map[string]*table{}, streams: map[uint32]*stream{}, builds: map[uint32]chan struct{}{}}
	db.setDefaults(o)
	kept, err := db.load()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open database %s: %w", o.Dir, err), s.Close())
	}
	ctx, cancel := context.WithCancel(context.Background())
	db.life, db.stop = ctx, cancel
	db.recount(ctx, kept)
	db.resumeBuilds()
	db.sweepEvery(ctx, o.ExpiryInterval)
	return db, nil
}

func (db *DB) setDefaults(o Options) {
	if db.clock == nil {
		db.clock = time.Now
	}
	if db.newID == nil {
		db.newID = randomID
	}
	if db.log == nil {
		db.log = slog.New(slog.DiscardHandler)
	}
	region, account := o.Region, o.Account
	if region == "" {
		region = "us-east-1"
	}
	if account == "" {
		account = "000000000000"
	}
	db.arn = "arn:aws:dynamodb:" + region + ":" + account + ":"
	db.parsed.init()
	db.items.seed = maphash.MakeSeed()
}

func randomID() string {
	var b [16]byte
	rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// load reads the catalog, and what the last Close left of statistics.
func (db *DB) load() (kept map[uint32]store.Stats, err error) {
	if kept, err = db.store.TakeStats(); err != nil {
		return nil, err
	}
	if err := db.openStreams(kept); err != nil {
		return nil, err
	}
	tables, err := db.store.Tables()
	if err != nil {
		return nil, err
	}
	for _, t := range tables {
		db.tables[t.Definition.Name] = db.open(t)
	}
	return kept, nil
}

// Close waits for running requests and closes the database. Closing twice is no error.
func (db *DB) Close() error {
	db.catalog.Lock()
	if db.closed {
		db.catalog.Unlock()
		return nil
	}
	db.closed = true
	db.catalog.Unlock()
	db.stop()
	db.working.Wait()
	return errors.Join(db.keepStats(), db.store.Close())
}

// enter begins a request: until leave, the catalog stays as it is and the store open.
func (db *DB) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	db.catalog.RLock()
	if db.closed {
		db.catalog.RUnlock()
		return ErrClosed
	}
	return nil
}

func (db *DB) leave() { db.catalog.RUnlock() }

// recount makes the tables' statistics right again: from what Close left or, after a
// crash, by counting in the background. What is written meanwhile comes on top.
func (db *DB) recount(ctx context.Context, kept map[uint32]store.Stats) {
	var uncounted []*tree
	for _, t := range db.tables {
		for _, tr := range t.trees() {
			if st, ok := kept[tr.ID]; ok {
				tr.add(st.Items, st.Bytes)
			} else if !tr.uncounted.Load() {
				tr.uncounted.Store(true)
				uncounted = append(uncounted, tr)
			}
		}
	}
	if len(uncounted) == 0 {
		return
	}
	snapshot := db.store.Snapshot()
	db.working.Go(func() {
		defer snapshot.Close()
		for _, tr := range uncounted {
			if err := tr.count(ctx, snapshot.View); err != nil && ctx.Err() == nil {
				db.log.Error("count items", "error", err)
			}
		}
	})
}

// keepStats stores statistics for the next start.
func (db *DB) keepStats() error {
	b := db.store.Batch()
	defer b.Release()
	for _, t := range db.tables {
		for _, tr := range t.trees() {
			if !tr.uncounted.Load() {
				b.PutStats(tr.ID, store.Stats{Items: tr.items.Load(), Bytes: tr.bytes.Load()})
			}
		}
	}
	for _, s := range db.streams {
		b.PutStats(s.stored.Number, store.Stats{Items: int64(s.next)})
	}
	return b.Commit()
}

// A tree is a table's or an index's items in the store, with their number and the sum of
// their sizes.
type tree struct {
	store.Tree
	*statistics
}

// statistics outlive a change of the table.
type statistics struct {
	items, bytes atomic.Int64
	uncounted    atomic.Bool // items are left to be counted
}

func (s *statistics) add(items, bytes int64) {
	s.items.Add(items)
	s.bytes.Add(bytes)
}

// count adds the items of a view that was taken before the first write of this process.
func (t *tree) count(ctx context.Context, v store.View) error {
	c, err := v.Cursor(ctx, t.All(), false)
	if err != nil {
		return err
	}
	var items, bytes int64
	for c.Next() {
		if items++; items%1024 == 0 && ctx.Err() != nil {
			return errors.Join(ctx.Err(), c.Close())
		}
		bytes += int64(c.Row().Size)
	}
	if err := c.Close(); err != nil {
		return err
	}
	t.add(items, bytes)
	t.uncounted.Store(false)
	return nil
}
