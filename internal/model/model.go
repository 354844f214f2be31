// Package model is the first waist of the compiler: what an application is, before any
// choice of how to store it. Entities, relationships and access patterns, with the
// statistics that describe them. It is free of SQL (but for the text it came from) and
// of DynamoDB (but for its scalar values). It does no work beyond printing itself.
package model

import (
	"github.com/keyfold-dev/keyfold/internal/diag"
)

// A Model is an application's data and the questions it asks of that data. Slices are
// in source order; names are unique within a slice. A Model from sqlfront.Load without
// errors is the whole input of the planner.
type Model struct {
	Entities      []*Entity
	Relationships []*Relationship
	Patterns      []*AccessPattern
}

// Entity returns the entity with that name, or nil.
func (m *Model) Entity(name string) *Entity {
	for _, e := range m.Entities {
		if e.Name == name {
			return e
		}
	}
	return nil
}

// Pattern returns the access pattern with that name, or nil.
func (m *Model) Pattern(name string) *AccessPattern {
	for _, p := range m.Patterns {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// A Stat is an estimate of a quantity: from the user, or assumed by us.
type Stat struct {
	Value   float64
	Assumed bool
}

// An Entity is one kind of row: an SQL table.
type Entity struct {
	Name       string
	Attributes []*Attribute
	PrimaryKey []string   // attribute names in key order, never empty
	Unique     [][]string // further UNIQUE keys, each in its written order
	Checks     []Expr     // CHECK constraints; Column.Source is 0
	Prefix     string     // key prefix asked for by the user, or ""
	Rows       Stat       // how many rows there will be
	Embed      bool       // asked to be stored inside its parent
	Immutable  bool       // rows are never updated
	Comment    string     // COMMENT ON TABLE, or the plain comment above the table
	Pos        diag.Pos
}

// Attribute returns the attribute with that name, or nil.
func (e *Entity) Attribute(name string) *Attribute {
	for _, a := range e.Attributes {
		if a.Name == name {
			return a
		}
	}
	return nil
}

// An Attribute is one column of an entity.
type Attribute struct {
	Name      string
	Type      Type
	NotNull   bool // NOT NULL or part of the primary key
	Default   Expr // nil: none. A Literal or a Call of now, gen_random_uuid, ...
	TTL       bool // holds the time when the row may expire
	Immutable bool // never changes after the row is inserted
	Size      Stat // typical bytes of a value
	Distinct  Stat // number of distinct values
	Pos       diag.Pos
}

// A Relationship is a foreign key: many rows of Child refer to one row of Parent.
type Relationship struct {
	Name        string // the constraint's name, or child_attrs_fkey
	Child       string
	ChildAttrs  []string
	Parent      string
	ParentAttrs []string
	PerParent   Stat // typical number of children of one parent
	Max         Stat // most children of one parent; 0 when unbounded
	Pos         diag.Pos
}
