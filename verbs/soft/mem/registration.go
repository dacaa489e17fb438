package mem

import (
	"errors"
	"fmt"
	"sync"
	"syscall"

	"rdmatui/verbs"
	"rdmatui/verbs/format"
	"rdmatui/verbs/memory"
)

// registration is the memory behind a key. The owner and the engine access its bytes only while they hold its lock; the
// other fields do not change.
type registration struct {
	domain *Domain
	spec   verbs.MRSpec
	addr   uint64
	key    uint32 // lkey and rkey

	dm *DM // the device memory that it is over; nil: host memory

	mu      *sync.RWMutex   // its own, or that of the device memory
	bytes   []byte          // nil once closed
	mapping *memory.Mapping // of the bytes

	windows int // bound to it; guarded by the table's lock
}

func newRegistration(d *Domain, spec verbs.MRSpec, over *DM) *registration {
	if over != nil {
		return &registration{domain: d, spec: spec, dm: over, mu: &over.mu}
	}
	return &registration{domain: d, spec: spec, mu: new(sync.RWMutex)}
}

// Limits of regions and windows.
const (
	MaxRegions    = 1 << 16
	MaxWindows    = 1 << 16
	MaxRegionSize = 1 << 30
)

const (
	remoteWrites = verbs.RemoteWrite | verbs.RemoteAtomic // rights that also need LOCAL_WRITE
	remoteRights = remoteWrites | verbs.RemoteRead
	grantable    = verbs.LocalWrite | remoteRights | verbs.MWBind | verbs.RelaxedOrdering |
		verbs.FlushGlobal | verbs.OnDemand
)

// mapMemory allocates the memory that the spec asks for. On failure nothing stays mapped.
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
		err = syscall.EFAULT // like a kernel that must pin pages for writing
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

// checkAccess checks the requested rights against the device's capabilities. A region of device memory must be
// zero-based, and no other may be.
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
	if length == 0 || length > MaxRegionSize {
		return syscall.EINVAL
	}
	return nil
}

func (r *registration) name() string { return fmt.Sprintf("MR 0x%08x", r.key) }

func (r *registration) from(off int64) ([]byte, error) {
	if r.bytes == nil {
		return nil, verbs.ErrClosed
	}
	if r.dm != nil {
		return nil, verbs.ErrDeviceMemory
	}
	if off < 0 || off > int64(len(r.bytes)) {
		return nil, fmt.Errorf("offset %d outside %s of %s: %w", off, r.name(),
			format.Counted(len(r.bytes), "byte"), syscall.EFAULT)
	}
	return r.bytes[off:], nil
}

// take empties the registration: its memory is not accessed afterwards. It returns nil if it is already empty.
func (r *registration) take() *memory.Mapping {
	r.mu.Lock()
	defer r.mu.Unlock()
	mapping := r.mapping
	r.bytes, r.mapping = nil, nil
	return mapping
}

// holds reports whether [addr, addr+n) lies inside the region.
func (r *registration) holds(addr, n uint64) bool {
	return addr >= r.addr && n <= r.spec.Length && addr-r.addr <= r.spec.Length-n
}

// read appends n bytes at addr to dst; ok is false if they are not all inside.
func (r *registration) read(dst []byte, addr, n uint64) (out []byte, ok bool) {
	if !r.holds(addr, n) {
		return dst, false
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	if r.bytes == nil {
		return dst, false
	}
	at := r.bytes[addr-r.addr:][:n]
	if !r.mapping.Fragile() {
		return append(dst, at...), true
	}
	if r.mapping.Reach(false, func() { out = append(dst, at...) }) != nil {
		return dst, false
	}
	return out, true
}

// write stores src at addr, all or nothing, unless the bytes become inaccessible.
func (r *registration) write(src []byte, addr uint64) bool {
	if !r.holds(addr, uint64(len(src))) {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.bytes == nil {
		return false
	}
	at := r.bytes[addr-r.addr:]
	if !r.mapping.Fragile() {
		copy(at, src)
		return true
	}
	return r.mapping.Reach(true, func() { copy(at, src) }) == nil
}
