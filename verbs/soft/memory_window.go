package soft

import (
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/internal/object"
	"rdmatui/verbs/wire"
)

// mw is a memory window. Type 1 belongs to a domain, type 2 while it is bound to one queue pair: the device has 2B only. IBA 10.6.7.2.
type mw struct {
	pd     *pd
	typ    verbs.MWType
	posted atomic.Uint32 // the key of the binding that was posted last
	ibv    sync.Mutex    // taken by BindMW, so that each has a key of its own

	// What follows is guarded by the table's lock.
	key    uint32
	closed bool
	region *registration // that it is bound to; nil: it opens nothing
	qp     *qp           // of a type 2 window that is bound
	addr   uint64        // first byte, in the region
	length uint64
	access verbs.Access
}

var _ verbs.MW = (*mw)(nil)

// The low eight bits of a window's key are its owner's to choose, so that a window has all keys with the same others.
const windowTag = 8

func windowIndex(key uint32) uint32 { return key >> windowTag }

// AllocMW makes a window that is bound to nothing.
func (p *pd) AllocMW(typ verbs.MWType) (verbs.MW, error) {
	w, err := p.allocMW(typ)
	if err != nil {
		return nil, verbs.NewOpError("ibv_alloc_mw", "", err)
	}
	return w, nil
}

func (p *pd) allocMW(typ verbs.MWType) (*mw, error) {
	if typ != verbs.MWType1 && typ != verbs.MWType2 {
		return nil, syscall.EINVAL
	}
	p.dev.Mu.Lock()
	defer p.dev.Mu.Unlock()
	if err := p.live(); err != nil {
		return nil, err
	}
	if err := p.dev.adapter.quota.Take(&p.dev.adapter.quota.MW, maxMW, 0); err != nil {
		return nil, err
	}
	w := &mw{pd: p, typ: typ}
	p.dev.adapter.regions.insertWindow(w)
	p.Add(w, w.name())
	return w, nil
}

func (t *regionTable) insertWindow(w *mw) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for w.key == 0 || !t.freeForWindow(w.key) {
		w.key = t.random.Uint32()
	}
	w.posted.Store(w.key)
	t.windows[windowIndex(w.key)] = w
}

// freeForWindow reports whether no key of a window's is taken.
func (t *regionTable) freeForWindow(key uint32) bool {
	if t.windows[windowIndex(key)] != nil {
		return false
	}
	key = windowIndex(key) << windowTag
	for tag := range uint32(1 << windowTag) {
		if t.byKey[key|tag] != nil {
			return false
		}
	}
	return key != 0
}

func (w *mw) name() string { return fmt.Sprintf("MW 0x%08x", w.posted.Load()) }

// Type returns the type.
func (w *mw) Type() verbs.MWType { return w.typ }

// RKey returns the key of the binding that was posted last.
func (w *mw) RKey() uint32 { return w.posted.Load() }

// Close deallocates the window. Requests that name it fail from then on.
func (w *mw) Close() error {
	dev := w.pd.dev
	dev.Mu.Lock()
	defer dev.Mu.Unlock()
	t := &dev.adapter.regions
	t.mu.Lock()
	open := !w.closed
	if open {
		t.unbind(w)
		w.closed = true
		delete(t.windows, windowIndex(w.key))
	}
	t.mu.Unlock()
	if open {
		w.pd.Remove(w)
		dev.adapter.quota.Give(&dev.adapter.quota.MW, 0)
	}
	return nil
}

// unbind makes a window open nothing; mu is held.
func (t *regionTable) unbind(w *mw) {
	if w.region != nil {
		w.region.windows--
	}
	if w.qp != nil {
		w.qp.windows--
	}
	w.region, w.qp = nil, nil
}

// bound returns a BusyError that names the windows bound to a region, nil where there are none; mu is held.
func (t *regionTable) bound(r *registration) error {
	if r.windows == 0 {
		return nil
	}
	var users object.Users
	for _, w := range t.windows {
		if w.region == r {
			users.Add(w, w.name())
		}
	}
	return users.Busy(r.name())
}

// freeWindows unbinds the windows of a queue pair that is destroyed or reset: nothing but that queue pair could use, or end, the binding.
func (t *regionTable) freeWindows(q *qp) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if q.windows == 0 {
		return
	}
	for _, w := range t.windows {
		if w.qp == q {
			t.unbind(w)
		}
	}
}

