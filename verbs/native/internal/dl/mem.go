package dl

import (
	"fmt"
	"io"
	"os"
	"sync"
	"unsafe"

	"rdmatui/verbs/memory"
)

// Mem is page-aligned memory outside the Go heap. Its address never changes, so C and
// hardware may keep it. Close it only when nothing uses the address any more; a memory
// region must be deregistered first.
type Mem struct {
	mu      sync.RWMutex    // held for reading while the bytes are in use
	data    []byte          // nil once closed
	mapping *memory.Mapping // that contains the data, nil for anonymous memory
}

// NewMem maps size zeroed bytes, rounded up to whole pages; size must be positive.
func NewMem(size int) (*Mem, error) {
	page := os.Getpagesize()
	if size <= 0 || size > int(^uint(0)>>1)-page {
		return nil, fmt.Errorf("cannot map %d bytes", size)
	}
	data, err := mapPages((size + page - 1) / page * page)
	if err != nil {
		return nil, fmt.Errorf("map %d bytes: %w", size, err)
	}
	return &Mem{data: data[:size]}, nil
}

// Over returns the memory of a mapping, which is closed with it.
func Over(mapping *memory.Mapping) *Mem { return &Mem{data: mapping.Bytes(), mapping: mapping} }

// Mapping returns the mapping behind the memory, nil for anonymous memory.
func (m *Mem) Mapping() *memory.Mapping { return m.mapping }

// Descriptor returns the descriptor of the dma-buf behind the memory; ok is false if
// there is none.
func (m *Mem) Descriptor() (fd uintptr, ok bool) {
	if m.mapping == nil {
		return 0, false
	}
	return m.mapping.Descriptor()
}

// copy copies between the memory and a caller's bytes.
func (m *Mem) copy(to, from []byte, write bool) (n int, err error) {
	if m.mapping == nil {
		return copy(to, from), nil
	}
	if err := m.mapping.Reach(write, func() { n = copy(to, from) }); err != nil {
		return 0, err
	}
	return n, nil
}

// Addr returns the address of the first byte, or 0 once closed.
func (m *Mem) Addr() uintptr {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return uintptr(unsafe.Pointer(unsafe.SliceData(m.data)))
}

// Len returns the requested size, or 0 once closed.
func (m *Mem) Len() int {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return len(m.data)
}

// Bytes returns the memory itself, for buffers with a single user. It must not be
// accessed after Close; nothing prevents that.
func (m *Mem) Bytes() []byte {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.data
}

// ReadAt implements [io.ReaderAt]. It is a plain copy: bytes that a device writes at
// the same time may be old or new.
func (m *Mem) ReadAt(p []byte, off int64) (int, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.data == nil {
		return 0, ErrClosed
	}
	if off < 0 {
		return 0, fmt.Errorf("read at %d: before the start", off)
	}
	if off >= int64(len(m.data)) {
		return 0, io.EOF
	}
	n, err := m.copy(p, m.data[off:], false)
	if err == nil && n < len(p) {
		err = io.EOF
	}
	return n, err
}

// WriteAt implements [io.WriterAt]. If p does not fit, nothing is written.
func (m *Mem) WriteAt(p []byte, off int64) (int, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.data == nil {
		return 0, ErrClosed
	}
	if off < 0 || off > int64(len(m.data)) || len(p) > len(m.data)-int(off) {
		return 0, fmt.Errorf("write of %d bytes at %d: outside %d bytes", len(p), off, len(m.data))
	}
	return m.copy(m.data[off:], p, true)
}

// Close unmaps the memory. Closing again does nothing.
func (m *Mem) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.data == nil {
		return nil
	}
	data := m.data
	m.data = nil
	if m.mapping != nil {
		return m.mapping.Close()
	}
	return unmapPages(data[:cap(data)])
}
