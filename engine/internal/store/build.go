package store

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
)

func buildKey(tree uint32) []byte {
	return binary.BigEndian.AppendUint32([]byte{kindBuild}, tree)
}

// PutBuilt notes how far the building of an index has come: the key, in the table's tree,
// of the last item whose entry is there.
func (b *Batch) PutBuilt(tree uint32, last Key) { must(b.b.Set(buildKey(tree), last, nil)) }

// DropBuilt removes the note, when the index is built.
func (b *Batch) DropBuilt(tree uint32) { must(b.b.Delete(buildKey(tree), nil)) }

// Built returns how far the building of an index had come; nil if it has only begun.
func (s *Store) Built(tree uint32) (Key, error) {
	v, closer, err := s.db.Get(buildKey(tree))
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read catalog: %w", err)
	}
	last := append(Key(nil), v...)
	return last, closer.Close()
}
