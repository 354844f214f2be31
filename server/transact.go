package server

import (
	"strings"

	"github.com/keyfold-dev/keyfold/dynamo"
)

func readTransactWrite(r *dynamo.JSONReader) *dynamo.TransactWriteItemsInput {
	in := &dynamo.TransactWriteItemsInput{}
	for field := range r.Struct("TransactWriteItemsInput") {
		switch field {
		case "TransactItems":
			in.Actions = []dynamo.TransactAction{}
			for range r.List() {
				in.Actions = append(in.Actions, readAction(r))
			}
		case "ClientRequestToken":
			in.ClientRequestToken = r.String()
		case "ReturnConsumedCapacity":
			in.ReturnConsumedCapacity = readCapacity(r)
		case "ReturnItemCollectionMetrics":
			in.ReturnItemCollectionMetrics = readMetrics(r)
		}
	}
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
	return in
}

func readTransactGetItem(r *dynamo.JSONReader, position int) dynamo.GetItemInput {
	var get *dynamo.GetItemInput
	for field := range r.Struct("TransactGetItem") {
		if field == "Get" {
			get = readGet(r, field)
		}
	}
	if get == nil {
		r.Invalid(constraint + "null at 'transactItems." + itoa(position) + ".member.get' failed to satisfy constraint: Member must not be null")
		return dynamo.GetItemInput{}
	}
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

// lowerFirst turns a member's name into the one that the service's texts have.
func lowerFirst(name string) string { return strings.ToLower(name[:1]) + name[1:] }
