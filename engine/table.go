package engine

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/engine/internal/store"
)

// A table is an open table. Everything in it but the statistics is fixed; a change of the
// table makes a new one.
type table struct {
	stored  *store.Table
	base    tree
	stream  *stream              // nil when it is off
	keys    []store.KeyAttribute // the partition attribute, then the sort attribute if any
	indexes []*index             // in the order of their names
	arn     string
}

// newTable opens a table of the catalog. arnPrefix is that of the whole database.
func newTable(s *store.Table, arnPrefix string) *table {
	d := &s.Definition
	t := &table{stored: s, arn: arnPrefix + "table/" + d.Name}
	t.base = tree{keyTree(s.Tree, d.Keys, d), new(statistics)}
	t.keys = slices.Concat(t.base.Partition, t.base.Sort)
	for i := range d.LocalIndexes {
		t.indexes = append(t.indexes, newIndex(&d.LocalIndexes[i], true, t))
	}
	for i := range d.GlobalIndexes {
		t.indexes = append(t.indexes, newIndex(&d.GlobalIndexes[i], false, t))
	}
	slices.SortFunc(t.indexes, func(a, b *index) int { return strings.Compare(a.def.Name, b.def.Name) })
	return t
}

// keyTree describes the tree of a key schema.
func keyTree(id uint32, keys []dynamo.KeyElement, d *dynamo.Table) store.Tree {
	tr := store.Tree{ID: id}
	for _, k := range keys {
		a := store.KeyAttribute{Name: k.Name, Type: d.AttributeType(k.Name)}
		if k.Sort {
			tr.Sort = append(tr.Sort, a)
		} else {
			tr.Partition = append(tr.Partition, a)
		}
	}
	return tr
}

func (t *table) trees() []*tree {
	trees := []*tree{&t.base}
	for _, ix := range t.indexes {
		trees = append(trees, &ix.tree)
	}
	return trees
}

// inherit takes over the statistics of the trees that t has in common with old.
func (t *table) inherit(old *table) {
	for _, tr := range t.trees() {
		for _, o := range old.trees() {
			if o.ID == tr.ID {
				tr.statistics = o.statistics
			}
		}
	}
}

func (t *table) name() string { return t.stored.Definition.Name }

// index returns the index with that name, nil if there is none.
func (t *table) index(name string) *index {
	for _, ix := range t.indexes {
		if ix.def.Name == name {
			return ix
		}
	}
	return nil
}

// describe makes the table's description; it belongs to the caller.
func (t *table) describe(status dynamo.Status) *dynamo.Table {
	d := t.stored.Definition
	d.ARN, d.Status = t.arn, status
	d.ItemCount, d.SizeBytes = t.base.items.Load(), t.base.bytes.Load()
	d.Attributes, d.Keys = slices.Clone(d.Attributes), slices.Clone(d.Keys)
	d.Tags, d.Throughput, d.OnDemand, d.Warm = maps.Clone(d.Tags), clone(d.Throughput), clone(d.OnDemand), clone(d.Warm)
	if d.StreamLabel != "" {
		d.StreamARN = t.arn + "/stream/" + d.StreamLabel
	}
	d.GlobalIndexes = t.describeIndexes(d.GlobalIndexes, status)
	d.LocalIndexes = t.describeIndexes(d.LocalIndexes, status)
	return &d
}

func clone[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}

func (t *table) describeIndexes(list []dynamo.Index, status dynamo.Status) []dynamo.Index {
	list = slices.Clone(list)
	for i := range list {
		ix := t.index(list[i].Name)
		d := &list[i]
		d.Keys, d.Projection.Attributes = slices.Clone(d.Keys), slices.Clone(d.Projection.Attributes)
		d.Throughput, d.OnDemand, d.Warm = clone(d.Throughput), clone(d.OnDemand), clone(d.Warm)
		d.ARN = t.arn + "/index/" + d.Name
		switch {
		case ix.building:
			d.Backfilling = true
			continue
		case !ix.local:
			d.Status = status
		}
		d.ItemCount = ix.items.Load()
		d.SizeBytes = ix.bytes.Load() + dynamo.IndexEntryOverhead*d.ItemCount
	}
	return list
}

// table finds the table that a request names, by name or by ARN. The caller has entered.
func (db *DB) table(name string) (*table, error) {
	t := db.tables[name]
	if t == nil {
		t = db.tables[nameOf(name)]
	}
	if t == nil {
		return nil, notFound()
	}
	return t, nil
}

// nameOf returns the name of the table of an ARN; a name stays as it is.
func nameOf(name string) string {
	if strings.HasPrefix(name, "arn:") {
		if _, after, ok := strings.Cut(name, ":table/"); ok {
			return after
		}
	}
	return name
}

