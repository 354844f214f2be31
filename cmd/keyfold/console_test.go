package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPanicIsReported holds a fault of ours to a message that says whose it is.
func TestPanicIsReported(t *testing.T) {
	var out, errOut bytes.Buffer
	c := newConsole(nil, &out, &errOut)
	status := c.guard(func() int { panic("keyfold: internal error: broken") })
	if status != exitFailed || out.Len() > 0 {
		t.Errorf("status %d, output %q", status, out.String())
	}
	for _, want := range []string{"internal error: broken", "not of your input", "keyfold version", "console_test.go"} {
		if !strings.Contains(errOut.String(), want) {
			t.Errorf("no %q in\n%s", want, errOut.String())
		}
	}
}

// TestTableFits holds every form of a table to the width, but for words that are longer.
func TestTableFits(t *testing.T) {
	table := &table{head: []string{"Access pattern", "Rows", "Key condition"}, right: map[int]bool{1: true}, details: 1}
	table.add("GetStores", "12", "PK = COUNTRY#{@country} AND begins_with(SK, S#{@state}#)")
	table.add("GetAll", "3", "")
	for width, want := range map[int]string{
		0: `
  Access pattern  Rows  Key condition
  GetStores         12  PK = COUNTRY#{@country} AND begins_with(SK, S#{@state}#)
  GetAll             3
`, 60: `
  Access pattern  Rows
  GetStores         12
    Key condition  PK = COUNTRY#{@country} AND
                   begins_with(SK, S#{@state}#)
  GetAll             3
`, 20: `
  GetStores
    Rows           12
    Key condition  PK
                   =
                   COUNTRY#{@country}
                   AND
                   begins_with(SK,
                   S#{@state}#)
  GetAll
    Rows           3
`,
	} {
		var b bytes.Buffer
		table.print(newConsole(nil, &b, &b).out, width)
		if diff := cmp.Diff(want, "\n"+b.String()); diff != "" {
			t.Errorf("width %d (-want +got)\n%s", width, diff)
		}
	}
}

func TestLineChanges(t *testing.T) {
	got := lineChanges("a\nb\nc\nd", "a\nx\nc\nd\ne")
	if want := []string{"- b", "+ x", "+ e"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := lineChanges("a\nb", "a\nb"); len(got) > 0 {
		t.Errorf("no change gives %q", got)
	}
}

func TestShellQuote(t *testing.T) {
	for in, want := range map[string]string{
		"a=b": "a=b", "a=b c": "'a=b c'", `{"k":1}`: `'{"k":1}'`, "it's": `'it'\''s'`, "a=$x": "'a=$x'",
	} {
		if got := shellQuote(in); got != want {
			t.Errorf("shellQuote(%q): got %s, want %s", in, got, want)
		}
	}
}
