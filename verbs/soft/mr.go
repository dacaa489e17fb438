package soft

import (
	"fmt"
	"io"
	"sync"
	"syscall"

	"rdmatui/verbs"
)

// mr is a memory region. Its bytes are touched under its lock alone, by the owner and by the engine.
type mr struct {
	pd   *pd
	spec verbs.MRSpec
	addr uint64
	key  uint32 // lkey and rkey

	mu    sync.RWMutex
	bytes []byte // nil once closed
}

var _ verbs.MR = (*mr)(nil)

const (
	remoteWrites = verbs.RemoteWrite | verbs.RemoteAtomic // rights that need LOCAL_WRITE beside them
	grantable    = verbs.LocalWrite | verbs.RemoteWrite | verbs.RemoteRead | verbs.RemoteAtomic | verbs.RelaxedOrdering
)

// RegMR makes a region of fresh zeroed memory.
func (p *pd) RegMR(spec verbs.MRSpec) (verbs.MR, error) {
	m, err := p.regMR(spec)
	if err != nil {
		return nil, verbs.NewOpError("ibv_reg_mr", "", err)
	}
	return m, nil
}

func (p *pd) regMR(spec verbs.MRSpec) (*mr, error) {
	if spec.Access&remoteWrites != 0 && spec.Access&verbs.LocalWrite == 0 {
		return nil, syscall.EINVAL
	}
	if rest := spec.Access &^ grantable; rest != 0 {
		return nil, &verbs.UnsupportedError{Feature: "access " + rest.String() + " on a software device"}
	}
	if spec.Length == 0 || spec.Length > maxMRSize {
		return nil, syscall.EINVAL
	}
	p.dev.mu.Lock()
	defer p.dev.mu.Unlock()
	if err := p.live(); err != nil {
		return nil, err
	}
	if err := take(&p.dev.adapter.quota.mr, maxMR); err != nil {
		return nil, err
	}
	m := &mr{pd: p, spec: spec, bytes: make([]byte, spec.Length)}
	p.dev.adapter.regions.insert(m)
	p.add(m, m.name())
	return m, nil
}

func (m *mr) name() string { return fmt.Sprintf("MR 0x%08x", m.key) }

// Spec returns what the region was made with.
func (m *mr) Spec() verbs.MRSpec { return m.spec }

// Addr returns the address of the first byte, in the device's own address space.
func (m *mr) Addr() uint64 { return m.addr }

// LKey returns the key for SGE lists.
func (m *mr) LKey() uint32 { return m.key }

// RKey returns the key for the peer; it opens what the region's access rights allow.
func (m *mr) RKey() uint32 { return m.key }

// ReadAt copies bytes out of the region.
func (m *mr) ReadAt(p []byte, off int64) (int, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	at, err := m.from(off)
	if err != nil {
		return 0, err
	}
	n := copy(p, at)
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// WriteAt copies bytes into the region, all or none.
func (m *mr) WriteAt(p []byte, off int64) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	at, err := m.from(off)
	if err != nil {
		return 0, err
	}
	if len(p) > len(at) {
		return 0, fmt.Errorf("%d bytes at offset %d of %s, which has %d: %w", len(p), off, m.name(), len(m.bytes), syscall.EFAULT)
	}
	return copy(at, p), nil
}

func (m *mr) from(off int64) ([]byte, error) {
	if m.bytes == nil {
		return nil, verbs.ErrClosed
	}
	if off < 0 || off > int64(len(m.bytes)) {
		return nil, fmt.Errorf("offset %d outside %s of %d bytes: %w", off, m.name(), len(m.bytes), syscall.EFAULT)
	}
	return m.bytes[off:], nil
}

// Close takes the key out of the table. Requests that name it fail from then on.
func (m *mr) Close() error {
	dev := m.pd.dev
	dev.mu.Lock()
	defer dev.mu.Unlock()
	m.mu.Lock()
	open := m.bytes != nil
	m.bytes = nil
	m.mu.Unlock()
	if open {
		dev.adapter.regions.remove(m)
		m.pd.remove(m)
		dev.adapter.quota.mr.Add(-1)
	}
	return nil
}
