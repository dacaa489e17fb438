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
	"rdmatui/verbs/format"
)

// Mapping is the memory of a region, until Close. Its methods may be called from any goroutine; users of the bytes must
// finish before Close.
type Mapping struct {
	bytes    []byte
	whole    []byte // the mapping, in whole pages
	budget   *Budget
	taken    uint64 // bytes taken from the budget
	readOnly bool
	fragile  bool     // the memory behind the bytes can disappear
	made     string   // path of the shared memory object that was created for it
	buffer   *os.File // the dma-buf that is mapped
}

// Map maps the memory of a region. length is in bytes; 0 means everything from the offset to the end of the file.
// Anonymous memory, and shared memory that does not exist yet, are taken from the budget. The error is an [*Error] or a
// [*MapError].
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

// Bytes returns the memory. If it is Fragile, access it only inside Reach.
func (m *Mapping) Bytes() []byte { return m.bytes }

// ReadOnly reports whether the bytes cannot be written.
func (m *Mapping) ReadOnly() bool { return m.readOnly }

// Fragile reports whether the bytes can become inaccessible, for example because the file behind them is truncated.
func (m *Mapping) Fragile() bool { return m.fragile }

// errUnreachable is the error for file bytes that cannot be accessed.
var errUnreachable = fmt.Errorf("the memory is not accessible: its file was truncated or its file system is full: %w",
	syscall.EFAULT)

// Reach calls touch, which reads or writes the bytes. It fails with EFAULT if some are inaccessible and with EACCES if
// they are read-only. Without Reach the fault would kill the process.
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

// Part returns a part of the memory. It is valid until the mapping is closed; closing the part frees nothing.
func (m *Mapping) Part(offset, length uint64) *Mapping {
	return &Mapping{bytes: m.bytes[offset:][:length:length], readOnly: m.readOnly, fragile: m.fragile}
}

// Close unmaps the memory and returns it to the budget. The bytes must not be accessed afterwards. Closing again, or
// closing nil, does nothing.
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

// Descriptor returns the descriptor of the mapped dma-buf, valid until Close; ok is false if the mapping has none.
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

// openMapped opens a file for reading and writing, or read-only if writing is not allowed.
func openMapped(path string, flags int) (f *os.File, readOnly bool, err error) {
	flags |= syscall.O_NONBLOCK // opening a pipe would otherwise wait for its other end
	f, err = os.OpenFile(path, os.O_RDWR|flags, 0)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.ETXTBSY) {
		if f, again := os.OpenFile(path, os.O_RDONLY|flags, 0); again == nil {
			return f, true, nil
		}
	}
	return f, false, err
}

// mapOpen maps part of an open file. The file may be closed afterwards.
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
		return nil, mapError("mmap", backing, syscall.EINVAL,
			fmt.Sprintf("the size is %s, too small for offset %d and length %d: %s", format.Counted(size, "byte"),
				backing.Offset, length, longer))
	case backing.Offset%page != 0:
		return nil, mapError("mmap", backing, syscall.EINVAL,
			fmt.Sprintf("offset must be a multiple of the page size, %d", page))
	}
	prot := syscall.PROT_READ | syscall.PROT_WRITE
	if readOnly {
		prot = syscall.PROT_READ
	}
	unit := mappingUnit(f)
	whole, err := syscall.Mmap(int(f.Fd()), int64(backing.Offset), int((length+unit-1)/unit*unit),
		prot, syscall.MAP_SHARED)
	if err != nil {
		return nil, mapError("mmap", backing, err, "")
	}
	return &Mapping{bytes: whole[:length], whole: whole, readOnly: readOnly, fragile: true}, nil
}
