// Package sample makes the rows that a design is tried with: from CSV files where there
// are any, otherwise made up, readable, and right in their keys and foreign keys; and
// arguments for access patterns that find something in them. It hides how values are made
// up. The same input always gives the same rows.
package sample

import (
	"slices"
	"strings"

	"github.com/keyfold-dev/keyfold"
	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/diag"
	"github.com/keyfold-dev/keyfold/internal/exec"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// Data are sample rows of every entity of a model.
type Data struct {
	Tables    []*Table // parents before their children
	model     *model.Model
	constants map[[2]string][]dynamo.Value
}

// A Table is the sample rows of one entity.
type Table struct {
	Entity *model.Entity
	Rows   []exec.Row
	// File is the CSV file they come from, "" when they are made up.
	File    string
	indexes map[string]*index // by column names
}

// Rows reads the CSV files and makes up rows of the entities that have none: n of an
// entity that refers to others, some fewer of one that does not. A file is named for its
// entity, as in products.csv; its first line names columns. An empty cell is NULL, or
// empty text where NULL is not allowed.
func Rows(m *model.Model, files []keyfold.Source, n int) (*Data, diag.List) {
	d := &Data{model: m, constants: constantsOf(m)}
	var diags diag.List
	byEntity := map[string]keyfold.Source{}
	for _, f := range files {
		if e := entityOf(m, f, &diags); e != nil {
			byEntity[e.Name] = f
		}
	}
	for _, e := range parentsFirst(m) {
		t := &Table{Entity: e}
		d.Tables = append(d.Tables, t)
		if f, ok := byEntity[e.Name]; ok {
			t.File = f.Name
			r := &csvReader{data: d, table: t, file: f.Name, diags: &diags}
			r.read(f.Text)
			continue
		}
		d.makeUp(t, n)
	}
	return d, diags
}

// Table returns the rows of an entity, or nil.
func (d *Data) Table(entity string) *Table {
	for _, t := range d.Tables {
		if t.Entity.Name == entity {
			return t
		}
	}
	return nil
}

// Len is the number of all rows.
func (d *Data) Len() int {
	n := 0
	for _, t := range d.Tables {
		n += len(t.Rows)
	}
	return n
}

// parentsFirst orders entities so that each comes after those it refers to, otherwise as
// in the model. Where references form a circle the model's order stands.
func parentsFirst(m *model.Model) []*model.Entity {
	var out []*model.Entity
	state := map[string]bool{}
	var visit func(e *model.Entity)
	visit = func(e *model.Entity) {
		if state[e.Name] {
			return
		}
		state[e.Name] = true
		for _, r := range m.Relationships {
			if parent := m.Entity(r.Parent); r.Child == e.Name && parent != nil {
				visit(parent)
			}
		}
		out = append(out, e)
	}
	for _, e := range m.Entities {
		visit(e)
	}
	return out
}

// references lists the foreign keys of an entity.
func (d *Data) references(entity string) []*model.Relationship {
	var out []*model.Relationship
	for _, r := range d.model.Relationships {
		if r.Child == entity {
			out = append(out, r)
		}
	}
	return out
}

// uniqueKeys lists the primary key and the further unique keys of an entity.
func uniqueKeys(e *model.Entity) [][]string {
	return append([][]string{e.PrimaryKey}, e.Unique...)
}

// An index finds rows of a table by some of their columns.
type index struct {
	rows  int // of the table, indexed so far
	found map[string]bool
}

// has reports whether t has a row with the given values in the given columns. A NULL
// among the values equals nothing.
func (t *Table) has(columns []string, values []dynamo.Value) bool {
	if slices.ContainsFunc(values, isNull) {
		return false
	}
	name := strings.Join(columns, ",")
	if t.indexes == nil {
		t.indexes = map[string]*index{}
	}
	ix := t.indexes[name]
	if ix == nil {
		ix = &index{found: map[string]bool{}}
		t.indexes[name] = ix
	}
	for ; ix.rows < len(t.Rows); ix.rows++ {
		if have := pick(t.Rows[ix.rows], columns); !slices.ContainsFunc(have, isNull) {
			ix.found[fingerprint(have)] = true
		}
	}
	return ix.found[fingerprint(values)]
}

// fingerprint is the same for equal values and differs for others.
func fingerprint(values []dynamo.Value) string {
	var b []byte
	for _, v := range values {
		b = dynamo.AppendValue(b, v)
	}
	return string(b)
}

func pick(r exec.Row, columns []string) []dynamo.Value {
	out := make([]dynamo.Value, len(columns))
	for i, c := range columns {
		out[i] = r.Get(c)
	}
	return out
}

func isNull(v dynamo.Value) bool { return v.IsAbsent() || v.IsNull() }

// equal compares as SQL's = does, for values of one type: NULL equals nothing.
func equal(a, b dynamo.Value) bool { return !isNull(a) && dynamo.Equal(a, b) }

// columnList spells columns and their values for a message: brand_id = tesla.
func columnList(columns []string, values []dynamo.Value) string {
	out := make([]string, len(columns))
	for i, c := range columns {
		out[i] = c + " = " + Text(values[i])
	}
	return strings.Join(out, ", ")
}
