package dynamo

// An Error is a failure the DynamoDB protocol can express. Code is the service's own
// exception name without its namespace, Message its text.
type Error struct {
	Code    string
	Message string
	Reasons []CancellationReason // of TransactionCanceledException
	Item    Item                 // of ConditionalCheckFailedException, when asked for
}

// Error returns "Code: Message".
func (e *Error) Error() string { return e.Code + ": " + e.Message }

// A CancellationReason says why one action of a transaction failed: Code is "None",
// "ConditionalCheckFailed", "ItemCollectionSizeLimitExceeded", "TransactionConflict",
// "ProvisionedThroughputExceeded", "ThrottlingError" or "ValidationError".
type CancellationReason struct {
	Code    string
	Message string
	Item    Item
}

// The exception names that the data plane uses.
const (
	CodeValidation              = "ValidationException"
	CodeResourceNotFound        = "ResourceNotFoundException"
	CodeResourceInUse           = "ResourceInUseException"
	CodeLimitExceeded           = "LimitExceededException"
	CodeConditionalCheckFailed  = "ConditionalCheckFailedException"
	CodeTransactionCanceled     = "TransactionCanceledException"
	CodeTransactionConflict     = "TransactionConflictException"
	CodeIdempotentMismatch      = "IdempotentParameterMismatchException"
	CodeSerialization           = "SerializationException"
	CodeItemCollectionSizeLimit = "ItemCollectionSizeLimitExceededException"
	CodeInternalServerError     = "InternalServerError"
)

// Invalid makes a ValidationException.
func Invalid(message string) *Error { return &Error{Code: CodeValidation, Message: message} }
