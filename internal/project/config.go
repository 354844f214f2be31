package project

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/keyfold-dev/keyfold/internal/diag"
)

// A Setting is a value of keyfold.yaml and where it stands. The zero Pos is a default.
type Setting struct {
	Text string
	Pos  diag.Pos
}

// A Config is what keyfold.yaml says, with the defaults filled in.
type Config struct {
	Schema   []Setting // files or patterns, relative to the folder; default schema.sql
	Queries  []Setting // default queries.sql
	Table    Setting   // the table's name; "" for the folder's name
	Layout   Setting   // single
	KeyStyle Setting   // overloaded
	Package  Setting   // of generated Go code; "" for the table's name
	Region   Setting   // default us-east-1
}

// A key is one setting of keyfold.yaml: where its value goes, and which values it takes.
type key struct {
	name   string
	many   func(*Config) *[]Setting // a name or a list of names
	one    func(*Config) *Setting
	def    string
	values []string // nil: any that match allows
	notYet []string // of values, those that this version does not implement
	match  *regexp.Regexp
	want   string // what match asks for
}

var keys = []key{
	{name: "schema", many: func(c *Config) *[]Setting { return &c.Schema }, def: "schema.sql"},
	{name: "queries", many: func(c *Config) *[]Setting { return &c.Queries }, def: "queries.sql"},
	{name: "table", one: func(c *Config) *Setting { return &c.Table },
		match: regexp.MustCompile(`^[A-Za-z0-9_.-]{3,255}$`), want: "3 to 255 letters, digits, '_', '-' and '.'"},
	{name: "layout", one: func(c *Config) *Setting { return &c.Layout }, def: "single",
		values: []string{"single", "per-aggregate"}, notYet: []string{"per-aggregate"}},
	{name: "key_style", one: func(c *Config) *Setting { return &c.KeyStyle }, def: "overloaded",
		values: []string{"overloaded", "multi-attribute", "auto"}, notYet: []string{"multi-attribute", "auto"}},
	{name: "package", one: func(c *Config) *Setting { return &c.Package },
		match: regexp.MustCompile(`^[a-z][a-z0-9_]*$`), want: "a Go package name"},
	{name: "region", one: func(c *Config) *Setting { return &c.Region }, def: "us-east-1",
		match: regexp.MustCompile(`^[a-z]{2}(-[a-z]+)+-[0-9]$`), want: "a region such as eu-central-1"},
}

// parseConfig reads keyfold.yaml, all faults at once. Empty text is the default.
func parseConfig(name string, text []byte, diags *diag.List) Config {
	p := &configParser{file: name, diags: diags}
	p.document(text)
	for _, k := range keys {
		switch def := (Setting{Text: k.def}); {
		case k.many != nil && len(*k.many(&p.config)) == 0:
			*k.many(&p.config) = []Setting{def}
		case k.one != nil && k.one(&p.config).Text == "":
			*k.one(&p.config) = def
		}
	}
	return p.config
}

type configParser struct {
	file   string
	diags  *diag.List
	config Config
}

func (p *configParser) document(text []byte) {
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		var fault yaml.Error
		if errors.As(err, &fault) {
			p.errorf(CodeYAML, p.pos(fault.GetToken()), "", "%s", fault.GetMessage())
			return
		}
		p.errorf(CodeYAML, diag.Pos{File: p.file}, "", "%v", err)
		return
	}
	for _, doc := range file.Docs {
		switch body := doc.Body.(type) {
		case nil, *ast.NullNode, *ast.CommentGroupNode:
		case *ast.MappingNode:
			for _, v := range body.Values {
				p.setting(v)
			}
		default:
			p.errorf(CodeYAML, p.pos(body.GetToken()), "for example `table: catalog`", "settings are lines of the form key: value")
		}
	}
}

func (p *configParser) setting(v *ast.MappingValueNode) {
	at := p.pos(v.Key.GetToken())
	name := v.Key.GetToken().Value
	for _, k := range keys {
		switch {
		case k.name != name:
			continue
		case k.many != nil:
			*k.many(&p.config) = p.list(k, v.Value)
		default:
			if s, ok := p.scalar(k, v.Value); ok && p.allowed(k, s) {
				*k.one(&p.config) = s
			}
		}
		return
	}
	p.errorf(CodeUnknownKey, at, didYouMean(name, keyNames()), "there is no setting %q", name)
}

func keyNames() []string {
	var out []string
	for _, k := range keys {
		out = append(out, k.name)
	}
	return out
}

func (p *configParser) list(k key, n ast.Node) []Setting {
	seq, ok := n.(*ast.SequenceNode)
	if !ok {
		if s, ok := p.scalar(k, n); ok {
			return []Setting{s}
		}
		return nil
	}
	var out []Setting
	for _, v := range seq.Values {
		if s, ok := p.scalar(k, v); ok {
			out = append(out, s)
		}
	}
	return out
}

func (p *configParser) scalar(k key, n ast.Node) (Setting, bool) {
	if s, ok := n.(ast.ScalarNode); ok && n.Type() != ast.NullType {
		if text := fmt.Sprint(s.GetValue()); text != "" {
			return Setting{text, p.pos(n.GetToken())}, true
		}
	}
	form := "one value"
	if k.many != nil {
		form = "a file name, a pattern such as queries/*.sql, or a list of them"
	}
	p.errorf(CodeBadValue, p.pos(n.GetToken()), "", "%s takes %s", k.name, form)
	return Setting{}, false
}

func (p *configParser) allowed(k key, s Setting) bool {
	switch {
	case slices.Contains(k.notYet, s.Text):
		p.errorf(CodeNotYet, s.Pos, fmt.Sprintf("leave the line out, or write `%s: %s`", k.name, k.def),
			"%s %s is not implemented in this version", k.name, s.Text)
	case k.values != nil && !slices.Contains(k.values, s.Text):
		p.errorf(CodeBadValue, s.Pos, didYouMean(s.Text, k.values), "%s is one of %s, not %q",
			k.name, strings.Join(k.values, ", "), s.Text)
	case k.match != nil && !k.match.MatchString(s.Text):
		p.errorf(CodeBadValue, s.Pos, "", "%s must be %s", k.name, k.want)
	default:
		return true
	}
	return false
}

func (p *configParser) errorf(code diag.Code, at diag.Pos, hint, format string, args ...any) {
	p.diags.Errorf(code, at, hint, format, args...)
}

// pos underlines a token. The library counts columns in runes; settings are ASCII up to
// any place that a diagnostic speaks of, so they are bytes as well.
func (p *configParser) pos(t *token.Token) diag.Pos {
	if t == nil || t.Position == nil {
		return diag.Pos{File: p.file}
	}
	at := t.Position
	return diag.Pos{File: p.file, Line: at.Line, Column: at.Column, EndColumn: at.Column + len(t.Value)}
}