// bindRequest is what a BIND_MW carries.
type bindRequest struct {
	mw     *mw
	key    uint32
	region *registration // nil: the binding is taken away
	addr   uint64
	length uint64
	access verbs.Access
}

// BindMW posts the binding of a type 1 window.
func (q *qp) BindMW(window verbs.MW, wrID uint64, flags verbs.SendFlags, bind verbs.MWBinding) error {
	const op = "ibv_bind_mw"
	w, err := q.dev.window(window, verbs.MWType1)
	if err != nil {
		return q.fail(op, err)
	}
	w.ibv.Lock()
	defer w.ibv.Unlock()
	wr := verbs.SendWR{WRID: wrID, Opcode: verbs.WRBindMW, SendFlags: flags, Bind: &verbs.BindWR{MW: w, RKey: verbs.NextRKey(w.RKey()), MWBinding: bind}}
	q.sq.mu.Lock()
	err = q.postSend(&wr, verbs.MWType1)
	q.sq.mu.Unlock()
	if err != nil {
		return q.fail(op, err)
	}
	q.eng.post(q)
	return nil
}

// window returns the device's own object.
func (d *device) window(window verbs.MW, typ verbs.MWType) (*mw, error) {
	if window == nil {
		return nil, syscall.EINVAL
	}
	w, ok := window.(*mw)
	if !ok || w.pd.dev != d {
		return nil, verbs.ErrForeignObject
	}
	if w.typ != typ {
		return nil, syscall.EINVAL
	}
	return w, nil
}

// newBind checks what can be checked of a binding when it is posted, as libibverbs does.
func (q *qp) newBind(wr *verbs.BindWR, typ verbs.MWType) (*bindRequest, error) {
	if wr == nil {
		return nil, syscall.EINVAL
	}
	w, err := q.dev.window(wr.MW, typ)
	if err != nil {
		return nil, err
	}
	b := &bindRequest{mw: w, key: wr.RKey, addr: wr.Addr, length: wr.Length, access: wr.Access}
	switch {
	case wr.Access&^(remoteRights|verbs.ZeroBased) != 0:
		return nil, syscall.EINVAL
	case typ == verbs.MWType1 && wr.Access&verbs.ZeroBased != 0: // o10-36.2.2
		return nil, syscall.EINVAL
	case windowIndex(wr.RKey) != windowIndex(w.RKey()):
		return nil, syscall.EINVAL
	case wr.MR == nil && (wr.Addr != 0 || wr.Length != 0):
		return nil, syscall.EINVAL
	case wr.MR == nil:
		return b, nil
	}
	m, ok := wr.MR.(*mr)
	if !ok {
		return nil, verbs.ErrForeignObject
	}
	b.region = m.current()
	if b.region.pd != w.pd {
		return nil, syscall.EPERM
	}
	if b.length == 0 {
		b.region = nil
	}
	return b, nil
}

// isLocal tells the requests that are done on this side and send nothing.
func isLocal(op verbs.WROpcode) bool { return op == verbs.WRBindMW || op == verbs.WRLocalInv }

// doLocal executes such a request in its turn, and passes it by where what was sent before it is being sent again. It is complete once all
// before it are.
func (q *qp) doLocal(w *sendWQE) {
	if !w.done && !q.regions().execute(w, q) {
		w.status = verbs.WCMWBindErr
		return
	}
	w.done = true
	q.req.next++
	q.settle()
}

func (t *regionTable) execute(w *sendWQE, q *qp) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if w.op == verbs.WRLocalInv {
		return t.invalidate(w.invalidate, q)
	}
	return t.bind(w.bind, q)
}

// settle completes the oldest requests as long as they are local and done.
func (q *qp) settle() {
	for q.outstanding() {
		w := q.sq.at(q.sq.head.Load())
		if !w.done {
			return
		}
		q.succeed(w)
	}
}

// bind carries a binding out, or changes nothing; IBA 10.6.7.2.3. mu is held.
func (t *regionTable) bind(b *bindRequest, q *qp) bool {
	w := b.mw
	switch {
	case w.closed || w.pd != q.pd:
		return false
	case w.typ == verbs.MWType2 && (w.region != nil || b.region == nil): // o10-37.2.30, o10-37.2.40
		return false
	case b.region != nil && !t.mayShow(b):
		return false
	}
	t.unbind(w)
	w.key, w.addr, w.length, w.access = b.key, b.addr, b.length, b.access
	if w.region = b.region; w.region != nil {
		w.region.windows++
	}
	if w.typ == verbs.MWType2 {
		w.qp = q
		q.windows++
	}
	return true
}

