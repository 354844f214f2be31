package remote

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/keyfold-dev/keyfold/dynamo"
)

// PutItem stores a whole item.
func (c *Client) PutItem(ctx context.Context, in *dynamo.PutItemInput) (*dynamo.WriteOutput, error) {
	out, err := c.sdk.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: &in.TableName, Item: toItem(in.Item), ConditionExpression: optional(in.ConditionExpression),
		ExpressionAttributeNames: names(in.Expressions), ExpressionAttributeValues: toItem(in.Expressions.Values),
		ReturnValues:                        types.ReturnValue(in.ReturnValues),
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailure(in.ReturnValuesOnConditionCheckFailure),
		ReturnConsumedCapacity:              types.ReturnConsumedCapacity(in.ReturnConsumedCapacity),
	})
	if err != nil {
		return nil, fault(err)
	}
	return &dynamo.WriteOutput{Attributes: fromItem(out.Attributes), ConsumedCapacity: capacity(out.ConsumedCapacity)}, nil
}

// UpdateItem changes one item.
func (c *Client) UpdateItem(ctx context.Context, in *dynamo.UpdateItemInput) (*dynamo.WriteOutput, error) {
	out, err := c.sdk.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &in.TableName, Key: toItem(in.Key), UpdateExpression: optional(in.UpdateExpression),
		ConditionExpression:      optional(in.ConditionExpression),
		ExpressionAttributeNames: names(in.Expressions), ExpressionAttributeValues: toItem(in.Expressions.Values),
		ReturnValues:                        types.ReturnValue(in.ReturnValues),
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailure(in.ReturnValuesOnConditionCheckFailure),
		ReturnConsumedCapacity:              types.ReturnConsumedCapacity(in.ReturnConsumedCapacity),
	})
	if err != nil {
		return nil, fault(err)
	}
	return &dynamo.WriteOutput{Attributes: fromItem(out.Attributes), ConsumedCapacity: capacity(out.ConsumedCapacity)}, nil
}

// DeleteItem removes one item.
func (c *Client) DeleteItem(ctx context.Context, in *dynamo.DeleteItemInput) (*dynamo.WriteOutput, error) {
	out, err := c.sdk.DeleteItem(ctx, &dynamodb.DeleteItemInput{
		TableName: &in.TableName, Key: toItem(in.Key), ConditionExpression: optional(in.ConditionExpression),
		ExpressionAttributeNames: names(in.Expressions), ExpressionAttributeValues: toItem(in.Expressions.Values),
		ReturnValues:                        types.ReturnValue(in.ReturnValues),
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailure(in.ReturnValuesOnConditionCheckFailure),
		ReturnConsumedCapacity:              types.ReturnConsumedCapacity(in.ReturnConsumedCapacity),
	})
	if err != nil {
		return nil, fault(err)
	}
	return &dynamo.WriteOutput{Attributes: fromItem(out.Attributes), ConsumedCapacity: capacity(out.ConsumedCapacity)}, nil
}

// BatchWriteItem puts and deletes items of several tables.
func (c *Client) BatchWriteItem(ctx context.Context, in *dynamo.BatchWriteItemInput) (*dynamo.BatchWriteItemOutput, error) {
	sent := &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{},
		ReturnConsumedCapacity: types.ReturnConsumedCapacity(in.ReturnConsumedCapacity)}
	for _, t := range in.Tables {
		for _, r := range t.Requests {
			w := types.WriteRequest{}
			if r.Delete != nil {
				w.DeleteRequest = &types.DeleteRequest{Key: toItem(r.Delete)}
			} else {
				w.PutRequest = &types.PutRequest{Item: toItem(r.Put)}
			}
			sent.RequestItems[t.TableName] = append(sent.RequestItems[t.TableName], w)
		}
	}
	got, err := c.sdk.BatchWriteItem(ctx, sent)
	if err != nil {
		return nil, fault(err)
	}
	out := &dynamo.BatchWriteItemOutput{ConsumedCapacity: capacities(got.ConsumedCapacity)}
	for _, t := range in.Tables {
		left := got.UnprocessedItems[t.TableName]
		if len(left) == 0 {
			continue
		}
		again := dynamo.BatchWriteTable{TableName: t.TableName}
		for _, w := range left {
			if w.DeleteRequest != nil {
				again.Requests = append(again.Requests, dynamo.WriteRequest{Delete: fromItem(w.DeleteRequest.Key)})
			} else {
				again.Requests = append(again.Requests, dynamo.WriteRequest{Put: fromItem(w.PutRequest.Item)})
			}
		}
		out.Unprocessed = append(out.Unprocessed, again)
	}
	return out, nil
}

// TransactWriteItems does several actions, all or none.
func (c *Client) TransactWriteItems(ctx context.Context, in *dynamo.TransactWriteItemsInput) (*dynamo.TransactWriteItemsOutput, error) {
	sent := &dynamodb.TransactWriteItemsInput{ClientRequestToken: optional(in.ClientRequestToken),
		ReturnConsumedCapacity: types.ReturnConsumedCapacity(in.ReturnConsumedCapacity)}
	for _, a := range in.Actions {
		sent.TransactItems = append(sent.TransactItems, action(a))
	}
	got, err := c.sdk.TransactWriteItems(ctx, sent)
	if err != nil {
		return nil, fault(err)
	}
	return &dynamo.TransactWriteItemsOutput{ConsumedCapacity: capacities(got.ConsumedCapacity)}, nil
}

func action(a dynamo.TransactAction) types.TransactWriteItem {
	switch {
	case a.Put != nil:
		return types.TransactWriteItem{Put: &types.Put{
			TableName: &a.Put.TableName, Item: toItem(a.Put.Item), ConditionExpression: optional(a.Put.ConditionExpression),
			ExpressionAttributeNames: names(a.Put.Expressions), ExpressionAttributeValues: toItem(a.Put.Expressions.Values),
			ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailure(a.Put.ReturnValuesOnConditionCheckFailure)}}
	case a.Update != nil:
		return types.TransactWriteItem{Update: &types.Update{
			TableName: &a.Update.TableName, Key: toItem(a.Update.Key), UpdateExpression: optional(a.Update.UpdateExpression),
			ConditionExpression:      optional(a.Update.ConditionExpression),
			ExpressionAttributeNames: names(a.Update.Expressions), ExpressionAttributeValues: toItem(a.Update.Expressions.Values),
			ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailure(a.Update.ReturnValuesOnConditionCheckFailure)}}
	case a.Delete != nil:
		return types.TransactWriteItem{Delete: &types.Delete{
			TableName: &a.Delete.TableName, Key: toItem(a.Delete.Key), ConditionExpression: optional(a.Delete.ConditionExpression),
			ExpressionAttributeNames: names(a.Delete.Expressions), ExpressionAttributeValues: toItem(a.Delete.Expressions.Values),
			ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailure(a.Delete.ReturnValuesOnConditionCheckFailure)}}
	}
	return types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
		TableName: &a.Check.TableName, Key: toItem(a.Check.Key), ConditionExpression: optional(a.Check.ConditionExpression),
		ExpressionAttributeNames: names(a.Check.Expressions), ExpressionAttributeValues: toItem(a.Check.Expressions.Values),
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailure(a.Check.ReturnValuesOnConditionCheckFailure)}}
}
