package planner

import (
	"slices"
	"strings"

	"github.com/keyfold-dev/keyfold/internal/model"
)

// A label is a literal before a column in a key, such as "B#" before {brand_id}.
type label struct {
	text string
	attr string
}

// shape spells a partition key over columns of e: columns that are a foreign key are
// spelled as the parent spells its own key, so that parent and children meet in one
// partition; the primary key carries the entity's prefix; any other column its name.
func shape(m *model.Model, prefix map[string]string, e *model.Entity, cols []string, depth int) []label {
	for _, rel := range m.Relationships {
		if rel.Child != e.Name || !sameSet(rel.ChildAttrs, cols) || depth == 0 {
			continue
		}
		out := shape(m, prefix, m.Entity(rel.Parent), rel.ParentAttrs, depth-1)
		for i := range out {
			out[i].attr = rel.ChildAttrs[slices.Index(rel.ParentAttrs, out[i].attr)]
		}
		return out
	}
	if sameSet(e.PrimaryKey, cols) {
		var out []label
		for i, attr := range e.PrimaryKey {
			l := label{attr: attr}
			if i == 0 {
				l.text = prefix[e.Name] + "#"
			}
			out = append(out, l)
		}
		return out
	}
	var out []label
	for _, a := range e.Attributes {
		if !slices.Contains(cols, a.Name) {
			continue
		}
		if one := []string{a.Name}; len(cols) > 1 && singleParent(m, e, a.Name) {
			out = append(out, shape(m, prefix, e, one, depth-1)...)
		} else {
			out = append(out, label{strings.ToUpper(a.Name) + "#", a.Name})
		}
	}
	return out
}

func singleParent(m *model.Model, e *model.Entity, attr string) bool {
	return slices.ContainsFunc(m.Relationships, func(r *model.Relationship) bool {
		return r.Child == e.Name && len(r.ChildAttrs) == 1 && r.ChildAttrs[0] == attr
	})
}

// sortLabel is the literal before a column in a sort key: the prefix of the entity that
// the column identifies, or nothing.
func sortLabel(m *model.Model, prefix map[string]string, e *model.Entity, attr string) string {
	if singleParent(m, e, attr) || len(e.PrimaryKey) == 1 && e.PrimaryKey[0] == attr {
		return shape(m, prefix, e, []string{attr}, 8)[0].text
	}
	return ""
}

func sameSet(a, b []string) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(x string) bool { return !slices.Contains(b, x) })
}

// prefixes gives every entity the short literal of its keys: what the user asked for, or
// the initials of its name's words, or as many of its letters as tell it apart.
func prefixes(m *model.Model) map[string]string {
	out := map[string]string{}
	taken := map[string]bool{"METADATA": true, "UNIQUE": true}
	for _, e := range m.Entities {
		if e.Prefix != "" {
			out[e.Name] = e.Prefix
			taken[e.Prefix] = true
		}
	}
	wanted := map[string]int{}
	for _, e := range m.Entities {
		if e.Prefix == "" {
			wanted[initials(e.Name)]++
		}
	}
	for _, e := range m.Entities {
		if in := initials(e.Name); e.Prefix == "" && wanted[in] == 1 && !taken[in] {
			out[e.Name] = in
			taken[in] = true
		}
	}
	for _, e := range m.Entities {
		if out[e.Name] == "" {
			out[e.Name] = distinctPrefix(m, e.Name, taken)
			taken[out[e.Name]] = true
		}
	}
	return out
}

func initials(name string) string {
	var b strings.Builder
	for _, word := range strings.FieldsFunc(name, func(r rune) bool { return !isWordRune(r) }) {
		b.WriteString(strings.ToUpper(word[:1]))
	}
	if b.Len() == 0 {
		return "X"
	}
	return b.String()
}

func isWordRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}

// distinctPrefix takes the shortest beginning of the name that no other entity's name
// has, so that the choice does not depend on the order of the tables.
func distinctPrefix(m *model.Model, name string, taken map[string]bool) string {
	word := plainWord(name)
	for n := 2; n <= len(word); n++ {
		head := word[:n]
		clash := slices.ContainsFunc(m.Entities, func(o *model.Entity) bool {
			return o.Name != name && initials(o.Name) == initials(name) && strings.HasPrefix(plainWord(o.Name), head)
		})
		if !clash && !taken[head] {
			return head
		}
	}
	for n := 2; ; n++ {
		if p := word + strings.Repeat("X", n-1); !taken[p] {
			return p
		}
	}
}

func plainWord(name string) string {
	return strings.Map(func(r rune) rune {
		if isWordRune(r) {
			return r
		}
		return -1
	}, strings.ToUpper(name))
}
