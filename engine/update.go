package engine

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/keyfold-dev/keyfold/dynamo"
	"github.com/keyfold-dev/keyfold/engine/internal/store"
)

// UpdateTable changes a table: its capacity, its class, its stream, its protection or its
// global indexes. All but the building of an index has happened when it returns; as from
// the service, the status in the answer is UPDATING all the same. An index being created
// cannot be read until DescribeTable says that it is ACTIVE; one that is deleted is gone.
func (db *DB) UpdateTable(ctx context.Context, in *dynamo.UpdateTableInput) (*dynamo.Table, error) {
	if err := checkUpdate(in); err != nil {
		return nil, err
	}
	u := tableUpdate{db: db, in: in}
	old, changed, err := db.alter(ctx, in.TableName, u.apply)
	if err != nil {
		return nil, err
	}
	return u.answer(old, changed), nil
}

// alter changes a table's entry in the catalog and opens the table anew. Nobody else is at
// work when change is called; it may add to the batch, and s is its to change.
func (db *DB) alter(ctx context.Context, name string, change func(t *table, s *store.Table, b *store.Batch) error) (old, changed *table, err error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	db.catalog.Lock()
	defer db.catalog.Unlock()
	if db.closed {
		return nil, nil, ErrClosed
	}
	if old, err = db.table(name); err != nil {
		return nil, nil, tableNotFound(nameOf(name))
	}
	b := db.store.Batch()
	defer b.Release()
	s := copyTable(old.stored)
	if err := change(old, s, b); err != nil {
		return nil, nil, err
	}
	b.PutTable(s)
	if err := b.Commit(); err != nil {
		return nil, nil, err
	}
	changed = db.open(s)
	changed.inherit(old)
	db.tables[changed.name()] = changed
	db.startBuilds(changed)
	return old, changed, nil
}

// copyTable copies what alter's callers may change.
func copyTable(s *store.Table) *store.Table {
	c := *s
	c.Indexes = maps.Clone(s.Indexes)
	d := &c.Definition
	d.Attributes, d.GlobalIndexes, d.Tags = slices.Clone(d.Attributes), slices.Clone(d.GlobalIndexes), maps.Clone(d.Tags)
	return &c
}

// A tableUpdate carries out a request of UpdateTable.
type tableUpdate struct {
	db *DB
	in *dynamo.UpdateTableInput
}

func (u *tableUpdate) apply(t *table, s *store.Table, b *store.Batch) error {
	d := &s.Definition
	if err := u.capacity(d); err != nil {
		return err
	}
	if err := u.changeStream(s, b); err != nil {
		return err
	}
	if err := u.indexes(t, s, b); err != nil {
		return err
	}
	if err := checkIndexCapacity(d); err != nil {
		return err
	}
	// The class that a table has anyway stays unsaid.
	if u.in.TableClass != "" && (d.TableClass != "" || u.in.TableClass != "STANDARD") {
		d.TableClass = u.in.TableClass
	}
	if u.in.Protected != nil {
		d.Protected = *u.in.Protected
	}
	return nil
}

// capacity changes the billing mode and the table's own throughput.
func (u *tableUpdate) capacity(d *dynamo.Table) error {
	now := u.db.clock()
	mode := cmp.Or(u.in.BillingMode, d.BillingMode)
	switched := mode != d.BillingMode
	if err := checkCapacityChange(u.in, d, mode); err != nil {
		return err
	}
	if switched {
		d.BillingMode, d.Throughput, d.OnDemand = mode, nil, nil
		if mode == billingOnDemand {
			d.OnDemandSince = now
		}
		for i := range d.GlobalIndexes {
			d.GlobalIndexes[i].Throughput, d.GlobalIndexes[i].OnDemand = nil, nil
		}
	}
	if u.in.Throughput != nil {
		d.Throughput = rated(u.in.Throughput, d.Throughput, u.db)
	}
	if u.in.OnDemand != nil {
		d.OnDemand = limits(u.in.OnDemand)
	}
	if u.in.Warm != nil {
		have := dynamo.WarmThroughput(d.BillingMode, d.Throughput, d.Warm)
		warm, err := warmer(u.in.Warm, have, "table")
		if err != nil {
			return err
		}
		d.Warm = warm
	}
	return nil
}

