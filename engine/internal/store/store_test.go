package store

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/keyfold-dev/keyfold/dynamo"
)

func open(t *testing.T, o Options) *Store {
	t.Helper()
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A second opening of a folder is told so, and can be done once the first is closed.
func TestFolderInUse(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	s := open(t, Options{Dir: dir})
	_, err := Open(Options{Dir: dir})
	if !errors.Is(err, ErrInUse) || !strings.Contains(err.Error(), dir) {
		t.Fatalf("second opening: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := open(t, Options{Dir: dir}).Close(); err != nil {
		t.Fatal(err)
	}
}

// Errors of opening carry the path and what to do.
func TestOpenErrors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := Open(Options{Dir: file})
	if err == nil || !strings.Contains(err.Error(), file) || !strings.Contains(err.Error(), "give a folder") {
		t.Fatalf("a file for a folder: %v", err)
	}

	disk := NewDisk()
	s := open(t, Options{Disk: disk})
	if err := s.db.Set(formatKey, []byte{0, 0, 0, 99}, pebble.Sync); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err = Open(Options{Disk: disk}); err == nil || !strings.Contains(err.Error(), "storage format") {
		t.Fatalf("a format of the future: %v", err)
	}
}

// What Wait has returned for survives a crash, and a batch survives whole or not at all.
func TestCrash(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 1))
		disk := NewDisk()
		s := open(t, Options{Disk: disk})
		tr := &Tree{ID: 1, Partition: []KeyAttribute{{"p", dynamo.TypeNumber}}}
		key := func(i int) Key {
			k, _ := tr.AppendKey(nil, dynamo.NewItem(dynamo.Attr{Name: "p", Value: dynamo.Int(int64(i))}))
			return k
		}
		waited := rng.IntN(20)
		for i := range waited + 3 {
			b := s.Batch()
			for _, k := range []int{i, 1000 + i} {
				it := dynamo.NewItem(dynamo.Attr{Name: "p", Value: dynamo.Int(int64(k))})
				b.Put(key(k), AppendValue(nil, it, dynamo.ItemSize(it)))
			}
			if err := b.Apply(); err != nil {
				t.Fatal(err)
			}
			if i < waited {
				if err := b.Wait(); err != nil {
					t.Fatal(err)
				}
			}
		}
		after := open(t, Options{Disk: disk.Crash(rng)})
		for i := range waited + 3 {
			a, _, err := after.Now().Item(key(i))
			if err != nil {
				t.Fatal(err)
			}
			b, _, _ := after.Now().Item(key(1000 + i))
			if i < waited && a == nil || (a == nil) != (b == nil) {
				t.Fatalf("seed %d, batch %d of %d: %v %v", seed, i, waited, a, b)
			}
		}
		if err := errors.Join(after.Close(), s.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTokens(t *testing.T) {
	s := open(t, Options{})
	defer s.Close()
	start := time.Unix(1_000_000, 0)
	put := func(token string, d byte, at time.Time) {
		b := s.Batch()
		defer b.Release()
		b.PutToken(token, Digest{d}, at.Add(time.Minute))
		if err := errors.Join(b.DropTokens(at, 10), b.Commit()); err != nil {
			t.Fatal(err)
		}
	}
	check := func(token string, at time.Time, want byte, found bool) {
		t.Helper()
		d, ok, err := s.Token(token, at)
		if err != nil || ok != found || d[0] != want {
			t.Fatalf("token %q at %v: %v %v %v", token, at, d[0], ok, err)
		}
	}
	put("a", 1, start)
	put("a\x00", 2, start)
	check("a", start.Add(59*time.Second), 1, true)
	check("a\x00", start, 2, true)
	check("b", start, 0, false)
	check("a", start.Add(time.Minute), 0, false)
	put("a", 3, start.Add(2*time.Minute)) // drops the expired uses, not this one
	check("a", start.Add(2*time.Minute), 3, true)
	check("a\x00", start, 0, false)
}

// Statistics are there once, for the opening that follows an orderly close.
func TestStats(t *testing.T) {
	disk := NewDisk()
	s := open(t, Options{Disk: disk})
	b := s.Batch()
	b.PutStats(3, Stats{5, 70})
	if err := b.Commit(); err != nil {
		t.Fatal(err)
	}
	b.Release()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{1, 0} {
		s = open(t, Options{Disk: disk})
		st, err := s.TakeStats()
		if err != nil || len(st) != want || want == 1 && st[3] != (Stats{5, 70}) {
			t.Fatal(st, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A malformed row is an error, not a panic and not an item.
func TestDamagedRow(t *testing.T) {
	s := open(t, Options{})
	defer s.Close()
	tr := &Tree{ID: 1}
	for _, bad := range []string{"", "\xff", "\x05\x02abc", "\x05"} {
		if err := s.db.Set(tr.All().Start, []byte(bad), pebble.NoSync); err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.Now().Item(tr.All().Start); err == nil {
			t.Errorf("row %x was read", bad)
		}
		c, err := s.Now().Cursor(context.Background(), tr.All(), false)
		if err != nil {
			t.Fatal(err)
		}
		for c.Next() {
			if _, err := c.Row().Item(); err == nil {
				t.Errorf("row %x was read by a cursor", bad)
			}
		}
		c.Close()
	}
}

// On a full disk writes fail with the cause and are refused from then on, and reading goes on.
func TestFullDisk(t *testing.T) {
	disk := NewDisk()
	s := open(t, Options{Disk: disk})
	tr := &Tree{ID: 1, Partition: []KeyAttribute{{"p", dynamo.TypeNumber}}}
	put := func(i int) error {
		it := dynamo.NewItem(dynamo.Attr{Name: "p", Value: dynamo.Int(int64(i))})
		key, _ := tr.AppendKey(nil, it)
		b := s.Batch()
		defer b.Release()
		b.Put(key, AppendValue(nil, it, dynamo.ItemSize(it)))
		return b.Commit()
	}
	if err := put(1); err != nil {
		t.Fatal(err)
	}
	disk.Fill()
	for i := range 3 {
		if err := put(2 + i); !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("write %d to a full disk: %v", i, err)
		}
	}
	key, _ := tr.AppendKey(nil, dynamo.NewItem(dynamo.Attr{Name: "p", Value: dynamo.Int(1)}))
	if it, _, err := s.Now().Item(key); err != nil || it == nil {
		t.Fatal(it, err)
	}
	s.Close()
}

// A batch too large for Pebble's memory table is as safe as any other.
func TestLargeBatchCrash(t *testing.T) {
	disk := NewDisk()
	s := open(t, Options{Disk: disk})
	defer s.Close()
	tr := &Tree{ID: 1, Partition: []KeyAttribute{{"p", dynamo.TypeNumber}}}
	b := s.Batch()
	var keys []Key
	for i := range 25 {
		it := dynamo.NewItem(dynamo.Attr{Name: "p", Value: dynamo.Int(int64(i))},
			dynamo.Attr{Name: "pad", Value: dynamo.String(strings.Repeat("x", 400_000))})
		key, _ := tr.AppendKey(nil, it)
		keys = append(keys, key)
		b.Put(key, AppendValue(nil, it, dynamo.ItemSize(it)))
	}
	if err := b.Commit(); err != nil {
		t.Fatal(err)
	}
	crashed := disk.Crash(rand.New(rand.NewPCG(1, 1)))
	b.Release()
	after := open(t, Options{Disk: crashed})
	defer after.Close()
	for i, key := range keys {
		if it, _, err := after.Now().Item(key); err != nil || it == nil {
			t.Fatal(i, err)
		}
	}
}
