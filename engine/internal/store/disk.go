package store

import (
	"math/rand/v2"
	"sync/atomic"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// A Disk is a file system in memory that outlives the stores opened on it, can crash and
// can fill up.
type Disk struct {
	fs   *vfs.MemFS
	full atomic.Bool
}

// NewDisk makes an empty disk.
func NewDisk() *Disk { return &Disk{fs: vfs.NewCrashableMem()} }

// Crash returns a copy of the disk as a machine would find it after losing power now:
// what was synced is there, and of the rest about half, block by block, as rng decides. The
// disk itself goes on.
func (d *Disk) Crash(rng *rand.Rand) *Disk {
	return &Disk{fs: d.fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 50, RNG: rng})}
}

// Fill makes every write from now on fail for want of space.
func (d *Disk) Fill() { d.full.Store(true) }

func (d *Disk) open() vfs.FS {
	return errorfs.Wrap(d.fs, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if d.full.Load() && op.Kind.ReadOrWrite() == errorfs.OpIsWrite {
			return syscall.ENOSPC
		}
		return nil
	}))
}
