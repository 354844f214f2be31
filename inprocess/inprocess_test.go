package inprocess_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/engine"
	"github.com/keyfold-dev/keyfold/inprocess"
)

func open(t testing.TB) *engine.DB {
	db, err := engine.Open(engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// catalog opens a database with one table and gives the client to it.
func catalog(t testing.TB) (*dynamodb.Client, *engine.DB) {
	db := open(t)
	c := inprocess.New(db)
	_, err := c.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName:   aws.String("catalog"),
		BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String("PK"), AttributeType: types.ScalarAttributeTypeS},
			{AttributeName: aws.String("SK"), AttributeType: types.ScalarAttributeTypeN},
		},
		KeySchema: []types.KeySchemaElement{
			{AttributeName: aws.String("PK"), KeyType: types.KeyTypeHash},
			{AttributeName: aws.String("SK"), KeyType: types.KeyTypeRange},
		},
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{{
			IndexName:  aws.String("bySK"),
			KeySchema:  []types.KeySchemaElement{{AttributeName: aws.String("SK"), KeyType: types.KeyTypeHash}},
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	waiter := dynamodb.NewTableExistsWaiter(c, func(o *dynamodb.TableExistsWaiterOptions) {
		o.MinDelay, o.MaxDelay = time.Millisecond, time.Millisecond
	})
	if err := waiter.Wait(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String("catalog")}, 10*time.Second); err != nil {
		t.Fatal(err)
	}
	return c, db
}

type product struct {
	PK       string
	SK       int
	Name     string
	Price    float64
	Tags     []string `dynamodbav:",stringset"`
	Image    []byte
	Sizes    map[string]int
	Gone     *bool
	Added    time.Time `dynamodbav:",unixtime"`
	Variants []struct{ Colour string }
}

func TestRoundTripOfAttributeValues(t *testing.T) {
	c, _ := catalog(t)
	want := product{PK: "P#1", SK: 1, Name: "Tisch „Aïda“\n", Price: 249.99, Tags: []string{"home", "wood"},
		Image: []byte{0, 1, 255}, Sizes: map[string]int{"h": 72, "w": 120}, Added: time.Unix(1795248000, 0),
		Variants: []struct{ Colour string }{{"oak"}, {""}}}
	item, err := attributevalue.MarshalMap(want)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("catalog"), Item: item}); err != nil {
		t.Fatal(err)
	}
	out, err := c.GetItem(t.Context(), &dynamodb.GetItemInput{
		TableName:              aws.String("catalog"),
		Key:                    map[string]types.AttributeValue{"PK": item["PK"], "SK": item["SK"]},
		ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
	})
	if err != nil {
		t.Fatal(err)
	}
	var got product
	if err := attributevalue.UnmarshalMap(out.Item, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if units := aws.ToFloat64(out.ConsumedCapacity.CapacityUnits); units != 0.5 {
		t.Errorf("consumed %v units, want 0.5", units)
	}
}

func put(t testing.TB, c *dynamodb.Client, pk string, sk int) {
	_, err := c.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("catalog"), Item: key(pk, sk)})
	if err != nil {
		t.Fatal(err)
	}
}

func key(pk string, sk int) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{
		"PK": &types.AttributeValueMemberS{Value: pk},
		"SK": &types.AttributeValueMemberN{Value: fmt.Sprint(sk)},
	}
}

func TestQueryPaginator(t *testing.T) {
	c, _ := catalog(t)
	for i := range 10 {
		put(t, c, "P#1", i)
		put(t, c, "P#2", i)
	}
	pages := dynamodb.NewQueryPaginator(c, &dynamodb.QueryInput{
		TableName:                 aws.String("catalog"),
		KeyConditionExpression:    aws.String("PK = :pk AND SK >= :sk"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":pk": key("P#1", 0)["PK"], ":sk": key("", 3)["SK"]},
		Limit:                     aws.Int32(3),
	})
	var got []string
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range page.Items {
			got = append(got, item["SK"].(*types.AttributeValueMemberN).Value)
		}
	}
	if diff := cmp.Diff([]string{"3", "4", "5", "6", "7", "8", "9"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestExceptionsAreTyped(t *testing.T) {
	c, _ := catalog(t)
	put(t, c, "P#1", 1)

	_, err := c.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String("nothing")})
	var missing *types.ResourceNotFoundException
	if !errors.As(err, &missing) {
		t.Errorf("DescribeTable: %v", err)
	}

	_, err = c.PutItem(t.Context(), &dynamodb.PutItemInput{
		TableName: aws.String("catalog"), Item: key("P#1", 1),
		ConditionExpression:                 aws.String("attribute_not_exists(PK)"),
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	})
	var failed *types.ConditionalCheckFailedException
	if !errors.As(err, &failed) || failed.ErrorMessage() != "The conditional request failed" || len(failed.Item) != 2 {
		t.Errorf("PutItem: %v", err)
	}

	_, err = c.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("catalog"),
		Item: map[string]types.AttributeValue{"PK": &types.AttributeValueMemberSS{}}})
	var api smithy.APIError
	if !errors.As(err, &api) || api.ErrorCode() != "ValidationException" || api.ErrorFault() == smithy.FaultServer {
		t.Errorf("PutItem: %v", err)
	}
}

