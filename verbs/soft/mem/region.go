package mem

import (
	"fmt"
	"io"
	"sync"
	"syscall"

	"rdmatui/verbs"
	"rdmatui/verbs/format"
	"rdmatui/verbs/memory"
)

// MR is a memory region as its owner sees it: its registration can change.
type MR struct {
	mu  sync.RWMutex
	now *registration
}

var _ verbs.MR = (*MR)(nil)

// RegMR registers a region.
func (d *Domain) RegMR(spec verbs.MRSpec) (verbs.MR, error) {
	m, err := d.regMR(spec)
	if err != nil {
		return nil, memory.Failed(spec.Backing.Verb(), "", err)
	}
	return m, nil
}

func (d *Domain) regMR(spec verbs.MRSpec) (*MR, error) {
	over, err := d.deviceMemory(&spec.Backing)
	if err == nil {
		err = checkAccess(spec.Access, over != nil)
	}
	if err != nil {
		return nil, err
	}
	d.context.Mu.Lock()
	defer d.context.Mu.Unlock()
	if err := d.Live(); err != nil {
		return nil, err
	}
	quota := d.table.quota
	if err := quota.Take(&quota.MR, MaxRegions, 0); err != nil {
		return nil, err
	}
	r := newRegistration(d, spec, over)
	if err := r.mapMemory(quota.Memory); err != nil {
		quota.Give(&quota.MR, 0)
		return nil, err
	}
	d.table.insert(r)
	m := &MR{now: r}
	d.Add(m, r.name())
	if over != nil {
		over.Add(m, r.name())
	}
	return m, nil
}

// current returns the region's current registration.
func (m *MR) current() *registration {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.now
}

// Spec returns the spec that the region was created with or changed to.
func (m *MR) Spec() verbs.MRSpec { return m.current().spec }

// Addr returns the address of the first byte, in the device's own address space.
func (m *MR) Addr() uint64 { return m.current().addr }

// LKey returns the key for SGE lists.
func (m *MR) LKey() uint32 { return m.current().key }

// RKey returns the key for the peer; it grants the region's access rights.
func (m *MR) RKey() uint32 { return m.current().key }

// ReadAt copies from the region.
func (m *MR) ReadAt(p []byte, off int64) (int, error) {
	m.mu.RLock() // for the whole copy, so that Rereg cannot change the region in between
	defer m.mu.RUnlock()
	r := m.now
	r.mu.RLock()
	defer r.mu.RUnlock()
	at, err := r.from(off)
	if err != nil {
		return 0, err
	}
	n := 0
	if err := r.mapping.Reach(false, func() { n = copy(p, at) }); err != nil {
		return 0, err
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// WriteAt copies to the region, all or nothing, unless the bytes become inaccessible.
func (m *MR) WriteAt(p []byte, off int64) (int, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	r := m.now
	r.mu.Lock()
	defer r.mu.Unlock()
	at, err := r.from(off)
	if err != nil {
		return 0, err
	}
	if len(p) > len(at) {
		return 0, fmt.Errorf("%s at offset %d of %s, which has %s: %w", format.Counted(len(p), "byte"), off, r.name(),
			format.Count(uint64(len(r.bytes))), syscall.EFAULT)
	}
	if err := r.mapping.Reach(true, func() { copy(at, p) }); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close removes the key from the table. Requests that use it fail from then on. It fails while memory windows are
// bound.
func (m *MR) Close() error {
	d := m.current().domain
	d.context.Mu.Lock()
	defer d.context.Mu.Unlock()
	r := m.current()
	mapping, err := d.table.remove(r)
	if mapping != nil {
		r.domain.Remove(m)
		if r.dm != nil {
			r.dm.Remove(m)
		}
		err = mapping.Close()
		d.table.quota.Give(&d.table.quota.MR, 0)
	}
	return verbs.NewOpError("ibv_dereg_mr", "", err)
}
