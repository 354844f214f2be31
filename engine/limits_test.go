package engine

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/keyfold-dev/keyfold/dynamo"
)

func attr(name string, v dynamo.Value) dynamo.Attr { return dynamo.Attr{Name: name, Value: v} }

func text(n int) dynamo.Value { return dynamo.String(strings.Repeat("x", n)) }

// sized makes an item of modelTable of exactly so many bytes.
func sized(n, bytes int) dynamo.Item {
	it := dynamo.NewItem(attr("p", dynamo.String("p")), attr("s", dynamo.Int(int64(n))), attr("pad", text(0)))
	return it.Set("pad", text(bytes-dynamo.ItemSize(it)))
}

func nested(levels int) dynamo.Value {
	v := dynamo.String("x")
	for range levels {
		v = dynamo.List(v)
	}
	return v
}

// A limited is a database whose limits are tried; each method sends one request.
type limited struct{ *DB }

func openLimited(t *testing.T) limited {
	db := limited{openMemory(t)}
	plain := &dynamo.Table{Name: "plain", BillingMode: "PAY_PER_REQUEST", Keys: []dynamo.KeyElement{{Name: "p"}},
		Attributes: []dynamo.AttributeDefinition{{Name: "p", Type: "S"}}}
	for _, table := range []*dynamo.Table{modelTable, plain} {
		if _, err := db.CreateTable(context.Background(), table); err != nil {
			t.Fatal(err)
		}
	}
	return db
}

func (db limited) put(table string, it dynamo.Item) error {
	_, err := db.PutItem(context.Background(), &dynamo.PutItemInput{TableName: table, Item: it})
	return err
}

func (db limited) set(v dynamo.Value) error {
	_, err := db.UpdateItem(context.Background(), &dynamo.UpdateItemInput{TableName: "model", Key: versionKey(0, 0), UpdateExpression: "SET v = :v",
		Expressions: dynamo.Expressions{Values: dynamo.Item{attr(":v", v)}}})
	return err
}

func (db limited) gets(n int) error {
	in := dynamo.BatchGetTable{TableName: "model"}
	for i := range n {
		in.Keys = append(in.Keys, versionKey(0, i))
	}
	_, err := db.BatchGetItem(context.Background(), &dynamo.BatchGetItemInput{Tables: []dynamo.BatchGetTable{in}})
	return err
}

func (db limited) writes(n, bytes int) error {
	in := dynamo.BatchWriteTable{TableName: "model"}
	for i := range n {
		in.Requests = append(in.Requests, dynamo.WriteRequest{Put: sized(i, bytes)})
	}
	_, err := db.BatchWriteItem(context.Background(), &dynamo.BatchWriteItemInput{Tables: []dynamo.BatchWriteTable{in}})
	return err
}

func (db limited) transact(n, bytes int) error {
	in := &dynamo.TransactWriteItemsInput{}
	for i := range n {
		in.Actions = append(in.Actions, dynamo.TransactAction{Put: &dynamo.PutItemInput{TableName: "model", Item: sized(i, bytes)}})
	}
	_, err := db.TransactWriteItems(context.Background(), in)
	return err
}

func (db limited) transactGets(n int) error {
	in := &dynamo.TransactGetItemsInput{}
	for i := range n {
		in.Gets = append(in.Gets, dynamo.GetItemInput{TableName: "model", Key: versionKey(0, i)})
	}
	_, err := db.TransactGetItems(context.Background(), in)
	return err
}

