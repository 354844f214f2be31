package engine

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/engine/internal/store"
)

// streamedTable is modelTable with a stream of whole changes.
func streamedTable() *dynamo.Table {
	t := *modelTable
	t.Stream = dynamo.StreamNewAndOldImages
	return &t
}

// A replay carries out again on a map what a stream tells.
type replay struct {
	items map[string]dynamo.Item
	last  string // sequence number
}

// read reads a page and checks that each record follows on what came before it. It returns
// the next iterator.
func (r *replay) read(t *testing.T, db *DB, iterator string) string {
	t.Helper()
	out, err := db.GetRecords(context.Background(), &dynamo.GetRecordsInput{Iterator: iterator})
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range out.Records {
		key := keyText(rec.Keys)
		if old := r.items[key]; (old == nil) != (rec.OldImage == nil) || !dynamo.EqualItems(old, rec.OldImage) {
			t.Fatalf("%s of %s: was %v, and the record says %v", rec.EventName, key, old, rec.OldImage)
		}
		if dynamo.EqualItems(rec.OldImage, rec.NewImage) || rec.SequenceNumber <= r.last {
			t.Fatalf("record %s after %s changes %v to %v", rec.SequenceNumber, r.last, rec.OldImage, rec.NewImage)
		}
		r.items[key], r.last = rec.NewImage, rec.SequenceNumber
		if rec.NewImage == nil {
			delete(r.items, key)
		}
	}
	return out.Next
}

// check compares the replayed table with the one there is.
func (r *replay) check(t *testing.T, db *DB) {
	t.Helper()
	stored := entries(t, db.store.Now(), &db.tables["model"].base.Tree)
	if len(stored) != len(r.items) {
		t.Errorf("the stream says that there are %d items, and there are %d", len(r.items), len(stored))
	}
	for _, e := range stored {
		if !dynamo.EqualItems(e.item, r.items[keyText(e.item)]) {
			t.Errorf("%s is %v, and the stream says %v", keyText(e.item), e.item, r.items[keyText(e.item)])
		}
	}
}

func startOf(t *testing.T, db *DB, label string) string {
	t.Helper()
	arn := db.tables["model"].arn + "/stream/" + label
	d, err := db.DescribeStream(context.Background(), &dynamo.DescribeStreamInput{StreamARN: arn})
	if err != nil {
		t.Fatal(err)
	}
	iterator, err := db.GetShardIterator(context.Background(), &dynamo.GetShardIteratorInput{StreamARN: arn, ShardID: d.Shards[0].ID, Type: "TRIM_HORIZON"})
	if err != nil {
		t.Fatal(err)
	}
	return iterator
}

// TestStreamFollows reads a stream while others write, singly and in transactions: it gets
// every change once and in order.
func TestStreamFollows(t *testing.T) {
	ctx := context.Background()
	db := openMemory(t)
	made, err := db.CreateTable(ctx, streamedTable())
	if err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	acked := &acknowledged{items: map[string]int64{}}
	var writers sync.WaitGroup
	for w := range 3 {
		writers.Go(func() { churn(t, db, 0, stop) })
		writers.Go(func() { writeUntil(t, db, w, acked, stop) })
	}
	r := &replay{items: map[string]dynamo.Item{}}
	iterator := startOf(t, db, made.StreamLabel)
	// Reading begins while writers write, whenever those get their turn.
	for reads := 0; reads < 300 || r.last == ""; reads++ {
		iterator = r.read(t, db, iterator)
		runtime.Gosched()
	}
	close(stop)
	writers.Wait()
	if _, err := db.UpdateTable(ctx, &dynamo.UpdateTableInput{TableName: "model", Stream: &dynamo.StreamSpecification{}}); err != nil {
		t.Fatal(err)
	}
	for iterator != "" {
		iterator = r.read(t, db, iterator)
	}
	r.check(t, db)
}

