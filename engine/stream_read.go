package engine

import (
	"context"
	"crypto/md5"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/engine/internal/store"
)

// Limits of the requests to streams (API reference of DynamoDB Streams).
const (
	maxListStreams   = 100
	maxShards        = 100
	maxRecords       = 1000
	iteratorLifetime = 15 * time.Minute
)

// pageLimit checks a limit of a request, whose default is the most there may be.
func pageLimit(given *int64, most int64) (int, error) {
	switch {
	case given == nil:
		return int(most), nil
	case *given < 1:
		return 0, unlike(*given, "limit", textValueAtLeast, 1)
	case *given > most:
		return 0, unlike(*given, "limit", textValueAtMost, most)
	}
	return int(*given), nil
}

// readable reports whether a stream can be read still: a closed one for a day.
func (db *DB) readable(s *stream) bool {
	return s.stored.Closed.IsZero() || s.stored.Closed.After(db.clock().Add(-recordLifetime))
}

// stream finds a stream by its ARN. The caller has entered.
func (db *DB) stream(arn string) (*stream, error) {
	for _, s := range db.streams {
		if s.arn == arn && db.readable(s) {
			return s, nil
		}
	}
	return nil, &dynamo.Error{Code: dynamo.CodeResourceNotFound, Message: textNotFound + ": Stream: " + arn + " not found"}
}

// ListStreams pages through streams, those of deleted tables included for a day.
func (db *DB) ListStreams(ctx context.Context, in *dynamo.ListStreamsInput) (*dynamo.ListStreamsOutput, error) {
	most, err := pageLimit(in.Limit, maxListStreams)
	if err != nil {
		return nil, err
	}
	if in.TableName != "" {
		if err := checkTableName(nameOf(in.TableName)); err != nil {
			return nil, err
		}
	}
	if err := db.enter(ctx); err != nil {
		return nil, err
	}
	defer db.leave()
	out := &dynamo.ListStreamsOutput{}
	for _, s := range db.streamsOf(nameOf(in.TableName)) {
		if !db.readable(s) || s.arn <= in.ExclusiveStartStreamARN {
			continue
		}
		if len(out.Streams) == most {
			out.LastEvaluated = out.Streams[most-1].ARN
			break
		}
		out.Streams = append(out.Streams, s.describe())
	}
	return out, nil
}

func (s *stream) describe() dynamo.Stream {
	return dynamo.Stream{ARN: s.arn, Label: s.stored.Label, TableName: s.stored.Table}
}

// DescribeStream describes a stream. It has one shard, which is closed when the stream is
// disabled or the table deleted.
func (db *DB) DescribeStream(ctx context.Context, in *dynamo.DescribeStreamInput) (*dynamo.StreamDescription, error) {
	if _, err := pageLimit(in.Limit, maxShards); err != nil {
		return nil, err
	}
	if err := db.enter(ctx); err != nil {
		return nil, err
	}
	defer db.leave()
	s, err := db.stream(in.StreamARN)
	if err != nil {
		return nil, err
	}
	st := s.stored
	out := &dynamo.StreamDescription{Stream: s.describe(), Enabled: st.Closed.IsZero(), View: st.View, Created: st.Created, Keys: st.Keys}
	if in.ExclusiveStartShardID >= s.shard() || in.ChildrenOf != "" {
		return out, nil
	}
	shard := dynamo.Shard{ID: s.shard(), Starting: sequenceText(1)}
	if !out.Enabled {
		shard.Ending = sequenceText(max(st.Next, 2) - 1)
	}
	out.Shards = []dynamo.Shard{shard}
	return out, nil
}