// TestLimits checks each limit on both sides.
func TestLimits(t *testing.T) {
	db := openLimited(t)
	overhead := dynamo.ItemSize(versionKey(0, 0)) + len("v")
	small := sized(1, 100)
	const deep = "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit"
	const large = "Item size has exceeded the maximum allowed size"
	const hash, sort = "Size of hashkey has exceeded the maximum size limit of2048 bytes", "Aggregated size of all range keys has exceeded the size limit of 1024 bytes"
	cases := []struct {
		name string
		err  error
		want string // "" for no error
	}{
		{"item of 400 KB", db.put("model", sized(1, dynamo.MaxItemSize)), ""},
		{"item over 400 KB", db.put("model", sized(1, dynamo.MaxItemSize+1)), large},
		{"update to 400 KB", db.set(text(dynamo.MaxItemSize - overhead)), ""},
		{"update over 400 KB", db.set(text(dynamo.MaxItemSize - overhead + 1)), "Item size to update has exceeded the maximum allowed size"},
		{"partition key of 2048 bytes", db.put("plain", dynamo.Item{attr("p", text(2048))}), ""},
		{"partition key over 2048 bytes", db.put("plain", dynamo.Item{attr("p", text(2049))}), hash},
		{"index key of 2048 bytes", db.put("model", small.Clone().Set("a", text(2048))), ""},
		{"index key over 2048 bytes", db.put("model", small.Clone().Set("a", text(2049))), hash},
		{"index sort key over 1024 bytes", db.put("model", small.Clone().Set("p", text(1025))), sort},
		{"32 levels", db.put("model", small.Clone().Set("deep", nested(31))), ""},
		{"33 levels", db.put("model", small.Clone().Set("deep", nested(32))), deep},
		{"update of 33 levels", db.set(nested(32)), oneError + deep},
		{"100 keys", db.gets(100), ""},
		{"101 keys", db.gets(101), "1 validation error detected: Value at 'RequestItems.model.member.Keys' failed to satisfy constraint: Member must have length less than or equal to 100"},
		{"25 writes", db.writes(25, 100), ""},
		{"26 writes", db.writes(26, 100), "Map value must satisfy constraint: [Member must have length less than or equal to 25, Member must have length greater than or equal to 1]"},
		{"batch with a large item", db.writes(2, dynamo.MaxItemSize+1), large},
		{"100 actions", db.transact(100, 100), ""},
		{"101 actions", db.transact(101, 100), "at 'transactItems' failed to satisfy constraint: Member must have length less than or equal to 100"},
		{"transaction of 4 MB", db.transact(16, 256<<10), ""},
		{"transaction over 4 MB", db.transact(17, 256<<10), "exceeding the 4MB limit"},
		{"transaction with a large item", db.transact(1, dynamo.MaxItemSize+1), large},
		{"100 gets", db.transactGets(100), ""},
		{"101 gets", db.transactGets(101), "Member must have length less than or equal to 100"},
	}
	for _, c := range cases {
		var fault *dynamo.Error
		switch {
		case c.want == "" && c.err != nil:
			t.Errorf("%s: %v", c.name, c.err)
		case c.want != "" && (!errors.As(c.err, &fault) || fault.Code != dynamo.CodeValidation || !strings.Contains(fault.Message, c.want)):
			t.Errorf("%s: got %v, want %s", c.name, c.err, c.want)
		}
	}
	checkIndexes(t, db.DB)
}

// BatchGetItem stops before 16 MB and leaves the rest to be asked for again.
func TestBatchGetSize(t *testing.T) {
	ctx := context.Background()
	db := openMemory(t)
	if _, err := db.CreateTable(ctx, modelTable); err != nil {
		t.Fatal(err)
	}
	in := &dynamo.BatchGetItemInput{Tables: []dynamo.BatchGetTable{{TableName: "model", ProjectionExpression: "s"}}}
	for i := range 50 {
		it := sized(i, dynamo.MaxItemSize)
		if _, err := db.PutItem(ctx, &dynamo.PutItemInput{TableName: "model", Item: it}); err != nil {
			t.Fatal(err)
		}
		in.Tables[0].Keys = append(in.Tables[0].Keys, keyOf(it))
	}
	var counts []int
	for len(in.Tables) > 0 {
		out, err := db.BatchGetItem(ctx, in)
		if err != nil {
			t.Fatal(err)
		}
		counts = append(counts, len(out.Tables[0].Items))
		in = &dynamo.BatchGetItemInput{Tables: out.Unprocessed}
	}
	if fmt.Sprint(counts) != "[40 10]" {
		t.Fatal(counts)
	}
}

