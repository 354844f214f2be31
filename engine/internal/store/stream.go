package store

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/keyfold-dev/keyfold/dynamo"
)

// A Stream is a stream's entry in the catalog. It outlives its table.
type Stream struct {
	Number  uint32 // of the numbers of trees
	Table   string
	Label   string
	Keys    []dynamo.KeyElement
	View    dynamo.StreamView
	Created time.Time
	Closed  time.Time // when no more records were added; zero for not yet
	Next    uint64    // no record to come has a lower sequence number
}

// The stored form of a Stream. Field names are part of the format.
type streamRecord struct {
	Table   string            `json:"table"`
	Label   string            `json:"label"`
	Keys    []keyRecord       `json:"keys"`
	View    dynamo.StreamView `json:"view"`
	Created time.Time         `json:"created"`
	Closed  time.Time         `json:"closed,omitzero"`
	Next    uint64            `json:"next"`
}

func streamKey(number uint32) []byte {
	return binary.BigEndian.AppendUint32([]byte{kindStream}, number)
}

func recordKey(number uint32, sequence uint64) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint32([]byte{kindRecord}, number), sequence)
}

// PutStream stores a stream's entry.
func (b *Batch) PutStream(s *Stream) {
	text, err := json.Marshal(streamRecord{s.Table, s.Label, keyRecords(s.Keys), s.View, s.Created, s.Closed, s.Next})
	must(err)
	must(b.b.Set(streamKey(s.Number), text, nil))
}

// DropStream removes a stream and its records.
func (b *Batch) DropStream(s *Stream) {
	must(b.b.Delete(streamKey(s.Number), nil))
	must(b.b.Delete(statsKey(s.Number), nil))
	b.DropRecords(s.Number, 0, ^uint64(0))
}

// Streams reads the entries of all streams, in the order of their numbers.
func (s *Store) Streams() ([]*Stream, error) {
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: []byte{kindStream}, UpperBound: []byte{kindStream + 1}})
	if err != nil {
		return nil, fmt.Errorf("read streams: %w", err)
	}
	var streams []*Stream
	for it.First(); it.Valid(); it.Next() {
		var r streamRecord
		if err := json.Unmarshal(it.Value(), &r); err != nil {
			return nil, errors.Join(fmt.Errorf("read stream %x: %w; the files are damaged: restore a backup of the folder", it.Key()[1:], err), it.Close())
		}
		streams = append(streams, &Stream{binary.BigEndian.Uint32(it.Key()[1:]), r.Table, r.Label, keyElements(r.Keys), r.View, r.Created, r.Closed, r.Next})
	}
	if err := errors.Join(it.Error(), it.Close()); err != nil {
		return nil, fmt.Errorf("read streams: %w", err)
	}
	return streams, nil
}

// A StreamEntry is what a stream's record says, as it is stored: the keys of the item, and
// its images, nil where the record has none.
type StreamEntry struct {
	Time           time.Time // to the millisecond
	Expired        bool
	Existed        bool // there was an item before
	Exists         bool // there is one after
	Keys, Old, New dynamo.Item
}

// The flags of a stored record.
const (
	flagExpired = 1 << iota
	flagExisted
	flagExists
	flagOld
	flagNew
)

// recordVersion begins a record; its time follows, so that it can be set last.
const recordVersion = 1

// AppendStreamEntry appends the stored form of e, but for the time.
func AppendStreamEntry(dst []byte, e *StreamEntry) []byte {
	flags := byte(0)
	for i, set := range [...]bool{e.Expired, e.Existed, e.Exists, e.Old != nil, e.New != nil} {
		if set {
			flags |= 1 << i
		}
	}
	dst = append(dst, recordVersion, 0, 0, 0, 0, 0, 0, 0, 0, flags)
	for _, it := range [...]dynamo.Item{e.Keys, e.Old, e.New} {
		if it == nil {
			continue
		}
		at := len(dst)
		dst = dynamo.AppendItem(append(dst, 0, 0, 0, 0), it)
		binary.BigEndian.PutUint32(dst[at:], uint32(len(dst)-at-4))
	}
	return dst
}

// PutRecord stores a record made by AppendStreamEntry and sets its time.
func (b *Batch) PutRecord(number uint32, sequence uint64, record []byte, at time.Time) {
	binary.BigEndian.PutUint64(record[1:], uint64(at.UnixMilli()))
	must(b.b.Set(recordKey(number, sequence), record, nil))
}

// DropRecords removes the records of a stream from one sequence number up to but not
// including another.
func (b *Batch) DropRecords(number uint32, from, to uint64) {
	must(b.b.DeleteRange(recordKey(number, from), recordKey(number, to), nil))
}

// Records calls use with the records of a stream from a sequence number on, in order, until
// it returns false. An entry belongs to the caller.
func (s *Store) Records(number uint32, from uint64, use func(sequence uint64, e *StreamEntry) bool) error {
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: recordKey(number, from), UpperBound: recordKey(number+1, 0)})
	if err != nil {
		return fmt.Errorf("read stream: %w", err)
	}
	for it.First(); it.Valid(); it.Next() {
		e, err := decodeStreamEntry(it.Value())
		if err != nil {
			return errors.Join(err, it.Close())
		}
		if !use(binary.BigEndian.Uint64(it.Key()[1+4:]), e) {
			break
		}
	}
	if err := errors.Join(it.Error(), it.Close()); err != nil {
		return fmt.Errorf("read stream: %w", err)
	}
	return nil
}

// LastRecord returns the highest sequence number of a stream's records, 0 if there are none.
func (s *Store) LastRecord(number uint32) (sequence uint64, err error) {
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: recordKey(number, 0), UpperBound: recordKey(number+1, 0)})
	if err != nil {
		return 0, fmt.Errorf("read stream: %w", err)
	}
	if it.Last() {
		sequence = binary.BigEndian.Uint64(it.Key()[1+4:])
	}
	if err := errors.Join(it.Error(), it.Close()); err != nil {
		return 0, fmt.Errorf("read stream: %w", err)
	}
	return sequence, nil
}

var errBadRecord = errors.New("read stream: malformed record; the files are damaged: restore a backup of the folder")

func decodeStreamEntry(src []byte) (*StreamEntry, error) {
	if len(src) < 10 || src[0] != recordVersion {
		return nil, errBadRecord
	}
	flags := src[9]
	e := &StreamEntry{Time: time.UnixMilli(int64(binary.BigEndian.Uint64(src[1:]))),
		Expired: flags&flagExpired != 0, Existed: flags&flagExisted != 0, Exists: flags&flagExists != 0}
	src = src[10:]
	for _, part := range []struct {
		to  *dynamo.Item
		has bool
	}{{&e.Keys, true}, {&e.Old, flags&flagOld != 0}, {&e.New, flags&flagNew != 0}} {
		if !part.has {
			continue
		}
		if len(src) < 4 || uint64(len(src)-4) < uint64(binary.BigEndian.Uint32(src)) {
			return nil, errBadRecord
		}
		n := 4 + int(binary.BigEndian.Uint32(src))
		it, err := dynamo.DecodeItem(src[4:n])
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errBadRecord, err)
		}
		*part.to, src = it, src[n:]
	}
	return e, nil
}
