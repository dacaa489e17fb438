package native

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"
	"unsafe"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
	"rdmatui/verbs/native/internal/dl"
	"rdmatui/verbs/native/internal/failure"
)

// memoryWindow is a struct ibv_mw.
type memoryWindow struct {
	object
	typ  verbs.MWType
	pd   uintptr
	rkey atomic.Uint32
	// region is the region of the last binding posted here: a peer may have invalidated
	// the binding since.
	region atomic.Pointer[memoryRegion]
	ibv    sync.Mutex // held during ibv_bind_mw, which derives the next key from the last
}

// AllocMW implements verbs.PD.
func (p *protectionDomain) AllocMW(typ verbs.MWType) (verbs.MW, error) {
	const op = "ibv_alloc_mw"
	if err := p.use(); err != nil {
		return nil, failure.Of(op, p.name, err)
	}
	defer p.done()
	ptr, err := p.dev.ops.allocMW.Call(p.ptr, uintptr(typ))
	if err != nil {
		return nil, failure.Of(op, p.name, err)
	}
	w := &memoryWindow{typ: typ, pd: p.ptr}
	rkey := dl.View[abi.MW](ptr).RKey
	w.rkey.Store(rkey)
	p.dev.add(&w.object, w, ptr, fmt.Sprintf("MW 0x%x", rkey), p.ptr)
	return w, nil
}

// Type implements verbs.MW.
func (w *memoryWindow) Type() verbs.MWType { return w.typ }

// RKey implements verbs.MW.
func (w *memoryWindow) RKey() uint32 { return w.rkey.Load() }

// Close implements verbs.MW.
func (w *memoryWindow) Close() error {
	defer w.dev.closing()()
	return w.destroy("ibv_dealloc_mw", w.dev.ops.deallocMW)
}

// BindMW implements verbs.QP.
func (q *queuePair) BindMW(mw verbs.MW, wrID uint64, flags verbs.SendFlags, bind verbs.MWBinding) error {
	const op = "ibv_bind_mw"
	if err := q.use(); err != nil {
		return failure.Of(op, q.name, err)
	}
	defer q.done()
	w, err := q.dev.window(mw, verbs.MWType1)
	if err != nil {
		return failure.Of(op, q.name, err)
	}
	w.ibv.Lock()
	defer w.ibv.Unlock()
	raw := &abi.MWBind{WRID: wrID, SendFlags: uint32(flags)}
	m, err := w.bindInfo(&raw.BindInfo, &bind)
	if err != nil {
		return failure.Of(op, q.name, err)
	}
	q.sq.mu.Lock()
	err = q.dev.ops.bindMW.Call(q.ptr, w.ptr, uintptr(unsafe.Pointer(raw)))
	q.sq.mu.Unlock()
	if err != nil {
		return failure.Of(op, q.name, failure.OfPost(err))
	}
	w.rkey.Store(dl.View[abi.MW](w.ptr).RKey)
	w.region.Store(m)
	return nil
}

// window returns the object behind the interface. The caller holds dev.mu, as for the
// functions below.
func (d *device) window(mw verbs.MW, typ verbs.MWType) (*memoryWindow, error) {
	if mw == nil {
		return nil, fmt.Errorf("the memory window is missing: %w", syscall.EINVAL)
	}
	w, ok := mw.(*memoryWindow)
	if !ok {
		return nil, verbs.ErrForeignObject
	}
	if err := w.check(d); err != nil {
		return nil, err
	}
	if w.typ != typ {
		return nil, fmt.Errorf("the memory window is of %s: %w", w.typ, syscall.EINVAL)
	}
	return w, nil
}

// bindInfo converts a binding, with the checks of the inline function. If no region is
// given, C gets the previous one with a length of 0: some drivers dereference the NULL
// that the manual page allows (rxe in rdma-core 44).
func (w *memoryWindow) bindInfo(to *abi.MWBindInfo, bind *verbs.MWBinding) (*memoryRegion, error) {
	m, ok := bind.MR.(*memoryRegion)
	switch {
	case bind.MR != nil && !ok:
		return nil, verbs.ErrForeignObject
	case !ok && (bind.Addr != 0 || bind.Length != 0):
		return nil, fmt.Errorf("a range needs a region: %w", syscall.EINVAL)
	case !ok:
		if m = w.region.Load(); m == nil {
			return nil, fmt.Errorf("the window is not bound: %w", syscall.EINVAL)
		}
	}
	if err := m.check(w.dev); err != nil {
		return nil, err
	}
	if w.typ == verbs.MWType1 && m.domain() != w.pd { // the device checks it for type 2
		return nil, fmt.Errorf("the region is in another protection domain: %w", syscall.EPERM)
	}
	*to = abi.MWBindInfo{MR: m.ptr, Addr: bind.Addr, Length: bind.Length, AccessFlags: uint32(bind.Access)}
	if bind.Length == 0 {
		return nil, nil
	}
	return m, nil
}

// fillBind converts a BIND_MW.
func (q *queuePair) fillBind(raw *abi.SendWR, bind *verbs.BindWR) error {
	if bind == nil || bind.MR == nil {
		return fmt.Errorf("the memory window or the region is missing: %w", syscall.EINVAL)
	}
	w, err := q.dev.window(bind.MW, verbs.MWType2)
	if err != nil {
		return err
	}
	to := abi.SendBindMW{MW: w.ptr, RKey: bind.RKey}
	if _, err := w.bindInfo(&to.BindInfo, &bind.MWBinding); err != nil {
		return err
	}
	raw.SetBindMW(to)
	return nil
}

// bound records that a BIND_MW was posted: in C, the next request for the window must
// name the key that the window then has.
func bound(wr *verbs.SendWR) {
	if !wr.Opcode.Traits().Bind {
		return
	}
	w := wr.Bind.MW.(*memoryWindow) // fillBind has checked the types of window and region
	w.rkey.Store(wr.Bind.RKey)
	m := wr.Bind.MR.(*memoryRegion)
	if wr.Bind.Length == 0 {
		m = nil // this unbinds
	}
	w.region.Store(m)
	dl.View[abi.MW](w.ptr).RKey = wr.Bind.RKey
}

// whyBound adds the names of the bound windows to the errno for a region that cannot be
// deregistered. Drivers return EBUSY or EINVAL (rxe).
func (m *memoryRegion) whyBound(op string, err error) error {
	var no syscall.Errno
	if !errors.As(err, &no) || no != syscall.EBUSY && no != syscall.EINVAL {
		return err
	}
	windows := m.dev.live.names(func(o *object) bool {
		w, ok := o.self.(*memoryWindow)
		return ok && w.region.Load() == m
	})
	if len(windows) == 0 {
		return err
	}
	return failure.Of(op, m.name, &verbs.BusyError{Object: m.name, UsedBy: windows, Err: no})
}
