package engine

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/keyfold-dev/keyfold/dynamo"
	"pgregory.net/rapid"
)

// Requests put together from fragments: most are wrong, in every way at once.
var (
	someText = rapid.SampledFrom([]string{"", "p", "s", "a", "b", "c", "x", "model", "nothing", ":p", "#p", "ALL_OLD", "TOTAL", "NONE", "COUNT",
		"ALL_ATTRIBUTES", "several", "local", "inverted", "AND", "EQ", "BEGINS_WITH", "BETWEEN", strings.Repeat("n", 300)})
	someExpression = rapid.Custom(func(t *rapid.T) string {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{"p", "s", "a", "b.c", "c[1]", "#p", ":p", ":n", "=", "<", ">=", "<>", "AND", "OR", "NOT", "(", ")", ",",
			"BETWEEN", "IN", "begins_with(a, :p)", "attribute_exists(b)", "size(a)", "SET", "REMOVE", "ADD", "DELETE", "+", "-", "if_not_exists(a, :n)",
			"list_append(c, c)", "p = :p", "s = :n", "SET a = :p", "ADD b :n", "REMOVE c"}), 0, 6).Draw(t, "parts")
		return strings.Join(parts, " ")
	})
	someValue = rapid.Custom(func(t *rapid.T) dynamo.Value {
		set, _ := dynamo.StringSet("a", "b")
		return rapid.SampledFrom([]dynamo.Value{dynamo.String(""), dynamo.String("u"), dynamo.Int(0), dynamo.Int(-7), dynamo.Binary(nil), dynamo.Binary([]byte{0}),
			dynamo.Bool(true), dynamo.Null(), set, dynamo.List(), dynamo.List(dynamo.String("x")), nested(40), dynamo.Map(dynamo.Item{{Name: "c", Value: dynamo.Int(1)}}),
			text(3000)}).Draw(t, "value")
	})
	someItem = rapid.Custom(func(t *rapid.T) dynamo.Item {
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			return nil
		case 1:
			return genKey.Draw(t, "key")
		}
		it := genItem.Draw(t, "item")
		for range rapid.IntRange(0, 3).Draw(t, "changes") {
			it = it.Set(rapid.SampledFrom([]string{"p", "s", "a", "b", "c", "z"}).Draw(t, "name"), someValue.Draw(t, "value"))
		}
		return it
	})
	someExpressions = rapid.Custom(func(t *rapid.T) dynamo.Expressions {
		x := dynamo.Expressions{Values: dynamo.Item{{Name: ":n", Value: dynamo.Int(1)}, {Name: ":p", Value: someValue.Draw(t, ":p")}}}
		if rapid.Bool().Draw(t, "names") {
			x.Names = []dynamo.NameBinding{{Placeholder: "#p", Name: someText.Draw(t, "#p")}}
		}
		return x
	})
	someLimit = rapid.Custom(func(t *rapid.T) *int64 {
		return rapid.SampledFrom([]*int64{nil, nil, new(int64), &twentyFive}).Draw(t, "limit")
	})
	someTable  = rapid.SampledFrom([]string{"model", "model", "model", "nothing", "", "a!", "arn:aws:dynamodb:x:y:table/model"})
	someLegacy = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) dynamo.LegacyCondition {
		return dynamo.LegacyCondition{Attribute: someText.Draw(t, "attribute"), Operator: someText.Draw(t, "operator"),
			Values: rapid.SliceOfN(someValue, 0, 3).Draw(t, "values")}
	}), 0, 2)
)

func somePut(t *rapid.T) *dynamo.PutItemInput {
	return &dynamo.PutItemInput{TableName: someTable.Draw(t, "table"), Item: someItem.Draw(t, "item"), ConditionExpression: someExpression.Draw(t, "condition"),
		Expressions: someExpressions.Draw(t, "x"), ReturnValues: dynamo.ReturnValues(rapid.SampledFrom([]string{"", "ALL_OLD", "ALL_NEW", "no"}).Draw(t, "returns"))}
}

func someUpdate(t *rapid.T) *dynamo.UpdateItemInput {
	return &dynamo.UpdateItemInput{TableName: someTable.Draw(t, "table"), Key: someItem.Draw(t, "key"), UpdateExpression: someExpression.Draw(t, "update"),
		ConditionExpression: someExpression.Draw(t, "condition"), Expressions: someExpressions.Draw(t, "x"),
		ReturnValues: dynamo.ReturnValues(rapid.SampledFrom([]string{"", "ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"}).Draw(t, "returns"))}
}

func someDelete(t *rapid.T) *dynamo.DeleteItemInput {
	return &dynamo.DeleteItemInput{TableName: someTable.Draw(t, "table"), Key: someItem.Draw(t, "key"),
		ConditionExpression: someExpression.Draw(t, "condition"), Expressions: someExpressions.Draw(t, "x"), ConditionalOperator: someText.Draw(t, "operator")}
}

func someGet(t *rapid.T) *dynamo.GetItemInput {
	return &dynamo.GetItemInput{TableName: someTable.Draw(t, "table"), Key: someItem.Draw(t, "key"),
		ProjectionExpression: someExpression.Draw(t, "projection"), Expressions: someExpressions.Draw(t, "x")}
}

