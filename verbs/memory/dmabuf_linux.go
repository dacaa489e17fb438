package memory

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"rdmatui/verbs"
)

const dmabufMagic = 0x444d4142 // DMA_BUF_MAGIC in linux/magic.h

// MakeDMABuf creates a dma-buf of size zeroed bytes, a multiple of the page size, and the file that holds its pages;
// udmabuf in the kernel's documentation. The caller closes both. The error is a [*MapError].
func MakeDMABuf(size uint64) (pages, buffer *os.File, err error) {
	backing := verbs.Backing{Kind: verbs.DMABuf, FD: verbs.NewDMABuf}
	if page := uint64(os.Getpagesize()); size == 0 || size%page != 0 {
		return nil, nil, mapError("ioctl UDMABUF_CREATE", backing, unix.EINVAL,
			fmt.Sprintf("length must be a multiple of the page size, %d", page))
	}
	device, err := os.OpenFile(udmabufPath, os.O_RDWR, 0)
	if err != nil {
		return nil, nil, mapError("open "+udmabufPath, backing, err, udmabufRemedy(err))
	}
	defer device.Close()
	fd, err := unix.MemfdCreate("rdmatui", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, nil, mapError("memfd_create", backing, err, "")
	}
	pages = os.NewFile(uintptr(fd), "memfd")
	if err = pages.Truncate(int64(size)); err == nil {
		_, err = unix.FcntlInt(pages.Fd(), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK)
	}
	if err != nil {
		pages.Close()
		return nil, nil, mapError("memfd_create", backing, err, "")
	}
	if buffer, err = createUDMABuf(device, pages, size); err != nil {
		pages.Close()
		return nil, nil, mapError("ioctl UDMABUF_CREATE", backing, err,
			"the module parameter size_limit_mb limits the length: cat /sys/module/udmabuf/parameters/size_limit_mb")
	}
	return pages, buffer, nil
}

func udmabufRemedy(err error) string {
	if errors.Is(err, os.ErrNotExist) {
		return "run modprobe udmabuf; the kernel needs CONFIG_UDMABUF"
	}
	return "run as root, or allow this user: ls -l " + udmabufPath
}

// mapDMABuf maps part of a dma-buf: of an existing descriptor, or of a new buffer.
func (b *Budget) mapDMABuf(backing verbs.Backing, length uint64) (m *Mapping, err error) {
	if backing.FD == verbs.NewDMABuf {
		return b.mapNewDMABuf(backing, length)
	}
	fd, err := unix.FcntlInt(uintptr(backing.FD), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, mapError("dup", backing, err,
			fmt.Sprintf("start rdmatui from the program that owns the dma-buf, with descriptor %d open", backing.FD))
	}
	return mapDescriptor(os.NewFile(uintptr(fd), "dma-buf"), backing, length)
}

func (b *Budget) mapNewDMABuf(backing verbs.Backing, length uint64) (m *Mapping, err error) {
	size := backing.Offset + length
	if err := b.Take(size); err != nil {
		return nil, err
	}
	pages, buffer, err := MakeDMABuf(size)
	if err == nil {
		pages.Close() // the buffer keeps them
		m, err = mapDescriptor(buffer, backing, length)
	}
	if err != nil {
		b.Give(size)
		return nil, err
	}
	m.budget, m.taken = b, size
	return m, nil
}

// mapDescriptor maps part of a dma-buf and takes ownership of its descriptor.
func mapDescriptor(f *os.File, backing verbs.Backing, length uint64) (*Mapping, error) {
	var s unix.Statfs_t
	if err := unix.Fstatfs(int(f.Fd()), &s); err != nil || s.Type != dmabufMagic {
		f.Close()
		return nil, mapError("mmap", backing, unix.EINVAL, "the descriptor is not a dma-buf; check ls -l /proc/PID/fd")
	}
	flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0)
	if err != nil {
		f.Close()
		return nil, mapError("fcntl", backing, err, "")
	}
	m, err := mapOpen(f, backing, length, flags&unix.O_ACCMODE == unix.O_RDONLY)
	if err != nil {
		f.Close()
		return nil, err
	}
	m.buffer = f
	return m, nil
}
