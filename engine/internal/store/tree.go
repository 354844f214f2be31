package store

import (
	"crypto/md5"
	"encoding/binary"
	"math"

	"github.com/keyfold-dev/keyfold/dynamo"
)

// The first byte of every key says what it holds.
const (
	kindMeta   = 0x00
	kindTable  = 0x01
	kindStats  = 0x02
	kindToken  = 0x03
	kindExpiry = 0x04
	kindBuild  = 0x05
	kindStream = 0x06
	kindItem   = 0x10
	kindRecord = 0x11
)

var (
	formatKey   = append([]byte{kindMeta}, "format"...)
	nextTreeKey = append([]byte{kindMeta}, "next tree"...)
)

// A KeyAttribute is a named part of a key and its type: S, N or B.
type KeyAttribute struct {
	Name string
	Type dynamo.Type
}

// A Tree is a sorted set of items: a table, or one of its indexes. Items are in the order
// of a hash of Partition, then of Partition itself, then of Sort, then of Base. Base is
// empty for a table; for an index it is the table's key, which tells apart entries with
// the same index key.
type Tree struct {
	ID        uint32
	Partition []KeyAttribute
	Sort      []KeyAttribute
	Base      []KeyAttribute
}

// A Key is the place of an item in the store. Keys of one tree compare as their items do.
type Key []byte

func (t *Tree) appendPrefix(dst []byte) []byte {
	return binary.BigEndian.AppendUint32(append(dst, kindItem), t.ID)
}

// AppendKey appends the key of it, whose key attributes it reads. ok is false when one
// is missing or has another type than the tree's: then it has no place in the tree.
func (t *Tree) AppendKey(dst Key, it dynamo.Item) (key Key, ok bool) {
	key = t.appendPrefix(dst)
	at := len(key)
	key = append(key, "01234567"...)
	if key, ok = appendAttributes(key, t.Partition, it); !ok {
		return key, false
	}
	binary.BigEndian.PutUint64(key[at:], t.hash(it, key[at+8:]))
	if key, ok = appendAttributes(key, t.Sort, it); !ok {
		return key, false
	}
	return appendAttributes(key, t.Base, it)
}

func appendAttributes(key Key, attrs []KeyAttribute, it dynamo.Item) (Key, bool) {
	for i := range attrs {
		v := it.Get(attrs[i].Name)
		if v.Type() != attrs[i].Type {
			return key, false
		}
		key = dynamo.AppendKey(key, v)
	}
	return key, true
}

// hash gives the place of a partition in the order of a Scan. For a key of one attribute
// it is the service's own: the first eight bytes of the MD5 sum of "Outliers" and the
// attribute's bytes, so a Scan and its segments visit items in the service's order.
func (t *Tree) hash(it dynamo.Item, encoded []byte) uint64 {
	var space [64]byte
	b := append(space[:0], "Outliers"...)
	if len(t.Partition) == 1 {
		b = appendHashed(b, it.Get(t.Partition[0].Name))
	} else {
		b = append(b, encoded...)
	}
	sum := md5.Sum(b)
	return binary.BigEndian.Uint64(sum[:])
}

// A Range is a part of a tree: the keys from Start up to but not including End.
type Range struct{ Start, End Key }

// All is the range of the whole tree.
func (t *Tree) All() Range { return t.Segment(0, 1) }

// hashBuckets is how finely the service divides the hash space between segments.
const hashBuckets = 4096

// Segment is the part of the tree that segment i of n covers.
func (t *Tree) Segment(i, n int64) Range {
	return Range{t.bucket(ceilDiv(hashBuckets*i, n)), t.bucket(ceilDiv(hashBuckets*(i+1), n))}
}

func ceilDiv(a, b int64) int64 { return (a + b - 1) / b }

// bucket is the first key of bucket i of the hash space, or the end of the tree.
func (t *Tree) bucket(i int64) Key {
	key := t.appendPrefix(nil)
	if i >= hashBuckets {
		return successor(key)
	}
	return binary.BigEndian.AppendUint64(key, uint64(i)*(math.MaxUint64/hashBuckets+1))
}

// PartitionRange is the range of all items whose partition attributes have the values of it
// and whose first len(sort) sort attributes have those of sort. ok is false when one of
// the values is missing or has another type than the tree's.
func (t *Tree) PartitionRange(it dynamo.Item, sort int) (r Range, ok bool) {
	prefix := Tree{ID: t.ID, Partition: t.Partition, Sort: t.Sort[:sort]}
	start, ok := prefix.AppendKey(nil, it)
	return Range{start, successor(start)}, ok
}

// successor returns the least key greater than every key that starts with prefix.
func successor(prefix Key) Key {
	end := append(Key(nil), prefix...)
	for i := len(end) - 1; i >= 0; i-- {
		if end[i]++; end[i] != 0 {
			return end[:i+1]
		}
	}
	panic("keyfold: internal error: no key follows the prefix")
}

// A Bound compares the next part of a key with one value.
type Bound uint8

// The bounds.
const (
	Below Bound = iota
	AtMost
	AtLeast
	Above
	StartsWith
)

// endMark is the length of what ends the encoding of a string or of bytes.
const endMark = 2

// Narrow keeps of r the part whose attribute after prefix is related to v as b says; r
// must be what PartitionRange returned, and prefix its Start.
func (r Range) Narrow(prefix Key, b Bound, v dynamo.Value) Range {
	key := Key(dynamo.AppendKey(append([]byte(nil), prefix...), v))
	switch b {
	case StartsWith:
		// Without its end mark, the encoding of a string starts that of every longer one.
		key = key[:len(key)-endMark]
		return r.and(Range{key, successor(key)})
	case Below:
		return r.and(Range{r.Start, key})
	case AtMost:
		return r.and(Range{r.Start, successor(key)})
	case AtLeast:
		return r.and(Range{key, r.End})
	}
	return r.and(Range{successor(key), r.End})
}

// After keeps of r what follows key in the order of reading.
func (r Range) After(key Key, backward bool) Range {
	if backward {
		return r.and(Range{r.Start, key})
	}
	return r.and(Range{append(append(Key(nil), key...), 0), r.End})
}

// Contains reports whether key is in r.
func (r Range) Contains(key Key) bool {
	return string(r.Start) <= string(key) && string(key) < string(r.End)
}

func (r Range) and(o Range) Range {
	if string(o.Start) < string(r.Start) {
		o.Start = r.Start
	}
	if string(o.End) > string(r.End) {
		o.End = r.End
	}
	if string(o.End) < string(o.Start) {
		o.End = o.Start
	}
	return o
}

// Has reports whether a partition or sort attribute has that name.
func (t *Tree) Has(name string) bool { return named(t.Partition, name) || named(t.Sort, name) }

// HasBase reports whether the table's key has an attribute with that name; for a table
// itself that is Has.
func (t *Tree) HasBase(name string) bool { return named(t.Base, name) }

func named(attrs []KeyAttribute, name string) bool {
	for i := range attrs {
		if attrs[i].Name == name {
			return true
		}
	}
	return false
}
