package server

import "github.com/keyfold-dev/keyfold/dynamo"

// A write is a request to put, update, delete or check one item: the members of all four,
// which have nearly all in common.
type write struct {
	dynamo.UpdateItemInput
	item dynamo.Item
}

func readWrite(r *dynamo.JSONReader, class string) *write {
	w := &write{}
	for field := range r.Struct(class) {
		switch field {
		case "TableName":
			w.TableName = readTableName(r)
		case "Item":
			w.item = r.Item()
		case "Key":
			w.Key = r.Item()
		case "UpdateExpression":
			w.UpdateExpression = readExpression(r, field)
		case "ConditionExpression":
			w.ConditionExpression = readExpression(r, field)
		case "AttributeUpdates":
			w.AttributeUpdates = readAttributeUpdates(r)
		case "Expected":
			w.Expected = readExpected(r)
		case "ConditionalOperator":
			w.ConditionalOperator = r.String()
		case "ReturnValues":
			w.ReturnValues = dynamo.ReturnValues(r.String())
		case "ReturnValuesOnConditionCheckFailure":
			w.ReturnValuesOnConditionCheckFailure = dynamo.ReturnValues(r.String())
		case "ReturnConsumedCapacity":
			w.ReturnConsumedCapacity = readCapacity(r)
		case "ReturnItemCollectionMetrics":
			w.ReturnItemCollectionMetrics = readMetrics(r)
		default:
			readExpressions(r, field, &w.Expressions)
		}
	}
	return w
}

func (w *write) put() *dynamo.PutItemInput {
	return &dynamo.PutItemInput{
		TableName:                           w.TableName,
		Item:                                w.item,
		ConditionExpression:                 w.ConditionExpression,
		Expressions:                         w.Expressions,
		Expected:                            w.Expected,
		ConditionalOperator:                 w.ConditionalOperator,
		ReturnValues:                        w.ReturnValues,
		ReturnValuesOnConditionCheckFailure: w.ReturnValuesOnConditionCheckFailure,
		ReturnConsumedCapacity:              w.ReturnConsumedCapacity,
		ReturnItemCollectionMetrics:         w.ReturnItemCollectionMetrics,
	}
}

func (w *write) delete() *dynamo.DeleteItemInput {
	return &dynamo.DeleteItemInput{
		TableName:                           w.TableName,
		Key:                                 w.Key,
		ConditionExpression:                 w.ConditionExpression,
		Expressions:                         w.Expressions,
		Expected:                            w.Expected,
		ConditionalOperator:                 w.ConditionalOperator,
		ReturnValues:                        w.ReturnValues,
		ReturnValuesOnConditionCheckFailure: w.ReturnValuesOnConditionCheckFailure,
		ReturnConsumedCapacity:              w.ReturnConsumedCapacity,
		ReturnItemCollectionMetrics:         w.ReturnItemCollectionMetrics,
	}
}

func readPutItem(r *dynamo.JSONReader) *dynamo.PutItemInput {
	return readWrite(r, "PutItemInput").put()
}

func readUpdateItem(r *dynamo.JSONReader) *dynamo.UpdateItemInput {
	return &readWrite(r, "UpdateItemInput").UpdateItemInput
}

func readDeleteItem(r *dynamo.JSONReader) *dynamo.DeleteItemInput {
	return readWrite(r, "DeleteItemInput").delete()
}

func appendWritten(dst []byte, out *dynamo.WriteOutput) []byte {
	dst = append(dst, '{')
	if out.Attributes != nil {
		dst = dynamo.AppendItemJSON(field(dst, "Attributes"), out.Attributes)
	}
	if out.ConsumedCapacity != nil {
		dst = appendCapacity(field(dst, "ConsumedCapacity"), *out.ConsumedCapacity)
	}
	if out.Collection != nil {
		dst = appendCollection(field(dst, "ItemCollectionMetrics"), *out.Collection)
	}
	return append(dst, '}')
}

func readGetItem(r *dynamo.JSONReader) *dynamo.GetItemInput { return readGet(r, "GetItemInput") }

func readGet(r *dynamo.JSONReader, class string) *dynamo.GetItemInput {
	in := &dynamo.GetItemInput{}
	for field := range r.Struct(class) {
		switch field {
		case "TableName":
			in.TableName = readTableName(r)
		case "Key":
			in.Key = r.Item()
		case "ConsistentRead":
			in.ConsistentRead = r.Bool()
		case "ProjectionExpression":
			in.ProjectionExpression = readExpression(r, field)
		case "AttributesToGet":
			in.AttributesToGet = r.Strings()
		case "ReturnConsumedCapacity":
			in.ReturnConsumedCapacity = readCapacity(r)
		default:
			readExpressions(r, field, &in.Expressions)
		}
	}
	return in
}

func appendGotten(dst []byte, out *dynamo.GetItemOutput) []byte {
	dst = append(dst, '{')
	if out.Item != nil {
		dst = dynamo.AppendItemJSON(field(dst, "Item"), out.Item)
	}
	if out.ConsumedCapacity != nil {
		dst = appendCapacity(field(dst, "ConsumedCapacity"), *out.ConsumedCapacity)
	}
	return append(dst, '}')
}
