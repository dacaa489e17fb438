package dl

import "syscall"

func mapPages(size int) ([]byte, error) {
	return syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
}

func unmapPages(data []byte) error { return syscall.Munmap(data) }