// mayShow holds a binding against its region, which may be gone by now.
func (t *regionTable) mayShow(b *bindRequest) bool {
	r := b.region
	rights := r.spec.Access
	return t.byKey[r.key] == r && rights&verbs.MWBind != 0 && // C10-73
		(b.access&remoteWrites == 0 || rights&verbs.LocalWrite != 0) && // C10-74
		r.holds(b.addr, b.length) // C10-75
}

// invalidate unbinds the type 2 window that a key opens to a queue pair; mu is held.
func (t *regionTable) invalidate(key uint32, q *qp) bool {
	w := t.windows[windowIndex(key)]
	if w == nil || w.key != key || w.qp != q { // of no type 1 window is there a queue pair
		return false
	}
	t.unbind(w)
	return true
}

// invalidated carries out what a SEND of the peer's asks for.
func (t *regionTable) invalidated(key uint32, q *qp) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.invalidate(key, q)
}

// through returns what a window opens of a request for n bytes at va: the region, and the place in it. Who holds mu until the bytes are
// copied can be sure that nothing is touched once the window is gone.
func (t *regionTable) through(key uint32, q *qp, right verbs.Access, va, n uint64) (r *registration, addr uint64) {
	w := t.windows[windowIndex(key)]
	if w == nil || w.key != key || w.region == nil || w.pd != q.pd || w.typ == verbs.MWType2 && w.qp != q || w.access&right != right {
		return nil, 0
	}
	if w.access&verbs.ZeroBased == 0 {
		if va < w.addr {
			return nil, 0
		}
		va -= w.addr
	}
	if n > w.length || va > w.length-n {
		return nil, 0
	}
	return w.region, w.addr + va
}

// The peer names regions and windows alike. Regions are looked for first: windows are rare.

// opensTo reports whether a key of the peer's grants n bytes at va.
func (q *qp) opensTo(key uint32, right verbs.Access, va, n uint64) bool {
	t := q.regions()
	if r := t.find(key, q.pd, right); r != nil {
		return r.holds(va, n)
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	r, _ := t.through(key, q, right, va, n)
	return r != nil
}

// writeTo places bytes of the peer's.
func (q *qp) writeTo(key uint32, va uint64, src []byte) bool {
	t := q.regions()
	if r := t.find(key, q.pd, verbs.RemoteWrite); r != nil {
		return r.write(src, va)
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	r, addr := t.through(key, q, verbs.RemoteWrite, va, uint64(len(src)))
	return r != nil && r.write(src, addr)
}

// placeWord executes an ATOMIC_WRITE of the peer's. Through a window, the word must be aligned in the region.
func (q *qp) placeWord(h *wire.RETH, word []byte) bool {
	t := q.regions()
	if r := t.find(h.RKey, q.pd, verbs.RemoteWrite); r != nil {
		return r.write(word, h.VA)
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	r, addr := t.through(h.RKey, q, verbs.RemoteWrite, h.VA, atomicLen)
	return r != nil && addr%atomicLen == 0 && r.write(word, addr)
}

// readFrom appends n bytes for the peer to dst.
func (q *qp) readFrom(dst []byte, key uint32, va, n uint64) ([]byte, bool) {
	t := q.regions()
	if r := t.find(key, q.pd, verbs.RemoteRead); r != nil {
		return r.read(dst, va, n)
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	r, addr := t.through(key, q, verbs.RemoteRead, va, n)
	if r == nil {
		return dst, false
	}
	return r.read(dst, addr, n)
}

// atomicOn executes an atomic of the peer's.
func (q *qp) atomicOn(op wire.Operation, h *wire.AtomicETH) (orig uint64, ok bool) {
	t := q.regions()
	if r := t.find(h.RKey, q.pd, verbs.RemoteAtomic); r != nil {
		return r.atomic(op, h, h.VA)
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	r, addr := t.through(h.RKey, q, verbs.RemoteAtomic, h.VA, atomicLen)
	if r == nil || addr%atomicLen != 0 {
		return 0, false
	}
	return r.atomic(op, h, addr)
}
