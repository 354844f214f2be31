package conformance

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const document = "../../docs/compatibility.md"

// TestCompatibilityDocument holds docs/compatibility.md to the recorded cases and the
// known differences.
func TestCompatibilityDocument(t *testing.T) {
	want := compatibility(loadSessions(t))
	if *update {
		if err := os.WriteFile(document, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("%s is stale (-want +got; go test ./internal/conformance -update writes it):\n%s", document, diff)
	}
}

func compatibility(sessions []*session) string {
	var out strings.Builder
	out.WriteString(`# Compatibility

What the engine's answers are held to. This file is written by the tests of
internal/conformance; the cases are below its testdata, one file for each aspect of an
operation. They run in process, over HTTP, and with the database closed and opened in the
middle. With an endpoint they are also compared with another implementation, and random
requests with them:

    go test ./internal/conformance -endpoint http://127.0.0.1:8000 -requests 10000 -seed 1

## Cases

| operation | aspect | requests | what it is about |
|---|---|---|---|
`)
	total := 0
	for _, s := range sessions {
		operation, aspect, _ := strings.Cut(s.file, "/")
		fmt.Fprintf(&out, "| %s | %s | %d | %s |\n", operation, aspect, len(s.steps), s.about)
		total += len(s.steps)
	}
	fmt.Fprintf(&out, "\n%d requests in %d files. Random requests are puts, updates, deletes, gets, queries, scans, batches and\n"+
		"transactions with random expressions on tables with string, number and binary keys, two global indexes\nand a local one.\n", total, len(sessions))
	out.WriteString("\n" + `## Known differences

Where ` + emulate + ` answers otherwise, and what is known of the service. Every
other difference fails the comparison.

| difference | there | here | known from |
|---|---|---|---|
`)
	for _, d := range slices.SortedFunc(slices.Values(differences), func(a, b difference) int { return strings.Compare(a.name, b.name) }) {
		fmt.Fprintf(&out, "| %s | %s | %s | %s |\n", d.name, d.theirs, d.ours, d.source)
	}
	return out.String()
}

// TestKnownDifferencesAreMeant wants every difference to be described, once, and to be
// used: by its own rule, or by the steps that name it.
func TestKnownDifferencesAreMeant(t *testing.T) {
	named := map[string]bool{}
	for _, s := range loadSessions(t) {
		for _, st := range s.steps {
			named[st.known] = true
		}
	}
	seen := map[string]bool{}
	for _, d := range differences {
		if d.name == "" || d.theirs == "" || d.ours == "" || d.source == "" || seen[d.name] {
			t.Errorf("known difference %q is not described, or twice", d.name)
		}
		seen[d.name] = true
		if d.covers == nil && !named[d.name] && d.name != spelledNumbers {
			t.Errorf("no case and no rule uses the known difference %q", d.name)
		}
	}
}
