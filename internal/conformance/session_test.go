package conformance

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// A session is one recorded case: a file whose first lines say what it is about, with a
// line "tables: NAME..." for the tables of testdata/tables that it wants. Each section is
// a step: an operation, perhaps a line "known: NAME" for a known difference, and the
// request's JSON. The section "answer" after it is what comes back.
//
// In a request, <<TEXT*N>> stands for TEXT N times, and <<TEXT,*N>> for N texts between
// commas with the number of each in place of its percent signs.
type session struct {
	file    string // below testdata, without extension
	about   string
	comment []byte
	tables  []string
	steps   []step
}

type step struct {
	name    string
	source  []byte // the section
	op      string
	known   string
	request []byte
	want    string
}

func loadSessions(t testing.TB) []*session {
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	var all []*session
	for _, f := range files {
		all = append(all, loadSession(t, f))
	}
	return all
}

func loadSession(t testing.TB, file string) *session {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	rel, _ := filepath.Rel("testdata", file)
	s := &session{file: strings.TrimSuffix(filepath.ToSlash(rel), ".txtar"), comment: archive.Comment}
	for line := range strings.Lines(string(archive.Comment)) {
		if names, ok := strings.CutPrefix(line, "tables: "); ok {
			s.tables = strings.Fields(names)
		} else {
			s.about += line
		}
	}
	s.about = strings.Join(strings.Fields(s.about), " ")
	for _, f := range archive.Files {
		if f.Name != "answer" {
			s.steps = append(s.steps, parseStep(t, s.file, f))
		} else if len(s.steps) > 0 {
			s.steps[len(s.steps)-1].want = string(f.Data)
		}
	}
	return s
}

func parseStep(t testing.TB, file string, f txtar.File) step {
	st := step{name: f.Name, source: f.Data}
	op, rest, _ := strings.Cut(string(f.Data), "\n")
	st.op = strings.TrimSpace(op)
	if known, ok := strings.CutPrefix(rest, "known: "); ok {
		st.known, rest, _ = strings.Cut(known, "\n")
		if differenceNamed(st.known) == nil {
			t.Errorf("%s: step %s: no known difference is named %s", file, st.name, st.known)
		}
	}
	st.request = expand(t, strings.TrimSpace(rest))
	return st
}

var repetition = regexp.MustCompile(`(?s)<<(.*?)(,?)\*(\d+)>>`)

func expand(t testing.TB, text string) []byte {
	return repetition.ReplaceAllFunc([]byte(text), func(found []byte) []byte {
		m := repetition.FindSubmatch(found)
		n, err := strconv.Atoi(string(m[3]))
		if err != nil {
			t.Fatal(err)
		}
		var parts []string
		for i := range n {
			part := string(m[1])
			if len(m[2]) > 0 {
				part = strings.ReplaceAll(part, "%", strconv.Itoa(i+1))
			}
			parts = append(parts, part)
		}
		return []byte(strings.Join(parts, string(m[2])))
	})
}

// play sends the steps one after another; between is called before each.
func (s *session) play(t testing.TB, to side, between func(i int)) []answer {
	makeTables(t, to, s.tables)
	var answers []answer
	for i, st := range s.steps {
		between(i)
		answers = append(answers, to.send(t, st.op, st.request).sorted(st.op))
	}
	return answers
}

// made returns the names of the tables that the steps make.
func (s *session) made() []string {
	var names []string
	for _, st := range s.steps {
		var request struct{ TableName string }
		if st.op == "CreateTable" && json.Unmarshal(st.request, &request) == nil && request.TableName != "" {
			names = append(names, request.TableName)
		}
	}
	return names
}

// rewrite records answers in the file.
func (s *session) rewrite(t testing.TB, answers []answer) {
	a := &txtar.Archive{Comment: s.comment}
	for i, st := range s.steps {
		a.Files = append(a.Files, txtar.File{Name: st.name, Data: st.source},
			txtar.File{Name: "answer", Data: []byte(answers[i].text())})
	}
	if err := os.WriteFile("testdata/"+s.file+".txtar", txtar.Format(a), 0o644); err != nil {
		t.Fatal(err)
	}
}

// describe prints a step with its request, cut where it is long.
func (st *step) describe() string { return fmt.Sprintf("%s: %s %.2000s", st.name, st.op, st.request) }
