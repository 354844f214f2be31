package diag

import (
	"fmt"
	"io"
	"strings"
)

// Sources gives Render the text of input files by the name that positions use.
type Sources map[string]string

// Render writes l to w, one diagnostic after the other:
//
//	queries.sql:12:7: error KF101: no column "brand_idd" in products
//	    WHERE brand_idd = @brand_id
//	          ^^^^^^^^^
//	    hint: did you mean "brand_id"?
//
// With color, severities are coloured by ANSI sequences.
func Render(w io.Writer, l List, src Sources, color bool) {
	for _, d := range l {
		fmt.Fprint(w, d.render(src, color))
	}
}

func (d Diagnostic) render(src Sources, color bool) string {
	var b strings.Builder
	if place := d.Pos.String(); place != "" {
		b.WriteString(place + ": ")
	}
	word := d.Severity.String()
	if color {
		word = [...]string{"\x1b[36m", "\x1b[33m", "\x1b[31m"}[d.Severity] + word + "\x1b[0m"
	}
	fmt.Fprintf(&b, "%s %s: %s\n", word, d.Code, d.Message)
	if line, ok := sourceLine(src[d.Pos.File], d.Pos.Line); ok {
		b.WriteString(excerpt(line, d.Pos))
	}
	if d.Hint != "" {
		fmt.Fprintf(&b, "    hint: %s\n", strings.ReplaceAll(d.Hint, "\n", "\n          "))
	}
	return b.String()
}

func sourceLine(text string, line int) (string, bool) {
	if line < 1 || text == "" {
		return "", false
	}
	for i := 1; ; i++ {
		head, rest, more := strings.Cut(text, "\n")
		if i == line {
			return strings.TrimRight(head, "\r"), true
		}
		if !more {
			return "", false
		}
		text = rest
	}
}

// excerpt shows the line and underlines the place. Tabs stay tabs in the line of
// carets, so both lines shift alike.
func excerpt(line string, pos Pos) string {
	start := min(max(pos.Column-1, 0), len(line))
	end := min(max(pos.EndColumn-1, start+1), max(len(line), start+1))
	var pad strings.Builder
	for _, r := range line[:start] {
		if r != '\t' {
			r = ' '
		}
		pad.WriteRune(r)
	}
	width := 1
	if end <= len(line) {
		width = max(1, len([]rune(line[start:end])))
	}
	return "    " + line + "\n    " + pad.String() + strings.Repeat("^", width) + "\n"
}
