package mem

import (
	"sync"
	"syscall"

	"rdmatui/verbs"
	"rdmatui/verbs/format"
	"rdmatui/verbs/memory"
	"rdmatui/verbs/soft/internal/object"
)

// DM is a block of device memory.
type DM struct {
	context      *object.Context
	quota        *object.Quota
	spec         verbs.DMSpec
	object.Users // its regions; guarded by the context's lock

	mu      sync.RWMutex // held during every access to the bytes, also by regions over them
	mapping *memory.Mapping
}

var _ verbs.DM = (*DM)(nil)

// Limits of the device's memory.
const (
	MaxDeviceMemory = 256 << 10 // bytes in total; similar to network cards
	maxAlign        = 12        // binary logarithm
)

// AllocDM allocates zeroed device memory for a context. It supports any alignment up to a page.
func (t *Table) AllocDM(c *object.Context, spec verbs.DMSpec) (*DM, error) {
	if spec.Length == 0 || spec.Length > MaxDeviceMemory || spec.LogAlignReq > maxAlign {
		return nil, syscall.EINVAL
	}
	c.Mu.Lock()
	defer c.Mu.Unlock()
	if err := c.Alive(); err != nil {
		return nil, err
	}
	quota := t.quota
	if err := quota.Device.Take(spec.Length); err != nil {
		return nil, err
	}
	if err := quota.Take(&quota.DM, MaxRegions, 0); err != nil {
		quota.Device.Give(spec.Length)
		return nil, err
	}
	m := &DM{context: c, quota: quota, spec: spec}
	var err error
	if m.mapping, err = quota.Memory.Map(verbs.Backing{}, spec.Length); err != nil {
		quota.Give(&quota.DM, 0)
		quota.Device.Give(spec.Length)
		return nil, err
	}
	c.Add(m, m.name())
	return m, nil
}

func (m *DM) name() string { return "DM of " + format.Counted(m.spec.Length, "byte") }

// Spec returns the spec that the memory was allocated with.
func (m *DM) Spec() verbs.DMSpec { return m.spec }

// ReadAt copies from the memory.
func (m *DM) ReadAt(p []byte, off int64) (int, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	at, err := m.piece(off, len(p))
	if err != nil {
		return 0, verbs.NewOpError("ibv_memcpy_from_dm", m.name(), err)
	}
	return copy(p, at), nil
}

// WriteAt copies to the memory.
func (m *DM) WriteAt(p []byte, off int64) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	at, err := m.piece(off, len(p))
	if err != nil {
		return 0, verbs.NewOpError("ibv_memcpy_to_dm", m.name(), err)
	}
	return copy(at, p), nil
}

// piece returns n bytes starting at an offset; mu is held.
func (m *DM) piece(off int64, n int) ([]byte, error) {
	if m.mapping == nil {
		return nil, verbs.ErrClosed
	}
	if off < 0 || uint64(off) > m.spec.Length || uint64(n) > m.spec.Length-uint64(off) {
		return nil, syscall.EFAULT
	}
	return m.mapping.Bytes()[off:][:n], nil
}

// part returns the memory for a region over part of it; length 0 means everything from the offset on.
func (m *DM) part(offset, length uint64) (*memory.Mapping, error) {
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

// Close frees the memory. It fails while regions are registered over it.
func (m *DM) Close() error {
	m.context.Mu.Lock()
	defer m.context.Mu.Unlock()
	if m.Closed {
		return nil
	}
	if err := m.Busy(m.name()); err != nil {
		return verbs.NewOpError("ibv_free_dm", "", err)
	}
	m.Closed = true
	m.context.Remove(m)
	m.mu.Lock()
	defer m.mu.Unlock()
	mapping := m.mapping
	m.mapping = nil
	m.quota.Give(&m.quota.DM, 0)
	m.quota.Device.Give(m.spec.Length)
	return mapping.Close()
}

// deviceMemory returns the device memory behind a region, nil for host memory.
func (d *Domain) deviceMemory(b *verbs.Backing) (*DM, error) {
	if b.Kind != verbs.DeviceMemory {
		return nil, nil
	}
	m, ok := b.DM.(*DM)
	switch {
	case b.DM == nil:
		return nil, syscall.EINVAL
	case !ok || m.context != d.context:
		return nil, verbs.ErrForeignObject
	}
	return m, nil
}