// GetShardIterator makes an iterator, which is good for 15 minutes.
func (db *DB) GetShardIterator(ctx context.Context, in *dynamo.GetShardIteratorInput) (string, error) {
	if err := checkIteratorRequest(in); err != nil {
		return "", err
	}
	if err := db.enter(ctx); err != nil {
		return "", err
	}
	defer db.leave()
	s, err := db.stream(in.StreamARN)
	if err != nil {
		return "", err
	}
	if in.ShardID != s.shard() {
		return "", &dynamo.Error{Code: dynamo.CodeResourceNotFound, Message: textNotFound + ": Shard does not exist"}
	}
	s.mu.Lock()
	next := s.next
	s.mu.Unlock()
	at := uint64(0)
	switch in.Type {
	case "LATEST":
		at = next
	case "AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER":
		if at, err = db.place(s, in, next); err != nil {
			return "", err
		}
	}
	return db.iterator(s, at), nil
}

func checkIteratorRequest(in *dynamo.GetShardIteratorInput) error {
	switch in.Type {
	case "TRIM_HORIZON", "LATEST":
		return nil
	case "AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER":
	default:
		return unlike(in.Type, "shardIteratorType", textEnum, "[AFTER_SEQUENCE_NUMBER, LATEST, AT_SEQUENCE_NUMBER, TRIM_HORIZON]")
	}
	switch n := len(in.SequenceNumber); {
	case n == 0:
		return invalid("SequenceNumber is required when ShardIteratorType is %s", in.Type)
	case n < minSequence:
		return unlike(in.SequenceNumber, "sequenceNumber", textLengthAtLeast, minSequence)
	case n > maxSequence:
		return unlike(in.SequenceNumber, "sequenceNumber", textLengthAtMost, maxSequence)
	}
	return nil
}

// The lengths that sequence numbers may have.
const minSequence, maxSequence = 21, 40

// place is the number from which to read.
func (db *DB) place(s *stream, in *dynamo.GetShardIteratorInput, next uint64) (uint64, error) {
	digits, ok := strings.CutPrefix(in.SequenceNumber, sequenceBase)
	n, err := strconv.ParseUint(digits, 10, 64)
	if !ok || len(in.SequenceNumber) != minSequence || err != nil || n == 0 || n >= next {
		return 0, invalid("Invalid SequenceNumber: %s is not in shard %s", in.SequenceNumber, in.ShardID)
	}
	trimmed := true
	err = db.store.Records(s.stored.Number, 0, func(first uint64, e *store.StreamEntry) bool {
		if db.isTrimmed(e) {
			return first < n
		}
		trimmed = n < first
		return false
	})
	if err != nil {
		return 0, err
	}
	if trimmed {
		return 0, &dynamo.Error{Code: "TrimmedDataAccessException", Message: "The operation attempted to read past the oldest stream record in a shard."}
	}
	if in.Type == "AFTER_SEQUENCE_NUMBER" {
		n++
	}
	return n, nil
}

func (db *DB) isTrimmed(e *store.StreamEntry) bool {
	return e.Time.Before(db.clock().Add(-recordLifetime))
}

// iterator makes the text of an iterator: the stream, and when it was made and where it
// points.
func (db *DB) iterator(s *stream, at uint64) string {
	token := binary.BigEndian.AppendUint64(nil, uint64(db.clock().UnixMilli()))
	token = binary.BigEndian.AppendUint64(token, at)
	return s.arn + "|1|" + base64.StdEncoding.EncodeToString(token)
}

func (db *DB) parseIterator(text string) (arn string, at uint64, err error) {
	arn, encoded, ok := strings.Cut(text, "|1|")
	token, err := base64.StdEncoding.DecodeString(encoded)
	if !ok || err != nil || len(token) != 16 {
		return "", 0, invalid("Invalid ShardIterator")
	}
	made, now := time.UnixMilli(int64(binary.BigEndian.Uint64(token))).UTC(), db.clock().UTC()
	if made.Add(iteratorLifetime).Before(now) {
		const layout = "Mon Jan 02 15:04:05 MST 2006"
		return "", 0, &dynamo.Error{Code: "ExpiredIteratorException", Message: fmt.Sprintf("Iterator expired. The iterator was created at time %s while right now it is %s which is further in the future than the tolerated delay of %d milliseconds.",
			made.Format(layout), now.Format(layout), iteratorLifetime.Milliseconds())}
	}
	return arn, binary.BigEndian.Uint64(token[8:]), nil
}

