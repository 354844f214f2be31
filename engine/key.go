package engine

import (
	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/engine/internal/store"
)

// Faults of key attributes come in two kinds, because a transaction reports them in two
// ways: a value of the wrong type cancels it, and one that no key may have is a fault of
// the request.

// checkKeyTypes checks that a key has exactly the table's key attributes with their types.
func (t *table) checkKeyTypes(key dynamo.Item) error {
	if len(key) != len(t.keys) {
		return invalid(textSchemaMismatch)
	}
	for _, k := range t.keys {
		if key.Get(k.Name).Type() != k.Type {
			return invalid(textSchemaMismatch)
		}
	}
	return nil
}

// checkItemTypes checks the key attributes of an item to put.
func (t *table) checkItemTypes(it dynamo.Item) error {
	for _, k := range t.keys {
		switch actual := it.Get(k.Name).Type(); actual {
		case k.Type:
		case dynamo.Absent:
			return invalid(parametersInvalid+"Missing the key %s in the item", k.Name)
		default:
			return invalid(parametersInvalid+"Type mismatch for key %s expected: %s actual: %s", k.Name, k.Type, actual)
		}
	}
	return t.checkIndexTypes(it)
}

// checkIndexTypes checks the index keys of an item: it need not have them, but if it does,
// they have to be of the declared type.
func (t *table) checkIndexTypes(it dynamo.Item) error {
	for _, ix := range t.indexes {
		for _, part := range [...][]store.KeyAttribute{ix.Partition, ix.Sort} {
			for _, k := range part {
				actual := it.Get(k.Name).Type()
				if actual != k.Type && actual != dynamo.Absent {
					return invalid(parametersInvalid+"Type mismatch for Index Key %s Expected: %s Actual: %s IndexName: %s",
						k.Name, k.Type, actual, ix.def.Name)
				}
			}
		}
	}
	return nil
}

// checkKeyValues checks the values of the table's key attributes in a key or an item;
// values of the wrong type are left to the checks of types.
func (t *table) checkKeyValues(it dynamo.Item) error {
	for _, k := range t.keys {
		v := it.Get(k.Name)
		if v.Type() == k.Type && isEmpty(v) {
			return invalid(parametersNotValid+"The AttributeValue for a key attribute cannot contain an empty %s value. Key: %s", kindOf(v), k.Name)
		}
	}
	return checkKeySizes(&t.base.Tree, it)
}

func isEmpty(v dynamo.Value) bool { return v.Str() == "" && v.Type() != dynamo.TypeNumber }

func kindOf(v dynamo.Value) string {
	if v.Type() == dynamo.TypeBinary {
		return "binary"
	}
	return "string"
}

func checkKeySizes(tr *store.Tree, it dynamo.Item) error {
	if keySize(tr.Partition, it) > dynamo.MaxPartitionKeySize {
		return invalid(parametersInvalid+"Size of hashkey has exceeded the maximum size limit of%d bytes", dynamo.MaxPartitionKeySize)
	}
	if keySize(tr.Sort, it) > dynamo.MaxSortKeySize {
		return invalid(parametersInvalid+"Aggregated size of all range keys has exceeded the size limit of %d bytes", dynamo.MaxSortKeySize)
	}
	return nil
}

// keySize is the size of strings and bytes among key attributes; numbers always fit.
func keySize(attrs []store.KeyAttribute, it dynamo.Item) int {
	n := 0
	for _, k := range attrs {
		if v := it.Get(k.Name); k.Type != dynamo.TypeNumber && v.Type() == k.Type {
			n += len(v.Str())
		}
	}
	return n
}

// checkIndexValues checks the values of index keys in an item.
func (t *table) checkIndexValues(it dynamo.Item, updated bool) error {
	for _, ix := range t.indexes {
		for _, part := range [...][]store.KeyAttribute{ix.Partition, ix.Sort} {
			for _, k := range part {
				v := it.Get(k.Name)
				if v.Type() != k.Type || !isEmpty(v) {
					continue
				}
				if updated {
					return invalid(parametersNotValid+"The update expression attempted to update a secondary index key to a value that is not supported. The AttributeValue for a key attribute cannot contain an empty %s value.", kindOf(v))
				}
				return invalid(parametersNotValid+textIndexKeyEmpty, kindOf(v), ix.def.Name, k.Name)
			}
		}
		if err := checkKeySizes(&ix.Tree, it); err != nil {
			return err
		}
	}
	return nil
}

// isKey reports whether an attribute is part of the table's key.
func (t *table) isKey(name string) bool {
	for _, k := range t.keys {
		if k.Name == name {
			return true
		}
	}
	return false
}

// checkDepth refuses values nested deeper than the service stores.
func checkDepth(it dynamo.Item) error {
	if deeper(it, dynamo.MaxDepth) {
		return invalid(textTooDeep)
	}
	return nil
}

// deeper reports whether values of it are nested in more than so many levels, their own
// included.
func deeper(it dynamo.Item, levels int) bool {
	for _, a := range it {
		if valueDeeper(a.Value, levels) {
			return true
		}
	}
	return false
}

func valueDeeper(v dynamo.Value, levels int) bool {
	switch v.Type() {
	case dynamo.TypeMap:
		return levels == 0 || deeper(v.Fields(), levels-1)
	case dynamo.TypeList:
		for _, e := range v.Elements() {
			if levels == 0 || valueDeeper(e, levels-1) {
				return true
			}
		}
	}
	return levels == 0
}
