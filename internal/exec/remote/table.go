package remote

import (
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/keyfold-dev/keyfold/dynamo"
)

// CreateTable makes a table that is billed by request.
func (c *Client) CreateTable(ctx context.Context, in *dynamo.Table) (*dynamo.Table, error) {
	sent := &dynamodb.CreateTableInput{TableName: &in.Name, KeySchema: toKeys(in.Keys), BillingMode: types.BillingMode(in.BillingMode)}
	for _, a := range in.Attributes {
		sent.AttributeDefinitions = append(sent.AttributeDefinitions,
			types.AttributeDefinition{AttributeName: aws.String(a.Name), AttributeType: types.ScalarAttributeType(a.Type)})
	}
	for _, ix := range in.GlobalIndexes {
		sent.GlobalSecondaryIndexes = append(sent.GlobalSecondaryIndexes,
			types.GlobalSecondaryIndex{IndexName: aws.String(ix.Name), KeySchema: toKeys(ix.Keys), Projection: toProjection(ix.Projection)})
	}
	for _, ix := range in.LocalIndexes {
		sent.LocalSecondaryIndexes = append(sent.LocalSecondaryIndexes,
			types.LocalSecondaryIndex{IndexName: aws.String(ix.Name), KeySchema: toKeys(ix.Keys), Projection: toProjection(ix.Projection)})
	}
	out, err := c.sdk.CreateTable(ctx, sent)
	if err != nil {
		return nil, fault(err)
	}
	if out.TableDescription.TableStatus != types.TableStatusActive {
		err := dynamodb.NewTableExistsWaiter(c.sdk).Wait(ctx, &dynamodb.DescribeTableInput{TableName: &in.Name}, tableWait)
		if err != nil {
			return nil, fault(err)
		}
		return c.DescribeTable(ctx, in.Name)
	}
	return fromTable(out.TableDescription), nil
}

// tableWait bounds how long a table may take to be made or deleted.
const tableWait = 5 * time.Minute

// DeleteTable deletes a table and waits until it is gone. A table that is not there is no
// error.
func (c *Client) DeleteTable(ctx context.Context, name string) error {
	_, err := c.sdk.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: &name})
	var missing *types.ResourceNotFoundException
	if errors.As(err, &missing) {
		return nil
	}
	if err != nil {
		return fault(err)
	}
	err = dynamodb.NewTableNotExistsWaiter(c.sdk).Wait(ctx, &dynamodb.DescribeTableInput{TableName: &name}, tableWait)
	if err != nil {
		return fault(err)
	}
	return nil
}

// DescribeTable describes a table.
func (c *Client) DescribeTable(ctx context.Context, name string) (*dynamo.Table, error) {
	out, err := c.sdk.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &name})
	if err != nil {
		return nil, fault(err)
	}
	return fromTable(out.Table), nil
}

func toKeys(keys []dynamo.KeyElement) []types.KeySchemaElement {
	var out []types.KeySchemaElement
	for _, k := range keys {
		role := types.KeyTypeHash
		if k.Sort {
			role = types.KeyTypeRange
		}
		out = append(out, types.KeySchemaElement{AttributeName: aws.String(k.Name), KeyType: role})
	}
	return out
}

func fromKeys(keys []types.KeySchemaElement) []dynamo.KeyElement {
	var out []dynamo.KeyElement
	for _, k := range keys {
		out = append(out, dynamo.KeyElement{Name: aws.ToString(k.AttributeName), Sort: k.KeyType == types.KeyTypeRange})
	}
	return out
}

func toProjection(p dynamo.Projection) *types.Projection {
	return &types.Projection{ProjectionType: types.ProjectionType(p.Type), NonKeyAttributes: p.Attributes}
}

func fromProjection(p *types.Projection) dynamo.Projection {
	if p == nil {
		return dynamo.Projection{}
	}
	return dynamo.Projection{Type: dynamo.ProjectionType(p.ProjectionType), Attributes: p.NonKeyAttributes}
}

func fromTable(t *types.TableDescription) *dynamo.Table {
	out := &dynamo.Table{Name: aws.ToString(t.TableName), Keys: fromKeys(t.KeySchema), Status: dynamo.Status(t.TableStatus),
		ID: aws.ToString(t.TableId), ARN: aws.ToString(t.TableArn), ItemCount: aws.ToInt64(t.ItemCount), SizeBytes: aws.ToInt64(t.TableSizeBytes)}
	if t.BillingModeSummary != nil {
		out.BillingMode = string(t.BillingModeSummary.BillingMode)
	}
	for _, a := range t.AttributeDefinitions {
		out.Attributes = append(out.Attributes, dynamo.AttributeDefinition{Name: aws.ToString(a.AttributeName), Type: dynamo.Type(a.AttributeType)})
	}
	for _, ix := range t.GlobalSecondaryIndexes {
		out.GlobalIndexes = append(out.GlobalIndexes, dynamo.Index{Name: aws.ToString(ix.IndexName), Keys: fromKeys(ix.KeySchema),
			Projection: fromProjection(ix.Projection), Status: dynamo.Status(ix.IndexStatus)})
	}
	for _, ix := range t.LocalSecondaryIndexes {
		out.LocalIndexes = append(out.LocalIndexes, dynamo.Index{Name: aws.ToString(ix.IndexName), Keys: fromKeys(ix.KeySchema),
			Projection: fromProjection(ix.Projection)})
	}
	return out
}
