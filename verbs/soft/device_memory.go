package soft

import (
	"fmt"
	"sync"
	"syscall"

	"rdmatui/verbs"
	"rdmatui/verbs/memory"
)

// dm is a piece of the device's memory.
type dm struct {
	dev  *device
	spec verbs.DMSpec
	uses // its regions; guarded by dev.mu

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
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.alive(); err != nil {
		return nil, err
	}
	quota := &d.adapter.quota
	if err := quota.device.Take(spec.Length); err != nil {
		return nil, err
	}
	if err := quota.take(&quota.dm, maxMR, 0); err != nil {
		quota.device.Give(spec.Length)
		return nil, err
	}
	m := &dm{dev: d, spec: spec}
	var err error
	if m.mapping, err = quota.memory.Map(verbs.Backing{}, spec.Length); err != nil {
		quota.give(&quota.dm, 0)
		quota.device.Give(spec.Length)
		return nil, err
	}
	d.add(m, m.name())
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
	if m.closed {
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
	m.dev.mu.Lock()
	defer m.dev.mu.Unlock()
	if m.closed {
		return nil
	}
	if err := m.busy(m.name()); err != nil {
		return verbs.NewOpError("ibv_free_dm", "", err)
	}
	m.closed = true
	m.dev.remove(m)
	m.mu.Lock()
	defer m.mu.Unlock()
	mapping := m.mapping
	m.mapping = nil
	quota := &m.dev.adapter.quota
	quota.give(&quota.dm, 0)
	quota.device.Give(m.spec.Length)
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
