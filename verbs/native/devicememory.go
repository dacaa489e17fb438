package native

import (
	"fmt"
	"syscall"
	"unsafe"

	"rdmatui/verbs"
	"rdmatui/verbs/format"
	"rdmatui/verbs/native/internal/abi"
	"rdmatui/verbs/native/internal/dl"
	"rdmatui/verbs/native/internal/failure"
)

// deviceMemory is a struct ibv_dm.
type deviceMemory struct {
	object
	spec verbs.DMSpec
}

// AllocDM implements verbs.Device.
func (d *device) AllocDM(spec verbs.DMSpec) (verbs.DM, error) {
	const op = "ibv_alloc_dm"
	if err := d.use(); err != nil {
		return nil, failure.Of(op, d.info.Name, err)
	}
	defer d.done()
	attr := &abi.AllocDMAttr{Length: uintptr(spec.Length), LogAlignReq: spec.LogAlignReq}
	ptr, err := slot[dl.PointerFunc](d, abi.SlotAllocDM).Call(d.ctx, uintptr(unsafe.Pointer(attr)))
	if err != nil {
		return nil, failure.Of(op, d.info.Name, err)
	}
	m := &deviceMemory{spec: spec}
	d.add(&m.object, m, ptr,
		fmt.Sprintf("DM %d of %s", dl.View[abi.DM](ptr).Handle, format.Counted(spec.Length, "byte")))
	return m, nil
}

// Spec implements verbs.DM.
func (m *deviceMemory) Spec() verbs.DMSpec { return m.spec }

// ReadAt implements verbs.DM.
func (m *deviceMemory) ReadAt(p []byte, off int64) (int, error) {
	return m.copy("ibv_memcpy_from_dm", p, off, func(raw *abi.DM) error {
		return dl.At[dl.ErrnoFunc](m.dev.lib.dl, raw.MemcpyFromDM).Call(uintptr(dl.AddrOf(p)), m.ptr,
			uintptr(off), uintptr(len(p)))
	})
}

// WriteAt implements verbs.DM.
func (m *deviceMemory) WriteAt(p []byte, off int64) (int, error) {
	return m.copy("ibv_memcpy_to_dm", p, off, func(raw *abi.DM) error {
		return dl.At[dl.ErrnoFunc](m.dev.lib.dl, raw.MemcpyToDM).Call(m.ptr, uintptr(off),
			uintptr(dl.AddrOf(p)), uintptr(len(p)))
	})
}

// copy calls a C function that copies all of p. It checks the length because some drivers do not.
func (m *deviceMemory) copy(op string, p []byte, off int64, call func(*abi.DM) error) (int, error) {
	if err := m.use(); err != nil {
		return 0, failure.Of(op, m.name, err)
	}
	defer m.done()
	if off < 0 || uint64(off) > m.spec.Length || uint64(len(p)) > m.spec.Length-uint64(off) {
		return 0, failure.Of(op, m.name, syscall.EFAULT)
	}
	if len(p) == 0 {
		return 0, nil
	}
	if err := call(dl.View[abi.DM](m.ptr)); err != nil {
		return 0, failure.Of(op, m.name, failure.OfPost(err))
	}
	return len(p), nil
}

// Close implements verbs.DM.
func (m *deviceMemory) Close() error {
	defer m.dev.closing()()
	if m.ptr == 0 {
		return nil // and the context may be gone
	}
	return m.destroy("ibv_free_dm", slot[dl.ErrnoFunc](m.dev, abi.SlotFreeDM))
}

// regDM registers device memory, which has no address in the process. The caller is in a call on
// the domain.
func (p *protectionDomain) regDM(spec verbs.MRSpec) (verbs.MR, error) {
	const op = "ibv_reg_dm_mr"
	dm, ok := spec.Backing.DM.(*deviceMemory)
	if !ok {
		return nil, failure.Of(op, p.name, verbs.ErrForeignObject)
	}
	if err := dm.check(p.dev); err != nil {
		return nil, failure.Of(op, dm.name, err)
	}
	offset := spec.Backing.Offset
	if spec.Length == 0 && offset < dm.spec.Length {
		spec.Length = dm.spec.Length - offset
	}
	if offset > dm.spec.Length || spec.Length > dm.spec.Length-offset {
		return nil, failure.Of(op, dm.name, syscall.EINVAL) // like the kernel
	}
	ptr, err := slot[dl.PointerFunc](p.dev, abi.SlotRegDMMR).Call(p.ptr, dm.ptr, uintptr(offset),
		uintptr(spec.Length), uintptr(spec.Access))
	if err != nil {
		return nil, failure.Of(op, dm.name, err)
	}
	raw := dl.View[abi.MR](ptr)
	m := &memoryRegion{pd: p.ptr, spec: spec, lkey: raw.LKey, rkey: raw.RKey}
	p.dev.add(&m.object, m, ptr, fmt.Sprintf("MR 0x%x", raw.LKey), p.ptr, dm.ptr)
	return m, nil
}
