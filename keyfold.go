package keyfold

import (
	"bytes"
	"encoding/json"

	"github.com/keyfold-dev/keyfold/internal/design"
	"github.com/keyfold-dev/keyfold/internal/diag"
	"github.com/keyfold-dev/keyfold/internal/model"
	"github.com/keyfold-dev/keyfold/internal/planner"
	"github.com/keyfold-dev/keyfold/internal/sqlfront"
)

// A Source is the text of one SQL file. Diagnostics name it by Name.
type Source struct {
	Name string
	Text string
}

// An Input is everything a design is derived from.
type Input struct {
	Schema  []Source // CREATE TABLE statements
	Queries []Source // named statements, the access patterns
	Table   string   // the name of the DynamoDB table
}

// A Result is what Compile found out. Model and Design are the compiler's own forms, for
// the commands of this module; Text, JSON and Diagnostics are the promise to everybody
// else. A Result is not changed after Compile has returned it.
type Result struct {
	// Model is nil when the input has errors, Design as well.
	Model  *model.Model
	Design *design.Design
	// Diagnostics are sorted by place.
	Diagnostics diag.List
}

// Compile derives a design. It is a pure function: the same input gives the same result,
// byte for byte. It goes on after an error where it can, so that Diagnostics holds all
// that is wrong. It is safe for concurrent use.
func Compile(in Input) *Result {
	r := &Result{}
	m, diags := sqlfront.Load(sources(in.Schema), sources(in.Queries))
	r.Diagnostics = diags
	if !diags.HasErrors() {
		r.Model = m
		d, more := planner.Plan(m, planner.Options{TableName: in.Table})
		r.Diagnostics = append(r.Diagnostics, more...)
		r.Design = d
	}
	r.Diagnostics.Sort()
	return r
}

func sources(in []Source) []sqlfront.Source {
	out := make([]sqlfront.Source, len(in))
	for i, s := range in {
		out[i] = sqlfront.Source(s)
	}
	return out
}

// OK reports whether there is a design and nothing in Diagnostics is an error: every
// access pattern is served.
func (r *Result) OK() bool { return r.Design != nil && !r.Diagnostics.HasErrors() }

// Text is the design in its canonical text form: equal designs have equal text. It is ""
// when there is no design.
func (r *Result) Text() string {
	if r.Design == nil {
		return ""
	}
	return r.Design.String()
}

// Document is the design and the diagnostics in the form that JSON has. Without a design
// it holds the diagnostics alone.
func (r *Result) Document() *design.Document { return r.Design.Document(r.Diagnostics) }

// JSON is the document that `keyfold design --json` prints, indented, with a final newline.
func (r *Result) JSON() []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(r.Document()); err != nil {
		panic("keyfold: internal error: " + err.Error())
	}
	return b.Bytes()
}
