package memory

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"runtime/debug"
	"syscall"

	"rdmatui/verbs"
)

// Mapping is the memory of a region, until Close. Its methods may be called from any goroutine; who uses the bytes sees to it that Close
// comes after.
type Mapping struct {
	bytes    []byte
	whole    []byte // what was mapped, in whole pages
	budget   *Budget
	taken    uint64 // of the budget
	readOnly bool
	fragile  bool     // what is behind the bytes can go away
	made     string   // path of the shared memory object that was made for it
	buffer   *os.File // the dma-buf that it is of
}

// Map maps the memory of a region. length is in bytes; 0 stands for all of a file behind the offset. Anonymous memory, and shared memory that
// does not exist yet, are taken from the budget. The error is an [*Error] or a [*MapError].
func (b *Budget) Map(backing verbs.Backing, length uint64) (*Mapping, error) {
	if length > math.MaxInt64 || backing.Offset > math.MaxInt64-length {
		return nil, mapError("mmap", backing, syscall.EINVAL, "no memory is that large")
	}
	switch backing.Kind {
	case verbs.FileMapping:
		return mapFile(backing, length)
	case verbs.SharedMemory:
		return b.mapShared(backing, length)
	case verbs.HugePages:
		return mapHuge(backing, length)
	case verbs.DMABuf:
		return b.mapDMABuf(backing, length)
	}
	bytes, err := b.Alloc(length)
	if err != nil {
		return nil, err
	}
	return &Mapping{bytes: bytes, budget: b}, nil
}

// Bytes returns the memory. Of one that is Fragile they are touched inside Reach alone.
func (m *Mapping) Bytes() []byte { return m.bytes }

// ReadOnly reports whether writing to the bytes fails.
func (m *Mapping) ReadOnly() bool { return m.readOnly }

// Fragile reports whether the bytes can become unreachable: because the file behind them is made shorter, for example.
func (m *Mapping) Fragile() bool { return m.fragile }

// errUnreachable says why a file's bytes cannot be reached.
var errUnreachable = fmt.Errorf("the memory is not accessible: its file was truncated or its file system is full: %w", syscall.EFAULT)

// Reach calls touch, which reads or writes the bytes, and fails with EFAULT where some cannot be reached, EACCES where they cannot be
// written. Without it the fault would end the process.
func (m *Mapping) Reach(write bool, touch func()) (err error) {
	if write && m.readOnly {
		return fmt.Errorf("this user cannot write the file, so it is mapped read-only: %w", syscall.EACCES)
	}
	if !m.fragile {
		touch()
		return nil
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		switch fault := recover().(type) {
		case nil:
		case interface{ Addr() uintptr }:
			err = errUnreachable
		default:
			panic(fault)
		}
	}()
	touch()
	return nil
}

// Part returns a piece of the memory, which is there until the mapping is closed: closing the part frees nothing.
func (m *Mapping) Part(offset, length uint64) *Mapping {
	return &Mapping{bytes: m.bytes[offset:][:length:length], readOnly: m.readOnly, fragile: m.fragile}
}

// Close unmaps the memory and gives back what was taken of the budget. Nobody may touch the bytes after that. Closing again, or nil, does
// nothing.
func (m *Mapping) Close() error {
	if m == nil || m.bytes == nil {
		return nil
	}
	bytes := m.bytes
	m.bytes = nil
	switch {
	case m.whole == nil && m.budget == nil:
		return nil // a part
	case m.whole == nil:
		return m.budget.Free(bytes)
	}
	err := syscall.Munmap(m.whole)
	if m.taken > 0 {
		m.budget.Give(m.taken)
	}
	if m.made != "" {
		err = errors.Join(err, os.Remove(m.made))
	}
	if m.buffer != nil {
		err = errors.Join(err, m.buffer.Close())
	}
	return err
}

// Descriptor returns the descriptor of the dma-buf that the mapping is of, until Close; ok is false where it is of none.
func (m *Mapping) Descriptor() (fd uintptr, ok bool) {
	if m.buffer == nil {
		return 0, false
	}
	return m.buffer.Fd(), true
}

func mapFile(backing verbs.Backing, length uint64) (*Mapping, error) {
	f, readOnly, err := openMapped(backing.Path, 0)
	if err != nil {
		return nil, mapError("open", backing, err, "")
	}
	defer f.Close()
	return mapOpen(f, backing, length, readOnly)
}

// openMapped opens a file for reading and writing, or where that is not allowed for reading alone.
func openMapped(path string, flags int) (f *os.File, readOnly bool, err error) {
	flags |= syscall.O_NONBLOCK // opening a pipe would wait for its other end
	f, err = os.OpenFile(path, os.O_RDWR|flags, 0)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.ETXTBSY) {
		if f, again := os.OpenFile(path, os.O_RDONLY|flags, 0); again == nil {
			return f, true, nil
		}
	}
	return f, false, err
}

// mapOpen maps a part of an open file, which may be closed then.
func mapOpen(f *os.File, backing verbs.Backing, length uint64, readOnly bool) (*Mapping, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, mapError("fstat", backing, err, "")
	}
	if !info.Mode().IsRegular() {
		return nil, mapError("mmap", backing, syscall.ENODEV, "only regular files can be mapped")
	}
	size := uint64(info.Size())
	if length == 0 && backing.Offset < size {
		length = size - backing.Offset
	}
	page, longer := uint64(os.Getpagesize()), "make the file longer with truncate -s, or ask for less"
	if backing.Kind == verbs.DMABuf {
		longer = "ask for less"
	}
	switch {
	case size == 0:
		return nil, mapError("mmap", backing, syscall.EINVAL, "the file is empty: give it a size with truncate -s")
	case length == 0 || backing.Offset+length > size:
		return nil, mapError("mmap", backing, syscall.EINVAL, fmt.Sprintf("%d bytes from offset %d are asked for and there are %d: %s", length, backing.Offset, size, longer))
	case backing.Offset%page != 0:
		return nil, mapError("mmap", backing, syscall.EINVAL, fmt.Sprintf("offset must be a multiple of the page size, %d", page))
	}
	prot := syscall.PROT_READ | syscall.PROT_WRITE
	if readOnly {
		prot = syscall.PROT_READ
	}
	unit := mappingUnit(f)
	whole, err := syscall.Mmap(int(f.Fd()), int64(backing.Offset), int((length+unit-1)/unit*unit), prot, syscall.MAP_SHARED)
	if err != nil {
		return nil, mapError("mmap", backing, err, "")
	}
	return &Mapping{bytes: whole[:length], whole: whole, readOnly: readOnly, fragile: true}, nil
}
