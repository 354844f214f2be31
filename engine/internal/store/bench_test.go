package store

import (
	"encoding/binary"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/cockroachdb/pebble/v2"
)

// The floors under the engine's benchmarks: Pebble's own Get and Set of keys and values as
// large as those of engine's BenchmarkGet and BenchmarkPut, in memory and on disk.
const (
	floorItems = 20_000
	floorValue = 420
)

func floorKey(i int) []byte {
	key := []byte("\x10\x00\x00\x00\x01")
	key = binary.BigEndian.AppendUint64(key, uint64(i)*0x9E3779B97F4A7C15)
	return append(append(key, "PRODUCT#"...), strconv.Itoa(i)...)
}

func floorStore(b *testing.B, dir string) *Store {
	s, err := Open(Options{Dir: dir})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	for i := range floorItems {
		if err := s.db.Set(floorKey(i), make([]byte, floorValue), pebble.NoSync); err != nil {
			b.Fatal(err)
		}
	}
	return s
}

func BenchmarkFloorGet(b *testing.B) {
	s := floorStore(b, "")
	rng := rand.New(rand.NewPCG(1, 1))
	b.ReportAllocs()
	for b.Loop() {
		_, closer, err := s.db.Get(floorKey(rng.IntN(floorItems)))
		if err != nil {
			b.Fatal(err)
		}
		closer.Close()
	}
}

func BenchmarkFloorSet(b *testing.B) {
	for _, dir := range []string{"", b.TempDir()} {
		name := "memory"
		if dir != "" {
			name = "disk"
		}
		b.Run(name, func(b *testing.B) {
			s := floorStore(b, dir)
			b.SetParallelism(32)
			b.ReportAllocs()
			b.RunParallel(func(p *testing.PB) {
				rng := rand.New(rand.NewPCG(rand.Uint64(), 1))
				value := make([]byte, floorValue)
				for p.Next() {
					if err := s.db.Set(floorKey(rng.IntN(floorItems)), value, s.sync); err != nil {
						b.Error(err)
					}
				}
			})
		})
	}
}

func BenchmarkFloorSeek25(b *testing.B) {
	s := floorStore(b, "")
	rng := rand.New(rand.NewPCG(1, 1))
	b.ReportAllocs()
	for b.Loop() {
		it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: floorKey(rng.IntN(floorItems))})
		if err != nil {
			b.Fatal(err)
		}
		for n, ok := 0, it.First(); ok && n < 25; n, ok = n+1, it.Next() {
			_ = it.Value()
		}
		it.Close()
	}
}
