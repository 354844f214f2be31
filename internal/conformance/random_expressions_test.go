package conformance

import (
	"fmt"
	"slices"
	"strings"
)

// begin forgets the placeholders of the request before.
func (g *generator) begin() { g.names, g.values = map[string]any{}, map[string]any{} }

// placeholders returns the request's names and values, as far as there are any.
func (g *generator) placeholders() map[string]any {
	out := map[string]any{}
	if len(g.names) > 0 {
		out["ExpressionAttributeNames"] = g.names
	}
	if len(g.values) > 0 {
		out["ExpressionAttributeValues"] = g.values
	}
	return out
}

// name spells an attribute's name, mostly by a placeholder.
func (g *generator) name(attr string) string {
	reserved := slices.Contains([]string{"status", "year", "at", "hash", "rank", "none", "raw", "map", "list"}, attr)
	if !reserved && g.chance(40) || g.chance(1) {
		return attr
	}
	for ref, name := range g.names {
		if name == attr {
			return ref
		}
	}
	ref := fmt.Sprintf("#n%d", len(g.names))
	g.names[ref] = attr
	return ref
}

func (g *generator) bind(v map[string]any) string {
	ref := fmt.Sprintf(":v%d", len(g.values))
	g.values[ref] = v
	return ref
}

// path makes a document path and says which type is to be expected there.
func (g *generator) path() (path, typ string) {
	a := pick(g, attributes...)
	path, typ = g.name(a.name), a.typ
	for range 2 {
		switch {
		case typ == "M" && g.chance(70):
			field := pick(g, "x", "y", "list", "map", "gone")
			path += "." + g.name(field)
			typ = map[string]string{"x": "N", "y": "S", "list": "L", "map": "M"}[field]
		case typ == "L" && g.chance(70):
			path += fmt.Sprintf("[%d]", g.IntN(4))
			typ = pick(g, "S", "N")
		}
	}
	if typ == "" {
		typ = "S"
	}
	return path, typ
}

// operand makes an operand of a comparison, mostly of the type.
func (g *generator) operand(typ string) string {
	switch {
	case g.chance(10):
		p, _ := g.path()
		return p
	case g.chance(8):
		p, _ := g.path()
		return "size(" + p + ")"
	case g.chance(12):
		typ = g.anyType(0)
	}
	return g.bind(g.value(typ))
}

// condition makes a condition or a filter.
func (g *generator) condition(depth int) string {
	if depth > 0 && g.chance(45) {
		left, right := g.condition(depth-1), g.condition(depth-1)
		switch g.IntN(4) {
		case 0:
			return left + " AND " + right
		case 1:
			return left + " OR " + right
		case 2:
			return "(" + left + ") AND (" + right + ")"
		}
		return "NOT (" + left + ")"
	}
	path, typ := g.path()
	switch g.IntN(12) {
	case 0:
		return "attribute_exists(" + path + ")"
	case 1:
		return "attribute_not_exists(" + path + ")"
	case 2:
		if !g.chance(5) {
			typ = pick(g, "S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS", typ, typ)
		}
		return "attribute_type(" + path + ", " + g.bind(scalar("S", typ)) + ")"
	case 3:
		return "begins_with(" + path + ", " + g.bind(g.value(pick(g, "S", "S", "S", "B"))) + ")"
	case 4:
		return "contains(" + path + ", " + g.operand(pick(g, "S", "N", "S")) + ")"
	case 5:
		return path + " BETWEEN " + g.bounds(typ)
	case 6:
		var list []string
		for range 1 + g.IntN(3) {
			list = append(list, g.operand(typ))
		}
		return path + " IN (" + strings.Join(list, ", ") + ")"
	case 7:
		return "size(" + path + ") " + g.comparator() + " " + g.bind(scalar("N", fmt.Sprint(g.IntN(5))))
	}
	return path + " " + g.comparator() + " " + g.operand(typ)
}

func (g *generator) comparator() string { return pick(g, "=", "=", "<>", "<", "<=", ">", ">=") }

func (g *generator) bounds(typ string) string {
	if typ != "N" || g.chance(10) {
		return g.operand("S") + " AND " + g.operand("S")
	}
	low := g.IntN(10) - 5
	return g.bind(scalar("N", fmt.Sprint(low))) + " AND " + g.bind(scalar("N", fmt.Sprint(low+g.IntN(8))))
}

