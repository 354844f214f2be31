package store

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/keyfold-dev/keyfold/dynamo"
)

// A Table is a table's entry in the catalog: its definition, the trees that hold it and
// its indexes, and its settings. The status of a global index is CREATING as long as it is
// being built; other statuses are not kept.
type Table struct {
	Definition dynamo.Table
	Tree       uint32
	Indexes    map[string]uint32 // tree by index name
	TTL        string            // the attribute that holds the expiry time, "" for none

	RecoverySince time.Time // of point-in-time recovery, zero when it is off
	RecoveryDays  int64
	Stream        uint32 // the number of the latest stream, 0 for none
}

// The stored form of a Table. Field names are part of the format.
type tableRecord struct {
	Name        string            `json:"name"`
	ID          string            `json:"id"`
	Tree        uint32            `json:"tree"`
	Created     time.Time         `json:"created"`
	Attributes  []attributeRecord `json:"attributes"`
	Keys        []keyRecord       `json:"keys"`
	Global      []indexRecord     `json:"global,omitempty"`
	Local       []indexRecord     `json:"local,omitempty"`
	BillingMode string            `json:"billing"`
	Throughput  *throughputRecord `json:"throughput,omitempty"`
	TableClass  string            `json:"class,omitempty"`
	Protected   bool              `json:"protected,omitempty"`
	Tags        map[string]string `json:"tags,omitempty"`
	TTL         string            `json:"ttl,omitempty"`

	OnDemand      *throughputRecord `json:"on_demand,omitempty"`
	OnDemandSince time.Time         `json:"on_demand_since,omitzero"`
	Warm          *throughputRecord `json:"warm,omitempty"`
	RecoverySince time.Time         `json:"recovery_since,omitzero"`
	RecoveryDays  int64             `json:"recovery_days,omitempty"`
	Stream        uint32            `json:"stream,omitempty"`
	StreamView    dynamo.StreamView `json:"stream_view,omitempty"`
	StreamLabel   string            `json:"stream_label,omitempty"`
}

type attributeRecord struct {
	Name string      `json:"name"`
	Type dynamo.Type `json:"type"`
}

type keyRecord struct {
	Name string `json:"name"`
	Sort bool   `json:"sort,omitempty"`
}

type throughputRecord struct {
	Read         int64     `json:"read"`
	Write        int64     `json:"write"`
	LastIncrease time.Time `json:"increased,omitzero"`
	LastDecrease time.Time `json:"decreased,omitzero"`
}

type indexRecord struct {
	Name       string                `json:"name"`
	Tree       uint32                `json:"tree"`
	Keys       []keyRecord           `json:"keys"`
	Projection dynamo.ProjectionType `json:"projection"`
	Attributes []string              `json:"include,omitempty"`
	Throughput *throughputRecord     `json:"throughput,omitempty"`
	OnDemand   *throughputRecord     `json:"on_demand,omitempty"`
	Warm       *throughputRecord     `json:"warm,omitempty"`
	Building   bool                  `json:"building,omitempty"`
}

func record(t *Table) tableRecord {
	d := &t.Definition
	r := tableRecord{Name: d.Name, ID: d.ID, Tree: t.Tree, Created: d.Created, Keys: keyRecords(d.Keys),
		BillingMode: d.BillingMode, Throughput: (*throughputRecord)(d.Throughput), TableClass: d.TableClass,
		Protected: d.Protected, Tags: d.Tags, TTL: t.TTL, OnDemand: (*throughputRecord)(d.OnDemand),
		OnDemandSince: d.OnDemandSince, Warm: (*throughputRecord)(d.Warm),
		RecoverySince: t.RecoverySince, RecoveryDays: t.RecoveryDays,
		Stream: t.Stream, StreamView: d.Stream, StreamLabel: d.StreamLabel}
	for _, a := range d.Attributes {
		r.Attributes = append(r.Attributes, attributeRecord(a))
	}
	r.Global = t.indexRecords(d.GlobalIndexes)
	r.Local = t.indexRecords(d.LocalIndexes)
	return r
}

func keyRecords(keys []dynamo.KeyElement) []keyRecord {
	var out []keyRecord
	for _, k := range keys {
		out = append(out, keyRecord(k))
	}
	return out
}

func (t *Table) indexRecords(indexes []dynamo.Index) []indexRecord {
	var out []indexRecord
	for i := range indexes {
		ix := &indexes[i]
		out = append(out, indexRecord{Name: ix.Name, Tree: t.Indexes[ix.Name], Keys: keyRecords(ix.Keys),
			Projection: ix.Projection.Type, Attributes: ix.Projection.Attributes,
			Throughput: (*throughputRecord)(ix.Throughput), OnDemand: (*throughputRecord)(ix.OnDemand),
			Warm: (*throughputRecord)(ix.Warm), Building: ix.Status == dynamo.StatusCreating})
	}
	return out
}

func (r *tableRecord) table() *Table {
	t := &Table{Tree: r.Tree, Indexes: map[string]uint32{}, TTL: r.TTL,
		RecoverySince: r.RecoverySince, RecoveryDays: r.RecoveryDays, Stream: r.Stream, Definition: dynamo.Table{
			Name: r.Name, ID: r.ID, Created: r.Created, Keys: keyElements(r.Keys), BillingMode: r.BillingMode,
			Throughput: (*dynamo.Throughput)(r.Throughput), TableClass: r.TableClass, Protected: r.Protected, Tags: r.Tags, Stream: r.StreamView, StreamLabel: r.StreamLabel,
			OnDemand: (*dynamo.Throughput)(r.OnDemand), OnDemandSince: r.OnDemandSince, Warm: (*dynamo.Throughput)(r.Warm)}}
	for _, a := range r.Attributes {
		t.Definition.Attributes = append(t.Definition.Attributes, dynamo.AttributeDefinition(a))
	}
	t.Definition.GlobalIndexes = t.indexes(r.Global)
	t.Definition.LocalIndexes = t.indexes(r.Local)
	return t
}