// rated is the provisioned throughput in, which follows on old, with the times of change.
func rated(in, old *dynamo.Throughput, db *DB) *dynamo.Throughput {
	t := &dynamo.Throughput{Read: in.Read, Write: in.Write}
	if old == nil {
		return t
	}
	t.LastIncrease, t.LastDecrease = old.LastIncrease, old.LastDecrease
	if t.Read > old.Read || t.Write > old.Write {
		t.LastIncrease = db.clock()
	}
	if t.Read < old.Read || t.Write < old.Write {
		t.LastDecrease = db.clock()
	}
	return t
}

// limits copies limits of on-demand throughput; nil if there are none.
func limits(in *dynamo.Throughput) *dynamo.Throughput {
	if in == nil || in.Read == -1 && in.Write == -1 {
		return nil
	}
	return clone(in)
}

// warmer is warm throughput in place of what there is, which it may not be less than; 0 is
// no change.
func warmer(in *dynamo.Throughput, have dynamo.Throughput, what string) (*dynamo.Throughput, error) {
	want := dynamo.Throughput{Read: cmp.Or(in.Read, have.Read), Write: cmp.Or(in.Write, have.Write)}
	for _, c := range []struct {
		name       string
		want, have int64
	}{{"ReadUnitsPerSecond", want.Read, have.Read}, {"WriteUnitsPerSecond", want.Write, have.Write}} {
		if c.want < c.have {
			return nil, invalid(parametersInvalid+"Requested %s for WarmThroughput for %s is lower than current WarmThroughput, decreasing WarmThroughput is not supported", c.name, what)
		}
	}
	return &want, nil
}

// indexes changes global indexes.
func (u *tableUpdate) indexes(t *table, s *store.Table, b *store.Batch) error {
	structural := 0
	for i := range u.in.Indexes {
		x := &u.in.Indexes[i]
		if x.Update == nil {
			structural++
		}
		if x.Create == nil {
			if err := checkIndexExists(&s.Definition, x); err != nil {
				return err
			}
		}
		var err error
		switch {
		case x.Create != nil:
			err = u.create(x.Create, s, b)
		case x.Update != nil:
			err = u.updateIndex(x.Update, &s.Definition)
		default:
			u.drop(*x.Delete, s, b)
		}
		if err != nil {
			return err
		}
	}
	// An index that is being filled may be deleted.
	if structural > 1 || structural == 1 && t.isBuilding() && !u.dropsBuilding(t) {
		return &dynamo.Error{Code: dynamo.CodeLimitExceeded, Message: "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table"}
	}
	return nil
}

func (t *table) isBuilding() bool {
	return slices.ContainsFunc(t.indexes, func(ix *index) bool { return ix.building })
}

func (u *tableUpdate) dropsBuilding(t *table) bool {
	return slices.ContainsFunc(u.in.Indexes, func(x dynamo.IndexUpdate) bool { return x.Delete != nil && t.index(*x.Delete).building })
}

func (u *tableUpdate) create(in *dynamo.Index, s *store.Table, b *store.Batch) error {
	d := &s.Definition
	if err := u.checkNewIndex(in, d); err != nil {
		return err
	}
	id, err := b.NewTrees(1)
	if err != nil {
		return err
	}
	s.Indexes[in.Name] = id
	for _, k := range in.Keys {
		if d.AttributeType(k.Name) == dynamo.Absent {
			d.Attributes = append(d.Attributes, dynamo.AttributeDefinition{Name: k.Name, Type: u.definedType(k.Name, d)})
		}
	}
	ix := definedIndexes([]dynamo.Index{*in})[0]
	ix.Status = dynamo.StatusCreating
	d.GlobalIndexes = append(d.GlobalIndexes, ix)
	return nil
}

