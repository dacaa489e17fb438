package mem

import "rdmatui/verbs"

// View is one queue pair's access to memory: through the keys of its protection domain, and those of the type 2 windows
// bound on it. A remote key may be a region's or a window's. Regions are looked up first, because windows are rare.
type View struct {
	domain  *Domain
	table   *Table
	windows int // bound on it; guarded by the table's lock
}

// Init adds the view to a domain.
func (v *View) Init(d *Domain) { v.domain, v.table = d, d.table }

// GrantsRegion reports whether a remote key belongs to a region with the given right.
func (v *View) GrantsRegion(key uint32, right verbs.Access) bool {
	return v.table.find(key, v.domain, right) != nil
}

// Grants reports whether a remote key grants n bytes at va.
func (v *View) Grants(key uint32, right verbs.Access, va, n uint64) bool {
	t := v.table
	if r := t.find(key, v.domain, right); r != nil {
		return r.holds(va, n)
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	r, _ := v.through(key, right, va, n)
	return r != nil
}

// Write stores the peer's bytes.
func (v *View) Write(key uint32, va uint64, src []byte) bool {
	t := v.table
	if r := t.find(key, v.domain, verbs.RemoteWrite); r != nil {
		return r.write(src, va)
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	r, addr := v.through(key, verbs.RemoteWrite, va, uint64(len(src)))
	return r != nil && r.write(src, addr)
}

// WriteWord executes the peer's ATOMIC_WRITE at an aligned address. Through a window, the word must also be aligned in
// the region.
func (v *View) WriteWord(key uint32, va uint64, word []byte) bool {
	t := v.table
	if r := t.find(key, v.domain, verbs.RemoteWrite); r != nil {
		return r.write(word, va)
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	r, addr := v.through(key, verbs.RemoteWrite, va, verbs.AtomicLen)
	return r != nil && addr%verbs.AtomicLen == 0 && r.write(word, addr)
}

// Read appends n bytes for the peer to dst.
func (v *View) Read(dst []byte, key uint32, va, n uint64) ([]byte, bool) {
	t := v.table
	if r := t.find(key, v.domain, verbs.RemoteRead); r != nil {
		return r.read(dst, va, n)
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	r, addr := v.through(key, verbs.RemoteRead, va, n)
	if r == nil {
		return dst, false
	}
	return r.read(dst, addr, n)
}

// Atomic executes the peer's atomic at an aligned address, and returns the previous value.
func (v *View) Atomic(op Atomic, key uint32, va uint64) (orig uint64, ok bool) {
	t := v.table
	if r := t.find(key, v.domain, verbs.RemoteAtomic); r != nil {
		return r.atomic(op, va)
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	r, addr := v.through(key, verbs.RemoteAtomic, va, verbs.AtomicLen)
	if r == nil || addr%verbs.AtomicLen != 0 {
		return 0, false
	}
	return r.atomic(op, addr)
}

// through translates a request for n bytes at va through a window: it returns the region, and the address in it. A
// caller that holds the table's lock until the bytes are copied knows that nothing is accessed after the window is
// unbound.
func (v *View) through(key uint32, right verbs.Access, va, n uint64) (r *registration, addr uint64) {
	w := v.table.windows[WindowIndex(key)]
	if w == nil || w.key != key || w.region == nil || w.domain != v.domain || w.typ == verbs.MWType2 && w.view != v ||
		w.access&right != right {
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
