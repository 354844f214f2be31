package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const goRun = "go run ./cmd/keyfold "

// TestReadmeCommands runs every command of README.md that has its output below it, in a
// copy of the examples, and holds the document to what is printed.
func TestReadmeCommands(t *testing.T) {
	name := repository(t, "README.md")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(workingCopy(t))
	parts := strings.Split(string(text), "```console\n")
	if len(parts) < 4 {
		t.Fatalf("README.md has %d commands with output", len(parts)-1)
	}
	for i, part := range parts[1:] {
		block, rest, ok := strings.Cut(part, "```\n")
		command, _, _ := strings.Cut(block, "\n")
		line, isRun := strings.CutPrefix(command, "$ "+goRun)
		if !ok || !isRun {
			t.Fatalf("not a command of keyfold: %q", command)
		}
		got := command + "\n" + execute(t, line)
		if !*update {
			if diff := cmp.Diff(block, got); diff != "" {
				t.Errorf("README.md is stale; run go test ./cmd/keyfold -update (-have +want)\n%s", diff)
			}
			continue
		}
		parts[i+1] = got + "```\n" + rest
	}
	if *update {
		if err := os.WriteFile(name, []byte(strings.Join(parts, "```console\n")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDocumentedCommands runs the commands that stand in indented blocks of README.md and
// of the examples' own.
func TestDocumentedCommands(t *testing.T) {
	names, err := filepath.Glob(repository(t, "examples/*/README.md"))
	if err != nil || len(names) < 6 {
		t.Fatalf("%d examples with a README: %v", len(names), err)
	}
	var lines []string
	for _, name := range append(names, repository(t, "README.md")) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if line, ok := strings.CutPrefix(line, "    "+goRun); ok {
				lines = append(lines, strings.TrimSpace(line))
			}
		}
	}
	if len(lines) < 12 {
		t.Fatalf("only %d commands found", len(lines))
	}
	t.Chdir(workingCopy(t))
	for _, line := range lines {
		t.Run(line, func(t *testing.T) { execute(t, line) })
	}
}

// TestMakeTest holds the second command of README.md to being a target.
func TestMakeTest(t *testing.T) {
	readme, err := os.ReadFile(repository(t, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	makefile, err := os.ReadFile(repository(t, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(readme), "\n    make test\n") || !strings.Contains(string(makefile), "\ntest:\n") {
		t.Error("README.md names make test, and the Makefile has it as a target")
	}
}

// repository is the absolute name of a file of the repository.
func repository(t *testing.T, name string) string {
	t.Helper()
	abs, err := filepath.Abs(filepath.Join("../..", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return abs
}

// workingCopy is a folder with a copy of the examples.
func workingCopy(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := copyExamples(filepath.Join(dir, "examples"), repository(t, "examples")); err != nil {
		t.Fatal(err)
	}
	return dir
}

var (
	endpointForm = regexp.MustCompile(`127\.0\.0\.1:[0-9]+`)
	takenForm    = regexp.MustCompile(`(?m)^ *\(port [0-9]+ is taken\)\n`)
)

// execute runs a command line in this process and gives what it prints. A dev stops after
// its report; which port was free is no matter.
func execute(t *testing.T, line string) string {
	t.Helper()
	args := words(line)
	if args[0] == "dev" {
		args = append(args, "--once")
	}
	var out, errOut bytes.Buffer
	if status := run(context.Background(), args, strings.NewReader(""), &out, &errOut); status != exitOK {
		t.Fatalf("keyfold %s: exit status %d\n%s", line, status, errOut.String())
	}
	return takenForm.ReplaceAllString(endpointForm.ReplaceAllString(out.String(), "127.0.0.1:8000"), "")
}

// words splits a line as a shell does, as far as quotes go.
func words(line string) []string {
	var out []string
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			out = append(out, part)
			continue
		}
		out = append(out, strings.Fields(part)...)
	}
	return out
}