// TestStreamCrash cuts the power under writers of a table with a stream: what is left of the
// stream tells exactly what is left of the table, and numbers given out later are higher
// than those that anybody has seen.
func TestStreamCrash(t *testing.T) {
	ctx := context.Background()
	disk := store.NewDisk()
	db := openCrashable(t, disk)
	made, err := db.CreateTable(ctx, streamedTable())
	if err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var writers sync.WaitGroup
	for range 4 {
		writers.Go(func() { churn(t, db, 0, stop) })
	}
	seen := &replay{items: map[string]dynamo.Item{}}
	iterator := startOf(t, db, made.StreamLabel)
	for seed := range uint64(6) {
		for range 30 {
			iterator = seen.read(t, db, iterator)
		}
		crashed := disk.Crash(rand.New(rand.NewPCG(seed, 13)))
		for range 2 {
			after := openCrashable(t, crashed)
			r := &replay{items: map[string]dynamo.Item{}}
			next := r.read(t, after, startOf(t, after, made.StreamLabel))
			for last := ""; r.last != last; next = r.read(t, after, next) {
				last = r.last
			}
			r.check(t, after)
			if _, err := after.PutItem(ctx, &dynamo.PutItemInput{TableName: "model", Item: versioned(versionKey(7, int(seed)), 1).Set("x", dynamo.Int(int64(len(r.items))))}); err != nil {
				t.Fatal(err)
			}
			if r.read(t, after, next); r.last <= seen.last {
				t.Fatalf("a new record has the number %s, and %s was seen before the crash", r.last, seen.last)
			}
			if err := after.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	close(stop)
	writers.Wait()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestManyStreams writes transactions over two streams in both orders, and turns a stream
// off and on under them.
func TestManyStreams(t *testing.T) {
	ctx := context.Background()
	db := openMemory(t)
	names := []string{"one", "two"}
	for _, name := range names {
		in := streamedTable()
		in.Name = name
		if _, err := db.CreateTable(ctx, in); err != nil {
			t.Fatal(err)
		}
	}
	var group sync.WaitGroup
	for w := range 4 {
		group.Go(func() {
			for i := range int64(200) {
				var actions []dynamo.TransactAction
				for k := range names {
					actions = append(actions, dynamo.TransactAction{Put: &dynamo.PutItemInput{TableName: names[(k+w)%2], Item: versioned(versionKey(w, 1), i)}})
				}
				if _, err := db.TransactWriteItems(ctx, &dynamo.TransactWriteItemsInput{Actions: actions}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range 10 {
		in := &dynamo.UpdateTableInput{TableName: "two", Stream: &dynamo.StreamSpecification{}}
		if i%2 == 1 {
			in.Stream = &dynamo.StreamSpecification{Enabled: true, View: dynamo.StreamKeysOnly}
		}
		if _, err := db.UpdateTable(ctx, in); err != nil {
			t.Fatal(err)
		}
	}
	group.Wait()
	out, err := db.ListStreams(ctx, &dynamo.ListStreamsInput{})
	if err != nil || len(out.Streams) != 1+6 {
		t.Fatal(len(out.Streams), err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := db.ListStreams(ctx, &dynamo.ListStreamsInput{}); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

// FuzzShardIterator reads with any text for an iterator: the fault is the request's.
func FuzzShardIterator(f *testing.F) {
	f.Add("arn:aws:dynamodb:us-east-1:000000000000:table/model/stream/2027-01-15T08:00:00.000|1|AAABof0ejAAAAAAAAAAAAQ==")
	f.Add("|1|")
	f.Fuzz(func(t *testing.T, iterator string) {
		db, err := Open(Options{ExpiryInterval: -1, Clock: func() time.Time { return time.Unix(1_800_000_000, 0) }})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if _, err := db.CreateTable(context.Background(), streamedTable()); err != nil {
			t.Fatal(err)
		}
		_, err = db.GetRecords(context.Background(), &dynamo.GetRecordsInput{Iterator: iterator})
		var fault *dynamo.Error
		if err != nil && !errors.As(err, &fault) {
			t.Fatal(err)
		}
	})
}

// BenchmarkPutStreamed is BenchmarkPut for a table with a stream of whole changes.
func BenchmarkPutStreamed(b *testing.B) {
	ctx := context.Background()
	db := openMemory(b)
	if _, err := db.CreateTable(ctx, &dynamo.Table{Name: "bench", BillingMode: "PAY_PER_REQUEST", Stream: dynamo.StreamNewAndOldImages,
		Attributes: []dynamo.AttributeDefinition{{Name: "PK", Type: "S"}, {Name: "SK", Type: "S"}},
		Keys:       []dynamo.KeyElement{{Name: "PK"}, {Name: "SK", Sort: true}}}); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		if _, err := db.PutItem(ctx, &dynamo.PutItemInput{TableName: "bench", Item: benchItem(n&4095, n)}); err != nil {
			b.Fatal(err)
		}
		n++
	}
}
