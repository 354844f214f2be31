package sqlfront

import (
	"math"
	"slices"

	"github.com/keyfold-dev/keyfold/internal/model"
)

// The statistics that are assumed where the user gives none.
const (
	assumedRows      = 1000
	assumedPerParent = 10
	assumedRate      = 1  // calls per second
	assumedPage      = 25 // rows
	assumedShare     = 10 // rows per distinct value of a column that is not unique
	assumedDistinct  = 10000
	assumedElements  = 5 // of an array
)

// assumedSizes are typical bytes of a value of each kind.
var assumedSizes = map[model.Kind]float64{
	model.Text: 20, model.Integer: 5, model.Decimal: 6, model.Float: 9, model.Boolean: 1,
	model.Timestamp: 26, model.TimestampTZ: 27, model.Date: 10, model.Time: 15, model.UUID: 36,
	model.Bytes: 100, model.JSON: 200,
}

func assume(s *model.Stat, value float64) {
	if s.Value == 0 {
		*s = model.Stat{Value: value, Assumed: true}
	}
}

// assumeStatistics fills in what the user did not say.
func (l *loader) assumeStatistics() {
	for _, e := range l.model.Entities {
		assume(&e.Rows, assumedRows)
	}
	for _, r := range l.model.Relationships {
		perParent := float64(assumedPerParent)
		if r.Max.Value > 0 {
			perParent = min(perParent, r.Max.Value)
		}
		child := l.model.Entity(r.Child)
		if isKey(child, r.ChildAttrs) {
			perParent = 1
		}
		assume(&r.PerParent, perParent)
		if r.Max.Value == 0 {
			r.Max.Assumed = true
		}
	}
	for _, e := range l.model.Entities {
		for _, a := range e.Attributes {
			assume(&a.Size, assumedSize(a.Type))
			assume(&a.Distinct, l.assumedDistinct(e, a))
		}
	}
}

func assumedSize(t model.Type) float64 {
	size := assumedSizes[t.Kind]
	switch {
	case t.Kind == model.Enum:
		for _, label := range t.Labels {
			size += float64(len(label))
		}
		size = math.Ceil(size / float64(max(1, len(t.Labels))))
	case t.Kind == model.Text && t.Length > 0:
		size = min(size, float64(t.Length))
	}
	if t.Array {
		size *= assumedElements
	}
	return size
}

func (l *loader) assumedDistinct(e *model.Entity, a *model.Attribute) float64 {
	rows := e.Rows.Value
	if isKey(e, []string{a.Name}) {
		return rows
	}
	switch a.Type.Kind {
	case model.Boolean:
		return min(rows, 2)
	case model.Enum:
		return min(rows, float64(len(a.Type.Labels)))
	}
	distinct := max(1, min(math.Ceil(rows/assumedShare), assumedDistinct))
	for _, r := range l.model.Relationships {
		if r.Child == e.Name && len(r.ChildAttrs) == 1 && r.ChildAttrs[0] == a.Name {
			distinct = max(1, min(math.Ceil(rows/r.PerParent.Value), l.model.Entity(r.Parent).Rows.Value))
		}
	}
	return distinct
}

// isKey reports whether the attributes are the primary key or a unique key, in any order.
func isKey(e *model.Entity, attrs []string) bool {
	if sameNames(e.PrimaryKey, attrs) {
		return true
	}
	return slices.ContainsFunc(e.Unique, func(key []string) bool { return sameNames(key, attrs) })
}

func sameNames(a, b []string) bool {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	return slices.Equal(a, b)
}

// assumeHints fills in a query's statistics.
func assumeHints(h *model.Hints) {
	assume(&h.Rate, assumedRate)
	assume(&h.Peak, h.Rate.Value)
	assume(&h.Page, assumedPage)
}
