package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/expr"
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
	textIndexKeyEmpty    = "A value specified for a secondary index key is not supported. The AttributeValue for a key attribute cannot contain an empty %s value. IndexName: %s, IndexKey: %s"
	textNotOneTransation = "Transaction request cannot include multiple operations on one item"
)

// unlike makes the text of a value that breaks a constraint of the API's model.
func unlike(value any, field, constraint string, args ...any) error {
	return invalid(textConstraint, value, field, fmt.Sprintf(constraint, args...))
}

// several joins faults as the service does, "" being none. It returns nil if all are none.
func several(faults ...string) error {
	faults = slices.DeleteFunc(faults, func(s string) bool { return s == "" })
	switch len(faults) {
	case 0:
		return nil
	case 1:
		return invalid("%s", oneError+faults[0])
	}
	return invalid("%d validation errors detected: %s", len(faults), strings.Join(faults, "; "))
}

// detailFault tells what is wrong with ReturnConsumedCapacity, "" if nothing is.
func detailFault(d dynamo.CapacityDetail) string {
	switch d {
	case "", dynamo.CapacityNone, dynamo.CapacityTotal, dynamo.CapacityIndexes:
		return ""
	}
	return "Value '" + string(d) + "' at 'returnConsumedCapacity' failed to satisfy constraint: Member must satisfy enum value set: [INDEXES, TOTAL, NONE]"
}

// metricsFault tells what is wrong with ReturnItemCollectionMetrics, "" if nothing is.
func metricsFault(d dynamo.CollectionDetail) string {
	switch d {
	case "", dynamo.CollectionNone, dynamo.CollectionSize:
		return ""
	}
	return "Value '" + string(d) + "' at 'returnItemCollectionMetrics' failed to satisfy constraint: Member must satisfy enum value set: [SIZE, NONE]"
}

// returnsFault tells what is wrong with ReturnValues, "" if nothing is. The slip in the
// list is the service's.
func returnsFault(v dynamo.ReturnValues) string {
	switch v {
	case "", dynamo.ReturnNone, dynamo.ReturnAllOld, dynamo.ReturnUpdatedOld, dynamo.ReturnAllNew, dynamo.ReturnUpdatedNew:
		return ""
	}
	return "Failed to satisfy constraint: Member must satisfy enum value set: [ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]"
}

func notFound() error {
	return &dynamo.Error{Code: dynamo.CodeResourceNotFound, Message: textNotFound}
}

func tableNotFound(name string) error {
	return &dynamo.Error{Code: dynamo.CodeResourceNotFound, Message: fmt.Sprintf("%s: Table: %s not found", textNotFound, name)}
}

// withoutSize applies expr.WithoutSize to the text of a ValidationException.
func withoutSize(err error) error {
	var e *dynamo.Error
	if errors.As(err, &e) && e.Code == dynamo.CodeValidation {
		return invalid("%s", expr.WithoutSize(e.Message))
	}
	return err
}

// enveloped puts before the text of a ValidationException what PutItem, UpdateItem and
// DeleteItem put before faults found in the request alone, since June 2026.
func enveloped(err error) error {
	var e *dynamo.Error
	if !errors.As(err, &e) || e.Code != dynamo.CodeValidation || len(e.Message) > len(oneError) && e.Message[:len(oneError)] == oneError {
		return err
	}
	return invalid("%s", oneError+expr.WithoutSize(e.Message))
}
