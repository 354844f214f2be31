package engine

import (
	"errors"
	"fmt"

	"github.com/keyfold-dev/keyfold/dynamo"
)

// invalid makes a ValidationException.
func invalid(format string, args ...any) error {
	if len(args) == 0 {
		return dynamo.Invalid(format)
	}
	return dynamo.Invalid(fmt.Sprintf(format, args...))
}

// The beginnings that many of the service's texts share.
const (
	parametersInvalid  = "One or more parameter values were invalid: "
	parametersNotValid = "One or more parameter values are not valid. "
	oneError           = "1 validation error detected: "
)

// The service's texts that are needed in more than one place.
const (
	textSchemaMismatch   = "The provided key element does not match the schema"
	textItemTooLarge     = "Item size has exceeded the maximum allowed size"
	textUpdateTooLarge   = "Item size to update has exceeded the maximum allowed size"
	textDuplicateKeys    = "Provided list of item keys contains duplicates"
	textConditionFailed  = "The conditional request failed"
	textNotFound         = "Requested resource not found"
	textTooDeep          = "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit"
	textStartKeyInvalid  = "The provided starting key is invalid"
	textStartKeyOutside  = "The provided starting key is outside query boundaries based on provided conditions"
	textMixedParameters  = "Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {%s} Expression parameters: {%s}"
	textConstraint       = oneError + "Value '%v' at '%s' failed to satisfy constraint: %s"
	textPattern          = "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"
	textLengthAtLeast    = "Member must have length greater than or equal to %d"
	textLengthAtMost     = "Member must have length less than or equal to %d"
	textValueAtLeast     = "Member must have value greater than or equal to %d"
	textValueAtMost      = "Member must have value less than or equal to %d"
	textEnum             = "Member must satisfy enum value set: %s"
	textNotOneTransation = "Transaction request cannot include multiple operations on one item"
)

// unlike makes the text of a value that breaks a constraint of the API's model.
func unlike(value any, field, constraint string, args ...any) error {
	return invalid(textConstraint, value, field, fmt.Sprintf(constraint, args...))
}

func notFound() error {
	return &dynamo.Error{Code: dynamo.CodeResourceNotFound, Message: textNotFound}
}

func tableNotFound(name string) error {
	return &dynamo.Error{Code: dynamo.CodeResourceNotFound, Message: fmt.Sprintf("%s: Table: %s not found", textNotFound, name)}
}

// enveloped puts before the text of a ValidationException what PutItem, UpdateItem and
// DeleteItem put before faults found in the request alone, since June 2026.
func enveloped(err error) error {
	var e *dynamo.Error
	if !errors.As(err, &e) || e.Code != dynamo.CodeValidation || len(e.Message) > len(oneError) && e.Message[:len(oneError)] == oneError {
		return err
	}
	return invalid("%s", oneError+e.Message)
}
