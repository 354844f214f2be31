package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/anishathalye/porcupine"
	"github.com/keyfold-dev/keyfold/dynamo"
)

// TestTransfers moves money between accounts in concurrent transactions while readers add
// it up: the sum never changes, in transactions, in snapshots of the index, or at the end.
func TestTransfers(t *testing.T) {
	const accounts, workers, rounds, each = 8, 6, 150, 100
	ctx := context.Background()
	db := openMemory(t)
	if _, err := db.CreateTable(ctx, &dynamo.Table{Name: "accounts", BillingMode: "PAY_PER_REQUEST",
		Attributes: []dynamo.AttributeDefinition{{Name: "id", Type: "N"}, {Name: "all", Type: "S"}, {Name: "sum", Type: "N"}},
		Keys:       []dynamo.KeyElement{{Name: "id"}},
		GlobalIndexes: []dynamo.Index{{Name: "by-sum", Keys: []dynamo.KeyElement{{Name: "all"}, {Name: "sum", Sort: true}},
			Projection: dynamo.Projection{Type: dynamo.ProjectKeysOnly}}}}); err != nil {
		t.Fatal(err)
	}
	for i := range accounts {
		it := dynamo.NewItem(dynamo.Attr{Name: "id", Value: dynamo.Int(int64(i))}, dynamo.Attr{Name: "all", Value: dynamo.String("all")},
			dynamo.Attr{Name: "sum", Value: dynamo.Int(each)})
		if _, err := db.PutItem(ctx, &dynamo.PutItemInput{TableName: "accounts", Item: it}); err != nil {
			t.Fatal(err)
		}
	}
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(w), 3))
			for range rounds {
				if rng.IntN(3) == 0 {
					addUp(t, db, accounts, accounts*each)
					continue
				}
				from := rng.IntN(accounts)
				transfer(t, db, from, (from+1+rng.IntN(accounts-1))%accounts, rng.IntN(each))
			}
		})
	}
	group.Wait()
	addUp(t, db, accounts, accounts*each)
	checkIndexes(t, db)
	checkStats(t, db)
}

