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
	// Backfilling says that an index being created is filled with what the table holds.
	Backfilling bool

	// Throughput is set for global indexes of provisioned tables.
	Throughput *Throughput
	OnDemand   *Throughput // as a table's
	Warm       *Throughput // as a table's
}

// A Throughput is capacity in units per second: what is provisioned, what on-demand use
// may not exceed (-1 is no limit), or what a table is to be warm for.
type Throughput struct {
	Read, Write int64

	// The rest is filled in by the database for provisioned capacity.
	LastIncrease, LastDecrease time.Time // zero for never
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
	OnDemand      *Throughput // OnDemandThroughput, nil for no limits
	Warm          *Throughput // WarmThroughput, nil for what every table has
	TableClass    string
	Protected     bool // DeletionProtectionEnabled
	Tags          map[string]string
	Stream        StreamView // "" for no stream

	// The rest is filled in by the database and ignored in requests.
	ID        string
	ARN       string
	Status    Status
	Created   time.Time
	ItemCount int64
	SizeBytes int64
	// OnDemandSince is when the table was last switched to on-demand capacity.
	OnDemandSince time.Time
	// StreamARN and StreamLabel are of the table's latest stream, which may be disabled.
	StreamARN, StreamLabel string
}

// A StreamView says what a stream's records hold of an item besides its key.
type StreamView string

// The stream views.
const (
	StreamKeysOnly        StreamView = "KEYS_ONLY"
	StreamNewImage        StreamView = "NEW_IMAGE"
	StreamOldImage        StreamView = "OLD_IMAGE"
	StreamNewAndOldImages StreamView = "NEW_AND_OLD_IMAGES"
)

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

// What every on-demand table and index can take from the start (Developer Guide, "On-demand
// capacity mode").
const warmReads, warmWrites = 12_000, 4_000

// WarmThroughput is the throughput that a table or an index can take at once, given its
// billing mode, its provisioned throughput or nil, and what has been asked for or nil.
func WarmThroughput(billingMode string, provisioned, asked *Throughput) Throughput {
	warm := Throughput{Read: warmReads, Write: warmWrites}
	if billingMode != "PAY_PER_REQUEST" && provisioned != nil {
		warm = Throughput{Read: provisioned.Read, Write: provisioned.Write}
	}
	if asked != nil {
		warm.Read, warm.Write = max(warm.Read, asked.Read), max(warm.Write, asked.Write)
	}
	return warm
}
