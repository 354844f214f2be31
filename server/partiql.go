package server

import (
	"strconv"

	"github.com/keyfold-dev/keyfold/dynamo"
)

func readExecuteStatement(r *dynamo.JSONReader) *dynamo.ExecuteStatementInput {
	in, given := &dynamo.ExecuteStatementInput{}, false
	for field := range r.Struct("ExecuteStatementInput") {
		switch field {
		case "Statement":
			in.Statement, given = r.Text(), true
		case "Parameters":
			in.Parameters = readAttributeValues(r)
		case "ConsistentRead":
			in.ConsistentRead = r.Bool()
		case "Limit":
			in.Limit = readInt(r)
		case "NextToken":
			if in.NextToken = r.Text(); in.NextToken == "" {
				r.Invalid(oneError + "Value '' at 'nextToken' failed to satisfy constraint: Member must have length greater than or equal to 1")
			}
		case "ReturnConsumedCapacity":
			in.ReturnConsumedCapacity = readCapacity(r)
		case "ReturnValuesOnConditionCheckFailure":
			in.ReturnValuesOnConditionCheckFailure = dynamo.ReturnValues(r.Text())
		}
	}
	require(r, member{"statement", given})
	return in
}

func appendExecuted(dst []byte, out *dynamo.ExecuteStatementOutput) []byte {
	dst = appendList(field(append(dst, '{'), "Items"), out.Items, dynamo.AppendItemJSON)
	if out.NextToken != "" {
		dst = appendStringField(dst, "NextToken", out.NextToken)
	}
	if out.LastEvaluatedKey != nil {
		dst = dynamo.AppendItemJSON(field(dst, "LastEvaluatedKey"), out.LastEvaluatedKey)
	}
	if out.ConsumedCapacity != nil {
		dst = appendCapacity(field(dst, "ConsumedCapacity"), *out.ConsumedCapacity)
	}
	return append(dst, '}')
}

// readStatements reads the statements of a batch or a transaction, which the service's texts
// call by path.
func readStatements(r *dynamo.JSONReader, class, path string) []dynamo.BatchStatement {
	list := []dynamo.BatchStatement{}
	for range r.List() {
		s, given := dynamo.BatchStatement{}, false
		for field := range r.Struct(class) {
			switch field {
			case "Statement":
				s.Statement, given = r.Text(), true
			case "Parameters":
				s.Parameters = readAttributeValues(r)
			case "ConsistentRead":
				s.ConsistentRead = r.Bool()
			case "ReturnValuesOnConditionCheckFailure":
				s.ReturnValuesOnConditionCheckFailure = dynamo.ReturnValues(r.Text())
			}
		}
		list = append(list, s)
		require(r, member{path + "." + strconv.Itoa(len(list)) + ".member.statement", given})
	}
	return list
}

func readBatchExecute(r *dynamo.JSONReader) *dynamo.BatchExecuteStatementInput {
	in := &dynamo.BatchExecuteStatementInput{}
	for field := range r.Struct("BatchExecuteStatementInput") {
		switch field {
		case "Statements":
			in.Statements = readStatements(r, "BatchStatementRequest", "statements")
		case "ReturnConsumedCapacity":
			in.ReturnConsumedCapacity = readCapacity(r)
		}
	}
	require(r, member{"statements", in.Statements != nil})
	return in
}

func appendBatchExecuted(dst []byte, out *dynamo.BatchExecuteStatementOutput) []byte {
	dst = appendList(field(append(dst, '{'), "Responses"), out.Responses, appendBatchResponse)
	if out.ConsumedCapacity != nil {
		dst = appendList(field(dst, "ConsumedCapacity"), out.ConsumedCapacity, appendCapacity)
	}
	return append(dst, '}')
}

func appendBatchResponse(dst []byte, response dynamo.BatchStatementResponse) []byte {
	dst = append(dst, '{')
	if e := response.Error; e != nil {
		dst = appendReason(field(dst, "Error"), dynamo.CancellationReason{Code: e.Code, Message: e.Message, Item: e.Item})
	}
	if response.TableName != "" {
		dst = appendStringField(dst, "TableName", response.TableName)
	}
	if response.Item != nil {
		dst = dynamo.AppendItemJSON(field(dst, "Item"), response.Item)
	}
	return append(dst, '}')
}

func readExecuteTransaction(r *dynamo.JSONReader) *dynamo.ExecuteTransactionInput {
	in := &dynamo.ExecuteTransactionInput{}
	for field := range r.Struct("ExecuteTransactionInput") {
		switch field {
		case "TransactStatements":
			in.Statements = readStatements(r, "ParameterizedStatement", "transactStatements")
		case "ClientRequestToken":
			in.ClientRequestToken = r.Text()
		case "ReturnConsumedCapacity":
			in.ReturnConsumedCapacity = readCapacity(r)
		}
	}
	require(r, member{"transactStatements", in.Statements != nil})
	return in
}

func appendTransactionExecuted(dst []byte, out *dynamo.ExecuteTransactionOutput) []byte {
	return appendTransactGotten(dst, &dynamo.TransactGetItemsOutput{Items: out.Items, ConsumedCapacity: out.ConsumedCapacity})
}
