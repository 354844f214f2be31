package server

import (
	"strings"

	"github.com/keyfold-dev/keyfold/dynamo"
)

// A write is a request to put, update, delete or check one item: the members of all four,
// which have nearly all in common.
type write struct {
	dynamo.UpdateItemInput
	item  dynamo.Item
	named bool // the request has a table name
}

func readWrite(r *dynamo.JSONReader, class string) *write {
	w := &write{}
	for field := range r.Struct(class) {
		switch field {
		case "TableName":
			w.TableName, w.named = r.Text(), true
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
			w.ConditionalOperator = r.Text()
		case "ReturnValues":
			w.ReturnValues = dynamo.ReturnValues(r.Text())
		case "ReturnValuesOnConditionCheckFailure":
			w.ReturnValuesOnConditionCheckFailure = dynamo.ReturnValues(r.Text())
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

// readSingle reads a request to write one item; such requests tell of faults of values in
// words of their own.
func readSingle(r *dynamo.JSONReader, class string) (w *write) {
	wrap := func(message string) string {
		if strings.HasPrefix(message, oneError) {
			return message
		}
		return oneError + message
	}
	r.Within(wrap, func() { w = readWrite(r, class) })
	return w
}

func readPutItem(r *dynamo.JSONReader) *dynamo.PutItemInput {
	w := readSingle(r, "PutItemInput")
	require(r, member{"tableName", w.named}, member{"item", w.item != nil})
	return w.put()
}

func readUpdateItem(r *dynamo.JSONReader) *dynamo.UpdateItemInput {
	w := readSingle(r, "UpdateItemInput")
	require(r, member{"tableName", w.named}, member{"key", w.Key != nil})
	return &w.UpdateItemInput
}

func readDeleteItem(r *dynamo.JSONReader) *dynamo.DeleteItemInput {
	w := readSingle(r, "DeleteItemInput")
	require(r, member{"tableName", w.named}, member{"key", w.Key != nil})
	return w.delete()
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

func readGetItem(r *dynamo.JSONReader) *dynamo.GetItemInput {
	in, named := readGet(r, "GetItemInput")
	require(r, member{"tableName", named}, member{"key", in.Key != nil})
	return in
}

// readGet also says whether the request has a table name.
func readGet(r *dynamo.JSONReader, class string) (in *dynamo.GetItemInput, named bool) {
	in = &dynamo.GetItemInput{}
	for field := range r.Struct(class) {
		switch field {
		case "TableName":
			in.TableName, named = r.Text(), true
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
	return in, named
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
