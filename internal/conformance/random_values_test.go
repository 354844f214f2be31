package conformance

import (
	"encoding/base64"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
)

// A generator makes random requests. Two with the same seed make the same.
type generator struct {
	*rand.Rand
	names  map[string]any // of the request being made
	values map[string]any
}

func newGenerator(seed uint64) *generator {
	return &generator{Rand: rand.New(rand.NewPCG(seed, 0x6b6579666f6c64))}
}

func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

func pick[T any](g *generator, list ...T) T { return list[g.IntN(len(list))] }

// A keyed is a table or an index, seen by its key attributes.
type keyed struct {
	table, index string
	partition    attribute
	sort         attribute // name "" for none
	local        bool
	projected    []string // nil for everything
}

type attribute struct{ name, typ string }

// trees are the tables of testdata/tables and their indexes.
var trees = []keyed{
	{table: "conf-pair", partition: attribute{"PK", "S"}, sort: attribute{"SK", "S"}},
	{table: "conf-pair", index: "GSI1", partition: attribute{"GSI1PK", "S"}, sort: attribute{"GSI1SK", "S"},
		projected: []string{"GSI1PK", "GSI1SK", "PK", "SK", "title", "doc", "stock"}},
	{table: "conf-pair", index: "GSI2", partition: attribute{"GSI2PK", "S"}, sort: attribute{"GSI2SK", "N"},
		projected: []string{"GSI2PK", "GSI2SK", "PK", "SK", "title"}},
	{table: "conf-pair", index: "LSI1", partition: attribute{"PK", "S"}, sort: attribute{"rank", "N"}, local: true,
		projected: []string{"PK", "SK", "rank"}},
	{table: "conf-plain", partition: attribute{"PK", "S"}, sort: attribute{"SK", "S"}},
	{table: "conf-single", partition: attribute{"id", "S"}},
	{table: "conf-single", index: "by-color", partition: attribute{"color", "S"}},
	{table: "conf-number", partition: attribute{"year", "N"}, sort: attribute{"at", "N"}},
	{table: "conf-binary", partition: attribute{"hash", "B"}, sort: attribute{"part", "B"}},
}

func (k *keyed) isTable() bool { return k.index == "" }

// base returns the table's own keys.
func (k *keyed) base() *keyed {
	for i := range trees {
		if trees[i].table == k.table && trees[i].isTable() {
			return &trees[i]
		}
	}
	return nil
}

func (g *generator) table() *keyed {
	k := &trees[g.IntN(len(trees))]
	if g.chance(50) {
		k = &trees[0] // the one with the most indexes
	}
	return k.base()
}

func tableNames() []string {
	var names []string
	for _, k := range trees {
		if k.isTable() {
			names = append(names, k.table)
		}
	}
	return names
}

// The attributes of items beside keys, and the type that they mostly have.
var attributes = []attribute{{"title", "S"}, {"stock", "N"}, {"price", "N"}, {"doc", "M"}, {"lst", "L"},
	{"tags", "SS"}, {"nums", "NS"}, {"bins", "BS"}, {"flag", "BOOL"}, {"none", "NULL"}, {"raw", "B"}, {"status", "S"}}

func scalar(typ string, v any) map[string]any { return map[string]any{typ: v} }

var someStrings = []string{"", "a", "ab", "abc", "b", "B", "é", "😀", "A#1", "A#2", "A#10", "z"}

var someNumbers = []string{"0", "1", "-1", "2", "10", "-0.5", "3.14", "1e2", "100", "0.001", "-12345.678", "1E-10", "007",
	"12345678901234567890123456789012345678", "-9.9999999999999999999999999999999999999E+125", "1E-130", "+5", "1.50"}

