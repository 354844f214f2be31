// Package diag holds what the compiler has to say about its input: positions,
// severities, stable codes, messages, hints, and the one way all of it is rendered.
// It hides source text handling (lines, carets, tabs) from everybody else and imports
// nothing of the project.
package diag

import (
	"cmp"
	"fmt"
	"slices"
)

// A Severity says what a diagnostic does to the run: an Error makes it fail, a Warning
// and a Note do not.
type Severity uint8

// The severities, in rising order of weight.
const (
	Note Severity = iota
	Warning
	Error
)

// String gives the word used in rendered diagnostics and in JSON.
func (s Severity) String() string {
	return [...]string{"note", "warning", "error"}[s]
}

// A Pos is a place in an input file. Line and Column count from 1; Column counts bytes.
// EndColumn, when larger than Column, ends the underlined part (exclusive) on the same
// line. The zero Pos means "no place".
type Pos struct {
	File      string
	Line      int
	Column    int
	EndColumn int
}

// IsValid reports whether p names a place.
func (p Pos) IsValid() bool { return p.Line > 0 }

// String is file:line:column, or the file alone when there is no line.
func (p Pos) String() string {
	if !p.IsValid() {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// A Code names one rule for ever: "KF" and three digits. It never changes its meaning
// and is never used again for another rule.
type Code string

// A Diagnostic is one thing to tell the user about the input: what is wrong, where, and
// what to do about it.
type Diagnostic struct {
	Severity Severity
	Code     Code
	Pos      Pos
	Message  string
	Hint     string
}

// A List collects diagnostics. The zero List is ready to use. It is not safe for
// concurrent use.
type List []Diagnostic

// Errorf appends an error at pos. The hint may be empty.
func (l *List) Errorf(code Code, pos Pos, hint, format string, args ...any) {
	*l = append(*l, Diagnostic{Error, code, pos, fmt.Sprintf(format, args...), hint})
}

// Warnf appends a warning at pos.
func (l *List) Warnf(code Code, pos Pos, hint, format string, args ...any) {
	*l = append(*l, Diagnostic{Warning, code, pos, fmt.Sprintf(format, args...), hint})
}

// Notef appends a note at pos.
func (l *List) Notef(code Code, pos Pos, hint, format string, args ...any) {
	*l = append(*l, Diagnostic{Note, code, pos, fmt.Sprintf(format, args...), hint})
}

// HasErrors reports whether any diagnostic is an error.
func (l List) HasErrors() bool {
	return slices.ContainsFunc(l, func(d Diagnostic) bool { return d.Severity == Error })
}

// Sort orders l by file, line, column and code, keeping the order of equals.
func (l List) Sort() {
	slices.SortStableFunc(l, func(a, b Diagnostic) int {
		return cmp.Or(cmp.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Column, b.Pos.Column), cmp.Compare(a.Code, b.Code))
	})
}
