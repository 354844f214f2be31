package store

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
	"github.com/keyfold-dev/keyfold/dynamo"
)

// A View reads the store: as it is at each call, or as it was when a snapshot was taken.
// Views need no locks and never wait for writers.
type View struct{ r pebble.Reader }

// Now is the view of the store as it is.
func (s *Store) Now() View { return View{s.db} }

// A Snapshot is the store at one moment. It must be closed.
type Snapshot struct {
	View
	snap *pebble.Snapshot
}

// Snapshot takes a snapshot.
func (s *Store) Snapshot() Snapshot {
	snap := s.db.NewSnapshot()
	return Snapshot{View{snap}, snap}
}

// Close releases the snapshot.
func (s Snapshot) Close() { s.snap.Close() }

// A Row is a stored item, not yet decoded.
type Row struct {
	Size int // dynamo.ItemSize of the item
	body []byte
}

// Found reports whether there is an item.
func (r Row) Found() bool { return r.body != nil }

// Item decodes the row; nil when there is no item. The item does not share the row's memory.
func (r Row) Item() (dynamo.Item, error) {
	if r.body == nil {
		return nil, nil
	}
	it, err := dynamo.DecodeItem(r.body)
	if err != nil {
		return nil, fmt.Errorf("read item: %w; the files are damaged: restore a backup of the folder", err)
	}
	return it, nil
}

// Lookup decodes one attribute of the row; absent when there is none.
func (r Row) Lookup(name string) (dynamo.Value, error) {
	if r.body == nil {
		return dynamo.Value{}, nil
	}
	return dynamo.Lookup(r.body, name)
}

func rowOf(value []byte) (Row, error) {
	size, n := binary.Uvarint(value)
	if n <= 0 {
		return Row{}, errors.New("read item: malformed row; the files are damaged: restore a backup of the folder")
	}
	return Row{int(size), value[n:]}, nil
}

// Get calls use with the row at key, which is valid during the call only.
func (v View) Get(key Key, use func(Row) error) error {
	value, closer, err := v.r.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return use(Row{})
	}
	if err != nil {
		return fmt.Errorf("read item: %w", err)
	}
	defer closer.Close()
	row, err := rowOf(value)
	if err != nil {
		return err
	}
	return use(row)
}

// Item reads and decodes the item at key, and its size; nil when there is none.
func (v View) Item(key Key) (it dynamo.Item, size int, err error) {
	value, closer, err := v.r.Get(key)
	if err != nil {
		if errors.Is(err, pebble.ErrNotFound) {
			return nil, 0, nil
		}
		return nil, 0, fmt.Errorf("read item: %w", err)
	}
	row, err := rowOf(value)
	if err == nil {
		it, err = row.Item()
	}
	return it, row.Size, errors.Join(err, closer.Close())
}

// A Cursor goes through the items of a range. It must be closed.
type Cursor struct {
	it       *pebble.Iterator
	backward bool
	started  bool
	row      Row
	err      error
}

// Cursor returns a cursor before the first item of r, or behind the last when backward.
// It sees the view as of now.
func (v View) Cursor(ctx context.Context, r Range, backward bool) (*Cursor, error) {
	it, err := v.r.NewIterWithContext(ctx, &pebble.IterOptions{LowerBound: r.Start, UpperBound: r.End})
	if err != nil {
		return nil, fmt.Errorf("read items: %w", err)
	}
	return &Cursor{it: it, backward: backward}, nil
}

// Next goes to the next item and reports whether there is one.
func (c *Cursor) Next() bool {
	if c.err != nil || !c.move() {
		return false
	}
	value, err := c.it.ValueAndErr()
	if err == nil {
		c.row, err = rowOf(value)
	}
	c.err = err
	return err == nil
}

func (c *Cursor) move() bool {
	switch {
	case !c.started && c.backward:
		c.started = true
		return c.it.Last()
	case !c.started:
		c.started = true
		return c.it.First()
	case c.backward:
		return c.it.Prev()
	}
	return c.it.Next()
}

// Row is the current row, valid until the next move.
func (c *Cursor) Row() Row { return c.row }

// Key is the current key, valid until the next move.
func (c *Cursor) Key() Key { return c.it.Key() }

// Close releases the cursor and returns the first fault it met.
func (c *Cursor) Close() error {
	err := errors.Join(c.err, c.it.Error(), c.it.Close())
	if err != nil {
		return fmt.Errorf("read items: %w", err)
	}
	return nil
}
