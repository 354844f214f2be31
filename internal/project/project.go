// Package project reads a keyfold project from its folder: keyfold.yaml, the SQL files it
// names, and the sample rows beside them. It hides where files are, what their defaults
// are and how keyfold.yaml is spelled; faults come back as diagnostics with their places.
package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/keyfold-dev/keyfold"
	"github.com/keyfold-dev/keyfold/internal/diag"
)

// ConfigFile is the name of a project's configuration. The file may be missing.
const ConfigFile = "keyfold.yaml"

// A Project is the content of a folder at one moment.
type Project struct {
	Dir    string // as given
	Config Config
	Input  keyfold.Input
	// Samples are the files of the folder sample/, sorted by name.
	Samples []keyfold.Source
	// Texts holds every file that was read, for diag.Render.
	Texts diag.Sources
}

// Open reads the project in dir. The error says that there is no such folder; faults in
// the folder are diagnostics, and the project then holds what could be read. Names of
// sources begin with dir, so that they can be followed from where the user stands.
func Open(dir string) (*Project, diag.List, error) {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, fmt.Errorf("there is no folder %q", dir)
	case err != nil:
		return nil, nil, err
	case !info.IsDir():
		return nil, nil, fmt.Errorf("%q is a file; give the folder that holds schema.sql and queries.sql", dir)
	}
	r := &reader{p: &Project{Dir: dir, Texts: diag.Sources{}}}
	r.readConfig()
	p := r.p
	p.Input.Schema = r.readAll("schema", p.Config.Schema)
	p.Input.Queries = r.readAll("queries", p.Config.Queries)
	p.Input.Table = p.Config.Table.Text
	if p.Input.Table == "" {
		p.Input.Table = tableName(dir)
	}
	r.readSamples()
	return p, r.diags, nil
}

type reader struct {
	p     *Project
	diags diag.List
}

func (r *reader) readConfig() {
	name := filepath.Join(r.p.Dir, ConfigFile)
	text, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.diags.Errorf(CodeUnreadable, diag.Pos{File: name}, "", "%s", reason(err))
	}
	r.p.Texts[name] = string(text)
	r.p.Config = parseConfig(name, text, &r.diags)
}

// readAll reads the files that names match, each once, in the order of names.
func (r *reader) readAll(key string, names []Setting) []keyfold.Source {
	var out []keyfold.Source
	seen := map[string]bool{}
	for _, name := range names {
		matches, err := filepath.Glob(filepath.Join(r.p.Dir, filepath.FromSlash(name.Text)))
		if err != nil {
			r.diags.Errorf(CodeBadValue, name.Pos, "", "%q is not a file name or a pattern: %v", name.Text, err)
			continue
		}
		if len(matches) == 0 {
			r.missing(key, name)
		}
		for _, m := range matches {
			if !seen[m] {
				seen[m] = true
				out = r.read(out, m)
			}
		}
	}
	return out
}

func (r *reader) missing(key string, name Setting) {
	pos := name.Pos
	if !pos.IsValid() {
		pos = diag.Pos{File: filepath.Join(r.p.Dir, name.Text)}
	}
	hint := fmt.Sprintf("`keyfold init %s` writes a starter; %s can name other files", r.p.Dir, ConfigFile)
	if sql := r.sqlFiles(); len(sql) > 0 {
		hint = fmt.Sprintf("the folder has %s: name it in %s, as in `%s: %s`", strings.Join(sql, ", "), ConfigFile, key, sql[0])
	}
	r.diags.Errorf(CodeNoFile, pos, hint, "there is no %s in %s", name.Text, r.p.Dir)
}

func (r *reader) sqlFiles() []string {
	matches, _ := filepath.Glob(filepath.Join(r.p.Dir, "*.sql"))
	var out []string
	for _, m := range matches {
		if base := filepath.Base(m); base != "schema.sql" && base != "queries.sql" {
			out = append(out, base)
		}
	}
	return out
}

func (r *reader) read(to []keyfold.Source, name string) []keyfold.Source {
	text, err := os.ReadFile(name)
	if err != nil {
		r.diags.Errorf(CodeUnreadable, diag.Pos{File: name}, "", "%s", reason(err))
		return to
	}
	r.p.Texts[name] = string(text)
	return append(to, keyfold.Source{Name: name, Text: string(text)})
}

func (r *reader) readSamples() {
	matches, _ := filepath.Glob(filepath.Join(r.p.Dir, "sample", "*.csv"))
	for _, m := range matches {
		r.p.Samples = r.read(r.p.Samples, m)
	}
}

// reason is err without the operation and the name, which the position already says.
func reason(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return "cannot be read: " + p.Err.Error()
	}
	return err.Error()
}

// tableName makes a name that DynamoDB allows (Developer Guide, "Naming rules": 3 to 255
// of a-z, A-Z, 0-9, '_', '-' and '.') of a folder's name.
func tableName(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		abs = dir
	}
	name := strings.Map(func(r rune) rune {
		if isNameRune(r) {
			return r
		}
		return '_'
	}, filepath.Base(abs))
	if len(name) < 3 {
		name += "_table"
	}
	return name[:min(len(name), 255)]
}

func isNameRune(r rune) bool {
	return r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) || strings.ContainsRune("_-.", r)
}

// Stamp tells the state of the project's files: it changes when a file that Open would
// read is added, removed or written.
func (p *Project) Stamp() string {
	patterns := []string{ConfigFile, "sample/*.csv"}
	for _, s := range slices.Concat(p.Config.Schema, p.Config.Queries) {
		patterns = append(patterns, s.Text)
	}
	var b strings.Builder
	for _, pattern := range patterns {
		matches, _ := filepath.Glob(filepath.Join(p.Dir, filepath.FromSlash(pattern)))
		for _, m := range matches {
			if info, err := os.Stat(m); err == nil {
				fmt.Fprintf(&b, "%s %d %d\n", m, info.Size(), info.ModTime().UnixNano())
			}
		}
	}
	return b.String()
}
