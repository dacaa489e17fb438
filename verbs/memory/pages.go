package memory

import "syscall"

// Map returns size zeroed bytes outside the Go heap, which [Unmap] gives back to the system at once. It fails with ENOMEM where the system
// has no room for them; of the Go heap that would end the process. size must be positive.
func Map(size int) ([]byte, error) {
	return syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
}

// Unmap gives back what [Map] returned. Whoever touches the bytes after that ends the process.
func Unmap(b []byte) error { return syscall.Munmap(b[:cap(b)]) }
