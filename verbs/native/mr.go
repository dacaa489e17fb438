package native

import (
	"errors"
	"fmt"
	"io"
	"math"
	"sync"
	"syscall"

	"rdmatui/verbs"
	"rdmatui/verbs/format"
	"rdmatui/verbs/memory"
	"rdmatui/verbs/native/internal/abi"
	"rdmatui/verbs/native/internal/dl"
	"rdmatui/verbs/native/internal/failure"
)

// optionalAccess is IBV_ACCESS_OPTIONAL_RANGE: access rights that a device may ignore.
const optionalAccess verbs.Access = 0x3ff00000

// memoryRegion is a struct ibv_mr over its own memory outside the Go heap.
type memoryRegion struct {
	object
	mu         sync.RWMutex // guards the fields below, which Rereg changes
	pd         uintptr
	spec       verbs.MRSpec
	mem        *dl.Mem // nil: device memory
	addr       uint64
	lkey, rkey uint32
}

// RegMR implements verbs.PD.
func (p *protectionDomain) RegMR(spec verbs.MRSpec) (verbs.MR, error) {
	op := spec.Backing.Verb()
	if err := p.use(); err != nil {
		return nil, failure.Of(op, p.name, err)
	}
	defer p.done()
	if spec.Backing.Kind == verbs.DeviceMemory {
		return p.regDM(spec)
	}
	mem, err := mapRegion(spec)
	if err != nil {
		return nil, memory.Failed(op, "", err)
	}
	spec.Length = uint64(mem.Len())
	ptr, err := p.dev.lib.registerMemory(p.ptr, mem, &spec)
	if err != nil {
		err = failure.Of(op, format.Counted(spec.Length, "byte"),
			mem.Mapping().Refused(spec.Backing, failure.Refused(err)))
		return nil, errors.Join(err, giveMemory(mem))
	}
	raw := dl.View[abi.MR](ptr)
	m := &memoryRegion{pd: p.ptr, spec: spec, mem: mem, addr: uint64(mem.Addr()), lkey: raw.LKey, rkey: raw.RKey}
	p.dev.add(&m.object, m, ptr, fmt.Sprintf("MR 0x%x", raw.LKey), p.ptr)
	p.dev.regions.add(m.addr, mem)
	return m, nil
}

// mapRegion maps the memory of a region.
func mapRegion(spec verbs.MRSpec) (*dl.Mem, error) {
	if spec.Backing.Kind != verbs.Anonymous {
		mapping, err := memory.OfProcess().Map(spec.Backing, spec.Length)
		if err != nil {
			return nil, err
		}
		return dl.Over(mapping), nil
	}
	if spec.Length == 0 || spec.Length > math.MaxInt {
		return nil, fmt.Errorf("%d bytes: %w", spec.Length, syscall.EINVAL)
	}
	return takeMemory(spec.Length)
}

// registerMemory does what the header's ibv_reg_mr macro does for access flags that are
// not constant: it calls the entry point that supports optional rights. If that is
// missing, it drops those rights.
func (l *library) registerMemory(pd uintptr, mem *dl.Mem, spec *verbs.MRSpec) (uintptr, error) {
	addr, length, access := mem.Addr(), uintptr(mem.Len()), spec.Access
	if fd, ok := mem.Descriptor(); ok {
		return l.registerBuffer(pd, fd, mem, spec)
	}
	if l.regMRIova2.Bound() {
		return l.regMRIova2.Call(pd, addr, length, addr, uintptr(access))
	}
	return l.regMR.Call(pd, addr, length, uintptr(access&^optionalAccess))
}

// registerBuffer registers a dma-buf by its descriptor; its addresses are those of the
// mapping in this process.
func (l *library) registerBuffer(pd, fd uintptr, mem *dl.Mem, spec *verbs.MRSpec) (uintptr, error) {
	return l.regDMABufMR.Call(pd, uintptr(spec.Backing.Offset), uintptr(mem.Len()), mem.Addr(),
		fd, uintptr(spec.Access))
}

// Spec implements verbs.MR.
func (m *memoryRegion) Spec() verbs.MRSpec {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.spec
}

// Addr implements verbs.MR.
func (m *memoryRegion) Addr() uint64 {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.addr
}

// LKey implements verbs.MR.
func (m *memoryRegion) LKey() uint32 {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.lkey
}

// RKey implements verbs.MR.
func (m *memoryRegion) RKey() uint32 {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.rkey
}

// ReadAt implements verbs.MR.
func (m *memoryRegion) ReadAt(b []byte, off int64) (int, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.mem == nil {
		return 0, m.memError("read", verbs.ErrDeviceMemory)
	}
	n, err := m.mem.ReadAt(b, off)
	return n, m.memError("read", err)
}

// WriteAt implements verbs.MR.
func (m *memoryRegion) WriteAt(b []byte, off int64) (int, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.mem == nil {
		return 0, m.memError("write", verbs.ErrDeviceMemory)
	}
	n, err := m.mem.WriteAt(b, off)
	return n, m.memError("write", err)
}

func (m *memoryRegion) memError(op string, err error) error {
	switch {
	case err == nil, errors.Is(err, io.EOF):
		return err
	case errors.Is(err, dl.ErrClosed):
		err = verbs.ErrClosed
	}
	return failure.Of(op, m.name, err)
}

// Close implements verbs.MR. It frees the memory only after the device has released it.
func (m *memoryRegion) Close() error {
	defer m.dev.closing()()
	if m.ptr == 0 {
		return nil
	}
	if err := m.destroy("ibv_dereg_mr", m.dev.lib.deregMR); err != nil {
		return m.whyBound("ibv_dereg_mr", err)
	}
	if m.mem == nil {
		return nil
	}
	m.dev.regions.remove(m.addr)
	return failure.Of("munmap", m.name, giveMemory(m.mem))
}

// takeMemory allocates the anonymous memory of a region, within the process's budget:
// the device pins all of it.
func takeMemory(length uint64) (*dl.Mem, error) {
	if err := memory.OfProcess().Take(length); err != nil {
		return nil, err
	}
	mem, err := dl.NewMem(int(length))
	if err != nil {
		memory.OfProcess().Give(length)
	}
	return mem, err
}

// giveMemory frees the memory of a region; a second call does nothing.
func giveMemory(mem *dl.Mem) error {
	if mem.Mapping() == nil {
		memory.OfProcess().Give(uint64(mem.Len()))
	}
	return mem.Close()
}
