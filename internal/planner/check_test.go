package planner_test

import (
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/keyfold-dev/keyfold/internal/design"
	"github.com/keyfold-dev/keyfold/internal/diag"
	"github.com/keyfold-dev/keyfold/internal/model"
	"github.com/keyfold-dev/keyfold/internal/planner"
	"github.com/keyfold-dev/keyfold/internal/sqlfront"
)

func planCase(t *testing.T, name string) (*model.Model, *design.Design) {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	m, diags := sqlfront.Load([]sqlfront.Source{{Name: "schema.sql", Text: part(archive, "schema.sql")}},
		[]sqlfront.Source{{Name: "queries.sql", Text: part(archive, "queries.sql")}})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	d, _ := planner.Plan(m, planner.Options{})
	return m, d
}

// TestCheckFindsFaults breaks designs on purpose: Check must find each fault, by its code.
func TestCheckFindsFaults(t *testing.T) {
	literal := func(s string) design.Template { return design.Template{{Literal: s}} }
	request := func(d *design.Design, pattern string) *design.Request { return d.Plan(pattern).Requests[0] }
	for _, c := range []struct {
		name, in string
		mutate   func(*design.Design)
		want     diag.Code
	}{
		{"an index too many", "fromatoz", func(d *design.Design) {
			for range 20 {
				d.Tables[0].GSIs = append(d.Tables[0].GSIs, d.Tables[0].GSIs[0])
			}
		}, design.CodeLimits},
		{"a base key without the primary key", "fromatoz", func(d *design.Design) {
			d.Entity("products").Key("PK").Template = literal("P#1")
		}, design.CodeKey},
		{"a dropped sort condition", "fromatoz", func(d *design.Design) {
			request(d, "GetProductsByBrandAndCategory").Sort = nil
		}, design.CodeOverRead},
		{"a prefix that ends inside a component", "fromatoz", func(d *design.Design) {
			s := request(d, "GetProductsByBrandAndCategory").Sort
			s.Low = s.Low[:len(s.Low)-1]
		}, design.CodeUnderRead},
		{"an attribute that is not projected", "fromatoz", func(d *design.Design) {
			p := &d.Tables[0].GSIs[0].Projection
			p.Attributes = slices.DeleteFunc(slices.Clone(p.Attributes), func(a string) bool { return a == "stock_level" })
		}, design.CodeProjection},
		{"the wrong direction", "retail", func(d *design.Design) {
			request(d, "GetTenMostRecentOrdersByCustomer").Descending = false
		}, design.CodeOrdering},
		{"a limit before a filter", "retail", func(d *design.Design) {
			r := request(d, "GetCustomerOrder")
			r.Limit = request(d, "GetTenMostRecentOrdersByCustomer").Limit
		}, design.CodeLimitEarly},
		{"other kinds in the partition", "monithor", func(d *design.Design) {
			request(d, "GetMonitorsByProject").Sort = nil
		}, design.CodeKinds},
		{"an update that forgets an index key", "monithor", func(d *design.Design) {
			request(d, "ScheduleNextRun").Writes[0].Keys = nil
		}, design.CodeMaintain},
		{"a range with the wrong end", "monithor", func(d *design.Design) {
			s := request(d, "GetMonitorsDue").Sort
			s.High = s.High[:len(s.High)-1]
		}, design.CodeOverRead},
		{"a sparse index asked for all rows", "monithor", func(d *design.Design) {
			p := d.Plan("GetMonitorsDue")
			q := *p.Query
			q.Where = nil
			p.Query = &q
		}, design.CodeSparse},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, d := planCase(t, c.in)
			if found := design.Check(m, d); len(found) > 0 {
				t.Fatalf("the unbroken design has faults: %v", found)
			}
			c.mutate(d)
			found := design.Check(m, d)
			if !slices.ContainsFunc(found, func(x diag.Diagnostic) bool { return x.Code == c.want }) {
				t.Errorf("want %s, got %v", c.want, found)
			}
		})
	}
}
