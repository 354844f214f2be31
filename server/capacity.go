package server

import (
	"maps"
	"slices"

	"github.com/keyfold-dev/keyfold/dynamo"
)

func appendCapacity(dst []byte, c dynamo.ConsumedCapacity) []byte {
	part := func(dst []byte, units float64) []byte {
		dst = append(dst, '{')
		switch {
		case c.ReadUnits > 0:
			dst = appendUnitsField(dst, "ReadCapacityUnits", units)
		case c.WriteUnits > 0:
			dst = appendUnitsField(dst, "WriteCapacityUnits", units)
		}
		return append(appendUnitsField(dst, "CapacityUnits", units), '}')
	}
	dst = appendStringField(append(dst, '{'), "TableName", c.TableName)
	dst = appendUnitsField(dst, "CapacityUnits", c.Units)
	if c.ReadUnits > 0 {
		dst = appendUnitsField(dst, "ReadCapacityUnits", c.ReadUnits)
	}
	if c.WriteUnits > 0 {
		dst = appendUnitsField(dst, "WriteCapacityUnits", c.WriteUnits)
	}
	if c.Table > 0 || len(c.GSIs)+len(c.LSIs) > 0 {
		dst = part(field(dst, "Table"), c.Table)
	}
	indexes := func(name string, list []dynamo.IndexCapacity) {
		if len(list) == 0 {
			return
		}
		dst = append(field(dst, name), '{')
		for _, ix := range list {
			dst = part(appendName(dst, ix.Name), ix.Units)
		}
		dst = append(dst, '}')
	}
	indexes("GlobalSecondaryIndexes", c.GSIs)
	indexes("LocalSecondaryIndexes", c.LSIs)
	return append(dst, '}')
}

func appendCollection(dst []byte, m dynamo.ItemCollectionMetrics) []byte {
	dst = dynamo.AppendItemJSON(field(append(dst, '{'), "ItemCollectionKey"), m.Key)
	dst = appendUnits(append(field(dst, "SizeEstimateRangeGB"), '['), m.LowGB)
	return append(appendUnits(append(dst, ','), m.HighGB), ']', '}')
}

func appendCollections(dst []byte, tables map[string][]dynamo.ItemCollectionMetrics) []byte {
	dst = append(dst, '{')
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		dst = appendList(appendName(dst, name), tables[name], appendCollection)
	}
	return append(dst, '}')
}
