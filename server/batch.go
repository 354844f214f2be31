package server

import (
	"strconv"

	"github.com/keyfold-dev/keyfold/dynamo"
)

func readBatchGet(r *dynamo.JSONReader) *dynamo.BatchGetItemInput {
	in := &dynamo.BatchGetItemInput{}
	for field := range r.Struct("BatchGetItemInput") {
		switch field {
		case "RequestItems":
			in.Tables = []dynamo.BatchGetTable{}
			for name := range r.Map(classKeys) {
				in.Tables = append(in.Tables, readKeysAndAttributes(r, name))
			}
			in.Tables = lastWins(in.Tables, func(t dynamo.BatchGetTable) string { return t.TableName })
		case "ReturnConsumedCapacity":
			in.ReturnConsumedCapacity = readCapacity(r)
		}
	}
	require(r, member{"requestItems", in.Tables != nil})
	return in
}

func readKeysAndAttributes(r *dynamo.JSONReader, table string) dynamo.BatchGetTable {
	t := dynamo.BatchGetTable{TableName: table}
	for field := range r.Struct("KeysAndAttributes") {
		switch field {
		case "Keys":
			t.Keys = readItems(r)
		case "ConsistentRead":
			t.ConsistentRead = r.Bool()
		case "ProjectionExpression":
			t.ProjectionExpression = readExpression(r, field)
		case "AttributesToGet":
			t.AttributesToGet = r.Strings()
		default:
			readExpressions(r, field, &t.Expressions)
		}
	}
	require(r, member{"requestItems." + table + ".member.keys", t.Keys != nil})
	return t
}

func appendBatchGotten(dst []byte, out *dynamo.BatchGetItemOutput) []byte {
	dst = append(field(append(dst, '{'), "Responses"), '{')
	for _, t := range out.Tables {
		dst = appendName(dst, t.TableName)
		dst = appendList(dst, t.Items, dynamo.AppendItemJSON)
	}
	dst = append(field(append(dst, '}'), "UnprocessedKeys"), '{')
	for _, t := range out.Unprocessed {
		dst = appendKeysAndAttributes(appendName(dst, t.TableName), t)
	}
	dst = append(dst, '}')
	if out.ConsumedCapacity != nil {
		dst = appendList(field(dst, "ConsumedCapacity"), out.ConsumedCapacity, appendCapacity)
	}
	return append(dst, '}')
}

func appendKeysAndAttributes(dst []byte, t dynamo.BatchGetTable) []byte {
	dst = append(dst, '{')
	dst = appendList(field(dst, "Keys"), t.Keys, dynamo.AppendItemJSON)
	if t.ConsistentRead {
		dst = appendBoolField(dst, "ConsistentRead", true)
	}
	if t.ProjectionExpression != "" {
		dst = appendStringField(dst, "ProjectionExpression", t.ProjectionExpression)
	}
	if t.Expressions.Names != nil {
		dst = append(field(dst, "ExpressionAttributeNames"), '{')
		for _, n := range t.Expressions.Names {
			dst = dynamo.AppendJSONString(appendName(dst, n.Placeholder), n.Name)
		}
		dst = append(dst, '}')
	}
	if t.AttributesToGet != nil {
		dst = appendList(field(dst, "AttributesToGet"), t.AttributesToGet, dynamo.AppendJSONString)
	}
	return append(dst, '}')
}

// appendName is field for a name that is data.
func appendName(dst []byte, name string) []byte {
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	return append(dynamo.AppendJSONString(dst, name), ':')
}

func readBatchWrite(r *dynamo.JSONReader) *dynamo.BatchWriteItemInput {
	in := &dynamo.BatchWriteItemInput{}
	r.Older = true
	for field := range r.Struct("BatchWriteItemInput") {
		switch field {
		case "RequestItems":
			in.Tables = []dynamo.BatchWriteTable{}
			for name := range r.Map(classWrites) {
				in.Tables = append(in.Tables, readBatchWriteTable(r, name))
			}
			in.Tables = lastWins(in.Tables, func(t dynamo.BatchWriteTable) string { return t.TableName })
		case "ReturnConsumedCapacity":
			in.ReturnConsumedCapacity = readCapacity(r)
		case "ReturnItemCollectionMetrics":
			in.ReturnItemCollectionMetrics = readMetrics(r)
		}
	}
	require(r, member{"requestItems", in.Tables != nil})
	return in
}

func readBatchWriteTable(r *dynamo.JSONReader, name string) dynamo.BatchWriteTable {
	t := dynamo.BatchWriteTable{TableName: name}
	for i := range r.List() {
		var w dynamo.WriteRequest
		path := "requestItems." + name + ".member." + strconv.Itoa(i+1) + ".member."
		members := 0
		for field := range r.Struct("WriteRequest") {
			switch field {
			case "PutRequest":
				w.Put = readOnly(r, "PutRequest", "Item", path+"putRequest.item")
				members++
			case "DeleteRequest":
				w.Delete = readOnly(r, "DeleteRequest", "Key", path+"deleteRequest.key")
				members++
			}
		}
		if members != 1 {
			// The service's text, though no attribute value is meant.
			r.Invalid("Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes")
		}
		t.Requests = append(t.Requests, w)
	}
	return t
}

// readOnly reads a structure with one required member that is an item.
func readOnly(r *dynamo.JSONReader, class, name, path string) dynamo.Item {
	var it dynamo.Item
	for field := range r.Struct(class) {
		if field == name {
			it = r.Item()
		}
	}
	require(r, member{path, it != nil})
	return it
}

func appendBatchWritten(dst []byte, out *dynamo.BatchWriteItemOutput) []byte {
	dst = append(field(append(dst, '{'), "UnprocessedItems"), '{')
	for _, t := range out.Unprocessed {
		dst = appendList(appendName(dst, t.TableName), t.Requests, appendWriteRequest)
	}
	dst = append(dst, '}')
	if out.ConsumedCapacity != nil {
		dst = appendList(field(dst, "ConsumedCapacity"), out.ConsumedCapacity, appendCapacity)
	}
	if out.Collections != nil {
		dst = appendCollections(field(dst, "ItemCollectionMetrics"), out.Collections)
	}
	return append(dst, '}')
}

func appendWriteRequest(dst []byte, w dynamo.WriteRequest) []byte {
	if w.Delete != nil {
		dst = append(dst, `{"DeleteRequest":{"Key":`...)
		dst = dynamo.AppendItemJSON(dst, w.Delete)
	} else {
		dst = append(dst, `{"PutRequest":{"Item":`...)
		dst = dynamo.AppendItemJSON(dst, w.Put)
	}
	return append(dst, '}', '}')
}
