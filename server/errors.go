package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/keyfold-dev/keyfold/dynamo"
)

// Faults of the protocol itself. Those without a message have none in the service either.
var (
	errMalformed     = &dynamo.Error{Code: dynamo.CodeSerialization}
	errUnknown       = &dynamo.Error{Code: "UnknownOperationException"}
	errTooLarge      = &dynamo.Error{Code: "RequestEntityTooLargeException", Message: "Request body exceeds 16 MB"}
	errNoCredentials = &dynamo.Error{Code: "MissingAuthenticationTokenException", Message: "Request is missing Authentication Token"}
	errInternal      = &dynamo.Error{Code: dynamo.CodeInternalServerError, Message: "The request processing has failed because of an unknown error, exception or failure."}
)

// namespaces says where an exception is from; most are DynamoDB's own.
var namespaces = map[string]string{
	dynamo.CodeValidation:                 "com.amazon.coral.validate#",
	dynamo.CodeSerialization:              "com.amazon.coral.service#",
	"UnknownOperationException":           "com.amazon.coral.service#",
	"RequestEntityTooLargeException":      "com.amazon.coral.service#",
	"MissingAuthenticationTokenException": "com.amazon.coral.service#",
	"AccessDeniedException":               "com.amazon.coral.service#",
	"ThrottlingException":                 "com.amazon.coral.availability#",
}

const ownNamespace = "com.amazonaws.dynamodb.v20120810#"

// capitalised are the exceptions whose text is in "Message", not "message".
var capitalised = map[string]bool{
	dynamo.CodeSerialization:         true,
	dynamo.CodeTransactionCanceled:   true,
	dynamo.CodeIdempotentMismatch:    true,
	"TransactionInProgressException": true,
	"AccessDeniedException":          true,
}

// appendError appends the body of an error and says its HTTP status.
func appendError(dst []byte, err error) (int, []byte) {
	var e *dynamo.Error
	switch {
	case errors.As(err, &e):
	case errors.Is(err, context.Canceled):
		e = errInternal
	default:
		e = &dynamo.Error{Code: dynamo.CodeInternalServerError, Message: err.Error()}
	}
	namespace, ok := namespaces[e.Code]
	if !ok {
		namespace = ownNamespace
	}
	dst = field(append(dst, '{'), "__type")
	dst = dynamo.AppendJSONString(dst, namespace+e.Code)
	if e.Message != "" {
		name := "message"
		if capitalised[e.Code] {
			name = "Message"
		}
		dst = dynamo.AppendJSONString(field(dst, name), e.Message)
	}
	if e.Reasons != nil {
		dst = appendList(field(dst, "CancellationReasons"), e.Reasons, appendReason)
	}
	if e.Item != nil {
		dst = dynamo.AppendItemJSON(field(dst, "Item"), e.Item)
	}
	return statusOf(e.Code), append(dst, '}')
}

func statusOf(code string) int {
	switch code {
	case dynamo.CodeInternalServerError:
		return http.StatusInternalServerError
	case errTooLarge.Code:
		return http.StatusRequestEntityTooLarge
	}
	return http.StatusBadRequest
}

func appendReason(dst []byte, r dynamo.CancellationReason) []byte {
	dst = dynamo.AppendJSONString(field(append(dst, '{'), "Code"), r.Code)
	if r.Message != "" {
		dst = dynamo.AppendJSONString(field(dst, "Message"), r.Message)
	}
	if r.Item != nil {
		dst = dynamo.AppendItemJSON(field(dst, "Item"), r.Item)
	}
	return append(dst, '}')
}

// findOperation finds what the header X-Amz-Target names. A body that is not JSON is the
// graver fault.
func findOperation(target string, body []byte) (operation, error) {
	api, name, _ := strings.Cut(target, ".")
	if run, ok := operations[name]; ok && api == "DynamoDB_20120810" {
		return run, nil
	}
	if run, ok := absent[name]; ok && api == "DynamoDB_20120810" {
		return run, nil
	}
	if run, ok := streamOperations[name]; ok && api == "DynamoDBStreams_20120810" {
		return run, nil
	}
	switch {
	case len(body) > 0 && !json.Valid(body):
		return nil, errMalformed
	case api == "DynamoDB_20120810" && notServed[name]:
		return nil, notServedError(name)
	}
	return nil, errUnknown
}

func notServedError(what string) error {
	return &dynamo.Error{Code: errUnknown.Code, Message: "keyfold does not serve " + what}
}
