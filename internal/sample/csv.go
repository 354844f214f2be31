package sample

import (
	"encoding/csv"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/keyfold-dev/keyfold"
	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/diag"
	"github.com/keyfold-dev/keyfold/internal/exec"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// The diagnostics about sample rows.
const (
	// CodeNoTable: a sample file, or a column of it, is named like nothing in the schema.
	//
	// Example:
	//  -- schema.sql --
	//  CREATE TABLE brands (brand_id text PRIMARY KEY);
	//  -- sample/brand.csv --
	//  brand_id
	CodeNoTable diag.Code = "KF811"

	// CodeBadCell: a cell of a sample file does not fit its column.
	//
	// Example:
	//  -- schema.sql --
	//  CREATE TABLE brands (brand_id text PRIMARY KEY, founded integer);
	//  -- sample/brands.csv --
	//  brand_id,founded
	//  volvo,early
	CodeBadCell diag.Code = "KF812"

	// CodeDuplicate: two sample rows have the same unique key.
	//
	// Example:
	//  -- schema.sql --
	//  CREATE TABLE brands (brand_id text PRIMARY KEY);
	//  -- sample/brands.csv --
	//  brand_id
	//  volvo
	//  volvo
	CodeDuplicate diag.Code = "KF813"

	// CodeNoParent: a sample row refers to a row that is not there.
	//
	// Example:
	//  -- schema.sql --
	//  CREATE TABLE brands (brand_id text PRIMARY KEY);
	//  CREATE TABLE products (product_id text PRIMARY KEY, brand_id text REFERENCES brands);
	//  -- sample/brands.csv --
	//  brand_id
	//  volvo
	//  -- sample/products.csv --
	//  product_id,brand_id
	//  model-3,tesla
	CodeNoParent diag.Code = "KF814"

	// CodeNoColumn: a sample file lacks a column of its table.
	//
	// Example:
	//  -- schema.sql --
	//  CREATE TABLE brands (brand_id text PRIMARY KEY, founded integer);
	//  -- sample/brands.csv --
	//  brand_id
	//  volvo
	CodeNoColumn diag.Code = "KF816"

	// CodeCSV: a sample file is not CSV.
	//
	// Example:
	//  -- schema.sql --
	//  CREATE TABLE brands (brand_id text PRIMARY KEY);
	//  -- sample/brands.csv --
	//  brand_id
	//  "volvo
	CodeCSV diag.Code = "KF815"
)

// entityOf finds the entity that a file is named for.
func entityOf(m *model.Model, f keyfold.Source, diags *diag.List) *model.Entity {
	name := strings.TrimSuffix(filepath.Base(f.Name), ".csv")
	if e := m.Entity(name); e != nil {
		return e
	}
	var names []string
	for _, e := range m.Entities {
		names = append(names, e.Name)
	}
	diags.Errorf(CodeNoTable, diag.Pos{File: f.Name}, didYouMean(name, names, ".csv"), "the schema has no table %s", name)
	return nil
}

func didYouMean(name string, candidates []string, suffix string) string {
	if near := diag.Nearest(name, candidates); near != "" {
		return "did you mean " + near + suffix + "?"
	}
	return ""
}

// A csvReader reads one file into its table.
type csvReader struct {
	data    *Data
	table   *Table
	file    string
	diags   *diag.List
	csv     *csv.Reader
	columns []*model.Attribute // of each cell; nil for an unknown column
}

func (r *csvReader) read(text string) {
	// Spreadsheets write a byte order mark.
	r.csv = csv.NewReader(strings.NewReader(strings.TrimPrefix(text, "\ufeff")))
	head, err := r.csv.Read()
	if err != nil {
		r.fault(err)
		return
	}
	for i, name := range head {
		r.columns = append(r.columns, r.column(i, strings.TrimSpace(name)))
	}
	r.missingColumns()
	for {
		cells, err := r.csv.Read()
		switch {
		case err == io.EOF:
			return
		case err != nil:
			r.fault(err)
			return
		}
		r.row(cells)
	}
}

// fault reports what encoding/csv says, which stops the file.
func (r *csvReader) fault(err error) {
	var p *csv.ParseError
	switch {
	case errors.As(err, &p):
		r.diags.Errorf(CodeCSV, diag.Pos{File: r.file, Line: p.Line, Column: max(1, p.Column)}, "", "%v", p.Err)
	case err == io.EOF:
		r.diags.Errorf(CodeCSV, diag.Pos{File: r.file}, "the first line names the columns, separated by commas", "the file is empty")
	default:
		r.diags.Errorf(CodeCSV, diag.Pos{File: r.file}, "", "%v", err)
	}
}

// pos is the place of a cell of the row read last.
func (r *csvReader) pos(cell int, text string) diag.Pos {
	line, column := r.csv.FieldPos(cell)
	return diag.Pos{File: r.file, Line: line, Column: column, EndColumn: column + len(text)}
}

func (r *csvReader) column(i int, name string) *model.Attribute {
	if a := r.table.Entity.Attribute(name); a != nil {
		return a
	}
	var names []string
	for _, a := range r.table.Entity.Attributes {
		names = append(names, a.Name)
	}
	r.diags.Errorf(CodeNoTable, r.pos(i, name), didYouMean(name, names, ""), "%s has no column %s", r.table.Entity.Name, name)
	return nil
}

// missingColumns says which columns get made-up values because the file has none.
func (r *csvReader) missingColumns() {
	for _, a := range r.table.Entity.Attributes {
		if constant(a.Default) == nil && !slices.Contains(r.columns, a) {
			r.diags.Warnf(CodeNoColumn, r.pos(0, ""), "add the column for values of your own",
				"there is no column %s; its values are made up", a.Name)
		}
	}
}

// constant is the default of a column when it is a constant, otherwise nil.
func constant(def model.Expr) *model.Literal {
	l, _ := def.(*model.Literal)
	return l
}

func (r *csvReader) row(cells []string) {
	made, _ := r.data.row(r.table, len(r.table.Rows), false)
	var row exec.Row
	for _, a := range r.table.Entity.Attributes {
		if slices.Contains(r.columns, a) {
			continue
		}
		if def := constant(a.Default); def != nil {
			row = row.Set(a.Name, def.Value)
		} else {
			row = row.Set(a.Name, made.Get(a.Name))
		}
	}
	good := true
	for i, text := range cells {
		if a := r.columns[i]; a != nil {
			v, ok := r.cell(i, a, text)
			good = good && ok
			row = row.Set(a.Name, v)
		}
	}
	if good && r.whole(row) && r.keys(row) && r.parents(row) {
		r.table.Rows = append(r.table.Rows, row)
	}
}

// whole reports a column that must not be NULL and could not be made up either.
func (r *csvReader) whole(row exec.Row) bool {
	for _, a := range r.table.Entity.Attributes {
		if a.NotNull && isNull(row.Get(a.Name)) {
			r.diags.Errorf(CodeBadCell, r.pos(0, ""), "", "%s is NOT NULL, and no value can be made up for it", a.Name)
			return false
		}
	}
	return true
}

// cell reads a value; an absent one is NULL.
func (r *csvReader) cell(i int, a *model.Attribute, text string) (dynamo.Value, bool) {
	if text == "" && (!a.NotNull || a.Type.Kind != model.Text || a.Type.Array) {
		if a.NotNull {
			r.diags.Errorf(CodeBadCell, r.pos(i, text), "", "%s is NOT NULL and empty", a.Name)
		}
		return dynamo.Value{}, !a.NotNull
	}
	v, err := exec.ParseValue(a.Type, text)
	if err != nil {
		r.diags.Errorf(CodeBadCell, r.pos(i, text), "", "%s: %v", a.Name, err)
		return v, false
	}
	return v, true
}

func (r *csvReader) keys(row exec.Row) bool {
	for _, key := range uniqueKeys(r.table.Entity) {
		if values := pick(row, key); r.table.has(key, values) {
			r.diags.Errorf(CodeDuplicate, r.pos(0, ""), "", "a row with %s came before", columnList(key, values))
			return false
		}
	}
	return true
}

func (r *csvReader) parents(row exec.Row) bool {
	for _, ref := range r.data.references(r.table.Entity.Name) {
		values := pick(row, ref.ChildAttrs)
		parent := r.data.Table(ref.Parent)
		if parent == nil || slices.ContainsFunc(values, isNull) || parent.has(ref.ParentAttrs, values) {
			continue
		}
		if ref.Parent == ref.Child && slices.EqualFunc(values, pick(row, ref.ParentAttrs), equal) {
			continue
		}
		where := parent.File
		if where == "" {
			where = "the rows made up for " + ref.Parent
		}
		r.diags.Errorf(CodeNoParent, r.pos(0, ""), "", "%s has no row with %s", where, columnList(ref.ParentAttrs, values))
		return false
	}
	return true
}
