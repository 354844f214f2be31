package expr

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/keyfold-dev/keyfold/dynamo"
)

var update = flag.Bool("update", false, "rewrite the expected output of testdata")

func TestMain(m *testing.M) {
	flag.Parse()
	if *update {
		flag.Set("rewrite", "true")
	}
	os.Exit(m.Run())
}

// A bench is what the expressions of a file are tried on, line by line.
type bench struct {
	t     *testing.T
	x     dynamo.Expressions
	scope *Scope
	item  dynamo.Item
}

func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			b := &bench{t: t}
			datadriven.RunTest(t, file, func(t *testing.T, d *datadriven.TestData) string { return b.run(d) })
		})
	}
}

// run carries out one block. "with" sets names, values and the item for the blocks that
// follow; every other block tries each of its lines as an expression and shows what came
// of it.
func (b *bench) run(d *datadriven.TestData) string {
	if d.Cmd == "with" {
		return b.with(d.Input)
	}
	scope, err := NewScope(&b.x)
	if err != nil {
		return text(err) + "\n"
	}
	b.scope = scope
	var out strings.Builder
	for line := range strings.Lines(d.Input) {
		line = strings.TrimSuffix(line, "\n")
		fmt.Fprintf(&out, "%s\n\t%s\n", line, b.try(d.Cmd, line))
	}
	if d.HasArg("unused") {
		fmt.Fprintln(&out, text(scope.Unused()))
	}
	return out.String()
}

func (b *bench) with(input string) string {
	b.x, b.item = dynamo.Expressions{}, nil
	for line := range strings.Lines(input) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if name == "item" {
			it, err := dynamo.ParseItemJSON([]byte(value))
			if err != nil {
				return err.Error()
			}
			b.item = it
			continue
		}
		if strings.HasPrefix(name, "#") {
			b.x.Names = append(b.x.Names, dynamo.NameBinding{Placeholder: name, Name: value})
			continue
		}
		v, err := dynamo.ParseJSON([]byte(value))
		if err != nil {
			return err.Error()
		}
		b.x.Values = b.x.Values.Set(name, v)
	}
	if _, err := NewScope(&b.x); err != nil {
		return text(err) + "\n"
	}
	return ""
}

func text(err error) string {
	var e *dynamo.Error
	switch {
	case err == nil:
		return "no error"
	case errors.As(err, &e) && e.Code == dynamo.CodeValidation:
		return e.Message
	}
	return "not a validation error: " + err.Error()
}

func (b *bench) try(command, src string) string {
	switch command {
	case "condition":
		return b.condition(FilterExpression, src)
	case "key":
		return b.key(src)
	case "update", "create":
		return b.update(src, command == "create")
	case "project":
		return b.project(src)
	}
	b.t.Fatalf("no such command: %s", command)
	return ""
}

func (b *bench) condition(kind Kind, src string) string {
	c, err := ParseCondition(kind, src)
	if err != nil {
		return text(err)
	}
	if again, err := ParseCondition(kind, c.String()); err != nil || again.String() != c.String() {
		b.t.Errorf("%s\nprints as %s\nwhich prints as %s, %v", src, c, again, err)
	}
	if c, err = c.Bind(b.scope); err != nil {
		return text(err)
	}
	return fmt.Sprint(c.Eval(b.item))
}

func (b *bench) key(src string) string {
	k, err := ParseKeyCondition(src)
	if err != nil {
		return text(err)
	}
	terms, err := k.Bind(b.scope)
	if err != nil {
		return text(err)
	}
	return termsText(terms)
}

func termsText(terms []KeyTerm) string {
	var out []string
	for _, t := range terms {
		s := t.Attribute + " " + t.Op
		for _, v := range t.Values {
			s += " " + string(dynamo.AppendJSON(nil, v))
		}
		out = append(out, s)
	}
	return strings.Join(out, "; ")
}

func (b *bench) update(src string, create bool) string {
	u, err := ParseUpdate(src)
	if err != nil {
		return text(err)
	}
	if again, err := ParseUpdate(u.String()); err != nil || again.String() != u.String() {
		b.t.Errorf("%s\nprints as %s\nwhich prints as %s, %v", src, u, again, err)
	}
	if u, err = u.Bind(b.scope); err != nil {
		return text(err)
	}
	before := string(dynamo.AppendItem(nil, b.item))
	apply := u.Apply
	if create {
		apply = u.ApplyNew
	}
	it, touched, err := apply(b.item)
	if before != string(dynamo.AppendItem(nil, b.item)) {
		b.t.Errorf("%s changes the old item", src)
	}
	if err != nil {
		return text(err)
	}
	parts := Project(touched)
	return fmt.Sprintf("%s\n\told %s new %s", difference(b.item, it),
		dynamo.AppendItemJSON(nil, parts.Apply(b.item)), dynamo.AppendItemJSON(nil, parts.Apply(it)))
}

// difference shows the attributes that changed, and the names of those that are gone.
func difference(before, after dynamo.Item) string {
	var changed dynamo.Item
	for _, a := range after {
		if !dynamo.Equal(a.Value, before.Get(a.Name)) {
			changed = append(changed, a)
		}
	}
	out := string(dynamo.AppendItemJSON(nil, changed))
	for _, a := range before {
		if after.Get(a.Name).IsAbsent() {
			out += " without " + a.Name
		}
	}
	return out
}

func (b *bench) project(src string) string {
	p, err := ParseProjection(src)
	if err != nil {
		return text(err)
	}
	if p, err = p.Bind(b.scope); err != nil {
		return text(err)
	}
	return string(dynamo.AppendItemJSON(nil, p.Apply(b.item)))
}
