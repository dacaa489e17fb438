package mem

import (
	"encoding/binary"

	"rdmatui/verbs"
)

// Atomic is an atomic operation: Value is added to the operand or, with Compare, replaces it if it equals Expected.
type Atomic struct {
	Compare         bool
	Value, Expected uint64
}

// atomic executes an atomic on the 8 bytes at an address of the region; ok is false if they are not all inside. All
// accesses to a region hold its lock, so that no other access of the device intervenes.
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