// GetRecords reads up to 1000 records or 1 MB of them.
func (db *DB) GetRecords(ctx context.Context, in *dynamo.GetRecordsInput) (*dynamo.GetRecordsOutput, error) {
	most, err := pageLimit(in.Limit, maxRecords)
	if err != nil {
		return nil, err
	}
	arn, at, err := db.parseIterator(in.Iterator)
	if err != nil {
		return nil, err
	}
	if err := db.enter(ctx); err != nil {
		return nil, err
	}
	defer db.leave()
	s, err := db.stream(arn)
	if err != nil {
		return nil, err
	}
	out := &dynamo.GetRecordsOutput{}
	more, size := false, 0
	err = db.store.Records(s.stored.Number, at, func(sequence uint64, e *store.StreamEntry) bool {
		if ctx.Err() != nil {
			return false
		}
		if db.isTrimmed(e) {
			return true
		}
		r := db.record(s, sequence, e)
		size += r.SizeBytes
		if more = len(out.Records) == most || len(out.Records) > 0 && size > dynamo.MaxPageSize; more {
			return false
		}
		out.Records = append(out.Records, r)
		at = sequence + 1
		return true
	})
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	if more || s.stored.Closed.IsZero() {
		out.Next = db.iterator(s, at)
	}
	return out, nil
}

func (db *DB) record(s *stream, sequence uint64, e *store.StreamEntry) dynamo.StreamRecord {
	r := dynamo.StreamRecord{EventName: "MODIFY", Region: strings.Split(db.arn, ":")[3], Time: e.Time.Truncate(time.Second),
		Keys: e.Keys, NewImage: e.New, OldImage: e.Old, SequenceNumber: sequenceText(sequence), View: s.stored.View, Expired: e.Expired}
	switch {
	case !e.Existed:
		r.EventName = "INSERT"
	case !e.Exists:
		r.EventName = "REMOVE"
	}
	id := md5.Sum([]byte(s.arn + r.SequenceNumber))
	r.EventID = hex.EncodeToString(id[:])
	for _, it := range []dynamo.Item{e.Keys, e.New, e.Old} {
		if it != nil {
			r.SizeBytes += dynamo.ItemSize(it)
		}
	}
	return r
}

// trimStreams removes records older than a day, and streams closed that long ago.
func (db *DB) trimStreams(ctx context.Context) error {
	if err := db.enter(ctx); err != nil {
		return err
	}
	over := false
	for _, s := range db.streams {
		over = over || !db.readable(s)
		if err := db.trim(s); err != nil {
			db.leave()
			return err
		}
	}
	db.leave()
	if !over {
		return nil
	}
	db.catalog.Lock()
	defer db.catalog.Unlock()
	if db.closed {
		return ErrClosed
	}
	b := db.store.Batch()
	defer b.Release()
	for number, s := range db.streams {
		if !db.readable(s) {
			b.DropStream(s.stored)
			delete(db.streams, number)
		}
	}
	return b.Commit()
}

// trim removes the records of a stream that are older than a day.
func (db *DB) trim(s *stream) error {
	last := uint64(0)
	err := db.store.Records(s.stored.Number, 0, func(sequence uint64, e *store.StreamEntry) bool {
		if !db.isTrimmed(e) {
			return false
		}
		last = sequence
		return true
	})
	if err != nil || last == 0 {
		return err
	}
	b := db.store.Batch()
	defer b.Release()
	b.DropRecords(s.stored.Number, 0, last+1)
	kept := *s.stored
	kept.Next = max(kept.Next, last+1)
	b.PutStream(&kept)
	return b.Commit()
}