// definedType is the type of an attribute: as the table has it or else as the request does.
func (u *tableUpdate) definedType(name string, d *dynamo.Table) dynamo.Type {
	if t := d.AttributeType(name); t != dynamo.Absent {
		return t
	}
	return (&dynamo.Table{Attributes: u.in.Attributes}).AttributeType(name)
}

// drop removes an index, and the definitions of attributes that are no keys any more.
func (u *tableUpdate) drop(name string, s *store.Table, b *store.Batch) {
	d := &s.Definition
	b.DropTree(s.Indexes[name])
	delete(s.Indexes, name)
	d.GlobalIndexes = slices.DeleteFunc(d.GlobalIndexes, func(ix dynamo.Index) bool { return ix.Name == name })
	used := usedAttributes(d)
	d.Attributes = slices.DeleteFunc(d.Attributes, func(a dynamo.AttributeDefinition) bool { return !used[a.Name] })
}

func (u *tableUpdate) updateIndex(in *dynamo.Index, d *dynamo.Table) error {
	ix, _ := d.Index(in.Name)
	if in.Throughput != nil {
		if d.BillingMode == billingOnDemand && u.in.BillingMode == "" {
			return invalid(parametersInvalid+"The only Updates for index: %s when TableThroughputMode is PAY_PER_REQUEST can be to OnDemandThroughput, WarmThroughput", in.Name)
		}
		if old := ix.Throughput; old != nil && old.Read == in.Throughput.Read && old.Write == in.Throughput.Write {
			return unchanged("index "+in.Name, old)
		}
		ix.Throughput = rated(in.Throughput, ix.Throughput, u.db)
	}
	if in.OnDemand != nil {
		ix.OnDemand = limits(in.OnDemand)
	}
	if in.Warm != nil {
		warm, err := warmer(in.Warm, dynamo.WarmThroughput(d.BillingMode, ix.Throughput, ix.Warm), "index "+in.Name)
		if err != nil {
			return err
		}
		ix.Warm = warm
	}
	return nil
}

// answer describes the table as the service does right after the request: provisioned
// throughput and class are still the old ones, and what is changing says so.
func (u *tableUpdate) answer(old, changed *table) *dynamo.Table {
	status := dynamo.StatusUpdating
	structural := slices.ContainsFunc(u.in.Indexes, func(x dynamo.IndexUpdate) bool { return x.Update == nil })
	if u.in.BillingMode == "" && u.in.Throughput == nil && u.in.TableClass == "" && u.in.Stream == nil && !structural {
		status = dynamo.StatusActive
	}
	d := changed.describe(status)
	before := old.describe(dynamo.StatusActive)
	d.Throughput, d.TableClass = before.Throughput, before.TableClass
	for i := range d.GlobalIndexes {
		ix := &d.GlobalIndexes[i]
		if ix.Status == dynamo.StatusCreating {
			ix.Backfilling = ix.Backfilling && old.index(ix.Name) != nil
			continue
		}
		ix.Status = dynamo.StatusActive
		if was, _ := before.Index(ix.Name); was != nil {
			ix.Throughput = was.Throughput
		}
	}
	for i := range u.in.Indexes {
		switch x := &u.in.Indexes[i]; {
		case x.Delete != nil:
			ix, _ := before.Index(*x.Delete)
			ix.Status, ix.Backfilling = dynamo.StatusDeleting, false
			d.GlobalIndexes = append(d.GlobalIndexes, *ix)
			d.Attributes = before.Attributes
		case x.Update != nil:
			ix, _ := d.Index(x.Update.Name)
			ix.Status = dynamo.StatusUpdating
		}
	}
	return d
}
