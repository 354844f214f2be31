package design

import (
	"slices"
	"strings"

	"github.com/keyfold-dev/keyfold/internal/model"
)

// Bounds are what a key condition says about the columns of a kind of item, found by
// laying the condition's templates over the kind's own.
type bounds struct {
	equals []bound
	ranged string // the column with a range, "" for none
	low    *bound // >= value, or > with open
	high   *bound
	like   *bound
}

// A bound is one column against one value.
type bound struct {
	column string
	value  model.Expr
	open   bool // the value itself is excluded
}

// equal lays a whole key over a template.
func (b *bounds) equal(own, asked Template) bool {
	if len(own) != len(asked) {
		return false
	}
	for i, p := range own {
		if !b.part(p, asked[i]) {
			return false
		}
	}
	return true
}

// part matches a literal with itself, a column with the value asked of it.
func (b *bounds) part(own, asked Part) bool {
	if own.Value == nil || asked.Value == nil {
		return own.Value == nil && asked.Value == nil && own.Literal == asked.Literal
	}
	col, ok := own.Value.(*model.Column)
	if !ok || asked.Prefix || own.Desc != asked.Desc || own.Nullable != asked.Nullable || own.Type.Kind != asked.Type.Kind ||
		own.Type.Bits != asked.Type.Bits || own.Type.Scale != asked.Type.Scale || own.Type.Precision != asked.Type.Precision {
		return false
	}
	b.equals = append(b.equals, bound{column: col.Attribute, value: asked.Value})
	return true
}

// prefix lays the beginning of a key over a template. It must end with a delimiter, so
// that it ends with a whole component, or in the middle of one that LIKE searches.
func (b *bounds) prefix(own, asked Template) bool {
	n := len(asked)
	if n == 0 || n > len(own) {
		return false
	}
	for i := range n - 1 {
		if !b.part(own[i], asked[i]) {
			return false
		}
	}
	last, mine := asked[n-1], own[n-1]
	switch {
	case last.Value == nil:
		return mine.Value == nil && strings.HasPrefix(mine.Literal, last.Literal) &&
			(strings.HasSuffix(last.Literal, Delimiter) || n == 1 && n < len(own) && last.Literal == mine.Literal)
	case last.Prefix:
		col, ok := mine.Value.(*model.Column)
		if !ok || mine.Desc || mine.Nullable != last.Nullable {
			return false
		}
		b.like = &bound{column: col.Attribute, value: last.Value}
		return true
	}
	return false
}

// between lays two bounds over a template: a common beginning, then a value or an open
// end for the next column.
func (b *bounds) between(own, low, high Template) bool {
	head := 0
	for head < len(own) && head < len(low) && head < len(high) && low[head].String() == high[head].String() && low[head].String() != "" {
		if low[head].Value != nil && !b.part(own[head], low[head]) || low[head].Value == nil && own[head].Literal != low[head].Literal {
			break
		}
		head++
	}
	if head > 0 && head == min(len(low), len(high)) && low[head-1].Value != nil {
		// Both ends are at the same value.
		head--
		b.equals = b.equals[:len(b.equals)-1]
	}
	if head == 0 && len(low) > 0 && len(high) > 0 {
		// Only the literal differs: an open upper end of the first column.
		return b.ends(own, 0, low, high)
	}
	return b.ends(own, head, low, high)
}

// ends reads the two ends behind a common beginning of n parts.
func (b *bounds) ends(own Template, n int, low, high Template) bool {
	at := slices.IndexFunc(own[min(n, len(own)):], func(p Part) bool { return p.Value != nil })
	if at < 0 {
		return false
	}
	at += n
	col, ok := own[at].Value.(*model.Column)
	if !ok || own[at].Desc {
		return false
	}
	b.ranged = col.Attribute
	var lowOK, highOK bool
	b.low, lowOK = endOf(own, at, low, false)
	b.high, highOK = endOf(own, at, high, true)
	if !lowOK || !highOK {
		return false
	}
	// An exclusive upper end without the mark behind it stops short of the value only if
	// every key goes on after the column.
	return b.high == nil || !b.high.open || at+1 < len(own)
}

// endOf reads one end of a range over the column at own[at]. A nil bound is an open end.
func endOf(own Template, at int, asked Template, upper bool) (*bound, bool) {
	if len(asked) < at {
		return nil, false
	}
	if len(asked) == at {
		return nil, openEnd(own, at, asked[at-1].Literal, upper)
	}
	p := asked[at]
	if p.Value == nil {
		// A nullable column's values lie between "=" and ">".
		want := "="
		if upper {
			want = ">"
		}
		return nil, own[at].Nullable && p.Literal == want && len(asked) == at+1
	}
	col := own[at].Value.(*model.Column)
	beyond := len(asked) == at+2 && asked[at+1].Value == nil && asked[at+1].Literal == Beyond
	if !beyond && len(asked) != at+1 || p.Nullable != own[at].Nullable || p.Type.Kind != own[at].Type.Kind {
		return nil, false
	}
	// Beyond lies behind every key with the value: it excludes the value below and
	// includes it above.
	return &bound{column: col.Attribute, value: p.Value, open: beyond != upper}, true
}

// openEnd recognises the beginning itself as a lower end, and the beginning with Beyond
// for its last delimiter as an upper one.
func openEnd(own Template, at int, literal string, upper bool) bool {
	mine := own[at-1].Literal
	if own[at].Nullable {
		return false
	}
	if !upper {
		return literal == mine
	}
	return strings.HasSuffix(mine, Delimiter) && literal == strings.TrimSuffix(mine, Delimiter)+Beyond
}

func isLiteral(t Template) bool {
	return !slices.ContainsFunc(t, func(p Part) bool { return p.Value != nil })
}

// leadOf is the literal that all keys of a template begin with.
func leadOf(t Template) string {
	var b strings.Builder
	for _, p := range t {
		if p.Value != nil {
			break
		}
		b.WriteString(p.Literal)
	}
	return b.String()
}
