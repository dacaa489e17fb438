package native

import (
	"errors"
	"fmt"
	"math"
	"syscall"

	"rdmatui/verbs"
	"rdmatui/verbs/format"
	"rdmatui/verbs/native/internal/abi"
	"rdmatui/verbs/native/internal/dl"
	"rdmatui/verbs/native/internal/failure"
)

// Codes of ibv_rereg_mr: enum ibv_rereg_mr_err_code.
const (
	reregErrDoForkOld dl.Negative = -3 // done nevertheless
	reregErrCmd       dl.Negative = -4 // the kernel or the driver refused
)

// domain returns the C object of the region's domain.
func (m *memoryRegion) domain() uintptr {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.pd
}

// Rereg implements verbs.MR. No other call runs on the device meanwhile.
func (m *memoryRegion) Rereg(c verbs.MRChange) error {
	const op = "ibv_rereg_mr"
	m.dev.mu.Lock()
	defer m.dev.mu.Unlock()
	if m.ptr == 0 {
		return failure.Of(op, m.name, verbs.ErrClosed)
	}
	if m.mem == nil {
		return failure.Of(op, m.name, syscall.EINVAL) // like the library, whatever the change
	}
	pd, err := m.dev.changedDomain(c)
	if err != nil {
		return failure.Of(op, m.name, err)
	}
	var mem *dl.Mem
	if c.Flags&verbs.ReregTranslation != 0 {
		if c.Length == 0 || c.Length > math.MaxInt {
			return failure.Of(op, format.Counted(c.Length, "byte"), syscall.EINVAL)
		}
		if mem, err = takeMemory(c.Length); err != nil {
			return failure.Of(op, m.name, err)
		}
	}
	done, err := m.rereg(c, pd, mem)
	if !done {
		err = m.whyBound(op, failure.Of(op, m.name, err))
		if mem == nil {
			return err
		}
		return errors.Join(err, failure.Of("munmap", m.name, giveMemory(mem)))
	}
	return failure.Of(op, m.name, errors.Join(err, m.changed(c, pd, mem)))
}

// changedDomain returns the C object of the new domain, 0 if unchanged.
func (d *device) changedDomain(c verbs.MRChange) (uintptr, error) {
	if c.Flags&verbs.ReregPD == 0 {
		return 0, nil
	}
	if c.PD == nil {
		return 0, fmt.Errorf("the new protection domain is missing: %w", syscall.EINVAL)
	}
	p, ok := c.PD.(*protectionDomain)
	if !ok {
		return 0, verbs.ErrForeignObject
	}
	return p.ptr, p.check(d)
}

// rereg makes the call and reports whether the region was changed as requested.
func (m *memoryRegion) rereg(c verbs.MRChange, pd uintptr, mem *dl.Mem) (done bool, err error) {
	var addr, length uintptr
	if mem != nil {
		addr, length = mem.Addr(), uintptr(mem.Len())
	}
	_, errno, err := m.dev.lib.reregMR.CallErrno(m.ptr, uintptr(c.Flags), pd, addr, length, uintptr(c.Access))
	var code dl.Negative
	switch {
	case err == nil:
		return true, nil
	case !errors.As(err, &code):
		return false, err
	case errno == 0:
		errno = syscall.EIO
	}
	if code == reregErrDoForkOld {
		return true, fmt.Errorf("changed, but the old memory is still not inherited by child processes: %w", errno)
	}
	if failure.MeansUnsupported(errno) || code > reregErrCmd {
		return false, errno // nothing was changed
	}
	return false, fmt.Errorf("the region is unusable (code %d); deregister it: %w", int(code), errno)
}

// changed takes over the region's new values from C.
func (m *memoryRegion) changed(c verbs.MRChange, pd uintptr, mem *dl.Mem) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	raw := dl.View[abi.MR](m.ptr)
	m.lkey, m.rkey = raw.LKey, raw.RKey
	if c.Flags&verbs.ReregAccess != 0 {
		m.spec.Access = c.Access
	}
	if pd != 0 {
		m.pd = pd
		m.dev.live.moved(&m.object, pd)
	}
	if mem == nil {
		return nil
	}
	old := m.mem
	m.dev.regions.remove(m.addr)
	m.mem, m.addr, m.spec.Length, m.spec.Backing = mem, uint64(mem.Addr()), c.Length, verbs.Backing{}
	m.dev.regions.add(m.addr, mem)
	return giveMemory(old)
}
