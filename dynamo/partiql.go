package dynamo

// An ExecuteStatementInput runs one PartiQL statement.
type ExecuteStatementInput struct {
	Statement                           string
	Parameters                          []Value // for each '?', in order; nil for none
	ConsistentRead                      bool
	Limit                               *int64 // items evaluated, nil for none
	NextToken                           string // of the page before; "" for the first page
	ReturnConsumedCapacity              CapacityDetail
	ReturnValuesOnConditionCheckFailure ReturnValues
}

// An ExecuteStatementOutput holds what a SELECT found or a RETURNING clause asked for.
// NextToken is "" and LastEvaluatedKey nil on the last page.
type ExecuteStatementOutput struct {
	Items            []Item
	NextToken        string
	LastEvaluatedKey Item
	ConsumedCapacity *ConsumedCapacity
}

// A BatchStatement is one statement among others. ConsistentRead has no meaning in a
// transaction, whose reads are consistent.
type BatchStatement struct {
	Statement                           string
	Parameters                          []Value
	ConsistentRead                      bool
	ReturnValuesOnConditionCheckFailure ReturnValues
}

// A BatchExecuteStatementInput runs up to 25 statements that read, or up to 25 that write,
// each on its own.
type BatchExecuteStatementInput struct {
	Statements             []BatchStatement
	ReturnConsumedCapacity CapacityDetail
}

// A BatchExecuteStatementOutput has a response for each statement, in order.
type BatchExecuteStatementOutput struct {
	Responses        []BatchStatementResponse
	ConsumedCapacity []ConsumedCapacity
}

// A BatchStatementResponse holds the item that a statement found or returned, nil for none,
// or why it failed. TableName is "" when the statement did not get as far as its table.
type BatchStatementResponse struct {
	TableName string
	Item      Item
	Error     *BatchStatementError
}

// A BatchStatementError says why a statement of a batch failed. Code is an exception's name
// without "Exception", and ValidationError.
type BatchStatementError struct {
	Code    string
	Message string
	Item    Item // when asked for
}

// An ExecuteTransactionInput runs up to 100 statements that read, or up to 100 that write or
// check, all or none.
type ExecuteTransactionInput struct {
	Statements             []BatchStatement
	ClientRequestToken     string
	ReturnConsumedCapacity CapacityDetail
}

// An ExecuteTransactionOutput holds the items that were read, in the order asked for and nil
// where there is none. It is empty for a transaction that writes.
type ExecuteTransactionOutput struct {
	Items            []Item
	ConsumedCapacity []ConsumedCapacity
}
