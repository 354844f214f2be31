package dynamo

import "time"

// An AttributeDefinition gives a key attribute its type: S, N or B.
type AttributeDefinition struct {
	Name string
	Type Type
}

// A KeyElement is one attribute of a key schema. A table and a local index have one
// partition element and at most one sort element; a global index has up to four of each
// (Developer Guide, "Multi-attribute keys pattern").
type KeyElement struct {
	Name string
	Sort bool // RANGE, otherwise HASH
}

// A ProjectionType says which attributes an index holds besides the keys.
type ProjectionType string

// The projection types.
const (
	ProjectAll      ProjectionType = "ALL"
	ProjectKeysOnly ProjectionType = "KEYS_ONLY"
	ProjectInclude  ProjectionType = "INCLUDE"
)

// A Projection is what an index holds. Attributes is set for INCLUDE only.
type Projection struct {
	Type       ProjectionType
	Attributes []string
}

// An IndexStatus or table status, as DescribeTable spells it.
type Status string

// The statuses of tables and indexes.
const (
	StatusCreating Status = "CREATING"
	StatusActive   Status = "ACTIVE"
	StatusUpdating Status = "UPDATING"
	StatusDeleting Status = "DELETING"
)

// An Index is a secondary index. Local indexes share the table's partition key.
type Index struct {
	Name       string
	Keys       []KeyElement
	Projection Projection

	// The rest is filled in by the database and ignored in requests.
	Status    Status
	ItemCount int64
	SizeBytes int64
	ARN       string
	// Throughput is set for global indexes of provisioned tables.
	Throughput *Throughput
}

// A Throughput is provisioned capacity in units per second.
type Throughput struct {
	Read, Write int64
}

// A Table describes a table, in CreateTable's request and in DescribeTable's answer.
type Table struct {
	Name          string
	Attributes    []AttributeDefinition
	Keys          []KeyElement
	GlobalIndexes []Index
	LocalIndexes  []Index
	BillingMode   string // PROVISIONED or PAY_PER_REQUEST; "" is PROVISIONED in requests
	Throughput    *Throughput
	TableClass    string
	Protected     bool // DeletionProtectionEnabled
	Tags          map[string]string

	// The rest is filled in by the database and ignored in requests.
	ID        string
	ARN       string
	Status    Status
	Created   time.Time
	ItemCount int64
	SizeBytes int64
}

// AttributeType returns the declared type of a key attribute, or Absent.
func (t *Table) AttributeType(name string) Type {
	for _, d := range t.Attributes {
		if d.Name == name {
			return d.Type
		}
	}
	return Absent
}

// Index returns the index with that name and whether it is local; nil if there is none.
func (t *Table) Index(name string) (ix *Index, local bool) {
	for i := range t.GlobalIndexes {
		if t.GlobalIndexes[i].Name == name {
			return &t.GlobalIndexes[i], false
		}
	}
	for i := range t.LocalIndexes {
		if t.LocalIndexes[i].Name == name {
			return &t.LocalIndexes[i], true
		}
	}
	return nil, false
}
