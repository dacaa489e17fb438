package memory

import "syscall"

// mapPages returns size zeroed bytes outside the Go heap. It fails with ENOMEM if the system is out of memory; a failed
// Go heap allocation would kill the process.
func mapPages(size int) ([]byte, error) {
	return syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
}

// unmapPages frees the bytes that mapPages returned. Any later access kills the process.
func unmapPages(b []byte) error { return syscall.Munmap(b[:cap(b)]) }

// mapFrom is the size from which [Budget.Alloc] maps memory: it returns to the system when freed, and running out of
// memory is an error. Smaller blocks would need too many mappings.
const mapFrom = 1 << 20

// rounded returns the size that an allocation takes: mappings consist of whole pages. It wraps near the maximum.
func rounded(size uint64) uint64 {
	if size < mapFrom {
		return size
	}
	page := uint64(syscall.Getpagesize())
	return size + (page-size%page)%page
}

// Alloc returns size zeroed bytes and takes them from the budget until [Budget.Free]. It fails with ENOMEM.
func (b *Budget) Alloc(size uint64) (p []byte, err error) {
	if err := b.Take(max(size, rounded(size))); err != nil {
		return nil, err
	}
	if size < mapFrom {
		return make([]byte, size), nil
	}
	if p, err = mapPages(int(size)); err != nil {
		b.Give(rounded(size))
	}
	return p, err
}

// Free frees what Alloc returned; nil is allowed. p must have its original length. The bytes must not be accessed
// afterwards.
func (b *Budget) Free(p []byte) error {
	b.Give(rounded(uint64(len(p))))
	if len(p) < mapFrom {
		return nil
	}
	return unmapPages(p)
}
