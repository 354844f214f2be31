package server

import (
	"strconv"

	"github.com/keyfold-dev/keyfold/dynamo"
)

func readTransactWrite(r *dynamo.JSONReader) *dynamo.TransactWriteItemsInput {
	in := &dynamo.TransactWriteItemsInput{}
	r.Older = true
	for field := range r.Struct("TransactWriteItemsInput") {
		switch field {
		case "TransactItems":
			in.Actions = []dynamo.TransactAction{}
			for range r.List() {
				in.Actions = append(in.Actions, readAction(r))
			}
		case "ClientRequestToken":
			in.ClientRequestToken = r.Text()
		case "ReturnConsumedCapacity":
			in.ReturnConsumedCapacity = readCapacity(r)
		case "ReturnItemCollectionMetrics":
			in.ReturnItemCollectionMetrics = readMetrics(r)
		}
	}
	require(r, member{"transactItems", in.Actions != nil})
	return in
}

func readAction(r *dynamo.JSONReader) (a dynamo.TransactAction) {
	for field := range r.Struct("TransactWriteItem") {
		switch field {
		case "Put":
			a.Put = readWrite(r, field).put()
		case "Update":
			a.Update = &readWrite(r, field).UpdateItemInput
		case "Delete":
			a.Delete = readWrite(r, field).delete()
		case "ConditionCheck":
			a.Check = readWrite(r, field).delete()
		}
	}
	return a
}

func appendTransactWritten(dst []byte, out *dynamo.TransactWriteItemsOutput) []byte {
	dst = append(dst, '{')
	if out.ConsumedCapacity != nil {
		dst = appendList(field(dst, "ConsumedCapacity"), out.ConsumedCapacity, appendCapacity)
	}
	if out.Collections != nil {
		dst = appendCollections(field(dst, "ItemCollectionMetrics"), out.Collections)
	}
	return append(dst, '}')
}

func readTransactGet(r *dynamo.JSONReader) *dynamo.TransactGetItemsInput {
	in := &dynamo.TransactGetItemsInput{}
	r.Older = true
	for field := range r.Struct("TransactGetItemsInput") {
		switch field {
		case "TransactItems":
			in.Gets = []dynamo.GetItemInput{}
			for range r.List() {
				in.Gets = append(in.Gets, readTransactGetItem(r, len(in.Gets)+1))
			}
		case "ReturnConsumedCapacity":
			in.ReturnConsumedCapacity = readCapacity(r)
		}
	}
	require(r, member{"transactItems", in.Gets != nil})
	return in
}

func readTransactGetItem(r *dynamo.JSONReader, position int) dynamo.GetItemInput {
	get, named := &dynamo.GetItemInput{}, false
	path := "transactItems." + strconv.Itoa(position) + ".member.get"
	given := false
	for field := range r.Struct("TransactGetItem") {
		if field == "Get" {
			get, named = readGet(r, field)
			given = true
		}
	}
	require(r, member{path, given}, member{path + ".tableName", named}, member{path + ".key", get.Key != nil})
	return *get
}

func appendTransactGotten(dst []byte, out *dynamo.TransactGetItemsOutput) []byte {
	dst = append(dst, '{')
	dst = appendList(field(dst, "Responses"), out.Items, func(dst []byte, it dynamo.Item) []byte {
		dst = append(dst, '{')
		if it != nil {
			dst = dynamo.AppendItemJSON(field(dst, "Item"), it)
		}
		return append(dst, '}')
	})
	if out.ConsumedCapacity != nil {
		dst = appendList(field(dst, "ConsumedCapacity"), out.ConsumedCapacity, appendCapacity)
	}
	return append(dst, '}')
}
