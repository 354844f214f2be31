package conformance

import (
	"bytes"
	"encoding/json"
	"testing"
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
	for i := range differences {
		if d := &differences[i]; d.covers != nil && d.covers(e) {
			return d
		}
	}
	return nil
}

// A difference between this engine and another implementation that is known and meant.
type difference struct {
	name   string
	what   string // what the other does, what the service does
	source string
	covers func(*exchange) bool // nil for those that steps name
}

func differenceNamed(name string) *difference {
	for i := range differences {
		if differences[i].name == name {
			return &differences[i]
		}
	}
	return nil
}

var differences = []difference{}
