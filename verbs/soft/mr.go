package soft

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"syscall"

	"rdmatui/verbs"
	"rdmatui/verbs/memory"
)

// mr is a memory region as its owner holds it: what it is registered as can change.
type mr struct {
	mu  sync.RWMutex
	now *registration
}

var _ verbs.MR = (*mr)(nil)

// registration is what a key opens. Its bytes are touched under its lock alone, by the owner and by the engine; all else does not change.
type registration struct {
	pd   *pd
	spec verbs.MRSpec
	addr uint64
	key  uint32 // lkey and rkey

	dm *dm // that it is over; nil: host memory

	mu      *sync.RWMutex   // its own, or that of the device memory
	bytes   []byte          // nil once closed
	mapping *memory.Mapping // of the bytes

	windows int // bound to it; guarded by the table's lock
}

const (
	remoteWrites = verbs.RemoteWrite | verbs.RemoteAtomic // rights that need LOCAL_WRITE beside them
	remoteRights = remoteWrites | verbs.RemoteRead
	grantable    = verbs.LocalWrite | remoteRights | verbs.MWBind | verbs.RelaxedOrdering | verbs.FlushGlobal | verbs.OnDemand
)

// RegMR makes a region.
func (p *pd) RegMR(spec verbs.MRSpec) (verbs.MR, error) {
	m, err := p.regMR(spec)
	if err != nil {
		return nil, memory.Failed(spec.Backing.Verb(), "", err)
	}
	return m, nil
}

func (p *pd) regMR(spec verbs.MRSpec) (*mr, error) {
	over, err := p.deviceMemory(&spec.Backing)
	if err == nil {
		err = checkAccess(spec.Access, over != nil)
	}
	if err != nil {
		return nil, err
	}
	p.dev.Mu.Lock()
	defer p.dev.Mu.Unlock()
	if err := p.live(); err != nil {
		return nil, err
	}
	quota := &p.dev.adapter.quota
	if err := quota.Take(&quota.MR, maxMR, 0); err != nil {
		return nil, err
	}
	r := newRegistration(p, spec, over)
	if err := r.mapMemory(quota.Memory); err != nil {
		quota.Give(&quota.MR, 0)
		return nil, err
	}
	p.dev.adapter.regions.insert(r)
	m := &mr{now: r}
	p.Add(m, r.name())
	if over != nil {
		over.Add(m, r.name())
	}
	return m, nil
}

func newRegistration(p *pd, spec verbs.MRSpec, over *dm) *registration {
	if over != nil {
		return &registration{pd: p, spec: spec, dm: over, mu: &over.mu}
	}
	return &registration{pd: p, spec: spec, mu: new(sync.RWMutex)}
}

// mapMemory gives a registration the memory that its spec asks for. It fails before anything is mapped, or leaves nothing mapped.
func (r *registration) mapMemory(budget *memory.Budget) error {
	if r.dm != nil {
		m, err := r.dm.part(r.spec.Backing.Offset, r.spec.Length)
		if err != nil {
			return err
		}
		r.use(m)
		return nil
	}
	if r.spec.Backing.Kind == verbs.Anonymous {
		if err := checkLength(r.spec.Length); err != nil {
			return err
		}
	}
	m, err := budget.Map(r.spec.Backing, r.spec.Length)
	if err != nil {
		return err
	}
	if err = checkLength(uint64(len(m.Bytes()))); err == nil && m.ReadOnly() && r.spec.Access&verbs.LocalWrite != 0 {
		err = syscall.EFAULT // as of a kernel that is to pin pages for writing
	}
	if err != nil {
		return errors.Join(m.Refused(r.spec.Backing, err), m.Close())
	}
	r.use(m)
	return nil
}

func (r *registration) use(m *memory.Mapping) {
	r.mapping, r.bytes = m, m.Bytes()
	r.spec.Length = uint64(len(r.bytes))
}

// checkAccess holds the rights that are asked for against what the device has. A region of device memory counts from 0, and no other does.
func checkAccess(access verbs.Access, device bool) error {
	if access&remoteWrites != 0 && access&verbs.LocalWrite == 0 {
		return syscall.EINVAL
	}
	if device {
		if access&verbs.ZeroBased == 0 || access&verbs.OnDemand != 0 {
			return syscall.EINVAL
		}
		access &^= verbs.ZeroBased
	}
	if rest := access &^ grantable; rest != 0 {
		return &verbs.UnsupportedError{Feature: "access " + rest.String() + " on a software device"}
	}
	return nil
}

func checkLength(length uint64) error {
	if length == 0 || length > maxMRSize {
		return syscall.EINVAL
	}
	return nil
}

func (r *registration) name() string { return fmt.Sprintf("MR 0x%08x", r.key) }

// current returns what the region is registered as.
func (m *mr) current() *registration {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.now
}

// Spec returns what the region was made with, or changed to.
func (m *mr) Spec() verbs.MRSpec { return m.current().spec }

// Addr returns the address of the first byte, in the device's own address space.
func (m *mr) Addr() uint64 { return m.current().addr }

// LKey returns the key for SGE lists.
func (m *mr) LKey() uint32 { return m.current().key }

// RKey returns the key for the peer; it opens what the region's access rights allow.
func (m *mr) RKey() uint32 { return m.current().key }

// ReadAt copies bytes out of the region.
func (m *mr) ReadAt(p []byte, off int64) (int, error) {
	m.mu.RLock() // until it is done, so that it is not changed halfway
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

// WriteAt copies bytes into the region, all or none, unless they cannot be reached.
func (m *mr) WriteAt(p []byte, off int64) (int, error) {
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
		return 0, fmt.Errorf("%d bytes at offset %d of %s, which has %d: %w", len(p), off, r.name(), len(r.bytes), syscall.EFAULT)
	}
	if err := r.mapping.Reach(true, func() { copy(at, p) }); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (r *registration) from(off int64) ([]byte, error) {
	if r.bytes == nil {
		return nil, verbs.ErrClosed
	}
	if r.dm != nil {
		return nil, verbs.ErrDeviceMemory
	}
	if off < 0 || off > int64(len(r.bytes)) {
		return nil, fmt.Errorf("offset %d outside %s of %d bytes: %w", off, r.name(), len(r.bytes), syscall.EFAULT)
	}
	return r.bytes[off:], nil
}

// take empties the registration: nothing of its memory is touched from then on. It returns nil if that was done before.
func (r *registration) take() *memory.Mapping {
	r.mu.Lock()
	defer r.mu.Unlock()
	mapping := r.mapping
	r.bytes, r.mapping = nil, nil
	return mapping
}

// Close takes the key out of the table. Requests that name it fail from then on. It fails while memory windows are bound.
func (m *mr) Close() error {
	dev := m.current().pd.dev
	dev.Mu.Lock()
	defer dev.Mu.Unlock()
	r := m.current()
	mapping, err := dev.adapter.regions.remove(r)
	if mapping != nil {
		r.pd.Remove(m)
		if r.dm != nil {
			r.dm.Remove(m)
		}
		err = mapping.Close()
		dev.adapter.quota.Give(&dev.adapter.quota.MR, 0)
	}
	return verbs.NewOpError("ibv_dereg_mr", "", err)
}
