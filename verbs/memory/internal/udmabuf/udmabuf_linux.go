// Package udmabuf calls the ioctl that creates a dma-buf of ordinary memory. It is a separate package because it passes
// a pointer to the kernel.
package udmabuf

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Path is the device that creates the buffers.
const Path = "/dev/udmabuf"

const (
	createRequest = 0x40187542 // UDMABUF_CREATE in linux/udmabuf.h
	closeOnExec   = 1          // UDMABUF_FLAGS_CLOEXEC
)

// create is struct udmabuf_create.
type create struct {
	memfd, flags uint32
	offset, size uint64
}

// Create creates a dma-buf of the first size bytes of pages, a memfd sealed against shrinking; size is a multiple of
// the page size. The error is the kernel's errno.
func Create(device, pages *os.File, size uint64) (*os.File, error) {
	request := create{memfd: uint32(pages.Fd()), flags: closeOnExec, size: size}
	fd, _, errno := unix.Syscall(unix.SYS_IOCTL, device.Fd(), createRequest, uintptr(unsafe.Pointer(&request)))
	if errno != 0 {
		return nil, errno
	}
	return os.NewFile(fd, "dma-buf"), nil
}
