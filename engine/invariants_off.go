//go:build !invariants

package engine

// invariants is set in builds that check after every write what must hold.
const invariants = false