// update makes an update expression. Its paths meet now and then, which is a fault.
func (g *generator) update(k *keyed) string {
	var sections []string
	add := func(verb string, n int, action func() string) {
		var actions []string
		for range n {
			actions = append(actions, action())
		}
		if n > 0 {
			sections = append(sections, verb+" "+strings.Join(actions, ", "))
		}
	}
	used := map[string]bool{}
	add("SET", g.IntN(4), func() string { return g.assignment(k, used) })
	if g.chance(30) {
		add("REMOVE", 1+g.IntN(2), func() string { return g.target(used) })
	}
	if g.chance(30) {
		add("ADD", 1, func() string {
			a := pick(g, attribute{"stock", "N"}, attribute{"price", "N"}, attribute{"tags", "SS"}, attribute{"nums", "NS"}, attribute{"bins", "BS"})
			return g.name(g.fresh(a.name, used)) + " " + g.bind(g.value(a.typ))
		})
	}
	if g.chance(15) {
		add("DELETE", 1, func() string {
			a := pick(g, attribute{"tags", "SS"}, attribute{"nums", "NS"}, attribute{"bins", "BS"})
			return g.name(g.fresh(a.name, used)) + " " + g.bind(g.value(a.typ))
		})
	}
	if len(sections) == 0 {
		return "SET " + g.name("title") + " = " + g.bind(g.value("S"))
	}
	g.Shuffle(len(sections), func(i, j int) { sections[i], sections[j] = sections[j], sections[i] })
	return strings.Join(sections, " ")
}

// fresh returns name if no action has used it, and mostly a name of its own otherwise.
func (g *generator) fresh(name string, used map[string]bool) string {
	if used[name] && !g.chance(3) {
		name = fmt.Sprintf("own%d", len(used))
	}
	used[name] = true
	return name
}

// target makes a path for an action, in an attribute that no other action has used.
func (g *generator) target(used map[string]bool) string {
	path, _ := g.path()
	root, _, _ := strings.Cut(strings.Replace(path, "[", ".[", 1), ".")
	name := root
	if bound, ok := g.names[root].(string); ok {
		name = bound
	}
	if used[name] && !g.chance(3) {
		return g.name(g.fresh(name, used))
	}
	used[name] = true
	return path
}

func (g *generator) assignment(k *keyed, used map[string]bool) string {
	switch g.IntN(7) {
	case 0: // an index key, perhaps of a wrong type
		var keys []attribute
		for _, other := range trees {
			if other.table == k.table && !other.isTable() {
				keys = append(keys, other.partition, other.sort)
			}
		}
		keys = slices.DeleteFunc(keys, func(a attribute) bool { return a.name == "" || a == k.partition })
		if len(keys) > 0 {
			a := pick(g, keys...)
			return g.name(g.fresh(a.name, used)) + " = " + g.bind(g.keyValue(a, false))
		}
	case 1, 2:
		a := pick(g, attribute{"stock", "N"}, attribute{"price", "N"})
		name := g.name(g.fresh(a.name, used))
		return name + " = " + g.term(name) + pick(g, " + ", " - ") + g.term(name)
	case 3:
		name := g.name(g.fresh("lst", used))
		a, b := name, g.bind(g.value("L"))
		if g.chance(50) {
			a = "if_not_exists(" + name + ", " + g.bind(scalar("L", []any{})) + ")"
		}
		if g.chance(50) {
			a, b = b, a
		}
		return name + " = list_append(" + a + ", " + b + ")"
	case 4:
		path := g.target(used)
		other, typ := g.path()
		return path + " = if_not_exists(" + other + ", " + g.bind(g.value(typ)) + ")"
	case 5:
		path := g.target(used)
		other, _ := g.path()
		return path + " = " + other
	}
	return g.target(used) + " = " + g.bind(g.value(g.anyType(60)))
}

func (g *generator) term(name string) string {
	switch {
	case g.chance(50):
		return name
	case g.chance(30):
		return "if_not_exists(" + name + ", " + g.bind(scalar("N", "0")) + ")"
	}
	return g.bind(g.value("N"))
}

// projection makes a projection of different attributes.
func (g *generator) projection(k *keyed) string {
	var list []string
	used := map[string]bool{}
	for range 1 + g.IntN(3) {
		if g.chance(30) {
			a := pick(g, k.partition, k.sort)
			if a.name != "" && !used[a.name] {
				used[a.name] = true
				list = append(list, g.name(a.name))
			}
			continue
		}
		list = append(list, g.target(used))
	}
	if len(list) == 0 {
		return g.name(k.partition.name)
	}
	return strings.Join(list, ", ")
}
