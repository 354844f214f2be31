package archtest

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	maxFileLines     = 999
	maxFunctionLines = 60
)

func TestPackageNames(t *testing.T) {
	banned := []string{"util", "utils", "common", "helpers", "types", "base", "misc", "interfaces", "mock", "mocks"}
	for _, p := range load(t) {
		if name := path.Base(p.name); slices.Contains(banned, name) {
			t.Errorf("%s: %s says nothing about what the package hides", p.name, name)
		}
	}
}

// TestPackageComments wants one comment per package, in one file.
func TestPackageComments(t *testing.T) {
	for _, p := range load(t) {
		var where []string
		for _, f := range p.files {
			if f.syntax.Doc == nil {
				continue
			}
			where = append(where, f.name)
			text := f.syntax.Doc.Text()
			want := "Package " + f.syntax.Name.Name + " "
			if f.syntax.Name.Name == "main" {
				want = "Command " + path.Base(p.name) + " "
			}
			if !strings.HasPrefix(text, want) {
				t.Errorf("%s: the package comment must begin with %q", f.name, want)
			}
		}
		if len(where) != 1 {
			t.Errorf("%s: %d package comments %v, want one", p.name, len(where), where)
		}
	}
}

// TestDocComments wants a comment on every exported name outside tests. In a group of
// constants or variables the comment of the group is enough.
func TestDocComments(t *testing.T) {
	for _, p := range load(t) {
		for _, f := range p.files {
			if f.isTest {
				continue
			}
			for _, d := range f.syntax.Decls {
				switch d := d.(type) {
				case *ast.FuncDecl:
					if isPublic(d) && d.Doc == nil {
						t.Errorf("%s: %s has no doc comment", at(d), d.Name.Name)
					}
				case *ast.GenDecl:
					for _, s := range d.Specs {
						if name, doc := exported(s); name != "" && doc == nil && d.Doc == nil {
							t.Errorf("%s: %s has no doc comment", at(s), name)
						}
					}
				}
			}
		}
	}
}

// isPublic reports whether a function, or a method with its receiver, is exported.
func isPublic(d *ast.FuncDecl) bool {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return d.Name.IsExported()
	}
	typ := d.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	if generic, ok := typ.(*ast.IndexExpr); ok {
		typ = generic.X
	}
	name, ok := typ.(*ast.Ident)
	return d.Name.IsExported() && ok && name.IsExported()
}

func exported(s ast.Spec) (name string, doc *ast.CommentGroup) {
	switch s := s.(type) {
	case *ast.TypeSpec:
		if s.Name.IsExported() {
			return s.Name.Name, s.Doc
		}
	case *ast.ValueSpec:
		for _, n := range s.Names {
			if n.IsExported() {
				return n.Name, s.Doc
			}
		}
	}
	return "", nil
}

func TestFileLength(t *testing.T) {
	for _, p := range load(t) {
		for _, f := range p.files {
			if n := f.lines(); n > maxFileLines && !ast.IsGenerated(f.syntax) {
				t.Errorf("%s: %d lines, more than %d", f.name, n, maxFileLines)
			}
		}
	}
}

// TestFunctionLength allows a function as many lines beyond the limit as its longest
// switch has: one exhaustive switch over a sum type may be as long as the sum.
func TestFunctionLength(t *testing.T) {
	for _, p := range load(t) {
		for _, f := range p.files {
			if f.isTest || ast.IsGenerated(f.syntax) {
				continue
			}
			for _, d := range f.syntax.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok || fn.Body == nil {
					continue
				}
				if n := span(fn) - longestSwitch(fn); n > maxFunctionLines {
					t.Errorf("%s: %s has %d lines, more than %d", at(fn), fn.Name.Name, n, maxFunctionLines)
				}
			}
		}
	}
}

func span(n ast.Node) int {
	return fset.Position(n.End()).Line - fset.Position(n.Pos()).Line + 1
}

func longestSwitch(fn *ast.FuncDecl) int {
	longest := 0
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.SwitchStmt, *ast.TypeSwitchStmt:
			longest = max(longest, span(n))
		}
		return true
	})
	return longest
}

func TestNoBareTodo(t *testing.T) {
	open := regexp.MustCompile(`\b(TODO|FIXME|XXX|HACK)\b`)
	allowed := regexp.MustCompile(`\bTODO\(#[0-9]+\): `)
	for _, p := range load(t) {
		for _, f := range p.files {
			for _, g := range f.syntax.Comments {
				for _, c := range g.List {
					if open.MatchString(c.Text) && !allowed.MatchString(c.Text) {
						t.Errorf("%s: work left open without an issue: %s", at(c), c.Text)
					}
				}
			}
		}
	}
}

// TestNoInit forbids work before main: package initialisation has no errors to return and
// no context to stop it.
func TestNoInit(t *testing.T) {
	for _, p := range load(t) {
		for _, f := range p.files {
			for _, d := range f.syntax.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
					t.Errorf("%s: func init", at(fn))
				}
			}
		}
	}
}

// TestEnvironment keeps the environment and the process's end with the command.
func TestEnvironment(t *testing.T) {
	reserved := []string{"Getenv", "LookupEnv", "Environ", "Exit", "Args"}
	for _, p := range load(t) {
		if strings.HasPrefix(p.name, "cmd/") {
			continue
		}
		for _, f := range p.files {
			if f.isTest {
				continue
			}
			ast.Inspect(f.syntax, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					if x, ok := s.X.(*ast.Ident); ok && x.Name == "os" && slices.Contains(reserved, s.Sel.Name) {
						t.Errorf("%s: os.%s outside the command", at(s), s.Sel.Name)
					}
				}
				return true
			})
		}
	}
}

func TestFormatted(t *testing.T) {
	for _, p := range load(t) {
		for _, f := range p.files {
			want, err := format.Source(f.text)
			if err != nil {
				t.Errorf("%s: %v", f.name, err)
				continue
			}
			if !bytes.Equal(want, f.text) {
				t.Errorf("%s is not formatted: run gofmt -w %s", f.name, f.name)
			}
		}
	}
}

// TestRulesBite proves that the rules see what they forbid.
func TestRulesBite(t *testing.T) {
	short := "package p\n\nfunc f() {}\n"
	long := "package p\n\nfunc f(x int) {\n\tswitch x {\n" + strings.Repeat("\tcase 1:\n", 70) + "\t}\n}\n"
	long2 := "package p\n\nfunc f() {\n" + strings.Repeat("\t_ = 1\n", 70) + "}\n"
	for text, tooLong := range map[string]bool{short: false, long: false, long2: true} {
		fn := parseText(t, text).Decls[0].(*ast.FuncDecl)
		if got := span(fn)-longestSwitch(fn) > maxFunctionLines; got != tooLong {
			t.Errorf("function of %d lines, longest switch %d: too long is %v, want %v", span(fn), longestSwitch(fn), got, tooLong)
		}
	}
	method := parseText(t, "package p\n\nfunc (t *T) F() {}\n").Decls[0].(*ast.FuncDecl)
	hidden := parseText(t, "package p\n\nfunc (t *t) F() {}\n").Decls[0].(*ast.FuncDecl)
	if !isPublic(method) || isPublic(hidden) {
		t.Error("isPublic does not follow the receiver")
	}
	group := parseText(t, "package p\n\ntype T int\n").Decls[0].(*ast.GenDecl)
	if name, doc := exported(group.Specs[0]); name != "T" || doc != nil || group.Tok != token.TYPE {
		t.Errorf("exported: got %q, %v", name, doc)
	}
}

func parseText(t *testing.T, text string) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(fset, "case.go", text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
