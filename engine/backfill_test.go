package engine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/engine/internal/store"
)

// lateIndexes are added to a table that has them not yet.
var lateIndexes = []dynamo.IndexUpdate{{Create: &modelTable.GlobalIndexes[1]}, {Create: &modelTable.GlobalIndexes[2]}, {Create: &modelTable.GlobalIndexes[0]}}

// bareTable is modelTable without global indexes.
func bareTable() *dynamo.Table {
	t := *modelTable
	t.GlobalIndexes = nil
	t.Attributes = []dynamo.AttributeDefinition{{Name: "p", Type: "S"}, {Name: "s", Type: "N"}, {Name: "b", Type: "N"}}
	return &t
}

// fillMisfits writes items that no late index can hold, or only some.
func fillMisfits(t *testing.T, db *DB, n int) {
	t.Helper()
	for i := range n {
		it := versionKey(9, i)
		switch i % 4 {
		case 0:
			it = it.Set("a", dynamo.Int(int64(i)))
		case 1:
			it = it.Set("a", dynamo.String("")).Set("c", dynamo.Binary([]byte{1}))
		case 2:
			it = it.Set("a", dynamo.String(string(make([]byte, 2049)))).Set("c", dynamo.Binary([]byte{1}))
		default:
			it = it.Set("a", dynamo.String(fmt.Sprint(i)))
		}
		if _, err := db.PutItem(context.Background(), &dynamo.PutItemInput{TableName: "model", Item: it}); err != nil {
			t.Fatal(err)
		}
	}
}

func addIndex(t *testing.T, db *DB, u dynamo.IndexUpdate) {
	t.Helper()
	if _, err := db.UpdateTable(context.Background(), &dynamo.UpdateTableInput{TableName: "model", Attributes: modelTable.Attributes,
		Indexes: []dynamo.IndexUpdate{u}}); err != nil {
		t.Fatal(err)
	}
}

// TestBackfill adds indexes while others put, update and delete what they hold, and
// compares them with what the table says.
func TestBackfill(t *testing.T) {
	ctx := context.Background()
	db := openMemory(t)
	if _, err := db.CreateTable(ctx, bareTable()); err != nil {
		t.Fatal(err)
	}
	fillMisfits(t, db, 1000)
	stop := make(chan struct{})
	var writers sync.WaitGroup
	for w := range 4 {
		writers.Go(func() { churn(t, db, w, stop) })
	}
	for range 3 {
		for _, u := range lateIndexes {
			addIndex(t, db, u)
			if err := db.WaitForIndexes(ctx); err != nil {
				t.Fatal(err)
			}
		}
		for _, u := range lateIndexes {
			addIndex(t, db, dynamo.IndexUpdate{Delete: &u.Create.Name})
		}
	}
	for _, u := range lateIndexes {
		addIndex(t, db, u)
		if err := db.WaitForIndexes(ctx); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	writers.Wait()
	got, err := db.DescribeTable(ctx, "model")
	if err != nil {
		t.Fatal(err)
	}
	for _, ix := range got.GlobalIndexes {
		if ix.Status != dynamo.StatusActive || ix.Backfilling {
			t.Errorf("index %s is %s", ix.Name, ix.Status)
		}
	}
	checkIndexes(t, db)
	checkStats(t, db)
	trees, notes := leftovers(t, db)
	if diff := cmp.Diff(len(db.tables["model"].trees()), trees); diff != "" || notes != 0 {
		t.Errorf("%d notes of builds; trees (-want +got):\n%s", notes, diff)
	}
}

// churn writes and deletes items until stop is closed. Faults of items that no index may
// hold are none of its business.
func churn(t *testing.T, db *DB, writer int, stop chan struct{}) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(uint64(writer), 5))
	for {
		select {
		case <-stop:
			return
		default:
		}
		key := versionKey(writer, rng.IntN(300))
		var err error
		switch rng.IntN(4) {
		case 0:
			_, err = db.DeleteItem(ctx, &dynamo.DeleteItemInput{TableName: "model", Key: key})
		case 1:
			_, err = db.UpdateItem(ctx, &dynamo.UpdateItemInput{TableName: "model", Key: key, UpdateExpression: "SET a = :a REMOVE b",
				Expressions: dynamo.Expressions{Values: dynamo.Item{{Name: ":a", Value: dynamo.String(fmt.Sprint(rng.IntN(9)))}}}})
		default:
			_, err = db.PutItem(ctx, &dynamo.PutItemInput{TableName: "model", Item: versioned(key, rng.Int64N(100))})
		}
		if err != nil {
			t.Error(err)
			return
		}
	}
}

