package conformance

import (
	"bytes"
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/keyfold-dev/keyfold/dynamo"
)

// An exchange is one request and what two sides answered.
type exchange struct {
	op           string
	request      map[string]any // nil if it is no JSON object
	ours, theirs answer
}

func parseRequest(t testing.TB, text []byte) map[string]any {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var request map[string]any
	if d.Decode(&request) != nil {
		return nil
	}
	return request
}

func (e *exchange) differs() bool { return e.ours.text() != e.theirs.text() }

// known returns the known difference that covers this one, nil if there is none.
func (e *exchange) known() *difference {
	if !e.differs() {
		return nil
	}
	// Numbers are everywhere, so they must not hide what else is known.
	spelled := *e
	spelled.theirs.body = withNumbers(e.theirs.body)
	if body, ok := spelled.theirs.body.(map[string]any); ok && body["Items"] != nil && (e.op == "Scan" || body["Order"] != nil) {
		sortByText(body["Items"].([]any))
	}
	if e = &spelled; !e.differs() {
		return differenceNamed(spelledNumbers)
	}
	for i := range differences {
		if d := &differences[i]; d.covers != nil && d.covers(e) {
			return d
		}
	}
	return nil
}

// spelledNumbers is the difference that is looked for in every answer.
const spelledNumbers = "numbers as sent"

// A difference between this engine and another implementation that is known and meant.
type difference struct {
	name   string
	theirs string // what the other does
	ours   string // what the service and keyfold do
	source string
	covers func(*exchange) bool // nil for those that only steps name
}

func differenceNamed(name string) *difference {
	for i := range differences {
		if differences[i].name == name {
			return &differences[i]
		}
	}
	return nil
}

// bothRefuse says that both sides answer with a ValidationException.
func (e *exchange) bothRefuse() bool {
	return e.ours.code() == "ValidationException" && e.theirs.code() == "ValidationException"
}

const oneError = "1 validation error detected: "

// unwrapped is a text of a fault without what the layers of the service put around it.
func unwrapped(text string) string {
	text = strings.TrimPrefix(text, oneError)
	if rest, ok := strings.CutPrefix(text, "ExpressionAttributeValues contains invalid value: "); ok {
		text = rest[:strings.LastIndex(rest, " for key :")]
	}
	return text
}

// without returns a copy of a part of an answer in which the members that drop chooses are
// left out.
func without(v any, drop func(name string, v any) bool) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = without(v[i], drop)
		}
		return out
	case map[string]any:
		out := maps.Clone(v)
		for name := range out {
			if drop(name, out[name]) {
				delete(out, name)
			} else {
				out[name] = without(out[name], drop)
			}
		}
		return out
	}
	return v
}

func (e *exchange) sameWithout(drop func(name string, v any) bool) bool {
	return e.ours.status == e.theirs.status && compact(without(e.ours.body, drop)) == compact(without(e.theirs.body, drop))
}

func isCapacity(name string, _ any) bool { return name == "ConsumedCapacity" }

// costsNothing says that the other side reports that a part of the request was free.
func (e *exchange) costsNothing() bool {
	free := false
	without(e.theirs.body, func(name string, v any) bool {
		free = free || name == "CapacityUnits" && compact(v) == "0"
		return false
	})
	return free
}

// wantsCapacity says that the request asks for its cost.
func (e *exchange) wantsCapacity() bool {
	detail, given := e.request["ReturnConsumedCapacity"]
	return given && detail != "NONE"
}

// withNumbers spells all numbers of a part of an answer in the canonical way.
func withNumbers(v any) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = withNumbers(v[i])
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for name, member := range v {
			text, isText := member.(string)
			if n, err := dynamo.Number(text); name == "N" && isText && err == nil {
				out[name] = n.Str()
				continue
			}
			out[name] = withNumbers(member)
		}
		return out
	}
	return v
}

// isUpdateFault says that a text is about an update that does not fit the item.
func isUpdateFault(text string) bool {
	for _, part := range []string{"document path provided in the update expression", "refers to an attribute that does not exist",
		"operand in the update expression has an incorrect data type", "supports precision up to", "significant digits", "Number overflow", "Number underflow"} {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}

// isKeyFault says that a text is the other side's for keys with too few attributes.
func isKeyFault(text string) bool {
	return strings.HasPrefix(text, "One of the required keys was not given") || text == "The number of conditions on the keys is invalid"
}

// isKeyValueFault says that a text is about the value of a key attribute.
func isKeyValueFault(text string) bool {
	for _, part := range []string{"Aggregated size of all range keys", "Condition parameter type does not match schema type", "Size of hashkey",
		"for a key attribute cannot contain an empty", "does not match the schema", "Type mismatch for "} {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}

// isOperandFault says that a text is about operands in an expression.
func isOperandFault(text string) bool {
	return strings.Contains(text, "Incorrect operand type") || strings.Contains(text, "must be distinct from the remaining operands")
}
