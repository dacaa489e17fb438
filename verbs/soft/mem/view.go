package mem

import "rdmatui/verbs"

// View is the memory as one queue pair reaches it: by the keys of its protection domain, and by those of the type 2 windows that are bound
// on it. What the peer names may be a region or a window. Regions are looked for first: windows are rare.
type View struct {
	domain  *Domain
	table   *Table
	windows int // bound on it; guarded by the table's lock
}

// Init makes the view one of a domain's members.
func (v *View) Init(d *Domain) { v.domain, v.table = d, d.table }

// GrantsRegion reports whether a key of the peer's is that of a region with the given right.
func (v *View) GrantsRegion(key uint32, right verbs.Access) bool {
	return v.table.find(key, v.domain, right) != nil
}

// Grants reports whether a key of the peer's grants n bytes at va.
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

// Write places bytes of the peer's.
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

// WriteWord executes an ATOMIC_WRITE of the peer's at an aligned address. Through a window, the word must be aligned in the region.
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

// Atomic executes an atomic of the peer's at an aligned address, and returns what was there before.
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
