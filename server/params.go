package server

import (
	"github.com/keyfold-dev/keyfold/dynamo"
)

// The classes of the service that its texts about wrong types mention for maps.
const (
	classString    = "java.lang.String"
	classValue     = "com.amazonaws.dynamodb.v20120810.AttributeValue"
	classCondition = "com.amazonaws.dynamodb.v20120810.Condition"
	classExpected  = "com.amazonaws.dynamodb.v20120810.ExpectedAttributeValue"
	classUpdate    = "com.amazonaws.dynamodb.v20120810.AttributeValueUpdate"
	classKeys      = "com.amazonaws.dynamodb.v20120810.KeysAndAttributes"
	classWrites    = "java.util.List<com.amazonaws.dynamodb.v20120810.WriteRequest>"
)

const oneError = "1 validation error detected: "

// require reports the first of the members, by the names that the service's texts have,
// that is not there.
func require(r *dynamo.JSONReader, members ...member) {
	for _, m := range members {
		if !m.given {
			r.Missing(nullAt(m.path))
			return
		}
	}
}

// A member is one that a request must have.
type member struct {
	path  string // as the service's texts name it
	given bool
}

func nullAt(path string) string {
	return oneError + "Value null at '" + path + "' failed to satisfy constraint: Member must not be null"
}

// readExpression reads the expression that the member named field holds.
func readExpression(r *dynamo.JSONReader, field string) string {
	text := r.Text()
	if text == "" {
		r.Invalid("Invalid " + field + ": The expression can not be empty;")
	}
	return text
}

// readExpressions reads the member named field if it belongs to e.
func readExpressions(r *dynamo.JSONReader, field string, e *dynamo.Expressions) {
	switch field {
	case "ExpressionAttributeNames":
		e.Names = readNames(r)
	case "ExpressionAttributeValues":
		e.Values = readValues(r)
	}
}

func readNames(r *dynamo.JSONReader) []dynamo.NameBinding {
	list := []dynamo.NameBinding{}
	for placeholder := range r.Map(classString) {
		list = append(list, dynamo.NameBinding{Placeholder: placeholder, Name: r.Text()})
	}
	return lastWins(list, func(n dynamo.NameBinding) string { return n.Placeholder })
}

func readValues(r *dynamo.JSONReader) dynamo.Item {
	list := []dynamo.Attr{}
	for placeholder := range r.Map(classValue) {
		wrap := func(message string) string {
			if !r.Older {
				return message
			}
			return "ExpressionAttributeValues contains invalid value: " + message + " for key " + placeholder
		}
		r.Within(wrap, func() {
			list = append(list, dynamo.Attr{Name: placeholder, Value: r.Value()})
		})
	}
	return dynamo.NewItem(list...)
}

func readStartKey(r *dynamo.JSONReader) (key dynamo.Item) {
	wrap := func(message string) string {
		if !r.Older {
			return message
		}
		return "The provided starting key is invalid: " + message
	}
	r.Within(wrap, func() { key = r.Item() })
	return key
}

func readItems(r *dynamo.JSONReader) []dynamo.Item {
	list := []dynamo.Item{}
	for range r.List() {
		list = append(list, r.Item())
	}
	return list
}

func readInt(r *dynamo.JSONReader) *int64 {
	n := r.Integer(32)
	return &n
}

func readCapacity(r *dynamo.JSONReader) dynamo.CapacityDetail {
	return dynamo.CapacityDetail(r.Text())
}

func readMetrics(r *dynamo.JSONReader) dynamo.CollectionDetail {
	return dynamo.CollectionDetail(r.Text())
}

func readAttributeValues(r *dynamo.JSONReader) []dynamo.Value {
	list := []dynamo.Value{}
	for range r.List() {
		list = append(list, r.Value())
	}
	return list
}

// readConditions reads KeyConditions, QueryFilter or ScanFilter.
func readConditions(r *dynamo.JSONReader) []dynamo.LegacyCondition {
	list := []dynamo.LegacyCondition{}
	for attribute := range r.Map(classCondition) {
		c := dynamo.LegacyCondition{Attribute: attribute}
		for field := range r.Struct("Condition") {
			switch field {
			case "ComparisonOperator":
				c.Operator = r.Text()
			case "AttributeValueList":
				c.Values = readAttributeValues(r)
			}
		}
		list = append(list, c)
	}
	return lastWins(list, func(c dynamo.LegacyCondition) string { return c.Attribute })
}

func readExpected(r *dynamo.JSONReader) []dynamo.ExpectedAttribute {
	list := []dynamo.ExpectedAttribute{}
	for attribute := range r.Map(classExpected) {
		e := dynamo.ExpectedAttribute{Attribute: attribute}
		for field := range r.Struct("ExpectedAttributeValue") {
			switch field {
			case "ComparisonOperator":
				e.Operator = r.Text()
			case "AttributeValueList":
				e.Values = readAttributeValues(r)
			case "Value":
				e.Value = r.Value()
			case "Exists":
				exists := r.Bool()
				e.Exists = &exists
			}
		}
		list = append(list, e)
	}
	return lastWins(list, func(e dynamo.ExpectedAttribute) string { return e.Attribute })
}

func readAttributeUpdates(r *dynamo.JSONReader) []dynamo.AttributeUpdate {
	list := []dynamo.AttributeUpdate{}
	for attribute := range r.Map(classUpdate) {
		u := dynamo.AttributeUpdate{Attribute: attribute, Action: "PUT"}
		for field := range r.Struct("AttributeValueUpdate") {
			switch field {
			case "Action":
				u.Action = r.Text()
			case "Value":
				u.Value = r.Value()
			}
		}
		list = append(list, u)
	}
	return lastWins(list, func(u dynamo.AttributeUpdate) string { return u.Attribute })
}

// lastWins drops all but the last of the entries with one key and keeps the order.
func lastWins[T any](list []T, key func(T) string) []T {
	last := make(map[string]int, len(list))
	for i, x := range list {
		last[key(x)] = i
	}
	if len(last) == len(list) {
		return list
	}
	out := list[:0]
	for i, x := range list {
		if last[key(x)] == i {
			out = append(out, x)
		}
	}
	return out
}