func someQuery(t *rapid.T) *dynamo.QueryInput {
	in := &dynamo.QueryInput{TableName: someTable.Draw(t, "table"), IndexName: someText.Draw(t, "index"), Select: someText.Draw(t, "select"),
		Backward: rapid.Bool().Draw(t, "backward"), Limit: someLimit.Draw(t, "limit"), ExclusiveStartKey: someItem.Draw(t, "start"),
		ReturnConsumedCapacity: dynamo.CapacityDetail(someText.Draw(t, "capacity"))}
	if rapid.Bool().Draw(t, "legacy") {
		in.KeyConditions, in.QueryFilter = someLegacy.Draw(t, "conditions"), someLegacy.Draw(t, "filter")
		in.AttributesToGet = rapid.SliceOfN(someText, 0, 2).Draw(t, "names")
		return in
	}
	in.Expressions = someExpressions.Draw(t, "x")
	in.KeyConditionExpression = rapid.OneOf(someExpression, rapid.SampledFrom([]string{"p = :p", "p = :p AND s > :n", "a = :p", "s = :n"})).Draw(t, "key condition")
	in.FilterExpression, in.ProjectionExpression = someExpression.Draw(t, "filter"), someExpression.Draw(t, "projection")
	return in
}

func someScan(t *rapid.T) *dynamo.ScanInput {
	in := &dynamo.ScanInput{TableName: someTable.Draw(t, "table"), IndexName: someText.Draw(t, "index"), Limit: someLimit.Draw(t, "limit"),
		Segment: someLimit.Draw(t, "segment"), TotalSegments: someLimit.Draw(t, "segments"), ExclusiveStartKey: someItem.Draw(t, "start")}
	if rapid.Bool().Draw(t, "legacy") {
		in.ScanFilter, in.ConditionalOperator = someLegacy.Draw(t, "filter"), someText.Draw(t, "operator")
	}
	return in
}

func someTransaction(t *rapid.T) *dynamo.TransactWriteItemsInput {
	in := &dynamo.TransactWriteItemsInput{ClientRequestToken: someText.Draw(t, "token")}
	for range rapid.IntRange(0, 3).Draw(t, "actions") {
		var a dynamo.TransactAction
		switch rapid.IntRange(0, 4).Draw(t, "action") {
		case 0:
			a.Put = somePut(t)
		case 1:
			a.Update = someUpdate(t)
		case 2:
			a.Delete = someDelete(t)
		case 3:
			a.Check = someDelete(t)
		}
		in.Actions = append(in.Actions, a)
	}
	return in
}

func someBatch(t *rapid.T) *dynamo.BatchWriteItemInput {
	in := &dynamo.BatchWriteItemInput{}
	for range rapid.IntRange(0, 2).Draw(t, "tables") {
		in.Tables = append(in.Tables, dynamo.BatchWriteTable{TableName: someTable.Draw(t, "table"),
			Requests: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) dynamo.WriteRequest {
				return dynamo.WriteRequest{Put: someItem.Draw(t, "put"), Delete: someItem.Draw(t, "delete")}
			}), 0, 3).Draw(t, "requests")})
	}
	return in
}

func someBatchGet(t *rapid.T) *dynamo.BatchGetItemInput {
	return &dynamo.BatchGetItemInput{Tables: []dynamo.BatchGetTable{{TableName: someTable.Draw(t, "table"),
		Keys: rapid.SliceOfN(someItem, 0, 3).Draw(t, "keys"), ProjectionExpression: someExpression.Draw(t, "projection")}}}
}

// someRequest sends any request.
func someRequest(t *rapid.T, db *DB) (err error) {
	ctx := context.Background()
	switch rapid.IntRange(0, 8).Draw(t, "request") {
	case 0:
		_, err = db.PutItem(ctx, somePut(t))
	case 1:
		_, err = db.UpdateItem(ctx, someUpdate(t))
	case 2:
		_, err = db.DeleteItem(ctx, someDelete(t))
	case 3:
		_, err = db.GetItem(ctx, someGet(t))
	case 4:
		_, err = db.Query(ctx, someQuery(t))
	case 5:
		_, err = db.Scan(ctx, someScan(t))
	case 6:
		_, err = db.TransactWriteItems(ctx, someTransaction(t))
	case 7:
		_, err = db.BatchWriteItem(ctx, someBatch(t))
	case 8:
		_, err = db.BatchGetItem(ctx, someBatchGet(t))
	}
	return err
}

// nonsense sends whatever comes to mind. Each answer is an answer or an error of the
// service, and the indexes stay right.
func nonsense(t *rapid.T) {
	db, err := Open(Options{ExpiryInterval: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.CreateTable(context.Background(), modelTable); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		err := someRequest(t, db)
		var fault *dynamo.Error
		if err != nil && (!errors.As(err, &fault) || fault.Message == "" || fault.Code == dynamo.CodeInternalServerError) {
			t.Fatalf("%T %v", err, err)
		}
	}
	checkIndexes(t, db)
	checkStats(t, db)
}

func TestNonsense(t *testing.T) { rapid.Check(t, nonsense) }

func FuzzRequests(f *testing.F) { f.Fuzz(rapid.MakeFuzz(nonsense)) }