func openMemory(t testing.TB) *DB {
	t.Helper()
	db, err := Open(Options{ExpiryInterval: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func transfer(t *testing.T, db *DB, from, to, amount int) {
	step := func(id int, expression, condition string) dynamo.TransactAction {
		return dynamo.TransactAction{Update: &dynamo.UpdateItemInput{TableName: "accounts", UpdateExpression: expression, ConditionExpression: condition,
			Key: dynamo.Item{{Name: "id", Value: dynamo.Int(int64(id))}},
			Expressions: dynamo.Expressions{Names: []dynamo.NameBinding{{Placeholder: "#s", Name: "sum"}},
				Values: dynamo.Item{{Name: ":n", Value: dynamo.Int(int64(amount))}}}}}
	}
	_, err := db.TransactWriteItems(context.Background(), &dynamo.TransactWriteItemsInput{Actions: []dynamo.TransactAction{
		step(from, "SET #s = #s - :n", "#s >= :n"), step(to, "SET #s = #s + :n", "")}})
	var fault *dynamo.Error
	if err != nil && (!errors.As(err, &fault) || fault.Code != dynamo.CodeTransactionCanceled) {
		t.Error(err)
	}
}

// addUp adds up the accounts as TransactGetItems and as a query of the index see them.
func addUp(t *testing.T, db *DB, accounts, want int) {
	ctx := context.Background()
	in := &dynamo.TransactGetItemsInput{}
	for i := range accounts {
		in.Gets = append(in.Gets, dynamo.GetItemInput{TableName: "accounts", Key: dynamo.Item{{Name: "id", Value: dynamo.Int(int64(i))}}})
	}
	read, err := db.TransactGetItems(ctx, in)
	if err != nil {
		t.Error(err)
		return
	}
	page, err := db.Query(ctx, &dynamo.QueryInput{TableName: "accounts", IndexName: "by-sum", KeyConditionExpression: "#a = :a",
		Expressions: dynamo.Expressions{Names: []dynamo.NameBinding{{Placeholder: "#a", Name: "all"}},
			Values: dynamo.Item{{Name: ":a", Value: dynamo.String("all")}}}})
	if err != nil {
		t.Error(err)
		return
	}
	for _, items := range [][]dynamo.Item{read.Items, page.Items} {
		sum := 0
		for _, it := range items {
			var n int
			fmt.Sscan(it.Get("sum").Str(), &n)
			sum += n
		}
		if sum != want || len(items) != accounts {
			t.Errorf("the sum of %d accounts is %d, want %d", len(items), sum, want)
		}
	}
}

// Requests that come while tables are made and dropped are answered or told that there is
// no such table; closing waits for them.
func TestCatalogUnderLoad(t *testing.T) {
	ctx := context.Background()
	db := openMemory(t)
	var group sync.WaitGroup
	for w := range 4 {
		group.Go(func() {
			for i := range 200 {
				_, err := db.PutItem(ctx, &dynamo.PutItemInput{TableName: "model", Item: versioned(versionKey(w, i), int64(i))})
				if err == nil {
					_, err = db.Scan(ctx, &dynamo.ScanInput{TableName: "model", IndexName: "several"})
				}
				var fault *dynamo.Error
				if err != nil && !errors.Is(err, ErrClosed) && (!errors.As(err, &fault) || fault.Code != dynamo.CodeResourceNotFound) {
					t.Error(err)
				}
			}
		})
	}
	for range 20 {
		if _, err := db.CreateTable(ctx, modelTable); err != nil {
			t.Fatal(err)
		}
		if _, err := db.DeleteTable(ctx, "model"); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	group.Wait()
	if _, err := db.ListTables(ctx, &dynamo.ListTablesInput{}); !errors.Is(err, ErrClosed) {
		t.Fatalf("a closed database: %v", err)
	}
}

// A register is one item that clients add to, set and read; porcupine checks that their
// history is that of an item on which one request happens after the other.
type registerInput struct {
	op    string // add, put, get
	value int
}

var register = porcupine.Model{
	Init: func() any { return 0 },
	Step: func(state, input, output any) (bool, any) {
		in := input.(registerInput)
		switch in.op {
		case "add":
			return output.(int) == state.(int)+in.value, state.(int) + in.value
		case "put":
			return output.(int) == state.(int), in.value
		}
		return output.(int) == state.(int), state
	},
}

func TestLinearizable(t *testing.T) {
	db := openMemory(t)
	if _, err := db.CreateTable(context.Background(), modelTable); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var clock int64
	now := func() int64 {
		mu.Lock()
		defer mu.Unlock()
		clock++
		return clock
	}
	histories := make([][]porcupine.Operation, 8)
	var group sync.WaitGroup
	for client := range histories {
		group.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(client), 9))
			for range 120 {
				in := registerInput{[]string{"add", "put", "get"}[rng.IntN(3)], rng.IntN(10)}
				start := now()
				out := apply(t, db, in)
				histories[client] = append(histories[client], porcupine.Operation{ClientId: client, Input: in, Call: start, Output: out, Return: now()})
			}
		})
	}
	group.Wait()
	var all []porcupine.Operation
	for _, h := range histories {
		all = append(all, h...)
	}
	if !porcupine.CheckOperations(register, all) {
		t.Fatal("the history of one item is not linearizable")
	}
}

// apply carries out one operation and returns the value that it saw.
func apply(t *testing.T, db *DB, in registerInput) int {
	ctx := context.Background()
	key := versionKey(0, 0)
	var it dynamo.Item
	var err error
	switch in.op {
	case "add":
		var out *dynamo.WriteOutput
		if out, err = db.UpdateItem(ctx, &dynamo.UpdateItemInput{TableName: "model", Key: key, UpdateExpression: "ADD n :n",
			ReturnValues: dynamo.ReturnAllNew, Expressions: dynamo.Expressions{Values: dynamo.Item{{Name: ":n", Value: dynamo.Int(int64(in.value))}}}}); err == nil {
			it = out.Attributes
		}
	case "put":
		var out *dynamo.WriteOutput
		if out, err = db.PutItem(ctx, &dynamo.PutItemInput{TableName: "model", ReturnValues: dynamo.ReturnAllOld,
			Item: key.Clone().Set("n", dynamo.Int(int64(in.value)))}); err == nil {
			it = out.Attributes
		}
	default:
		var out *dynamo.GetItemOutput
		if out, err = db.GetItem(ctx, &dynamo.GetItemInput{TableName: "model", Key: key}); err == nil {
			it = out.Item
		}
	}
	if err != nil {
		t.Error(err)
	}
	n := 0
	if !it.Get("n").IsAbsent() {
		fmt.Sscan(it.Get("n").Str(), &n)
	}
	return n
}
