package server_test

import (
	"context"
	"net/http/httptest"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	"github.com/keyfold-dev/keyfold/server"
)

// TestStreamsClient makes a table with a stream and reads it with the clients of the SDK.
func TestStreamsClient(t *testing.T) {
	ctx := context.Background()
	db := open(t)
	srv := httptest.NewServer(server.New(db, server.Options{}))
	defer srv.Close()
	config := aws.Config{Region: "us-east-1", BaseEndpoint: &srv.URL, Credentials: aws.AnonymousCredentials{}}
	tables, streams := dynamodb.NewFromConfig(config), dynamodbstreams.NewFromConfig(config)
	made, err := tables.CreateTable(ctx, &dynamodb.CreateTableInput{TableName: aws.String("thing"), BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("id"), AttributeType: types.ScalarAttributeTypeS}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("id"), KeyType: types.KeyTypeHash}},
		StreamSpecification:  &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewImage},
		Tags:                 []types.Tag{{Key: aws.String("owner"), Value: aws.String("shop")}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tables.TagResource(ctx, &dynamodb.TagResourceInput{ResourceArn: made.TableDescription.TableArn,
		Tags: []types.Tag{{Key: aws.String("more"), Value: aws.String("")}}}); err != nil {
		t.Fatal(err)
	}
	item := map[string]types.AttributeValue{"id": &types.AttributeValueMemberS{Value: "a"}, "b": &types.AttributeValueMemberB{Value: []byte{0, 255}}}
	if _, err := tables.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String("thing"), Item: item}); err != nil {
		t.Fatal(err)
	}
	list, err := streams.ListStreams(ctx, &dynamodbstreams.ListStreamsInput{TableName: aws.String("thing")})
	if err != nil || len(list.Streams) != 1 || *list.Streams[0].StreamArn != *made.TableDescription.LatestStreamArn {
		t.Fatal(list, err)
	}
	d, err := streams.DescribeStream(ctx, &dynamodbstreams.DescribeStreamInput{StreamArn: list.Streams[0].StreamArn})
	if err != nil || d.StreamDescription.StreamStatus != streamtypes.StreamStatusEnabled || len(d.StreamDescription.Shards) != 1 {
		t.Fatal(d, err)
	}
	iterator, err := streams.GetShardIterator(ctx, &dynamodbstreams.GetShardIteratorInput{StreamArn: list.Streams[0].StreamArn,
		ShardId: d.StreamDescription.Shards[0].ShardId, ShardIteratorType: streamtypes.ShardIteratorTypeTrimHorizon})
	if err != nil {
		t.Fatal(err)
	}
	out, err := streams.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: iterator.ShardIterator})
	if err != nil || len(out.Records) != 1 || out.NextShardIterator == nil {
		t.Fatal(out, err)
	}
	rec := out.Records[0]
	image, ok := rec.Dynamodb.NewImage["b"].(*streamtypes.AttributeValueMemberB)
	if rec.EventName != streamtypes.OperationTypeInsert || !ok || string(image.Value) != "\x00\xff" || *rec.AwsRegion != "us-east-1" ||
		rec.Dynamodb.ApproximateCreationDateTime.Unix() != made.TableDescription.CreationDateTime.Unix() {
		t.Errorf("%+v %+v", rec, rec.Dynamodb)
	}

	expire := dynamodb.UpdateTimeToLiveInput{TableName: aws.String("thing"),
		TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: aws.String("until"), Enabled: aws.Bool(true)}}
	if _, err := tables.UpdateTimeToLive(ctx, &expire); err != nil {
		t.Fatal(err)
	}
	item["until"] = &types.AttributeValueMemberN{Value: "1790000000"}
	if _, err := tables.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String("thing"), Item: item}); err != nil {
		t.Fatal(err)
	}
	if n, err := db.ExpireItems(ctx); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	out, err = streams.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: out.NextShardIterator})
	if err != nil || len(out.Records) != 2 {
		t.Fatal(out, err)
	}
	if who := out.Records[0].UserIdentity; who != nil {
		t.Errorf("a client's change is marked as from %s", *who.PrincipalId)
	}
	if rec := out.Records[1]; rec.EventName != streamtypes.OperationTypeRemove || rec.UserIdentity == nil ||
		*rec.UserIdentity.PrincipalId != "dynamodb.amazonaws.com" || *rec.UserIdentity.Type != "Service" {
		t.Errorf("%+v %+v", rec, rec.UserIdentity)
	}
}
