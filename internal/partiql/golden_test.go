package partiql

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
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

// music is the table that the golden statements speak of: a composite key, a global index
// of everything, one of keys with two partition attributes, and a local one.
var music = &dynamo.Table{
	Name: "music",
	Attributes: []dynamo.AttributeDefinition{{Name: "PK", Type: "S"}, {Name: "SK", Type: "S"},
		{Name: "genre", Type: "S"}, {Name: "year", Type: "N"}},
	Keys: []dynamo.KeyElement{{Name: "PK"}, {Name: "SK", Sort: true}},
	GlobalIndexes: []dynamo.Index{
		{Name: "byGenre", Keys: []dynamo.KeyElement{{Name: "genre"}, {Name: "year", Sort: true}}},
		{Name: "many", Keys: []dynamo.KeyElement{{Name: "genre"}, {Name: "PK"}, {Name: "year", Sort: true}}}},
	LocalIndexes: []dynamo.Index{{Name: "byYear", Keys: []dynamo.KeyElement{{Name: "PK"}, {Name: "year", Sort: true}}}},
}

// TestGolden carries out the blocks of the files in testdata. Each line of a block is a
// statement, with its parameters as a JSON list in a comment at its end. "parse" shows the
// statement as it is printed, "lower" the requests that it becomes, "get" the request that
// it becomes in a batch or a transaction.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			datadriven.RunTest(t, file, func(t *testing.T, d *datadriven.TestData) string {
				var out strings.Builder
				for line := range strings.Lines(d.Input) {
					line = strings.TrimRight(line, "\n")
					fmt.Fprintf(&out, "%s\n", line)
					for _, s := range carryOut(t, d.Cmd, line) {
						fmt.Fprintf(&out, "    %s\n", s)
					}
				}
				return out.String()
			})
		})
	}
}

var parameterList = regexp.MustCompile(` -- (\[.*\])$`)

func carryOut(t *testing.T, command, line string) []string {
	s, err := Parse(line)
	if err != nil {
		return []string{faultText(t, err)}
	}
	if command == "parse" {
		return []string{s.String()}
	}
	var parameters []dynamo.Value
	if m := parameterList.FindStringSubmatch(line); m != nil {
		v, err := dynamo.ParseJSON([]byte(`{"L":` + m[1] + `}`))
		if err != nil {
			t.Fatal(line, err)
		}
		parameters = v.Elements()
	}
	b, err := s.Bind(parameters)
	if err != nil {
		return []string{faultText(t, err)}
	}
	lines, err := lower(b, command == "get")
	if err != nil {
		return []string{faultText(t, err)}
	}
	return lines
}

func faultText(t testing.TB, err error) string {
	var e *dynamo.Error
	if !errors.As(err, &e) || e.Code != dynamo.CodeValidation {
		t.Errorf("%v is no ValidationException", err)
	}
	return "! " + e.Message
}

func lower(b *Bound, single bool) ([]string, error) {
	switch {
	case b.Verb() == Select && single:
		in, columns, ok, err := b.Get(music)
		if !ok {
			return []string{"no single item"}, err
		}
		return []string{"get " + itemText(in.Key) + columnText(columns)}, err
	case b.Verb() == Select:
		return lowerRead(b)
	}
	a, ok, err := dynamo.TransactAction{}, true, error(nil)
	if b.Verb() == Exists {
		a, ok, err = b.Check(music)
	} else {
		a, err = b.Write(music)
	}
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return []string{"no single item with a condition"}, nil
	}
	return lowerWrite(&a), nil
}

func lowerRead(b *Bound) ([]string, error) {
	r, err := b.Read(music)
	if err != nil {
		return nil, err
	}
	var lines []string
	if r.Scan != nil {
		lines = append(lines, "scan "+sourceText(r.Scan.TableName, r.Scan.IndexName)+part("filter", r.Scan.FilterExpression, &r.Scan.Expressions))
	}
	for i := range r.Queries {
		q := &r.Queries[i]
		line := "query " + sourceText(q.TableName, q.IndexName) + part("key", q.KeyConditionExpression, &q.Expressions) +
			part("filter", q.FilterExpression, &q.Expressions)
		if q.Backward {
			line += "; backward"
		}
		lines = append(lines, line)
	}
	if r.Columns != nil {
		lines = append(lines, strings.TrimPrefix(columnText(r.Columns), "; "))
	}
	return lines, nil
}

func sourceText(table, index string) string {
	if index == "" {
		return table
	}
	return table + "." + index
}

func columnText(columns []Column) string {
	var list []string
	for _, c := range columns {
		list = append(list, c.Name+" = "+c.Path.String())
	}
	if list == nil {
		return ""
	}
	return "; columns " + strings.Join(list, ", ")
}

func lowerWrite(a *dynamo.TransactAction) []string {
	switch {
	case a.Put != nil:
		return []string{"put " + itemText(a.Put.Item) + part("condition", a.Put.ConditionExpression, &a.Put.Expressions)}
	case a.Update != nil:
		x := &a.Update.Expressions
		return []string{"update " + itemText(a.Update.Key) + part("", a.Update.UpdateExpression, x) +
			part("condition", a.Update.ConditionExpression, x) + returnsText(a.Update.ReturnValues)}
	case a.Delete != nil:
		return []string{"delete " + itemText(a.Delete.Key) + part("condition", a.Delete.ConditionExpression, &a.Delete.Expressions) +
			returnsText(a.Delete.ReturnValues)}
	}
	return []string{"check " + itemText(a.Check.Key) + part("condition", a.Check.ConditionExpression, &a.Check.Expressions)}
}

func returnsText(r dynamo.ReturnValues) string {
	if r == "" {
		return ""
	}
	return "; returns " + string(r)
}

func itemText(it dynamo.Item) string { return string(dynamo.AppendItemJSON(nil, it)) }

var placeholder = regexp.MustCompile(`[#:][0-9]+`)

// part shows an expression with what its placeholders stand for.
func part(name, text string, x *dynamo.Expressions) string {
	if text == "" {
		return ""
	}
	text = placeholder.ReplaceAllStringFunc(text, func(p string) string {
		for _, n := range x.Names {
			if n.Placeholder == p {
				return n.Name
			}
		}
		return string(dynamo.AppendJSON(nil, x.Values.Get(p)))
	})
	return strings.TrimRight("; "+name, " ") + " " + text
}
