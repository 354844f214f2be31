// Package expr parses, prints, checks and evaluates DynamoDB's expressions: conditions and
// filters, key conditions, updates and projections, and the older parameters that say the
// same in another form. It hides the grammar, the syntax tree and the service's rules and
// texts for what is wrong with an expression.
//
// A parsed expression is immutable, so callers may keep it by its text and share it
// between goroutines. Bind puts the names and values of one request into it; what Bind
// returns serves that request. Errors are *dynamo.Error, ValidationException, with the
// service's texts. Some operations of the service put "1 validation error detected: "
// before them; that is left to the caller.
package expr

import (
	"strings"

	"github.com/keyfold-dev/keyfold/dynamo"
)

// A Kind is one of the expression parameters of the API, by name.
type Kind string

// The kinds of expressions.
const (
	ConditionExpression    Kind = "ConditionExpression"
	FilterExpression       Kind = "FilterExpression"
	KeyConditionExpression Kind = "KeyConditionExpression"
	UpdateExpression       Kind = "UpdateExpression"
	ProjectionExpression   Kind = "ProjectionExpression"
)

// invalid makes the error for a fault in an expression of that kind.
func (k Kind) invalid(fault string) error {
	return dynamo.Invalid("Invalid " + string(k) + ": " + fault)
}

// WithoutSize cuts the size of an expression that is too long from the text of the fault:
// the layer of the service that answers PutItem, UpdateItem, DeleteItem and Query does not
// give it.
func WithoutSize(message string) string {
	if at := strings.Index(message, faultSizeTail); at >= 0 && strings.Contains(message, faultTooLong) {
		return message[:at+1]
	}
	return message
}

// The service's texts for faults in expressions.
const (
	faultEmpty          = "The expression can not be empty;"
	faultTooLong        = "Expression size has exceeded the maximum allowed size"
	faultSizeTail       = "; expression size: "
	faultSyntax         = `Syntax error; token: "%s", near: "%s"`
	faultParens         = "The expression has redundant parentheses;"
	faultOperators      = "The expression contains too many operators; operator count: %d"
	faultReserved       = "Attribute name is a reserved keyword; reserved keyword: %s"
	faultIndex          = "List index is not within the allowable range; index: [%s]"
	faultNesting        = "The document path has too many nesting levels; nesting levels: %s"
	faultFunction       = "Invalid function name; function: %s"
	faultPlace          = "The function is not allowed to be used this way in an expression; function: %s"
	faultNotInUpdate    = "The function is not allowed in an update expression; function: %s"
	faultNotInCondition = "The function is not allowed in a condition expression; function: %s"
	faultSection        = `The "%s" section can only be used once in an update expression;`
	faultName           = "An expression attribute name used in the document path is not defined; attribute name: %s"
	faultValue          = "An expression attribute value used in expression is not defined; attribute value: %s"
	faultOperands       = "Incorrect number of operands for operator or function; operator or function: %s, number of operands: %d"
	faultPath           = "Operator or function requires a document path; operator or function: %s"
	faultType           = "Incorrect operand type for operator or function; operator or function: %s, operand type: %s"
	faultActionType     = "Incorrect operand type for operator or function; operator: %s, operand type: %s, typeSet: ALLOWED_FOR_%s_OPERAND"
	faultTypeName       = "Invalid attribute type name found; type: %s, valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}"
	faultDistinct       = "The first operand must be distinct from the remaining operands for this operator or function; operator: %s, first operand: %s"
	faultIn             = "The IN operator is provided with too many operands; number of operands: %d"
	faultBoundTypes     = "The BETWEEN operator requires same data type for lower and upper bounds; lower bound operand: %s, upper bound operand: %s"
	faultBoundOrder     = "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound operand: %s, upper bound operand: %s"
	faultOverlap        = "Two document paths overlap with each other; must remove or rewrite one of these paths; path one: %s, path two: %s"
	faultConflict       = "Two document paths conflict with each other; must remove or rewrite one of these paths; path one: %s, path two: %s"
)
