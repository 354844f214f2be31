package verify_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/design"
	"github.com/keyfold-dev/keyfold/internal/diag"
	"github.com/keyfold-dev/keyfold/internal/model"
	"github.com/keyfold-dev/keyfold/internal/planner"
	"github.com/keyfold-dev/keyfold/internal/sqlfront"
	"github.com/keyfold-dev/keyfold/internal/verify"
)

var update = flag.Bool("update", false, "rewrite the expected output")

// load compiles one of testdata's applications.
func load(t *testing.T, name string) (*model.Model, *design.Design) {
	t.Helper()
	ar, err := txtar.ParseFile(filepath.Join("testdata", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	return compile(t, string(ar.Files[0].Data), string(ar.Files[1].Data))
}

func compile(t *testing.T, schema, queries string) (*model.Model, *design.Design) {
	t.Helper()
	m, diags := sqlfront.Load([]sqlfront.Source{{Name: "schema.sql", Text: schema}}, []sqlfront.Source{{Name: "queries.sql", Text: queries}})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	d, _ := planner.Plan(m, planner.Options{})
	return m, d
}

func run(t *testing.T, m *model.Model, d *design.Design, o verify.Options) *verify.Report {
	t.Helper()
	r, err := verify.Run(t.Context(), m, d, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestDesignsAgree runs the planner's designs of applications that use much of the
// language: all must be served, agree with SQL, and find something.
func TestDesignsAgree(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no applications", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) {
			m, d := load(t, name)
			r := run(t, m, d, verify.Options{Rows: 60, Runs: 12, Seed: 1})
			if !r.OK {
				t.Fatalf("%s\n%s", r, d)
			}
			for _, p := range r.Patterns {
				if p.Status != verify.OK || p.Runs != 12 {
					t.Errorf("%s is %s after %d runs", p.Name, p.Status, p.Runs)
				}
				// A DELETE of a parent is mostly forbidden by its children.
				if p.Hits == 0 && m.Pattern(p.Name).Delete == nil {
					t.Errorf("%s never found anything", p.Name)
				}
			}
		})
	}
}

// A report depends on nothing but its input and the seed.
func TestReportIsDeterministic(t *testing.T) {
	m, d := load(t, "writes")
	text := func(seed uint64) string {
		b, err := json.Marshal(run(t, m, d, verify.Options{Rows: 30, Runs: 6, Seed: seed}))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	first, again, other := text(7), text(7), text(8)
	if diff := cmp.Diff(first, again); diff != "" {
		t.Errorf("two runs differ: %s", diff)
	}
	if first == other {
		t.Error("another seed tries the same")
	}
}

func TestOnlySomePatterns(t *testing.T) {
	m, d := load(t, "order")
	r := run(t, m, d, verify.Options{Rows: 20, Runs: 3, Only: []string{"Latest"}})
	for _, p := range r.Patterns {
		want, runs := verify.Skipped, 0
		if p.Name == "Latest" {
			want, runs = verify.OK, 3
		}
		if p.Status != want || p.Runs != runs {
			t.Errorf("%s is %s after %d runs", p.Name, p.Status, p.Runs)
		}
	}
}

const storesSchema = `
CREATE TABLE chains (chain_id text PRIMARY KEY, name text);
CREATE TABLE stores (
    chain_id text NOT NULL REFERENCES chains, country text NOT NULL, city text NOT NULL, store_no integer NOT NULL,
    opened date NOT NULL, phone text UNIQUE, rent integer,
    PRIMARY KEY (chain_id, country, city, store_no)
);`

const storesQueries = `
-- name: ByCountry :many
SELECT city, store_no FROM stores WHERE chain_id = @chain_id AND country = @country ORDER BY city, store_no;

-- name: ByCity :many
SELECT store_no, opened FROM stores WHERE chain_id = @chain_id AND country = @country AND city = @city;

-- name: NumberedFrom :many
SELECT store_no FROM stores WHERE chain_id = @chain_id AND country = @country AND city = @city AND store_no > @after ORDER BY store_no DESC;

-- name: OpenedIn :many
SELECT chain_id, city, rent FROM stores WHERE country = @country AND opened BETWEEN @start AND @until ORDER BY opened;

-- name: Cheap :many
-- keyfold: filter=allow
SELECT chain_id, store_no FROM stores WHERE city = @city AND rent < @rent AND store_no <> @not_no;

-- name: FirstOpened :many
SELECT opened FROM stores WHERE country = @country ORDER BY opened LIMIT 2;

-- name: ByPhone :one
SELECT * FROM stores WHERE phone = @phone;

-- name: ChainStores :many
SELECT c.name, s.city, s.store_no FROM chains c LEFT JOIN stores s ON s.chain_id = c.chain_id WHERE c.chain_id = @chain_id;

-- name: Rents :many
SELECT city, sum(rent) AS total FROM stores WHERE chain_id = @chain_id AND country = @country GROUP BY city;

-- name: Open :exec
INSERT INTO stores (chain_id, country, city, store_no, opened, phone, rent) VALUES (@chain_id, @country, @city, @store_no, @opened, @phone, @rent);

-- name: Reopen :exec
UPDATE stores SET opened = @opened WHERE chain_id = @chain_id AND country = @country AND city = @city AND store_no = @store_no;

-- name: Raise :exec
UPDATE stores SET rent = @rent WHERE chain_id = @chain_id AND country = @country AND city = @city AND store_no = @store_no AND rent < @rent;

-- name: NewPhone :exec
UPDATE stores SET phone = @phone WHERE chain_id = @chain_id AND country = @country AND city = @city AND store_no = @store_no;

-- name: Shut :exec
DELETE FROM stores WHERE chain_id = @chain_id AND country = @country AND city = @city AND store_no = @store_no;
`

// requests returns the requests of a plan with an operation.
func requests(d *design.Design, pattern string, op design.Op) []*design.Request {
	var out []*design.Request
	for _, r := range d.Plan(pattern).Requests {
		if r.Op == op {
			out = append(out, r)
		}
	}
	return out
}

// writeOf returns the write of a plan to an entity, its own row's when of is "".
func writeOf(d *design.Design, pattern string, guard bool, op design.Op) *design.Write {
	for _, r := range d.Plan(pattern).Requests {
		for _, w := range r.Writes {
			if (d.Entity(w.Kind.Entity).Of != "") == guard && w.Op == op {
				return w
			}
		}
	}
	return nil
}

// cutLast takes the last n parts off a template.
func cutLast(t design.Template, n int) design.Template { return slices.Clone(t[:len(t)-n]) }

// A mutation breaks a design in one way. It reports false when there is nothing to break.
type mutation struct {
	name   string
	caught string // the pattern that shows it, "" when loading does, "*" when any may
	apply  func(d *design.Design) bool
}

// query finds the one Query of a plan and breaks it.
func query(pattern string, f func(r *design.Request) bool) func(d *design.Design) bool {
	return func(d *design.Design) bool {
		list := requests(d, pattern, design.Query)
		return len(list) > 0 && f(list[0])
	}
}

func write(pattern string, guard bool, op design.Op, f func(w *design.Write) bool) func(d *design.Design) bool {
	return func(d *design.Design) bool {
		w := writeOf(d, pattern, guard, op)
		return w != nil && f(w)
	}
}

func client(pattern string, f func(c *design.Client) bool) func(d *design.Design) bool {
	return func(d *design.Design) bool { return f(&d.Plan(pattern).Client) }
}

var mutations = []mutation{
	{"a base key without one of its columns", "", func(d *design.Design) bool {
		k := d.Entity("stores").Key("SK")
		k.Template = cutLast(k.Template, 2)
		return true
	}},
	{"a base key that spells a number otherwise", "*", func(d *design.Design) bool {
		parts := d.Entity("stores").Key("SK").Template
		for i, p := range parts {
			if p.Type.Kind == model.Integer {
				parts[i].Type = model.Type{Kind: model.Float}
				return true
			}
		}
		return false
	}},
	{"an unterminated prefix", "ByCity", query("ByCity", func(r *design.Request) bool {
		last := len(r.Sort.Low) - 1
		trimmed := strings.TrimSuffix(r.Sort.Low[last].Literal, design.Delimiter)
		if trimmed == r.Sort.Low[last].Literal {
			return false
		}
		r.Sort.Low = append(cutLast(r.Sort.Low, 1), design.Part{Literal: trimmed})
		return true
	})},
	{"a prefix that is too short", "ByCity", query("ByCity", func(r *design.Request) bool {
		r.Sort.Low = cutLast(r.Sort.Low, 2)
		return true
	})},
	{"the wrong direction", "ByCountry", query("ByCountry", func(r *design.Request) bool { r.Descending = !r.Descending; return true })},
	{"an inclusive bound", "NumberedFrom", query("NumberedFrom", func(r *design.Request) bool {
		if r.Sort.Low[len(r.Sort.Low)-1].Literal != design.Beyond {
			return false
		}
		r.Sort.Low = cutLast(r.Sort.Low, 1)
		return true
	})},
	{"an exclusive bound", "OpenedIn", query("OpenedIn", func(r *design.Request) bool {
		if r.Sort.High[len(r.Sort.High)-1].Literal != design.Beyond {
			return false
		}
		r.Sort.High = cutLast(r.Sort.High, 1)
		return true
	})},
	{"a projection without a column", "OpenedIn", func(d *design.Design) bool {
		found := false
		for _, ix := range d.Tables[0].GSIs {
			n := len(ix.Projection.Attributes)
			ix.Projection.Attributes = slices.DeleteFunc(ix.Projection.Attributes, func(a string) bool { return a == "rent" })
			found = found || len(ix.Projection.Attributes) < n
		}
		return found
	}},
	{"no filter", "Cheap", query("Cheap", func(r *design.Request) bool { had := len(r.Filter) > 0; r.Filter = nil; return had })},
	{"LIMIT one too few", "FirstOpened", query("FirstOpened", func(r *design.Request) bool {
		r.Limit = model.NewLiteral(model.At(model.Type{Kind: model.Integer}, diag.Pos{}), dynamo.Int(1))
		return true
	})},
	{"no LIMIT", "FirstOpened", query("FirstOpened", func(r *design.Request) bool { had := r.Limit != nil; r.Limit = nil; return had })},
	{"no aggregation", "Rents", client("Rents", func(c *design.Client) bool { had := c.Aggregate; c.Aggregate = false; return had })},
	{"no join", "ChainStores", client("ChainStores", func(c *design.Client) bool { had := c.Join; c.Join = false; return had })},
	{"an inner join for a left one", "ChainStores", func(d *design.Design) bool {
		q := *d.Plan("ChainStores").Query
		q.Sources = slices.Clone(q.Sources)
		inner := *q.Sources[1]
		inner.Left = false
		q.Sources[1] = &inner
		d.Plan("ChainStores").Query = &q
		return true
	}},
	{"an insert that replaces", "Open", write("Open", false, design.PutItem, func(w *design.Write) bool { had := w.Absent; w.Absent = false; return had })},
	{"an insert that is silent about duplicates", "Open", write("Open", false, design.PutItem, func(w *design.Write) bool { w.ErrorOnFail = false; return true })},
	{"an insert without an index key", "Open", write("Open", false, design.PutItem, func(w *design.Write) bool {
		had := len(w.Keys) > 0
		w.Keys = w.Keys[:len(w.Keys)/2]
		return had
	})},
	{"an insert without its guard", "Open", func(d *design.Design) bool {
		r := requests(d, "Open", design.TransactWriteItems)
		if len(r) == 0 {
			return false
		}
		r[0].Writes = r[0].Writes[:1]
		return true
	}},
	{"an update that leaves an index key", "Reopen", write("Reopen", false, design.UpdateItem, func(w *design.Write) bool { had := len(w.Keys) > 0; w.Keys = nil; return had })},
	{"an update that makes rows", "Reopen", write("Reopen", false, design.UpdateItem, func(w *design.Write) bool { had := w.Exists; w.Exists = false; return had })},
	{"an update without its condition", "Raise", write("Raise", false, design.UpdateItem, func(w *design.Write) bool { had := len(w.Condition) > 0; w.Condition = nil; return had })},
	{"an update that keeps the old guard", "NewPhone", func(d *design.Design) bool {
		r := requests(d, "NewPhone", design.TransactWriteItems)
		if len(r) == 0 {
			return false
		}
		n := len(r[0].Writes)
		r[0].Writes = slices.DeleteFunc(r[0].Writes, func(w *design.Write) bool { return w.Op == design.DeleteItem })
		return len(r[0].Writes) < n
	}},
	{"a delete that keeps the guard", "Shut", func(d *design.Design) bool {
		r := requests(d, "Shut", design.TransactWriteItems)
		if len(r) == 0 {
			return false
		}
		n := len(r[0].Writes)
		r[0].Writes = slices.DeleteFunc(r[0].Writes, func(w *design.Write) bool { return d.Entity(w.Kind.Entity).Of != "" })
		return len(r[0].Writes) < n
	}},
}

// TestBrokenDesignsAreCaught makes sure that verification is a check that can fail: each
// broken design must be found out, by the pattern that is broken, on a small case.
func TestBrokenDesignsAreCaught(t *testing.T) {
	for _, mu := range mutations {
		t.Run(mu.name, func(t *testing.T) {
			t.Parallel()
			m, d := compile(t, storesSchema, storesQueries)
			if !mu.apply(d) {
				t.Fatalf("the design has nothing to break:\n%s", d)
			}
			r := run(t, m, d, verify.Options{Rows: 60, Runs: 25, Seed: 1})
			if r.OK {
				t.Fatalf("not found out:\n%s\n%s", r, d)
			}
			f := r.Failures[0]
			i := slices.IndexFunc(r.Failures, func(f *verify.Failure) bool { return f.Pattern == mu.caught || mu.caught == "*" })
			if i < 0 {
				t.Fatalf("found out by %q, not by %q:\n%s", f.Pattern, mu.caught, f)
			}
			f = r.Failures[i]
			if n := strings.Count(f.Script, "INSERT INTO"); n > 6 {
				t.Errorf("the case has %d rows:\n%s", n, f)
			}
		})
	}
}

// TestFailureIsReadable pins what a user sees of a failure.
func TestFailureIsReadable(t *testing.T) {
	m, d := compile(t, storesSchema, storesQueries)
	requests(d, "ByCountry", design.Query)[0].Descending = true
	got := run(t, m, d, verify.Options{Rows: 40, Runs: 10, Seed: 3, Only: []string{"ByCountry"}}).Failures[0].String()
	file := filepath.Join("testdata", "failure.golden")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Error(diff)
	}
}