// The legacy parameters say the same as expressions, and do not go together with them.
func TestLegacyParameters(t *testing.T) {
	ctx := context.Background()
	db := openMemory(t)
	if _, err := db.CreateTable(ctx, modelTable); err != nil {
		t.Fatal(err)
	}
	yes, no := true, false
	key := versionKey(0, 1)
	put := &dynamo.PutItemInput{TableName: "model", Item: versioned(key, 1), Expected: []dynamo.ExpectedAttribute{{Attribute: "p", Exists: &no}}}
	if _, err := db.PutItem(ctx, put); err != nil {
		t.Fatal(err)
	}
	var fault *dynamo.Error
	if _, err := db.PutItem(ctx, put); !errors.As(err, &fault) || fault.Code != dynamo.CodeConditionalCheckFailed {
		t.Fatal(err)
	}
	out, err := db.UpdateItem(ctx, &dynamo.UpdateItemInput{TableName: "model", Key: key, ReturnValues: dynamo.ReturnUpdatedNew,
		Expected:         []dynamo.ExpectedAttribute{{Attribute: "x", Value: dynamo.Int(1), Exists: &yes}},
		AttributeUpdates: []dynamo.AttributeUpdate{{Attribute: "x", Action: "ADD", Value: dynamo.Int(4)}, {Attribute: "a", Action: "DELETE"}}})
	if err != nil || printItem("", out.Attributes) != `{"x":{"N":"5"}}`+"\n" {
		t.Fatal(err, out)
	}
	page, err := db.Query(ctx, &dynamo.QueryInput{TableName: "model", AttributesToGet: []string{"x", "a"},
		KeyConditions: []dynamo.LegacyCondition{{Attribute: "p", Operator: "EQ", Values: []dynamo.Value{key[0].Value}},
			{Attribute: "s", Operator: "GE", Values: []dynamo.Value{dynamo.Int(0)}}},
		QueryFilter: []dynamo.LegacyCondition{{Attribute: "x", Operator: "GT", Values: []dynamo.Value{dynamo.Int(4)}}}})
	if err != nil || len(page.Items) != 1 || printItem("", page.Items[0]) != `{"x":{"N":"5"}}`+"\n" {
		t.Fatal(err, page)
	}
	page, err = db.Scan(ctx, &dynamo.ScanInput{TableName: "model", Select: "COUNT", ConditionalOperator: "OR",
		ScanFilter: []dynamo.LegacyCondition{{Attribute: "x", Operator: "NULL"}, {Attribute: "b", Operator: "NOT_NULL"}}})
	if err != nil || page.Count != 1 {
		t.Fatal(err, page)
	}
	put.ConditionExpression = "attribute_exists(p)"
	_, err = db.PutItem(ctx, put)
	want := "1 validation error detected: Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {Expected} Expression parameters: {ConditionExpression}"
	if !errors.As(err, &fault) || fault.Message != want {
		t.Fatal(err)
	}
}

// A folder is the database's as long as it is open, and what was written is there again.
func TestFolder(t *testing.T) {
	ctx := context.Background()
	dir := filepath.Join(t.TempDir(), "db")
	for version := range int64(3) {
		db, err := Open(Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		if version == 0 {
			if _, err := db.CreateTable(ctx, modelTable); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := Open(Options{Dir: dir}); !errors.Is(err, ErrInUse) || !strings.Contains(err.Error(), dir) {
			t.Fatal(err)
		}
		out, err := db.PutItem(ctx, &dynamo.PutItemInput{TableName: "model", Item: versioned(versionKey(0, 0), version+1), ReturnValues: dynamo.ReturnAllOld})
		if err != nil || version > 0 && out.Attributes.Get("x") != dynamo.Int(version) {
			t.Fatal(err, out)
		}
		checkStats(t, db)
		if err := errors.Join(db.Close(), db.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// A request whose context is over is not begun.
func TestCancelledContext(t *testing.T) {
	db := openMemory(t)
	ctx, cancel := context.WithCancel(context.Background())
	if _, err := db.CreateTable(ctx, modelTable); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := db.PutItem(ctx, &dynamo.PutItemInput{TableName: "model", Item: sized(1, 100)}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if _, err := db.Scan(ctx, &dynamo.ScanInput{TableName: "model"}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	out, err := db.Scan(context.Background(), &dynamo.ScanInput{TableName: "model"})
	if err != nil || out.Count != 0 {
		t.Fatal(err, out)
	}
}
