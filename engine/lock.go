package engine

import (
	"hash/maphash"
	"slices"
	"sync"
)

// itemLocks keep writers of one item apart. Items share a fixed number of locks by a hash
// of their keys, so writers of different items seldom wait for each other. Whoever needs
// several takes them in ascending order.
type itemLocks struct {
	seed  maphash.Seed
	locks [lockCount]paddedMutex
}

const lockCount = 1024

type paddedMutex struct {
	sync.Mutex
	_ [56]byte // no two in one cache line
}

// A lockSet holds the locks of the items of one request.
type lockSet struct {
	of      *itemLocks
	numbers []uint16
	space   [4]uint16
}

func (l *itemLocks) number(key []byte) uint16 {
	return uint16(maphash.Bytes(l.seed, key) % lockCount)
}

// add notes that the lock of key is needed.
func (s *lockSet) add(l *itemLocks, key []byte) {
	if s.numbers == nil {
		s.of, s.numbers = l, s.space[:0]
	}
	s.numbers = append(s.numbers, l.number(key))
}

func (s *lockSet) lock() {
	slices.Sort(s.numbers)
	s.numbers = slices.Compact(s.numbers)
	for _, n := range s.numbers {
		s.of.locks[n].Lock()
	}
}

func (s *lockSet) unlock() {
	for _, n := range s.numbers {
		s.of.locks[n].Unlock()
	}
}
