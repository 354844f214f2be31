package conformance

import (
	"slices"
	"strings"
)

// A call is a random request.
type call struct {
	op      string
	request map[string]any
	tree    *keyed // of a Query or a Scan
	touched []touch
	unsure  bool // an update may leave an item behind, or not: see "removing creates"
}

// A touch is an item that a request may write.
type touch struct {
	table string
	key   map[string]any
}

// next makes the next request.
func (g *generator) next() call {
	g.begin()
	switch n := g.IntN(100); {
	case n < 25:
		return g.putItem()
	case n < 50:
		return g.updateItem()
	case n < 55:
		return g.deleteItem()
	case n < 63:
		return g.getItem()
	case n < 78:
		return g.query()
	case n < 83:
		return g.scan()
	case n < 87:
		return g.batchGet()
	case n < 91:
		return g.batchWrite()
	case n < 94:
		return g.transactGet()
	}
	return g.transactWrite()
}

// capacity asks for the cost, of the indexes too or not.
func (g *generator) capacity(request map[string]any) {
	if g.chance(60) {
		request["ReturnConsumedCapacity"] = pick(g, "TOTAL", "INDEXES", "INDEXES", "NONE")
	}
}

func (g *generator) guard(request map[string]any) {
	if g.chance(30) {
		request["ConditionExpression"] = g.condition(2)
		if g.chance(40) {
			request["ReturnValuesOnConditionCheckFailure"] = pick(g, "ALL_OLD", "NONE")
		}
	}
}

func (g *generator) putItem() call {
	k := g.table()
	it := g.item(k)
	r := map[string]any{"TableName": k.table, "Item": it}
	g.guard(r)
	if g.chance(40) {
		r["ReturnValues"] = pick(g, "ALL_OLD", "ALL_OLD", "NONE")
	}
	g.capacity(r)
	return call{op: "PutItem", request: merge(r, g.placeholders()), touched: []touch{{k.table, k.keyOf(it)}}}
}

