package mem

import (
	"encoding/binary"
	"rdmatui/verbs"
)

// Atomic is what is done to the operand: Value is added to it, or, with Compare, put in its place where it equals Expected.
type Atomic struct {
	Compare         bool
	Value, Expected uint64
}

// atomic executes an atomic on the 8 bytes at an address of the region; ok is false where they are not all there. All access to a region goes through
// its lock, so that nothing of the device comes in between.
func (r *registration) atomic(op Atomic, addr uint64) (orig uint64, ok bool) {
	if !r.holds(addr, verbs.AtomicLen) {
		return 0, false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.bytes == nil {
		return 0, false
	}
	word := r.bytes[addr-r.addr:][:verbs.AtomicLen]
	err := r.mapping.Reach(true, func() {
		orig = binary.NativeEndian.Uint64(word)
		switch {
		case !op.Compare:
			binary.NativeEndian.PutUint64(word, orig+op.Value)
		case orig == op.Expected:
			binary.NativeEndian.PutUint64(word, op.Value)
		}
	})
	return orig, err == nil
}