func keyElements(keys []keyRecord) []dynamo.KeyElement {
	var out []dynamo.KeyElement
	for _, k := range keys {
		out = append(out, dynamo.KeyElement(k))
	}
	return out
}

func (t *Table) indexes(records []indexRecord) []dynamo.Index {
	var out []dynamo.Index
	for _, r := range records {
		t.Indexes[r.Name] = r.Tree
		ix := dynamo.Index{Name: r.Name, Keys: keyElements(r.Keys),
			Projection: dynamo.Projection{Type: r.Projection, Attributes: r.Attributes},
			Throughput: (*dynamo.Throughput)(r.Throughput), OnDemand: (*dynamo.Throughput)(r.OnDemand), Warm: (*dynamo.Throughput)(r.Warm)}
		if r.Building {
			ix.Status = dynamo.StatusCreating
		}
		out = append(out, ix)
	}
	return out
}

func tableKey(name string) []byte { return append([]byte{kindTable}, name...) }

// Tables reads the catalog, in the order of names.
func (s *Store) Tables() ([]*Table, error) {
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: []byte{kindTable}, UpperBound: []byte{kindTable + 1}})
	if err != nil {
		return nil, fmt.Errorf("read catalog: %w", err)
	}
	var tables []*Table
	for it.First(); it.Valid(); it.Next() {
		var r tableRecord
		if err := json.Unmarshal(it.Value(), &r); err != nil {
			return nil, errors.Join(fmt.Errorf("read catalog entry %q: %w; the files are damaged: restore a backup of the folder", it.Key()[1:], err), it.Close())
		}
		tables = append(tables, r.table())
	}
	if err := errors.Join(it.Error(), it.Close()); err != nil {
		return nil, fmt.Errorf("read catalog: %w", err)
	}
	return tables, nil
}

// PutTable stores a catalog entry.
func (b *Batch) PutTable(t *Table) {
	text, err := json.Marshal(record(t))
	must(err)
	must(b.b.Set(tableKey(t.Definition.Name), text, nil))
}

// DropTable removes a catalog entry and everything in its trees.
func (b *Batch) DropTable(t *Table) {
	must(b.b.Delete(tableKey(t.Definition.Name), nil))
	b.DropTree(t.Tree)
	for _, ix := range [][]dynamo.Index{t.Definition.GlobalIndexes, t.Definition.LocalIndexes} {
		for i := range ix {
			b.DropTree(t.Indexes[ix[i].Name])
		}
	}
}

// DropTree removes everything in a tree.
func (b *Batch) DropTree(id uint32) {
	all := (&Tree{ID: id}).All()
	must(b.b.DeleteRange(all.Start, all.End, nil))
	must(b.b.Delete(statsKey(id), nil))
	must(b.b.Delete(buildKey(id), nil))
}

// NewTrees reserves n tree ids in b and returns the first. Ids are never used again. The
// caller holds its lock on the catalog until b is applied.
func (b *Batch) NewTrees(n int) (uint32, error) {
	first := uint32(1)
	v, closer, err := b.s.db.Get(nextTreeKey)
	if err == nil {
		first = binary.BigEndian.Uint32(v)
		err = closer.Close()
	}
	if err != nil && !errors.Is(err, pebble.ErrNotFound) {
		return 0, fmt.Errorf("read catalog: %w", err)
	}
	must(b.b.Set(nextTreeKey, binary.BigEndian.AppendUint32(nil, first+uint32(n)), nil))
	return first, nil
}

// Stats are the number of items of a tree and the sum of their sizes.
type Stats struct{ Items, Bytes int64 }

func statsKey(tree uint32) []byte {
	return binary.BigEndian.AppendUint32([]byte{kindStats}, tree)
}

// PutStats stores a tree's statistics, for the next start.
func (b *Batch) PutStats(tree uint32, st Stats) {
	v := binary.AppendVarint(binary.AppendVarint(nil, st.Items), st.Bytes)
	must(b.b.Set(statsKey(tree), v, nil))
}

// TakeStats returns the statistics that the last Close left and removes them, since they
// are not kept up to date: after a crash there are none, and they have to be counted.
func (s *Store) TakeStats() (map[uint32]Stats, error) {
	start, end := []byte{kindStats}, []byte{kindStats + 1}
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: start, UpperBound: end})
	if err != nil {
		return nil, fmt.Errorf("read statistics: %w", err)
	}
	stats := map[uint32]Stats{}
	for it.First(); it.Valid(); it.Next() {
		items, n := binary.Varint(it.Value())
		bytes, _ := binary.Varint(it.Value()[n:])
		stats[binary.BigEndian.Uint32(it.Key()[1:])] = Stats{items, bytes}
	}
	if err := errors.Join(it.Error(), it.Close()); err != nil {
		return nil, fmt.Errorf("read statistics: %w", err)
	}
	if len(stats) == 0 {
		return stats, nil
	}
	if err := s.db.DeleteRange(start, end, s.sync); err != nil {
		return nil, fmt.Errorf("write statistics: %w", err)
	}
	return stats, nil
}
