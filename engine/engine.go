// Package engine is an embedded database that answers DynamoDB's requests. It hides how
// tables, items and indexes are kept on disk, how concurrent writers are kept apart and
// how a request is checked, in the order and the words of the service.
//
// Every fault the service would report is a *dynamo.Error. Anything else (a full disk, a
// closed database) is an ordinary error.
package engine

import (
	"context"
	"log/slog"
	"time"

	"github.com/keyfold-dev/keyfold/dynamo"
)

// A Durability says when a write is acknowledged.
type Durability uint8

// The durabilities. With Sync, the default, an acknowledged write is on stable storage.
// With NoSync it is in the operating system's hands or on the way there: a crash of the
// machine or the process may lose the last writes, but never a part of one, and never an
// earlier write without the later ones.
const (
	Sync Durability = iota
	NoSync
)

// Options configure a database. The zero value is a database in memory.
type Options struct {
	// Dir is the folder of the database; it is made if missing. "" keeps everything in
	// memory and forgets it on Close.
	Dir        string
	Durability Durability
	// Clock tells the time; nil is time.Now. It is read concurrently.
	Clock func() time.Time
	// NewID makes table ids; nil makes random UUIDs. It is called one call at a time.
	NewID func() string
	// Region and Account appear in ARNs. The defaults are us-east-1 and 000000000000.
	Region, Account string
	// Logger receives what an operator should know; nil discards it.
	Logger *slog.Logger
}

// A DB is a DynamoDB-compatible database. Its methods are safe for concurrent use, and
// each honours its context in loops that can be long. Requests are not changed and not
// kept; answers belong to the caller.
type DB struct{}

// Open opens the database in o.Dir, making it if it is not there.
func Open(o Options) (*DB, error) { return &DB{}, nil }

// Close waits for running requests and closes the database.
func (db *DB) Close() error { return nil }

// A TimeToLive is a table's setting for the expiry of items.
type TimeToLive struct {
	TableName string
	Attribute string
	Enabled   bool
}

var errSkeleton = &dynamo.Error{Code: dynamo.CodeInternalServerError}

// CreateTable makes a table.
func (db *DB) CreateTable(ctx context.Context, in *dynamo.Table) (*dynamo.Table, error) {
	return nil, errSkeleton
}

// DescribeTable describes a table.
func (db *DB) DescribeTable(ctx context.Context, name string) (*dynamo.Table, error) {
	return nil, errSkeleton
}

// DeleteTable drops a table and gives its last description.
func (db *DB) DeleteTable(ctx context.Context, name string) (*dynamo.Table, error) {
	return nil, errSkeleton
}

// ListTables pages through the names of tables.
func (db *DB) ListTables(ctx context.Context, in *dynamo.ListTablesInput) (*dynamo.ListTablesOutput, error) {
	return nil, errSkeleton
}

// UpdateTimeToLive changes a table's TTL setting.
func (db *DB) UpdateTimeToLive(ctx context.Context, in *TimeToLive) (*TimeToLive, error) {
	return nil, errSkeleton
}

// DescribeTimeToLive tells a table's TTL setting.
func (db *DB) DescribeTimeToLive(ctx context.Context, name string) (*TimeToLive, error) {
	return nil, errSkeleton
}

// PutItem stores a whole item.
func (db *DB) PutItem(ctx context.Context, in *dynamo.PutItemInput) (*dynamo.WriteOutput, error) {
	return nil, errSkeleton
}

// GetItem reads one item.
func (db *DB) GetItem(ctx context.Context, in *dynamo.GetItemInput) (*dynamo.GetItemOutput, error) {
	return nil, errSkeleton
}

// UpdateItem changes one item.
func (db *DB) UpdateItem(ctx context.Context, in *dynamo.UpdateItemInput) (*dynamo.WriteOutput, error) {
	return nil, errSkeleton
}

// DeleteItem removes one item.
func (db *DB) DeleteItem(ctx context.Context, in *dynamo.DeleteItemInput) (*dynamo.WriteOutput, error) {
	return nil, errSkeleton
}

// Query reads items of one partition.
func (db *DB) Query(ctx context.Context, in *dynamo.QueryInput) (*dynamo.PageOutput, error) {
	return nil, errSkeleton
}

// Scan reads all items.
func (db *DB) Scan(ctx context.Context, in *dynamo.ScanInput) (*dynamo.PageOutput, error) {
	return nil, errSkeleton
}

// BatchGetItem reads up to 100 items.
func (db *DB) BatchGetItem(ctx context.Context, in *dynamo.BatchGetItemInput) (*dynamo.BatchGetItemOutput, error) {
	return nil, errSkeleton
}

// BatchWriteItem puts and deletes up to 25 items.
func (db *DB) BatchWriteItem(ctx context.Context, in *dynamo.BatchWriteItemInput) (*dynamo.BatchWriteItemOutput, error) {
	return nil, errSkeleton
}

// TransactWriteItems does up to 100 actions, all or none.
func (db *DB) TransactWriteItems(ctx context.Context, in *dynamo.TransactWriteItemsInput) (*dynamo.TransactWriteItemsOutput, error) {
	return nil, errSkeleton
}

// TransactGetItems reads up to 100 items as of one moment.
func (db *DB) TransactGetItems(ctx context.Context, in *dynamo.TransactGetItemsInput) (*dynamo.TransactGetItemsOutput, error) {
	return nil, errSkeleton
}
