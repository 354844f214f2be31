package engine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/engine/internal/store"
)

// acknowledged notes what writers have been told is done.
type acknowledged struct {
	mu    sync.Mutex
	items map[string]int64 // the version last acknowledged, by key
}

func (a *acknowledged) note(key string, version int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.items[key] = version
}

func (a *acknowledged) copy() map[string]int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	out := make(map[string]int64, len(a.items))
	for k, v := range a.items {
		out[k] = v
	}
	return out
}

// TestCrash cuts the power under concurrent writers, again and again. What had been
// acknowledged is there afterwards, transactions are there whole, and every index agrees
// with its table.
func TestCrash(t *testing.T) {
	ctx := context.Background()
	disk := store.NewDisk()
	db := openCrashable(t, disk)
	if _, err := db.CreateTable(ctx, modelTable); err != nil {
		t.Fatal(err)
	}
	acked := &acknowledged{items: map[string]int64{}}
	stop := make(chan struct{})
	var writers sync.WaitGroup
	for w := range 6 {
		writers.Go(func() { writeUntil(t, db, w, acked, stop) })
	}
	for seed := range uint64(12) {
		for range 500 {
			db.GetItem(ctx, &dynamo.GetItemInput{TableName: "model", Key: versionKey(0, 0)})
		}
		promised := acked.copy()
		crashed := disk.Crash(rand.New(rand.NewPCG(seed, 7)))
		after := openCrashable(t, crashed)
		checkPromises(t, after, promised)
		checkIndexes(t, after)
		after.working.Wait()
		checkStats(t, after)
		if err := after.Close(); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	writers.Wait()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if len(acked.items) == 0 {
		t.Fatal("nothing was written")
	}
}

func openCrashable(t *testing.T, disk *store.Disk) *DB {
	t.Helper()
	db, err := Open(Options{disk: disk, ExpiryInterval: -1})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func versionKey(writer, n int) dynamo.Item {
	return dynamo.Item{{Name: "p", Value: dynamo.String(fmt.Sprint("w", writer))}, {Name: "s", Value: dynamo.Int(int64(n))}}
}

func versioned(key dynamo.Item, version int64) dynamo.Item {
	it := key.Clone()
	it = it.Set("a", dynamo.String(fmt.Sprint("a", version%3)))
	it = it.Set("b", dynamo.Int(version%5))
	it = it.Set("c", dynamo.Binary([]byte{byte(version % 2)}))
	return it.Set("x", dynamo.Int(version))
}

// writeUntil writes ever newer versions of a writer's own items: by turns one item, and
// two in a transaction.
func writeUntil(t *testing.T, db *DB, writer int, acked *acknowledged, stop chan struct{}) {
	ctx := context.Background()
	for version := int64(1); ; version++ {
		select {
		case <-stop:
			return
		default:
		}
		n := int(version % 7)
		first, second := versioned(versionKey(writer, n), version), versioned(versionKey(writer, 100+n), version)
		var err error
		if version%2 == 0 {
			_, err = db.TransactWriteItems(ctx, &dynamo.TransactWriteItemsInput{ClientRequestToken: fmt.Sprint(writer, "-", version),
				Actions: []dynamo.TransactAction{{Put: &dynamo.PutItemInput{TableName: "model", Item: first}},
					{Put: &dynamo.PutItemInput{TableName: "model", Item: second}}}})
		} else {
			_, err = db.PutItem(ctx, &dynamo.PutItemInput{TableName: "model", Item: first})
		}
		if err != nil {
			t.Error(err)
			return
		}
		acked.note(keyText(first), version)
		if version%2 == 0 {
			acked.note(keyText(second), version)
		}
	}
}

func checkPromises(t *testing.T, db *DB, promised map[string]int64) {
	t.Helper()
	found := map[string]int64{}
	for _, e := range entries(t, db.store.Now(), &db.tables["model"].base.Tree) {
		var v int64
		fmt.Sscan(e.item.Get("x").Str(), &v)
		found[keyText(e.item)] = v
	}
	for key, version := range promised {
		if found[key] < version {
			t.Fatalf("%s has version %d after the crash, and %d was acknowledged", key, found[key], version)
		}
	}
	for key, version := range found {
		var writer string
		var n int
		fmt.Sscanf(key, "%2s/%d", &writer, &n)
		if n >= 100 && found[fmt.Sprintf("%s/%d", writer, n-100)] < version {
			t.Fatalf("half a transaction: %s has version %d, %s/%d has %d", key, version, writer, n-100, found[fmt.Sprintf("%s/%d", writer, n-100)])
		}
	}
}
