package partiql

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/expr"
	"pgregory.net/rapid"
)

// A maker draws statements. Parameters are numbered in the order they are printed.
type maker struct {
	t          *rapid.T
	parameters int
}

func pick[T any](m *maker, list ...T) T { return rapid.SampledFrom(list).Draw(m.t, "one") }

func (m *maker) maybe() bool { return rapid.Bool().Draw(m.t, "maybe") }

func (m *maker) name() string {
	return pick(m, "a", "b", "PK", "select", "with space", `quo"te`, "é", "x.y", "it's", "$_1")
}

func (m *maker) path() *node {
	n := &node{op: opPath, path: expr.Path{{Name: m.name()}}}
	for range rapid.IntRange(0, 3).Draw(m.t, "steps") {
		step := expr.Step{Index: rapid.IntRange(0, 99).Draw(m.t, "index")}
		if m.maybe() {
			step = expr.Step{Name: m.name()}
		}
		n.path = append(n.path, step)
	}
	return n
}

func (m *maker) leaf() *node {
	switch pick(m, opPath, opString, opNumber, opTrue, opFalse, opNull, opMissing, opParameter, opIon) {
	case opString:
		return m.text()
	case opIon:
		return &node{op: opIon, text: pick(m, "x", "a`b", "")}
	case opNumber:
		return &node{op: opNumber, text: pick(m, "0", "1", "-1", "1.50", "-.5", "1e3", "2E-7", "-12.5e+10")}
	case opTrue:
		return &node{op: opTrue}
	case opFalse:
		return &node{op: opFalse}
	case opNull:
		return &node{op: opNull}
	case opMissing:
		return &node{op: opMissing}
	case opParameter:
		m.parameters++
		return &node{op: opParameter, number: m.parameters - 1}
	}
	return m.path()
}

func (m *maker) text() *node {
	return &node{op: opString, text: pick(m, "", "x", "it's", "--", "/*", `"`, "é\n", "?")}
}

func (m *maker) list(depth, least int) []*node {
	var list []*node
	for range rapid.IntRange(least, 3).Draw(m.t, "members") {
		list = append(list, m.expression(depth))
	}
	return list
}

func (m *maker) expression(depth int) *node {
	if depth == 0 {
		return m.leaf()
	}
	depth--
	switch o := pick(m, opPath, opList, opBag, opTuple, opCall, opNot, opNegative, opBetween, opIn, opIs, opOr, opAnd,
		opEq, opNe, opLt, opLe, opGt, opGe, opLike, opConcat, opPlus, opMinus, opTimes, opDivide, opModulo); o {
	case opPath:
		return m.leaf()
	case opList, opBag:
		return &node{op: o, args: m.list(depth, 0)}
	case opTuple:
		n := &node{op: o}
		for range rapid.IntRange(0, 2).Draw(m.t, "fields") {
			n.args = append(n.args, m.text(), m.expression(depth))
		}
		return n
	case opCall:
		return &node{op: o, text: pick(m, "size", "begins_with", "exists", "foo", "count"), args: m.list(depth, 0)}
	case opNegative:
		// A sign before a number is part of it.
		return &node{op: o, args: []*node{m.path()}}
	case opNot:
		return &node{op: o, args: []*node{m.expression(depth)}}
	case opBetween:
		return &node{op: o, args: []*node{m.expression(depth), m.expression(depth), m.expression(depth)}}
	case opIn:
		// Parentheses after IN make a list.
		left := m.expression(depth)
		if m.maybe() {
			return &node{op: o, args: []*node{left, m.leaf()}}
		}
		return &node{op: o, args: []*node{left, {op: pick(m, opList, opBag), args: m.list(depth, 0)}}}
	case opIs:
		return &node{op: o, text: pick(m, "MISSING", "NULL", "BOOLEAN", "STRING"), args: []*node{m.expression(depth)}}
	default:
		return &node{op: o, args: []*node{m.expression(depth), m.expression(depth)}}
	}
}

func (m *maker) statement() *Statement {
	s := &Statement{verb: pick(m, Select, Insert, Update, Delete, Exists), from: source{path: []string{pick(m, "music", "a-b.c")}}}
	if (s.verb == Select || s.verb == Exists) && m.maybe() {
		s.from.path = append(s.from.path, m.name())
	}
	if s.verb == Select && m.maybe() {
		s.columns = m.list(1, 1)
	}
	switch s.verb {
	case Insert:
		s.value = &node{op: opTuple, args: []*node{m.text(), m.expression(2)}}
		return s
	case Update:
		if s.fromFirst = m.maybe(); s.fromFirst {
			s.where = m.expression(2)
		}
		for range rapid.IntRange(1, 3).Draw(m.t, "actions") {
			a := assignment{target: m.path()}
			if m.maybe() {
				a.value = m.expression(2)
			}
			s.actions = append(s.actions, a)
		}
		s.returning = pick(m, "", "ALL OLD", "MODIFIED OLD", "ALL NEW", "MODIFIED NEW")
	case Delete:
		s.returning = pick(m, "", "ALL OLD")
	}
	if !s.fromFirst && m.maybe() {
		s.where = m.expression(3)
	}
	if s.verb == Select && m.maybe() {
		s.order = []sorting{{by: &node{op: opPath, path: expr.Path{{Name: m.name()}}}, descending: m.maybe()}}
	}
	return s
}

var sameTree = cmp.Options{
	cmp.AllowUnexported(Statement{}, source{}, sorting{}, assignment{}, node{}),
	cmpopts.IgnoreTypes(position{}), cmpopts.EquateEmpty(),
}

// TestPrintedStatementsParse checks that a statement that is printed and parsed is the same.
func TestPrintedStatementsParse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &maker{t: t}
		want := m.statement()
		got, err := Parse(want.String())
		if err != nil {
			t.Fatalf("%s\n%v", want, err)
		}
		if diff := cmp.Diff(want, got, sameTree); diff != "" {
			t.Fatalf("%s\n%s", want, diff)
		}
	})
}

// FuzzPartiQL looks for statements that panic, that print as something else, or that fail
// with anything but a ValidationException.
func FuzzPartiQL(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		f.Fatal("no seeds", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); strings.Contains(line, "music") {
				f.Add(line)
			}
		}
	}
	parameters := []dynamo.Value{dynamo.String("a"), dynamo.String("b"), dynamo.Int(1)}
	f.Fuzz(func(t *testing.T, src string) {
		s, err := Parse(src)
		if err != nil {
			validation(t, src, err)
			return
		}
		printed := s.String()
		again, err := Parse(printed)
		if err != nil {
			t.Fatalf("%q printed as %q: %v", src, printed, err)
		}
		if text := again.String(); text != printed {
			t.Fatalf("%q printed as %q, then as %q", src, printed, text)
		}
		b, err := s.Bind(parameters)
		if err != nil {
			validation(t, src, err)
			return
		}
		for _, single := range []bool{false, true} {
			if _, err := lower(b, single); err != nil {
				validation(t, src, err)
			}
		}
	})
}

func validation(t *testing.T, src string, err error) {
	var e *dynamo.Error
	if !errors.As(err, &e) || e.Code != dynamo.CodeValidation || e.Message == "" {
		t.Fatalf("%q fails with %v", src, err)
	}
}
