package soft

import (
	"fmt"
	"sync"
	"syscall"

	"rdmatui/verbs"
	"rdmatui/verbs/memory"
	"rdmatui/verbs/soft/internal/object"
)

// dm is a piece of the device's memory.
type dm struct {
	dev          *device
	spec         verbs.DMSpec
	object.Users // its regions; guarded by dev.mu

	mu      sync.RWMutex // held around the bytes, by all regions over them as well
	mapping *memory.Mapping
}

var _ verbs.DM = (*dm)(nil)

// AllocDM takes a piece of the adapter's memory, zeroed. Any alignment up to a page is given.
func (d *device) AllocDM(spec verbs.DMSpec) (verbs.DM, error) {
	m, err := d.allocDM(spec)
	if err != nil {
		return nil, d.fail("ibv_alloc_dm", err)
	}
	return m, nil
}

func (d *device) allocDM(spec verbs.DMSpec) (*dm, error) {
	if spec.Length == 0 || spec.Length > maxDMSize || spec.LogAlignReq > maxDMAlign {
		return nil, syscall.EINVAL
	}
	d.Mu.Lock()
	defer d.Mu.Unlock()
	if err := d.Alive(); err != nil {
		return nil, err
	}
	quota := &d.adapter.quota
	if err := quota.Device.Take(spec.Length); err != nil {
		return nil, err
	}
	if err := quota.Take(&quota.DM, maxMR, 0); err != nil {
		quota.Device.Give(spec.Length)
		return nil, err
	}
	m := &dm{dev: d, spec: spec}
	var err error
	if m.mapping, err = quota.Memory.Map(verbs.Backing{}, spec.Length); err != nil {
		quota.Give(&quota.DM, 0)
		quota.Device.Give(spec.Length)
		return nil, err
	}
	d.Add(m, m.name())
	return m, nil
}

func (m *dm) name() string { return fmt.Sprintf("DM of %d bytes", m.spec.Length) }

// Spec returns what was asked for.
func (m *dm) Spec() verbs.DMSpec { return m.spec }

// ReadAt copies bytes out of the memory.
func (m *dm) ReadAt(p []byte, off int64) (int, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	at, err := m.piece(off, len(p))
	if err != nil {
		return 0, verbs.NewOpError("ibv_memcpy_from_dm", m.name(), err)
	}
	return copy(p, at), nil
}

// WriteAt copies bytes into the memory.
func (m *dm) WriteAt(p []byte, off int64) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	at, err := m.piece(off, len(p))
	if err != nil {
		return 0, verbs.NewOpError("ibv_memcpy_to_dm", m.name(), err)
	}
	return copy(at, p), nil
}

// piece returns n bytes from an offset; mu is held.
func (m *dm) piece(off int64, n int) ([]byte, error) {
	if m.mapping == nil {
		return nil, verbs.ErrClosed
	}
	if off < 0 || uint64(off) > m.spec.Length || uint64(n) > m.spec.Length-uint64(off) {
		return nil, syscall.EFAULT
	}
	return m.mapping.Bytes()[off:][:n], nil
}

// part returns the memory of a region over a part of it; length 0 is all behind the offset.
func (m *dm) part(offset, length uint64) (*memory.Mapping, error) {
	if m.Closed {
		return nil, verbs.ErrClosed
	}
	if length == 0 && offset < m.spec.Length {
		length = m.spec.Length - offset
	}
	if length == 0 || offset > m.spec.Length || length > m.spec.Length-offset {
		return nil, syscall.EINVAL
	}
	return m.mapping.Part(offset, length), nil
}

// Close gives the memory back. It fails while regions are over it.
func (m *dm) Close() error {
	m.dev.Mu.Lock()
	defer m.dev.Mu.Unlock()
	if m.Closed {
		return nil
	}
	if err := m.Busy(m.name()); err != nil {
		return verbs.NewOpError("ibv_free_dm", "", err)
	}
	m.Closed = true
	m.dev.Remove(m)
	m.mu.Lock()
	defer m.mu.Unlock()
	mapping := m.mapping
	m.mapping = nil
	quota := &m.dev.adapter.quota
	quota.Give(&quota.DM, 0)
	quota.Device.Give(m.spec.Length)
	return mapping.Close()
}

// deviceMemory returns what a region is to be over, nil where that is host memory.
func (p *pd) deviceMemory(b *verbs.Backing) (*dm, error) {
	if b.Kind != verbs.DeviceMemory {
		return nil, nil
	}
	m, ok := b.DM.(*dm)
	switch {
	case b.DM == nil:
		return nil, syscall.EINVAL
	case !ok || m.dev != p.dev:
		return nil, verbs.ErrForeignObject
	}
	return m, nil
}
