package exec_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/engine"
	"github.com/keyfold-dev/keyfold/internal/design"
	"github.com/keyfold-dev/keyfold/internal/exec"
	"github.com/keyfold-dev/keyfold/internal/model"
	"github.com/keyfold-dev/keyfold/internal/sqlfront"
)

var update = flag.Bool("update", false, "rewrite the expected output of sessions")

func TestMain(m *testing.M) {
	flag.Parse()
	if *update {
		if err := flag.Set("rewrite", "true"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

const (
	meetSchema  = "CREATE TABLE t (id text PRIMARY KEY, n integer, tag text UNIQUE);"
	meetQueries = `
-- name: Add :exec
UPDATE t SET n = n + @by WHERE id = @id;
-- name: Tag :exec
UPDATE t SET tag = @tag WHERE id = @id;
`
	meetDesign = `
table main PK SK
entity t T
  PK T#{id}
  SK T
entity t.tag G of=t unique=tag columns=id,tag
  PK TAG#{tag}
  SK T
plan Add
  GetItem | T#{@id} | T | t:-1 | consistent
  UpdateItem | t | T#{@id} | T | exists unchanged=n
plan Tag
  GetItem | T#{@id} | T | t:-1 | consistent
  TransactWriteItems
  +UpdateItem | t | T#{@id} | T | exists unchanged=tag
  +DeleteItem | t.tag | TAG#{tag} | T | exists
  +PutItem | t.tag | TAG#{@tag} | T | copy=id absent error
`
)

// TestConcurrentWrites has writers that read before they write meet at one row: none of
// their changes may be lost.
func TestConcurrentWrites(t *testing.T) {
	m, diags := sqlfront.Load([]sqlfront.Source{{Text: meetSchema}}, []sqlfront.Source{{Text: meetQueries}})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	s := &session{t: t, model: m}
	if err := s.open(meetDesign); err != nil {
		t.Fatal(err)
	}
	if err := s.load("t", "id,n,tag\na,0,old"); err != nil {
		t.Fatal(err)
	}
	const writers, each = 4, 10
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			for i := range each {
				meet(t, s, "Add", exec.Args{"id": dynamo.String("a"), "by": dynamo.Int(1)})
				meet(t, s, "Tag", exec.Args{"id": dynamo.String("a"), "tag": dynamo.String(fmt.Sprint(w, " ", i))})
			}
		})
	}
	group.Wait()
	rows, err := exec.Dump(t.Context(), s.db, s.design)
	if err != nil {
		t.Fatal(err)
	}
	if n := rows["t"][0].Get("n").Str(); n != fmt.Sprint(writers*each) {
		t.Errorf("n is %s after %d additions", n, writers*each)
	}
}

func meet(t *testing.T, s *session, pattern string, args exec.Args) {
	res, err := exec.Run(t.Context(), s.db, s.design, s.design.Plan(pattern), args)
	if err != nil || res.Affected != 1 {
		t.Errorf("%s: %v, %v", pattern, res, err)
	}
}

// TestSessions runs hand-written designs on an engine:
//
//	schema, queries, design   give the application
//	load ENTITY               rows as CSV; an empty cell is NULL, "" is an empty text
//	run PATTERN [audit] [pages=N]   arguments as lines name = value, or name is NULL
//	text PATTERN              what the requests look like
//	items                     everything that is stored
//	check                     the stored state
func TestSessions(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no sessions", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			s := &session{t: t}
			datadriven.RunTest(t, file, func(t *testing.T, d *datadriven.TestData) string {
				out, err := s.command(d)
				if err != nil {
					return out + "error: " + err.Error() + "\n"
				}
				return out
			})
		})
	}
}

type session struct {
	t      *testing.T
	schema string
	model  *model.Model
	design *design.Design
	db     *engine.DB
	calls  byte // makes the uuids of calls differ
}

func (s *session) command(d *datadriven.TestData) (string, error) {
	switch d.Cmd {
	case "schema":
		s.schema = d.Input
		return "", nil
	case "queries":
		m, diags := sqlfront.Load([]sqlfront.Source{{Name: "schema.sql", Text: s.schema}}, []sqlfront.Source{{Name: "queries.sql", Text: d.Input}})
		s.model = m
		if diags.HasErrors() {
			return "", errors.New(diags[0].Message)
		}
		return "", nil
	case "design":
		return "", s.open(d.Input)
	case "load":
		return "", s.load(d.CmdArgs[0].Key, d.Input)
	case "run":
		return s.run(d)
	case "text":
		return s.text(d.CmdArgs[0].Key)
	case "items":
		return s.items()
	case "check":
		_, err := exec.Dump(s.t.Context(), s.db, s.design)
		return "", err
	}
	return "", fmt.Errorf("unknown command %s", d.Cmd)
}

func (s *session) open(text string) error {
	var err error
	if s.design, err = parseDesign(s.model, text); err != nil {
		return err
	}
	if s.db, err = engine.Open(engine.Options{}); err != nil {
		return err
	}
	s.t.Cleanup(func() { _ = s.db.Close() })
	return exec.CreateTables(s.t.Context(), s.db, s.design)
}

