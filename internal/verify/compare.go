package verify

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/exec"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// spellAs prints a value for comparison. Numbers that SQLite may have computed in binary
// are cut to 12 digits.
func spellAs(t model.Type, v dynamo.Value) string {
	if v.Type() == dynamo.TypeNumber && (t.Kind == model.Float || t.Kind == model.Decimal && t.Precision == 0) && !t.Array {
		f, err := strconv.ParseFloat(v.Str(), 64)
		if err == nil {
			return strconv.FormatFloat(f, 'g', 12, 64)
		}
	}
	return spell(v)
}

func spellRow(types []model.Type, row []dynamo.Value) string {
	parts := make([]string, len(row))
	for i, v := range row {
		t := model.Type{}
		if i < len(types) {
			t = types[i]
		}
		parts[i] = spellAs(t, v)
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

func printRows(rows [][]dynamo.Value) []string {
	out := make([]string, len(rows))
	for i, r := range rows {
		out[i] = spellRow(nil, r)
	}
	return out
}

func sorted(s []string) []string {
	slices.Sort(s)
	return s
}

// without returns what a has more often than b; both are sorted.
func without(a, b []string) []string {
	var out []string
	for len(a) > 0 {
		switch {
		case len(b) == 0 || a[0] < b[0]:
			out = append(out, a[0])
			a = a[1:]
		case a[0] == b[0]:
			a, b = a[1:], b[1:]
		default:
			b = b[1:]
		}
	}
	return out
}

// compareRows holds the design's answer against SQL's. Without ORDER BY the order is
// free. With it, rows that the design orders alike may come in any order, and SQL's rows
// in the same places must be the same.
func compareRows(q *model.Query, got *exec.Result, want [][]dynamo.Value) *difference {
	types := outputTypes(q.Columns)
	spelled := func(rows [][]dynamo.Value) []string {
		out := make([]string, len(rows))
		for i, r := range rows {
			out[i] = spellRow(types, r)
		}
		return out
	}
	a, b := spelled(got.Rows), spelled(want)
	differ := func(reason string) *difference { return &difference{reason, a, b} }
	if len(a) != len(b) {
		return differ(fmt.Sprintf("%d rows instead of %d", len(a), len(b)))
	}
	if len(q.OrderBy) == 0 {
		if !slices.Equal(sorted(slices.Clone(a)), sorted(slices.Clone(b))) {
			return differ("other rows")
		}
		return nil
	}
	for start := 0; start < len(a); {
		end := start + 1
		for end < len(a) && sameOrder(got.Order[start], got.Order[end]) {
			end++
		}
		if !slices.Equal(sorted(slices.Clone(a[start:end])), sorted(slices.Clone(b[start:end]))) {
			if slices.Equal(sorted(slices.Clone(a)), sorted(slices.Clone(b))) {
				return differ(fmt.Sprintf("another order from row %d on", start+1))
			}
			return differ(fmt.Sprintf("other rows from row %d on", start+1))
		}
		start = end
	}
	return nil
}

func sameOrder(a, b []dynamo.Value) bool {
	return slices.EqualFunc(a, b, dynamo.Equal)
}

// compareCut checks that the answer under LIMIT and OFFSET, or the one row of a :one, is
// a part of the whole answer where SQL would cut it; among ties any.
func compareCut(s step, got, whole *exec.Result) *difference {
	skip, most := cutOf(s.pattern.Query.Offset, s.args, 0), cutOf(s.pattern.Query.Limit, s.args, -1)
	if s.pattern.Cardinality == model.One {
		most = 1
		if n := cutOf(s.pattern.Query.Limit, s.args, -1); n == 0 {
			most = 0
		}
	}
	rows, order := whole.Rows[min(skip, len(whole.Rows)):], whole.Order[min(skip, len(whole.Order)):]
	n := len(rows)
	if most >= 0 {
		n = min(n, most)
	}
	a, b := printRows(got.Rows), printRows(rows[:n])
	if len(a) != n {
		return &difference{fmt.Sprintf("%d rows where LIMIT leaves %d", len(a), n), a, b}
	}
	for i := range n {
		if !sameOrder(got.Order[i], order[i]) {
			return &difference{fmt.Sprintf("row %d under LIMIT is not among the first", i+1), a, b}
		}
	}
	if rest := without(sorted(slices.Clone(a)), sorted(printRows(whole.Rows))); len(rest) > 0 {
		return &difference{"rows under LIMIT that the whole answer does not have", rest, printRows(whole.Rows)}
	}
	return nil
}

// cutOf is the value of LIMIT or OFFSET.
func cutOf(e model.Expr, args exec.Args, otherwise int) int {
	var v dynamo.Value
	switch e := e.(type) {
	case *model.Literal:
		v = e.Value
	case *model.ParamRef:
		v = args[e.Name]
	}
	n, err := strconv.Atoi(v.Str())
	if err != nil {
		return otherwise
	}
	return n
}