// CreateTable makes a table, which can be used at once; as from the service, the
// description's status is CREATING, and DescribeTable's is ACTIVE.
func (db *DB) CreateTable(ctx context.Context, in *dynamo.Table) (*dynamo.Table, error) {
	if err := checkTable(in); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	db.catalog.Lock()
	defer db.catalog.Unlock()
	if db.closed {
		return nil, ErrClosed
	}
	if db.tables[in.Name] != nil {
		return nil, &dynamo.Error{Code: dynamo.CodeResourceInUse, Message: "Table already exists: " + in.Name}
	}
	b := db.store.Batch()
	defer b.Release()
	numbers := 1 + len(in.LocalIndexes) + len(in.GlobalIndexes)
	if in.Stream != "" {
		numbers++
	}
	first, err := b.NewTrees(numbers)
	if err != nil {
		return nil, err
	}
	s := db.definition(in, first)
	if in.Stream != "" {
		db.startStream(s, in.Stream, b, first+uint32(numbers)-1)
	}
	b.PutTable(s)
	if err := b.Commit(); err != nil {
		return nil, err
	}
	t := db.open(s)
	db.tables[in.Name] = t
	return t.describe(dynamo.StatusCreating), nil
}

// definition makes the catalog's entry of a new table.
func (db *DB) definition(in *dynamo.Table, firstTree uint32) *store.Table {
	s := &store.Table{Tree: firstTree, Indexes: map[string]uint32{}}
	d := &s.Definition
	*d = dynamo.Table{Name: in.Name, Attributes: slices.Clone(in.Attributes), Keys: slices.Clone(in.Keys),
		GlobalIndexes: definedIndexes(in.GlobalIndexes), LocalIndexes: definedIndexes(in.LocalIndexes),
		BillingMode: in.BillingMode, Throughput: clone(in.Throughput), OnDemand: limits(in.OnDemand), Warm: clone(in.Warm), TableClass: in.TableClass, Protected: in.Protected,
		Tags: maps.Clone(in.Tags), ID: db.newID(), Created: db.clock()}
	switch d.BillingMode {
	case "":
		d.BillingMode = billingProvisioned
	case billingOnDemand:
		d.OnDemandSince = d.Created
	}
	for _, list := range [][]dynamo.Index{d.LocalIndexes, d.GlobalIndexes} {
		for i := range list {
			firstTree++
			s.Indexes[list[i].Name] = firstTree
		}
	}
	return s
}

func definedIndexes(list []dynamo.Index) []dynamo.Index {
	var out []dynamo.Index
	for _, ix := range list {
		out = append(out, dynamo.Index{Name: ix.Name, Keys: slices.Clone(ix.Keys), Throughput: clone(ix.Throughput),
			OnDemand: limits(ix.OnDemand), Warm: clone(ix.Warm),
			Projection: dynamo.Projection{Type: ix.Projection.Type, Attributes: slices.Clone(ix.Projection.Attributes)}})
	}
	return out
}

// DescribeTable describes a table. Numbers of items and sizes are those of the moment, or
// too low while they are counted after a crash.
func (db *DB) DescribeTable(ctx context.Context, name string) (*dynamo.Table, error) {
	if err := checkTableName(nameOf(name)); err != nil {
		return nil, err
	}
	if err := db.enter(ctx); err != nil {
		return nil, err
	}
	defer db.leave()
	t, err := db.table(name)
	if err != nil {
		return nil, tableNotFound(nameOf(name))
	}
	return t.describe(dynamo.StatusActive), nil
}

// DeleteTable drops a table, its items and its indexes, and returns its last description.
func (db *DB) DeleteTable(ctx context.Context, name string) (*dynamo.Table, error) {
	if err := checkTableName(nameOf(name)); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	db.catalog.Lock()
	defer db.catalog.Unlock()
	if db.closed {
		return nil, ErrClosed
	}
	t, err := db.table(name)
	if err != nil {
		return nil, tableNotFound(nameOf(name))
	}
	if t.stored.Definition.Protected {
		return nil, invalid("Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first.")
	}
	if t.isBuilding() {
		return nil, &dynamo.Error{Code: dynamo.CodeResourceInUse, Message: textStillInUse + "Cannot delete table while indexes are being created, updated, or deleted."}
	}
	b := db.store.Batch()
	defer b.Release()
	if t.stream != nil {
		db.stopStream(copyTable(t.stored), b)
	}
	b.DropTable(t.stored)
	if err := b.Commit(); err != nil {
		return nil, err
	}
	delete(db.tables, t.name())
	return t.describe(dynamo.StatusDeleting), nil
}

// ListTables pages through the names of tables in order.
func (db *DB) ListTables(ctx context.Context, in *dynamo.ListTablesInput) (*dynamo.ListTablesOutput, error) {
	limit := int64(dynamo.MaxListTables)
	if in.Limit != nil {
		limit = *in.Limit
	}
	switch {
	case limit < 1:
		return nil, unlike(limit, "limit", textValueAtLeast, 1)
	case limit > dynamo.MaxListTables:
		return nil, unlike(limit, "limit", textValueAtMost, dynamo.MaxListTables)
	}
	if start := in.ExclusiveStartTableName; start != "" {
		if err := checkLongName(start, "exclusiveStartTableName"); err != nil {
			return nil, err
		}
	}
	if err := db.enter(ctx); err != nil {
		return nil, err
	}
	defer db.leave()
	names := slices.Sorted(maps.Keys(db.tables))
	i, found := slices.BinarySearch(names, in.ExclusiveStartTableName)
	if found {
		i++
	}
	out := &dynamo.ListTablesOutput{TableNames: names[i:]}
	if int64(len(out.TableNames)) > limit {
		out.TableNames = out.TableNames[:limit]
		out.LastEvaluated = out.TableNames[limit-1]
	}
	return out, nil
}
