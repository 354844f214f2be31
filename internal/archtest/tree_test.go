package archtest

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const (
	modulePath = "github.com/keyfold-dev/keyfold"
	root       = "../.."
	rootName   = "keyfold" // how the table of imports calls the root package
)

// A file is one Go file of the module.
type file struct {
	name   string // relative to the root, with slashes
	text   []byte
	syntax *ast.File
	isTest bool
}

// A pkg is the Go files of one folder.
type pkg struct {
	name  string // relative to the root; rootName for the root itself
	files []*file
}

// imports gives the paths that the package's files import, sorted, each once.
func (p *pkg) imports(tests bool) []string {
	var out []string
	for _, f := range p.files {
		if f.isTest && !tests {
			continue
		}
		for _, im := range f.syntax.Imports {
			name, _ := strconv.Unquote(im.Path.Value)
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

var fset = token.NewFileSet()

// load parses every Go file of the module but those under testdata and in modules of their
// own.
func load(t *testing.T) []*pkg {
	t.Helper()
	tree, err := loadOnce()
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

var loadOnce = sync.OnceValues(func() ([]*pkg, error) {
	byDir := map[string]*pkg{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := d.Name()
		if d.IsDir() && name != root && (base == "testdata" || strings.HasPrefix(base, ".") || isModule(name)) {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(base, ".go") {
			return nil
		}
		f, err := parseFile(name)
		if err != nil {
			return err
		}
		dir := path.Dir(f.name)
		if dir == "." {
			dir = rootName
		}
		if byDir[dir] == nil {
			byDir[dir] = &pkg{name: dir}
		}
		byDir[dir].files = append(byDir[dir].files, f)
		return nil
	})
	if err != nil {
		return nil, err
	}
	var out []*pkg
	for _, p := range byDir {
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b *pkg) int { return strings.Compare(a.name, b.name) })
	return out, nil
})

// isModule reports whether a folder is a module of its own.
func isModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

func parseFile(name string) (*file, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	rel, err := filepath.Rel(root, name)
	if err != nil {
		return nil, err
	}
	syntax, err := parser.ParseFile(fset, filepath.ToSlash(rel), text, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	return &file{name: filepath.ToSlash(rel), text: text, syntax: syntax,
		isTest: strings.HasSuffix(name, "_test.go")}, nil
}

// inModule gives the name of an imported package of this module.
func inModule(importPath string) (string, bool) {
	if importPath == modulePath {
		return rootName, true
	}
	return strings.CutPrefix(importPath, modulePath+"/")
}

// isStandard reports whether an import path is of the standard library: its first
// element has no dot.
func isStandard(importPath string) bool {
	first, _, _ := strings.Cut(importPath, "/")
	return !strings.Contains(first, ".")
}

func (f *file) lines() int { return bytes.Count(f.text, []byte("\n")) }

// at spells the place of a node.
func at(n ast.Node) string {
	p := fset.Position(n.Pos())
	return fmt.Sprintf("%s:%d", p.Filename, p.Line)
}
