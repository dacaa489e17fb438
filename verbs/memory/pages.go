package memory

import "syscall"

// mapPages returns size zeroed bytes outside the Go heap. It fails with ENOMEM where the system has no room for them; of the Go heap that
// would end the process.
func mapPages(size int) ([]byte, error) {
	return syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
}

// unmapPages gives back what mapPages returned. Whoever touches the bytes after that ends the process.
func unmapPages(b []byte) error { return syscall.Munmap(b[:cap(b)]) }

// mapFrom is the length from which [Budget.Alloc] maps memory: it goes back to the system when it is freed, and running out of it is an
// error. Smaller pieces would need too many mappings.
const mapFrom = 1 << 20

// rounded returns what a piece of memory takes; a mapping has whole pages. Next to the largest number it wraps.
func rounded(size uint64) uint64 {
	if size < mapFrom {
		return size
	}
	page := uint64(syscall.Getpagesize())
	return size + (page-size%page)%page
}

// Alloc returns size zeroed bytes, taken from the budget until [Budget.Free]. It fails with ENOMEM.
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

// Free gives back what Alloc returned, or nil; p must have its length. Nobody may touch the bytes after that.
func (b *Budget) Free(p []byte) error {
	b.Give(rounded(uint64(len(p))))
	if len(p) < mapFrom {
		return nil
	}
	return unmapPages(p)
}
