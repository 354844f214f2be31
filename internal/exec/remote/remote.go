// Package remote lets exec run on any DynamoDB that a client of the AWS SDK reaches:
// Amazon's service, another compatible database, or keyfold's own server. It hides the
// SDK's types. Of requests it carries over what exec sends; the API's legacy parameters
// are not among that.
package remote

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"github.com/keyfold-dev/keyfold/dynamo"
)

// A Client is an exec.Client on top of the SDK's. Faults of the service are *dynamo.Error.
// It is safe for concurrent use.
type Client struct{ sdk *dynamodb.Client }

// New wraps a client of the SDK.
func New(c *dynamodb.Client) *Client { return &Client{c} }

// At makes a client of an endpoint that does not check credentials, such as keyfold's
// server. Requests are signed all the same, since others want a signature to look at.
func At(url, region string) *Client {
	return New(dynamodb.New(dynamodb.Options{
		Region:       region,
		BaseEndpoint: aws.String(url),
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "local", SecretAccessKey: "local"}, nil
		}),
		Retryer: aws.NopRetryer{},
	}))
}

// fault makes the service's errors *dynamo.Error and leaves others as they are.
func fault(err error) error {
	var canceled *types.TransactionCanceledException
	if errors.As(err, &canceled) {
		out := &dynamo.Error{Code: canceled.ErrorCode(), Message: canceled.ErrorMessage()}
		for _, r := range canceled.CancellationReasons {
			out.Reasons = append(out.Reasons, dynamo.CancellationReason{
				Code: aws.ToString(r.Code), Message: aws.ToString(r.Message), Item: fromItem(r.Item)})
		}
		return out
	}
	var failed *types.ConditionalCheckFailedException
	if errors.As(err, &failed) {
		return &dynamo.Error{Code: failed.ErrorCode(), Message: failed.ErrorMessage(), Item: fromItem(failed.Item)}
	}
	var api smithy.APIError
	if errors.As(err, &api) {
		return &dynamo.Error{Code: api.ErrorCode(), Message: api.ErrorMessage()}
	}
	return err
}

// optional is nil for "", which stands for "not given".
func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func limit(n *int64) *int32 {
	if n == nil {
		return nil
	}
	return aws.Int32(int32(*n))
}

func names(e dynamo.Expressions) map[string]string {
	if len(e.Names) == 0 {
		return nil
	}
	out := make(map[string]string, len(e.Names))
	for _, n := range e.Names {
		out[n.Placeholder] = n.Name
	}
	return out
}

// GetItem reads one item.
func (c *Client) GetItem(ctx context.Context, in *dynamo.GetItemInput) (*dynamo.GetItemOutput, error) {
	out, err := c.sdk.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: &in.TableName, Key: toItem(in.Key), ConsistentRead: &in.ConsistentRead,
		ProjectionExpression: optional(in.ProjectionExpression), ExpressionAttributeNames: names(in.Expressions),
		ReturnConsumedCapacity: types.ReturnConsumedCapacity(in.ReturnConsumedCapacity),
	})
	if err != nil {
		return nil, fault(err)
	}
	return &dynamo.GetItemOutput{Item: fromItem(out.Item), ConsumedCapacity: capacity(out.ConsumedCapacity)}, nil
}

// Query reads items of one partition.
func (c *Client) Query(ctx context.Context, in *dynamo.QueryInput) (*dynamo.PageOutput, error) {
	out, err := c.sdk.Query(ctx, &dynamodb.QueryInput{
		TableName: &in.TableName, IndexName: optional(in.IndexName), Select: types.Select(in.Select),
		KeyConditionExpression: optional(in.KeyConditionExpression), FilterExpression: optional(in.FilterExpression),
		ProjectionExpression:     optional(in.ProjectionExpression),
		ExpressionAttributeNames: names(in.Expressions), ExpressionAttributeValues: toItem(in.Expressions.Values),
		ScanIndexForward: aws.Bool(!in.Backward), Limit: limit(in.Limit), ConsistentRead: &in.ConsistentRead,
		ExclusiveStartKey:      toItem(in.ExclusiveStartKey),
		ReturnConsumedCapacity: types.ReturnConsumedCapacity(in.ReturnConsumedCapacity),
	})
	if err != nil {
		return nil, fault(err)
	}
	return &dynamo.PageOutput{Items: fromItems(out.Items), Count: int64(out.Count), ScannedCount: int64(out.ScannedCount),
		LastEvaluatedKey: fromItem(out.LastEvaluatedKey), ConsumedCapacity: capacity(out.ConsumedCapacity)}, nil
}

// Scan reads all items.
func (c *Client) Scan(ctx context.Context, in *dynamo.ScanInput) (*dynamo.PageOutput, error) {
	out, err := c.sdk.Scan(ctx, &dynamodb.ScanInput{
		TableName: &in.TableName, IndexName: optional(in.IndexName), Select: types.Select(in.Select),
		FilterExpression: optional(in.FilterExpression), ProjectionExpression: optional(in.ProjectionExpression),
		ExpressionAttributeNames: names(in.Expressions), ExpressionAttributeValues: toItem(in.Expressions.Values),
		Limit: limit(in.Limit), Segment: limit(in.Segment), TotalSegments: limit(in.TotalSegments),
		ConsistentRead: &in.ConsistentRead, ExclusiveStartKey: toItem(in.ExclusiveStartKey),
		ReturnConsumedCapacity: types.ReturnConsumedCapacity(in.ReturnConsumedCapacity),
	})
	if err != nil {
		return nil, fault(err)
	}
	return &dynamo.PageOutput{Items: fromItems(out.Items), Count: int64(out.Count), ScannedCount: int64(out.ScannedCount),
		LastEvaluatedKey: fromItem(out.LastEvaluatedKey), ConsumedCapacity: capacity(out.ConsumedCapacity)}, nil
}

// BatchGetItem reads items of several tables.
func (c *Client) BatchGetItem(ctx context.Context, in *dynamo.BatchGetItemInput) (*dynamo.BatchGetItemOutput, error) {
	sent := &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{},
		ReturnConsumedCapacity: types.ReturnConsumedCapacity(in.ReturnConsumedCapacity)}
	for _, t := range in.Tables {
		sent.RequestItems[t.TableName] = types.KeysAndAttributes{Keys: toItems(t.Keys), ConsistentRead: aws.Bool(t.ConsistentRead),
			ProjectionExpression: optional(t.ProjectionExpression), ExpressionAttributeNames: names(t.Expressions)}
	}
	got, err := c.sdk.BatchGetItem(ctx, sent)
	if err != nil {
		return nil, fault(err)
	}
	out := &dynamo.BatchGetItemOutput{ConsumedCapacity: capacities(got.ConsumedCapacity)}
	for _, t := range in.Tables {
		out.Tables = append(out.Tables, dynamo.TableItems{TableName: t.TableName, Items: fromItems(got.Responses[t.TableName])})
		if left, ok := got.UnprocessedKeys[t.TableName]; ok {
			again := t
			again.Keys = fromItems(left.Keys)
			out.Unprocessed = append(out.Unprocessed, again)
		}
	}
	return out, nil
}
