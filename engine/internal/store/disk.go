package store

import (
	"math/rand/v2"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// A Disk is a file system in memory that outlives the stores opened on it and can crash.
type Disk struct{ fs *vfs.MemFS }

// NewDisk makes an empty disk.
func NewDisk() *Disk { return &Disk{vfs.NewCrashableMem()} }

// Crash returns a copy of the disk as a machine would find it after losing power now:
// what was synced is there, and of the rest about half, block by block, as rng decides. The disk itself goes on.
func (d *Disk) Crash(rng *rand.Rand) *Disk {
	return &Disk{d.fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 50, RNG: rng})}
}
