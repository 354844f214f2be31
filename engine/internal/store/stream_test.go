package store

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/keyfold-dev/keyfold/dynamo"
)

func streamEntries() []*StreamEntry {
	key := dynamo.Item{{Name: "id", Value: dynamo.String("a")}}
	old, next := key.Clone().Set("n", dynamo.Int(1)), key.Clone().Set("n", dynamo.Int(2))
	return []*StreamEntry{{Keys: key, Exists: true}, {Keys: key, Existed: true, Expired: true, Old: old},
		{Keys: key, Existed: true, Exists: true, Old: old, New: next}, {Keys: key, Existed: true, Exists: true, New: next}}
}

func TestStreamEntry(t *testing.T) {
	for _, e := range streamEntries() {
		e.Time = time.UnixMilli(1_800_000_000_123)
		b := AppendStreamEntry(nil, e)
		binary.BigEndian.PutUint64(b[1:], uint64(e.Time.UnixMilli()))
		got, err := decodeStreamEntry(b)
		if err != nil {
			t.Fatal(err)
		}
		equal := cmp.Comparer(func(a, b dynamo.Item) bool { return (a == nil) == (b == nil) && dynamo.EqualItems(a, b) })
		if diff := cmp.Diff(e, got, equal); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func FuzzStreamEntry(f *testing.F) {
	for _, e := range streamEntries() {
		f.Add(AppendStreamEntry(nil, e))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		e, err := decodeStreamEntry(src)
		if err != nil {
			return
		}
		if again, err := decodeStreamEntry(AppendStreamEntry(nil, e)); err != nil || !dynamo.EqualItems(again.Keys, e.Keys) {
			t.Fatalf("%v after %v: %v", again, e, err)
		}
	})
}