func (g *generator) updateItem() call {
	k := g.table()
	key, update := g.key(k), g.update(k)
	r := map[string]any{"TableName": k.table, "Key": key, "UpdateExpression": update}
	g.guard(r)
	if g.chance(70) {
		r["ReturnValues"] = pick(g, "ALL_OLD", "NONE", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW")
	}
	g.capacity(r)
	return call{op: "UpdateItem", request: merge(r, g.placeholders()), touched: []touch{{k.table, key}}, unsure: onlyRemoves(update)}
}

func onlyRemoves(update string) bool {
	return !strings.Contains(update, "SET ") && !strings.Contains(update, "ADD ")
}

func (g *generator) deleteItem() call {
	k := g.table()
	key := g.key(k)
	r := map[string]any{"TableName": k.table, "Key": key}
	g.guard(r)
	if g.chance(50) {
		r["ReturnValues"] = "ALL_OLD"
	}
	g.capacity(r)
	return call{op: "DeleteItem", request: merge(r, g.placeholders()), touched: []touch{{k.table, key}}}
}

func (g *generator) getItem() call {
	k := g.table()
	r := map[string]any{"TableName": k.table, "Key": g.key(k)}
	if g.chance(40) {
		r["ProjectionExpression"] = g.projection(k)
	}
	if g.chance(30) {
		r["ConsistentRead"] = true
	}
	g.capacity(r)
	return call{op: "GetItem", request: merge(r, g.placeholders())}
}

// choose adds what Query and Scan have in common.
func (g *generator) choose(k *keyed, r map[string]any) {
	if k.index != "" {
		r["IndexName"] = k.index
	}
	if g.chance(35) {
		r["FilterExpression"] = g.condition(2)
	}
	switch {
	case g.chance(25):
		r["ProjectionExpression"] = g.projection(k)
	case g.chance(30):
		r["Select"] = pick(g, "COUNT", "COUNT", "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES")
	}
	if g.chance(40) {
		r["Limit"] = 1 + g.IntN(5)
	}
	if g.chance(15) {
		r["ConsistentRead"] = true
	}
	g.capacity(r)
}

func (g *generator) query() call {
	k := &trees[g.IntN(len(trees))]
	r := map[string]any{"TableName": k.table}
	condition := g.name(k.partition.name) + " = " + g.bind(g.keyValue(k.partition, true))
	if k.sort.name != "" && g.chance(65) {
		condition += " AND " + g.sortCondition(k.sort)
	}
	r["KeyConditionExpression"] = condition
	if g.chance(40) {
		r["ScanIndexForward"] = g.chance(30)
	}
	g.choose(k, r)
	return call{op: "Query", request: merge(r, g.placeholders()), tree: k}
}

func (g *generator) sortCondition(a attribute) string {
	name, v := g.name(a.name), g.bind(g.keyValue(a, false))
	switch n := g.IntN(8); {
	case n == 0:
		return name + " BETWEEN " + v + " AND " + g.bind(g.keyValue(a, false))
	case n == 1 && a.typ == "S":
		return "begins_with(" + name + ", " + g.bind(scalar("S", pick(g, "K", "A#", "A#1", "é", "x"))) + ")"
	case n == 1 && a.typ == "B":
		return "begins_with(" + name + ", " + g.bind(scalar("B", "AQ==")) + ")"
	case n == 2:
		return name + " = " + v
	}
	return name + " " + pick(g, "<", "<=", ">", ">=", ">") + " " + v
}

func (g *generator) scan() call {
	k := &trees[g.IntN(len(trees))]
	r := map[string]any{"TableName": k.table}
	g.choose(k, r)
	return call{op: "Scan", request: merge(r, g.placeholders()), tree: k}
}

func (g *generator) batchGet() call {
	tables := map[string]any{}
	for range 1 + g.IntN(2) {
		g.begin()
		k := g.table()
		var keys []any
		for range 1 + g.IntN(5) {
			if key := g.key(k); g.chance(3) || !slices.ContainsFunc(keys, func(o any) bool { return compact(o) == compact(key) }) {
				keys = append(keys, key)
			}
		}
		part := map[string]any{"Keys": keys}
		if g.chance(30) {
			part["ProjectionExpression"] = g.projection(k)
		}
		if g.chance(30) {
			part["ConsistentRead"] = true
		}
		tables[k.table] = merge(part, g.placeholders())
	}
	r := map[string]any{"RequestItems": tables}
	g.capacity(r)
	return call{op: "BatchGetItem", request: r}
}

func (g *generator) batchWrite() call {
	tables := map[string]any{}
	var touched []touch
	for range 1 + g.IntN(2) {
		k := g.table()
		if tables[k.table] != nil {
			continue
		}
		var writes []any
		for range 1 + g.IntN(5) {
			it := g.item(k)
			at := touch{k.table, k.keyOf(it)}
			if slices.ContainsFunc(touched, func(o touch) bool { return compact(o.key) == compact(at.key) }) && !g.chance(3) {
				continue
			}
			touched = append(touched, at)
			if g.chance(30) {
				writes = append(writes, map[string]any{"DeleteRequest": map[string]any{"Key": at.key}})
			} else {
				writes = append(writes, map[string]any{"PutRequest": map[string]any{"Item": it}})
			}
		}
		if len(writes) > 0 {
			tables[k.table] = writes
		}
	}
	r := map[string]any{"RequestItems": tables}
	g.capacity(r)
	return call{op: "BatchWriteItem", request: r, touched: touched}
}

func (g *generator) transactGet() call {
	var gets []any
	for range 1 + g.IntN(4) {
		g.begin()
		k := g.table()
		get := map[string]any{"TableName": k.table, "Key": g.key(k)}
		if g.chance(30) {
			get["ProjectionExpression"] = g.projection(k)
		}
		gets = append(gets, map[string]any{"Get": merge(get, g.placeholders())})
	}
	r := map[string]any{"TransactItems": gets}
	g.capacity(r)
	return call{op: "TransactGetItems", request: r}
}

func (g *generator) transactWrite() call {
	var actions []any
	var touched []touch
	unsure := false
	for range 1 + g.IntN(4) {
		g.begin()
		k := g.table()
		it := g.item(k)
		at := touch{k.table, k.keyOf(it)}
		if slices.ContainsFunc(touched, func(o touch) bool { return o.table == at.table && compact(o.key) == compact(at.key) }) && !g.chance(3) {
			continue
		}
		touched = append(touched, at)
		action := g.transactAction(k, it, at.key)
		actions = append(actions, action)
		if update, ok := action["Update"].(map[string]any); ok {
			unsure = unsure || onlyRemoves(update["UpdateExpression"].(string))
		}
	}
	r := map[string]any{"TransactItems": actions}
	g.capacity(r)
	return call{op: "TransactWriteItems", request: r, touched: touched, unsure: unsure}
}

func (g *generator) transactAction(k *keyed, it, key map[string]any) map[string]any {
	r := map[string]any{"TableName": k.table, "Key": key}
	verb := pick(g, "Put", "Put", "Update", "Update", "Delete", "ConditionCheck")
	switch verb {
	case "Put":
		delete(r, "Key")
		r["Item"] = it
		g.guard(r)
	case "Update":
		r["UpdateExpression"] = g.update(k)
		g.guard(r)
	case "Delete":
		g.guard(r)
	case "ConditionCheck":
		r["ConditionExpression"] = pick(g, "attribute_exists(", "attribute_not_exists(") + g.name(k.partition.name) + ")"
	}
	return map[string]any{verb: merge(r, g.placeholders())}
}