// leftovers counts the trees that hold something and the notes of index builds.
func leftovers(t *testing.T, db *DB) (trees, notes int) {
	t.Helper()
	for id := range uint32(100) {
		c, err := db.store.Now().Cursor(context.Background(), (&store.Tree{ID: id}).All(), false)
		if err != nil {
			t.Fatal(err)
		}
		if c.Next() {
			trees++
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		built, err := db.store.Built(id)
		if err != nil {
			t.Fatal(err)
		}
		if built != nil {
			notes++
		}
	}
	return trees, notes
}

// TestBackfillCrash cuts the power again and again while indexes are built under
// concurrent writers: the next start goes on with what was being built.
func TestBackfillCrash(t *testing.T) {
	ctx := context.Background()
	disk := store.NewDisk()
	db := openCrashable(t, disk)
	if _, err := db.CreateTable(ctx, bareTable()); err != nil {
		t.Fatal(err)
	}
	fillMisfits(t, db, 1500)
	acked := &acknowledged{items: map[string]int64{}}
	stop := make(chan struct{})
	var writers sync.WaitGroup
	for w := range 3 {
		writers.Go(func() { writeUntil(t, db, w, acked, stop) })
	}
	resumed := 0
	for seed := range uint64(8) {
		u := lateIndexes[seed%2]
		addIndex(t, db, u)
		for range seed * 40 {
			db.GetItem(ctx, &dynamo.GetItemInput{TableName: "model", Key: versionKey(0, 0)})
		}
		promised := acked.copy()
		after := openCrashable(t, disk.Crash(rand.New(rand.NewPCG(seed, 11))))
		if len(after.builds) > 0 {
			resumed++
		}
		if err := after.WaitForIndexes(ctx); err != nil {
			t.Fatal(err)
		}
		if after.tables["model"].isBuilding() {
			t.Fatal("the index is not built")
		}
		checkPromises(t, after, promised)
		checkIndexes(t, after)
		if err := after.Close(); err != nil {
			t.Fatal(err)
		}
		if err := db.WaitForIndexes(ctx); err != nil {
			t.Fatal(err)
		}
		addIndex(t, db, dynamo.IndexUpdate{Delete: &u.Create.Name})
	}
	close(stop)
	writers.Wait()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if resumed == 0 {
		t.Fatal("no crash came while an index was being built")
	}
}

// TestBuildInProgress looks at what others see of an index whose building has not begun.
func TestBuildInProgress(t *testing.T) {
	ctx := context.Background()
	db := openMemory(t)
	if _, err := db.CreateTable(ctx, bareTable()); err != nil {
		t.Fatal(err)
	}
	fillMisfits(t, db, 2*buildItems)
	const id = 3 // after those of the table and its local index
	db.builds[id] = make(chan struct{})
	addIndex(t, db, lateIndexes[0])
	d, err := db.DescribeTable(ctx, "model")
	if err != nil || d.Status != dynamo.StatusActive || d.GlobalIndexes[0].Status != dynamo.StatusCreating || !d.GlobalIndexes[0].Backfilling {
		t.Errorf("%v %v", d, err)
	}
	_, err = db.Scan(ctx, &dynamo.ScanInput{TableName: "model", IndexName: "include"})
	wantFault(t, err, "ValidationException: Cannot read from backfilling global secondary index: include")
	_, err = db.DeleteTable(ctx, "model")
	wantFault(t, err, "ResourceInUseException: Attempt to change a resource which is still in use: Cannot delete table while indexes are being created, updated, or deleted.")
	_, err = db.UpdateTable(ctx, &dynamo.UpdateTableInput{TableName: "model", Attributes: modelTable.Attributes, Indexes: lateIndexes[1:2]})
	wantFault(t, err, "LimitExceededException: Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table")
	// Others write what the pass has yet to come to.
	if _, err := db.PutItem(ctx, &dynamo.PutItemInput{TableName: "model", Item: versioned(versionKey(9, 3), 1)}); err != nil {
		t.Fatal(err)
	}
	if _, err := db.DeleteItem(ctx, &dynamo.DeleteItemInput{TableName: "model", Key: versionKey(9, 7)}); err != nil {
		t.Fatal(err)
	}
	db.catalog.Lock()
	delete(db.builds, id)
	db.startBuilds(db.tables["model"])
	db.catalog.Unlock()
	if err := db.WaitForIndexes(ctx); err != nil {
		t.Fatal(err)
	}
	checkIndexes(t, db)
	checkStats(t, db)
	db.builds[id+1] = make(chan struct{})
	addIndex(t, db, lateIndexes[1])
	addIndex(t, db, dynamo.IndexUpdate{Delete: &lateIndexes[1].Create.Name})
	if _, err := db.DeleteTable(ctx, "model"); err != nil {
		t.Fatal(err)
	}
}

func wantFault(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