func (g *generator) value(typ string) map[string]any {
	switch typ {
	case "S":
		if g.chance(3) {
			return scalar("S", strings.Repeat("x", g.IntN(9000)))
		}
		return scalar("S", pick(g, someStrings...))
	case "N":
		if g.chance(30) {
			return scalar("N", fmt.Sprint(g.IntN(20)-5))
		}
		return scalar("N", pick(g, someNumbers...))
	case "B":
		return scalar("B", base64.StdEncoding.EncodeToString([]byte(pick(g, "", "\x00", "\x01\xff", "a", "ab", "\xff"))))
	case "BOOL":
		return scalar("BOOL", g.chance(50))
	case "NULL":
		return scalar("NULL", true)
	case "SS", "NS", "BS":
		return scalar(typ, g.set(typ[:1]))
	case "L":
		list := []any{}
		for range g.IntN(4) {
			list = append(list, g.value(g.anyType(70)))
		}
		return scalar("L", list)
	}
	fields := map[string]any{}
	for _, name := range []string{"x", "y", "list", "map"} {
		if g.chance(60) {
			fields[name] = g.value(map[string]string{"x": "N", "y": "S", "list": "L", "map": "M"}[name])
		}
	}
	if g.chance(50) { // bounds the depth
		delete(fields, "map")
	}
	return scalar("M", fields)
}

// anyType picks a type, one of the simple ones so many times in a hundred.
func (g *generator) anyType(simple int) string {
	if g.chance(simple) {
		return pick(g, "S", "N", "BOOL")
	}
	return pick(g, "S", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", "L", "M")
}

func (g *generator) set(element string) []any {
	seen := map[string]bool{}
	var list []any
	for len(list) == 0 || g.chance(50) && len(list) < 4 {
		var text string
		switch element {
		case "N":
			text = fmt.Sprint(g.IntN(6))
		case "S":
			text = pick(g, "a", "b", "c", "é", "")
		default:
			text = base64.StdEncoding.EncodeToString([]byte(pick(g, "a", "b", "\x00", "\xff")))
		}
		if !seen[text] {
			list = append(list, text)
			seen[text] = true
		}
		if len(seen) == 4 {
			break
		}
	}
	return list
}

// keyValue makes a value for a key attribute, from few, so that items meet.
func (g *generator) keyValue(a attribute, partition bool) map[string]any {
	if g.chance(1) {
		return pick(g, scalar("S", ""), scalar("N", "1"), scalar("B", "AA=="), scalar("S", strings.Repeat("k", 1100)))
	}
	few := 12
	if partition {
		few = 4
	}
	n := g.IntN(few)
	switch a.typ {
	case "N":
		return scalar("N", pick(g, fmt.Sprint(n), fmt.Sprint(-n), fmt.Sprint(n)+".5", fmt.Sprint(n)+"000"))
	case "B":
		return scalar("B", base64.StdEncoding.EncodeToString([]byte{byte(n), byte(n * 50)}[:1+n%2]))
	}
	return scalar("S", pick(g, "K", "A#", "é")+fmt.Sprint(n))
}

func (g *generator) key(k *keyed) map[string]any {
	key := map[string]any{k.partition.name: g.keyValue(k.partition, true)}
	if k.sort.name != "" && !g.chance(1) {
		key[k.sort.name] = g.keyValue(k.sort, false)
	}
	return key
}

// item makes an item of a table with the keys of its indexes, mostly.
func (g *generator) item(k *keyed) map[string]any {
	it := g.key(k)
	for _, other := range trees {
		if other.table != k.table || other.isTable() {
			continue
		}
		for _, a := range []attribute{other.partition, other.sort} {
			if _, taken := it[a.name]; a.name != "" && !taken && g.chance(70) {
				it[a.name] = g.keyValue(a, a == other.partition)
			}
		}
	}
	for _, a := range attributes {
		if g.chance(50) {
			typ := a.typ
			if g.chance(10) {
				typ = g.anyType(0)
			}
			it[a.name] = g.value(typ)
		}
	}
	return it
}

// keyOf returns the key attributes of an item.
func (k *keyed) keyOf(it map[string]any) map[string]any {
	key := map[string]any{}
	for _, a := range []attribute{k.partition, k.sort} {
		if v, ok := it[a.name]; ok {
			key[a.name] = v
		}
	}
	return key
}

func merge(parts ...map[string]any) map[string]any {
	out := map[string]any{}
	for _, p := range parts {
		maps.Copy(out, p)
	}
	return out
}
