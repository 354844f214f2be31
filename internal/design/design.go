// Package design is the second waist of the compiler: a complete physical design. The
// tables and indexes, how every kind of item spells its keys, and a plan of requests for
// every access pattern. Back ends (exec, gen, cost, the command line) read nothing else.
// It hides how key components are encoded so that the byte order of keys is the order of
// the values in them.
package design

import (
	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/internal/model"
)

// TypeAttribute is the attribute that names an item's kind. It is in every item and in
// every index that a query reads.
const TypeAttribute = "_type"

// A Design is a complete single-table design. Slices are in a fixed order: entities and
// plans as in the model. Equal designs print equal text.
type Design struct {
	Tables   []*Table
	Entities []*Entity
	Plans    []*Plan
}

// Table returns the table with that name, or nil.
func (d *Design) Table(name string) *Table {
	for _, t := range d.Tables {
		if t.Name == name {
			return t
		}
	}
	return nil
}

// Entity returns the kind of item with that name, or nil.
func (d *Design) Entity(name string) *Entity {
	for _, e := range d.Entities {
		if e.Name == name {
			return e
		}
	}
	return nil
}

// Plan returns the plan of the access pattern with that name, or nil.
func (d *Design) Plan(name string) *Plan {
	for _, p := range d.Plans {
		if p.Pattern.Name == name {
			return p
		}
	}
	return nil
}

// Guards returns the further items kept for each row of an entity, in design order.
func (d *Design) Guards(entity string) []*Entity {
	var out []*Entity
	for _, e := range d.Entities {
		if e.Of == entity {
			out = append(out, e)
		}
	}
	return out
}

// A Table is one DynamoDB table with its indexes.
type Table struct {
	Name         string
	PartitionKey KeyAttribute
	SortKey      KeyAttribute // zero Name: none
	GSIs         []*Index
	LSIs         []*Index
	TTLAttribute string // "" for none
}

// Index returns the index with that name, or nil; "" is no index.
func (t *Table) Index(name string) *Index {
	for _, list := range [][]*Index{t.GSIs, t.LSIs} {
		for _, ix := range list {
			if ix.Name == name {
				return ix
			}
		}
	}
	return nil
}

// A KeyAttribute is an attribute of a key schema.
type KeyAttribute struct {
	Name string
	Type dynamo.Type
}

// An Index is a secondary index. A local index repeats the table's partition key.
type Index struct {
	Name         string
	Local        bool
	PartitionKey []KeyAttribute
	SortKey      []KeyAttribute
	Projection   dynamo.Projection
}

// An Entity is a kind of item: the rows of a model entity, or, when Of is set, a further
// item that is kept for each row of that entity (a guard of a unique key, which carries
// the row's columns).
type Entity struct {
	Name       string
	Of         string // the entity whose rows this item repeats; "" for the rows themselves
	Tag        string // value of TypeAttribute
	Table      string
	Keys       []*Key // in the order PK, SK, GSI1PK, ...
	Attributes []*Attribute
	EmbeddedIn string
	Unique     []string // of a guard: the columns it keeps unique; nil when a row may have many
	Reason     string   // why the keys are as they are, one sentence
}

// RowEntity is the model entity whose columns the item holds.
func (e *Entity) RowEntity() string {
	if e.Of != "" {
		return e.Of
	}
	return e.Name
}

// Key returns the key attribute with that name, or nil.
func (e *Entity) Key(attribute string) *Key {
	for _, k := range e.Keys {
		if k.Attribute == attribute {
			return k
		}
	}
	return nil
}

// Column returns how a column is stored, or nil when the item does not hold it.
func (e *Entity) Column(name string) *Attribute {
	for _, a := range e.Attributes {
		if a.Column == name {
			return a
		}
	}
	return nil
}

// A Key is one key attribute of a kind of item and how it is spelled. When a column of
// the template is NULL and the part is not Nullable, the item has no such attribute and
// is not in the index.
type Key struct {
	Attribute string
	Template  Template
}

// An Attribute is a column as an item stores it. A NULL is stored as no attribute.
//
// Text, enums, uuids, dates and times are S (in the canonical form of model.Kind);
// integers, decimals and floats N; booleans BOOL; bytea B; json its own document;
// arrays L.
type Attribute struct {
	Name    string // in the item
	Column  string // in the model
	Type    model.Type
	NotNull bool
}