func TestTransactions(t *testing.T) {
	c, _ := catalog(t)
	put(t, c, "P#1", 1)
	absent := aws.String("attribute_not_exists(PK)")
	_, err := c.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
		{Put: &types.Put{TableName: aws.String("catalog"), Item: key("P#2", 1), ConditionExpression: absent}},
		{Put: &types.Put{TableName: aws.String("catalog"), Item: key("P#1", 1), ConditionExpression: absent,
			ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld}},
	}})
	var canceled *types.TransactionCanceledException
	if !errors.As(err, &canceled) {
		t.Fatalf("TransactWriteItems: %v", err)
	}
	var codes []string
	for _, reason := range canceled.CancellationReasons {
		codes = append(codes, aws.ToString(reason.Code))
	}
	if diff := cmp.Diff([]string{"None", "ConditionalCheckFailed"}, codes); diff != "" {
		t.Errorf("reasons, -want +got:\n%s", diff)
	}
	if want := "Transaction cancelled, please refer cancellation reasons for specific reasons [None, ConditionalCheckFailed]"; canceled.ErrorMessage() != want {
		t.Errorf("message %q, want %q", canceled.ErrorMessage(), want)
	}
	if len(canceled.CancellationReasons[1].Item) != 2 {
		t.Errorf("the item that failed the condition is missing")
	}

	out, err := c.TransactGetItems(t.Context(), &dynamodb.TransactGetItemsInput{TransactItems: []types.TransactGetItem{
		{Get: &types.Get{TableName: aws.String("catalog"), Key: key("P#1", 1)}},
		{Get: &types.Get{TableName: aws.String("catalog"), Key: key("P#2", 1)}},
	}})
	if err != nil || len(out.Responses) != 2 || len(out.Responses[0].Item) != 2 || out.Responses[1].Item != nil {
		t.Errorf("TransactGetItems: %v, %v", out, err)
	}
}

func TestBatches(t *testing.T) {
	c, _ := catalog(t)
	var requests []types.WriteRequest
	var keys []map[string]types.AttributeValue
	for i := range 25 {
		requests = append(requests, types.WriteRequest{PutRequest: &types.PutRequest{Item: key("B", i)}})
		keys = append(keys, key("B", i))
	}
	wrote, err := c.BatchWriteItem(t.Context(), &dynamodb.BatchWriteItemInput{
		RequestItems: map[string][]types.WriteRequest{"catalog": requests}, ReturnConsumedCapacity: types.ReturnConsumedCapacityIndexes})
	if err != nil || len(wrote.UnprocessedItems) != 0 {
		t.Fatalf("BatchWriteItem: %v, %v", wrote, err)
	}
	if used := wrote.ConsumedCapacity; len(used) != 1 || aws.ToFloat64(used[0].Table.CapacityUnits) != 25 ||
		aws.ToFloat64(used[0].GlobalSecondaryIndexes["bySK"].CapacityUnits) != 25 {
		t.Errorf("consumed %+v", used)
	}
	read, err := c.BatchGetItem(t.Context(), &dynamodb.BatchGetItemInput{
		RequestItems: map[string]types.KeysAndAttributes{"catalog": {Keys: keys}}})
	if err != nil || len(read.Responses["catalog"]) != 25 || len(read.UnprocessedKeys) != 0 {
		t.Errorf("BatchGetItem: %v, %v", read, err)
	}
}

// The checksum that the SDK checks is that of the compressed answer.
func TestCompressedAnswers(t *testing.T) {
	_, db := catalog(t)
	c := inprocess.New(db, func(o *dynamodb.Options) { o.EnableAcceptEncodingGzip = true })
	item := key("P#1", 1)
	item["text"] = &types.AttributeValueMemberS{Value: strings.Repeat("keyfold ", 4000)}
	if _, err := c.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("catalog"), Item: item}); err != nil {
		t.Fatal(err)
	}
	out, err := c.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String("catalog"), Key: key("P#1", 1)})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(item["text"], out.Item["text"], cmpopts.IgnoreUnexported(types.AttributeValueMemberS{})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestDescribeTableHasWhatSDKsExpect(t *testing.T) {
	c, _ := catalog(t)
	out, err := c.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String("catalog")})
	if err != nil {
		t.Fatal(err)
	}
	d := out.Table
	if d.TableStatus != types.TableStatusActive || d.BillingModeSummary.BillingMode != types.BillingModePayPerRequest ||
		d.CreationDateTime == nil || time.Since(*d.CreationDateTime) > time.Hour ||
		aws.ToInt64(d.ProvisionedThroughput.ReadCapacityUnits) != 0 ||
		aws.ToString(d.TableArn) == "" || aws.ToString(d.TableId) == "" || len(d.GlobalSecondaryIndexes) != 1 ||
		d.GlobalSecondaryIndexes[0].IndexStatus != types.IndexStatusActive || aws.ToString(d.GlobalSecondaryIndexes[0].IndexArn) == "" {
		t.Errorf("description %+v", d)
	}
}

func TestCanceledContextEndsTheCall(t *testing.T) {
	c, _ := catalog(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.ListTables(ctx, &dynamodb.ListTablesInput{}); !errors.Is(err, context.Canceled) {
		t.Errorf("ListTables: %v", err)
	}
}

func benchmarkKey() *dynamo.GetItemInput {
	return &dynamo.GetItemInput{TableName: "catalog", Key: dynamo.NewItem(
		dynamo.Attr{Name: "PK", Value: dynamo.String("P#1")}, dynamo.Attr{Name: "SK", Value: dynamo.Int(1)})}
}

// BenchmarkGetItem compares the engine's own API with the SDK's client in the same
// process.
func BenchmarkGetItem(b *testing.B) {
	c, db := catalog(b)
	put(b, c, "P#1", 1)
	b.Run("engine", func(b *testing.B) {
		in := benchmarkKey()
		b.ReportAllocs()
		for b.Loop() {
			if _, err := db.GetItem(b.Context(), in); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("client", func(b *testing.B) {
		in := &dynamodb.GetItemInput{TableName: aws.String("catalog"), Key: key("P#1", 1)}
		b.ReportAllocs()
		for b.Loop() {
			if _, err := c.GetItem(b.Context(), in); err != nil {
				b.Fatal(err)
			}
		}
	})
}
