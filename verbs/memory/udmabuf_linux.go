package memory

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// udmabufPath is the device that creates the buffers.
const udmabufPath = "/dev/udmabuf"

const (
	udmabufCreateRequest = 0x40187542 // UDMABUF_CREATE in linux/udmabuf.h
	closeOnExec          = 1          // UDMABUF_FLAGS_CLOEXEC
)

// udmabufCreate is struct udmabuf_create.
type udmabufCreate struct {
	memfd, flags uint32
	offset, size uint64
}

// createUDMABuf creates a dma-buf of the first size bytes of pages, a memfd sealed against shrinking; size is a
// multiple of the page size. The error is the kernel's errno.
func createUDMABuf(device, pages *os.File, size uint64) (*os.File, error) {
	request := udmabufCreate{memfd: uint32(pages.Fd()), flags: closeOnExec, size: size}
	fd, _, errno := unix.Syscall(unix.SYS_IOCTL, device.Fd(), udmabufCreateRequest, uintptr(unsafe.Pointer(&request)))
	if errno != 0 {
		return nil, errno
	}
	return os.NewFile(fd, "dma-buf"), nil
}
