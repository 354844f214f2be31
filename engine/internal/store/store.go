// Package store keeps tables, indexes and items in order on disk. It hides Pebble, the
// bytes of keys and values and the version of their format; docs/storage.md describes
// them. Above it, a table and each of its indexes is a Tree: a set of items sorted by a
// hash of their partition key and then by their sort key.
package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// formatVersion changes when the bytes of an existing key or value change meaning.
const formatVersion = 1

// Options say where a store lives.
type Options struct {
	// Dir is the folder; with neither Dir nor Disk the store is in memory only.
	Dir string
	// Disk replaces the operating system's files, for tests of crashes and reopening.
	Disk *Disk
	// NoSync acknowledges writes before they are on stable storage.
	NoSync bool
	Logger *slog.Logger
}

// ErrInUse is in the chain of Open's error when the folder is open already, in another
// process or in this one.
var ErrInUse = errors.New("the folder is in use")

// A Store holds trees and the catalog of tables. It is safe for concurrent use.
type Store struct {
	db       *pebble.DB
	volatile bool // in memory only, so nothing is worth syncing
	sync     *pebble.WriteOptions
	lock     *pebble.Lock
	failed   atomic.Pointer[error] // what made the store refuse writes
}

// Open opens the store in o.Dir, making it if it is not there. An error carries the
// operation, the path and a hint.
func Open(o Options) (*Store, error) {
	s := &Store{volatile: o.Dir == "" && o.Disk == nil, sync: pebble.Sync}
	if o.NoSync || s.volatile {
		s.sync = pebble.NoSync
	}
	opts := pebbleOptions(o)
	opts.DisableWAL = s.volatile
	var err error
	if s.lock, err = lock(o.Dir, opts.FS); err != nil {
		return nil, err
	}
	opts.Lock = s.lock
	if s.db, err = pebble.Open(o.Dir, opts); err != nil {
		return nil, errors.Join(openError(o.Dir, err), s.lock.Close())
	}
	if err := s.checkFormat(o.Dir); err != nil {
		return nil, errors.Join(err, s.db.Close(), s.lock.Close())
	}
	return s, nil
}

func pebbleOptions(o Options) *pebble.Options {
	opts := &pebble.Options{
		FS:                 vfs.Default,
		FormatMajorVersion: pebble.FormatNewest,
		CacheSize:          64 << 20,
		MemTableSize:       16 << 20,
		MaxOpenFiles:       500,
		Logger:             logger{o.Logger},
		// Reads of one item look in every level; ten bits a key spare them all but the one
		// that has it.
		L0CompactionThreshold: 4,
		L0StopWritesThreshold: 24,
	}
	for i := range opts.Levels {
		opts.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
	}
	if o.Disk != nil {
		opts.FS = o.Disk.open()
	} else if o.Dir == "" {
		opts.FS = vfs.NewMem()
	}
	return opts
}

// lock takes the folder's lock before Pebble does, to tell a folder in use from any other
// fault.
func lock(dir string, fs vfs.FS) (*pebble.Lock, error) {
	if dir != "" {
		if err := fs.MkdirAll(dir, 0o755); err != nil {
			return nil, fmt.Errorf("open database %s: %w; give a folder that this user may write", dir, err)
		}
	}
	l, err := pebble.LockDirectory(dir, fs)
	switch {
	case errors.Is(err, syscall.EAGAIN), err != nil && strings.Contains(err.Error(), "held by current process"):
		return nil, fmt.Errorf("open database %s: %w (%v); stop the other one or give another folder", dir, ErrInUse, err)
	case err != nil:
		return nil, fmt.Errorf("open database %s: %w; give a folder that this user may write", dir, err)
	}
	return l, nil
}

func openError(dir string, err error) error {
	if pebble.IsCorruptionError(err) {
		return fmt.Errorf("open database %s: %w; the files are damaged: restore a backup of the folder", dir, err)
	}
	return fmt.Errorf("open database %s: %w; check the disk and the folder's permissions", dir, err)
}

// checkFormat reads the format version, or writes it in a new store.
func (s *Store) checkFormat(dir string) error {
	v, closer, err := s.db.Get(formatKey)
	if errors.Is(err, pebble.ErrNotFound) {
		return s.db.Set(formatKey, binary.BigEndian.AppendUint32(nil, formatVersion), s.sync)
	}
	if err != nil {
		return openError(dir, err)
	}
	defer closer.Close()
	if len(v) != 4 || binary.BigEndian.Uint32(v) != formatVersion {
		return fmt.Errorf("open database %s: the folder has storage format %x and this keyfold reads format %d; use the version of keyfold that wrote it",
			filepath.Clean(dir), v, formatVersion)
	}
	return nil
}

// Close waits for background work and closes the files. Cursors and snapshots must be
// closed before.
func (s *Store) Close() error {
	var flush error
	if !s.volatile && s.writable() == nil {
		// A flush leaves less of the log to read at the next start.
		flush = s.db.Flush()
	}
	return errors.Join(flush, s.db.Close(), s.lock.Close())
}

// refuseWrites notes that a write failed and returns its error. What was written after it
// may be lost, so nothing more is written; reading goes on.
func (s *Store) refuseWrites(cause error) error {
	err := fmt.Errorf("write: %w; no more is written until the database is opened again: check the disk", cause)
	s.failed.CompareAndSwap(nil, &err)
	return err
}

// writable returns the error that made the store refuse writes, if any.
func (s *Store) writable() error {
	if err := s.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// logger passes Pebble's messages on: what it calls information is of interest to a
// developer only.
type logger struct{ to *slog.Logger }

func (l logger) Infof(format string, args ...any) {}

func (l logger) Errorf(format string, args ...any) {
	if l.to != nil {
		l.to.Error("storage", "detail", fmt.Sprintf(format, args...))
	}
}

// Fatalf is called for faults after which nothing can be written; it must not return.
func (l logger) Fatalf(format string, args ...any) {
	l.Errorf(format, args...)
	panic(fmt.Sprintf("storage: "+format, args...))
}
