package engine

import "github.com/keyfold-dev/keyfold/dynamo"

// A tally adds up what a request consumes of one table, in capacity units. Units of
// indexes are in the order of the table's indexes.
type tally struct {
	of      *table
	units   float64
	indexes []float64
}

func (c *tally) write(cost *writeCost) {
	c.units += cost.table.units
	for i := range cost.indexes {
		c.addIndex(i, cost.indexes[i].units)
	}
}

func (c *tally) addIndex(i int, units float64) {
	if c.indexes == nil {
		c.indexes = make([]float64, len(c.of.indexes))
	}
	c.indexes[i] += units
}

// consumed makes the answer's ConsumedCapacity, nil when none is asked for; times is 2 in
// transactions. An index that nothing was spent on is left out, as the service does.
func (c *tally) consumed(detail dynamo.CapacityDetail, times float64) *dynamo.ConsumedCapacity {
	if detail != dynamo.CapacityTotal && detail != dynamo.CapacityIndexes {
		return nil
	}
	out := &dynamo.ConsumedCapacity{TableName: c.of.name(), Units: c.units * times}
	if detail == dynamo.CapacityIndexes {
		out.Table = c.units * times
	}
	for i, units := range c.indexes {
		units *= times
		out.Units += units
		if units == 0 || detail != dynamo.CapacityIndexes {
			continue
		}
		ix := c.of.indexes[i]
		part := dynamo.IndexCapacity{Name: ix.def.Name, Units: units}
		if ix.local {
			out.LSIs = append(out.LSIs, part)
		} else {
			out.GSIs = append(out.GSIs, part)
		}
	}
	return out
}

// tallies hold one tally per table, in the order of first use.
type tallies []*tally

func (ts *tallies) of(t *table) *tally {
	for _, c := range *ts {
		if c.of == t {
			return c
		}
	}
	c := &tally{of: t}
	*ts = append(*ts, c)
	return c
}

// consumed makes the answer's list. In transactions the units are also given as read or
// written ones.
func (ts tallies) consumed(detail dynamo.CapacityDetail, kind transactionKind) []dynamo.ConsumedCapacity {
	var out []dynamo.ConsumedCapacity
	for _, c := range ts {
		times := 1.0
		if kind != noTransaction {
			times = 2
		}
		one := c.consumed(detail, times)
		if one == nil {
			return nil
		}
		switch kind {
		case readTransaction:
			one.ReadUnits = one.Units
		case writeTransaction:
			one.WriteUnits = one.Units
		}
		out = append(out, *one)
	}
	return out
}

type transactionKind uint8

const (
	noTransaction transactionKind = iota
	readTransaction
	writeTransaction
)