func (s *session) load(entity, text string) error {
	records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		return err
	}
	var rows []exec.Row
	for _, rec := range records[1:] {
		row := exec.Row{}
		for i, cell := range rec {
			if cell == "" {
				continue
			}
			if cell == `''` {
				cell = ""
			}
			v, err := exec.ParseValue(s.model.Entity(entity).Attribute(records[0][i]).Type, cell)
			if err != nil {
				return fmt.Errorf("%s: %w", records[0][i], err)
			}
			row = row.Set(records[0][i], v)
		}
		rows = append(rows, row)
	}
	return exec.Load(s.t.Context(), s.db, s.design, entity, rows)
}

func (s *session) run(d *datadriven.TestData) (string, error) {
	p := s.design.Plan(d.CmdArgs[0].Key)
	s.calls++
	r := &exec.Runner{Client: s.db, Design: s.design, Audit: d.HasArg("audit"),
		Clock:  func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) },
		Random: bytes.NewReader(bytes.Repeat([]byte{s.calls}, 64))}
	if d.HasArg("pages") {
		var n int
		d.ScanArgs(s.t, "pages", &n)
		r.PageLimit = int64(n)
	}
	args := exec.Args{}
	for _, line := range strings.Split(d.Input, "\n") {
		if name, ok := strings.CutSuffix(line, " is NULL"); ok {
			args[name] = dynamo.Null()
			continue
		}
		name, value, ok := strings.Cut(line, " = ")
		if !ok {
			continue
		}
		t := model.Type{}
		if q := p.Pattern.Param(name); q != nil {
			if t = q.Type; q.List {
				t.Array = true
			}
		}
		v, err := exec.ParseValue(t, value)
		if err != nil {
			return "", err
		}
		args[name] = v
	}
	res, err := r.Run(s.t.Context(), p, args)
	if err != nil {
		return "", err
	}
	return describe(p, res), nil
}

func describe(p *design.Plan, res *exec.Result) string {
	var b strings.Builder
	if len(res.Columns) > 0 {
		b.WriteString(strings.Join(res.Columns, " | ") + "\n")
	}
	for _, row := range res.Rows {
		cells := make([]string, len(row))
		for i, v := range row {
			cells[i] = show(v)
		}
		b.WriteString(strings.Join(cells, " | ") + "\n")
	}
	if p.Pattern.IsWrite() {
		fmt.Fprintf(&b, "affected %d\n", res.Affected)
	}
	for _, r := range res.Requests {
		fmt.Fprintf(&b, "-- %s %s pages %d items %d units %g\n", r.Op, r.Index, r.Pages, r.Items, r.Units)
	}
	return b.String()
}

func show(v dynamo.Value) string {
	switch v.Type() {
	case dynamo.TypeNull:
		return "NULL"
	case dynamo.TypeBool:
		return fmt.Sprint(v.IsTrue())
	case dynamo.TypeNumber:
		return v.Str()
	case dynamo.TypeString:
		return "'" + v.Str() + "'"
	}
	return string(dynamo.AppendJSON(nil, v))
}

// text shows a plan's requests for people, as expressions and in PartiQL.
func (s *session) text(name string) (string, error) {
	p := s.design.Plan(name)
	var b strings.Builder
	for _, r := range p.Requests {
		fmt.Fprintf(&b, "%s %s\n", r.Op, s.design.KeyConditionText(r))
		if f := s.design.FilterText(p, r); f != "" {
			fmt.Fprintf(&b, "  filter %s\n", f)
		}
		if r.Op == design.Query {
			x, err := s.design.Express(p, r, nil)
			if err != nil {
				return b.String(), err
			}
			printExpressions(&b, x)
		}
		for _, w := range r.Writes {
			x, err := s.design.ExpressWrite(p, w, nil)
			if err != nil {
				return b.String(), err
			}
			fmt.Fprintf(&b, "  %s %s %s\n", w.Op, w.PK, w.SK)
			printExpressions(&b, x)
		}
		for _, st := range s.design.PartiQL(p, r) {
			fmt.Fprintf(&b, "  partiql %s\n          %s\n", st.Text, st)
		}
	}
	return b.String(), nil
}

func printExpressions(b *strings.Builder, x *design.Expressions) {
	for _, e := range []struct{ name, text string }{{"key", x.KeyCondition}, {"filter", x.Filter}, {"condition", x.Condition}, {"update", x.Update}} {
		if e.text != "" {
			fmt.Fprintf(b, "  %s: %s\n", e.name, e.text)
		}
	}
	for _, n := range x.Names {
		fmt.Fprintf(b, "    %s is %s\n", n.Placeholder, n.Name)
	}
	for _, v := range x.Values {
		fmt.Fprintf(b, "    %s is %s\n", v.Placeholder, v)
	}
}

func (s *session) items() (string, error) {
	var b strings.Builder
	for _, t := range s.design.Tables {
		out, err := s.db.Scan(s.t.Context(), &dynamo.ScanInput{TableName: t.Name})
		if err != nil {
			return "", err
		}
		var lines []string
		for _, it := range out.Items {
			var parts []string
			for _, a := range it {
				parts = append(parts, a.Name+"="+show(a.Value))
			}
			lines = append(lines, strings.Join(parts, " "))
		}
		slices.Sort(lines)
		for _, line := range lines {
			b.WriteString(line + "\n")
		}
	}
	return b.String(), nil
}
