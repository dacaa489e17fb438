package soft

import (
	"sync"

	"rdmatui/verbs"
	"rdmatui/verbs/memory"
	"rdmatui/verbs/soft/internal/object"
)

// regionTable finds regions by key. Keys are random, so that knowing one tells nothing about the next.
type regionTable struct {
	random *object.Random

	mu      sync.RWMutex
	byKey   map[uint32]*registration
	windows map[uint32]*mw // by windowIndex
	next    uint64         // address of the next region
}

// Regions lie in an address space of the device's own, each on pages of its own with at least one free page between, so that running
// past an end never lands in a neighbour.
const (
	pageSize   = 1 << 12
	spaceStart = 1 << 44
	spaceSlide = 1 << 40
)

func (t *regionTable) init(random *object.Random) {
	t.random = random
	t.byKey = map[uint32]*registration{}
	t.windows = map[uint32]*mw{}
	t.next = spaceStart + random.Uint64()%spaceSlide&^(pageSize-1)
}

// insert gives the region its key and address.
func (t *regionTable) insert(r *registration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.place(r)
	t.enter(r)
}

// place gives a region its address; mu is held, as for enter. One of device memory counts from 0.
func (t *regionTable) place(r *registration) {
	if r.dm != nil {
		return
	}
	r.addr = t.next
	t.next += (r.spec.Length+pageSize-1)&^(pageSize-1) + pageSize
}

// enter gives a region a key that none has, nor may get.
func (t *regionTable) enter(r *registration) {
	for {
		r.key = t.random.Uint32()
		if r.key != 0 && t.byKey[r.key] == nil && t.windows[windowIndex(r.key)] == nil {
			break
		}
	}
	t.byKey[r.key] = r
}

// remove ends a registration and returns its memory, nil where that was done before. It fails while windows are bound.
func (t *regionTable) remove(r *registration) (*memory.Mapping, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.bound(r); err != nil {
		return nil, err
	}
	mapping := r.take()
	if mapping != nil {
		delete(t.byKey, r.key)
	}
	return mapping, nil
}

// replace ends a registration and enters another, over the same memory unless it has its own: then it returns the old one. It fails as
// remove does.
func (t *regionTable) replace(old, r *registration) (*memory.Mapping, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.bound(old); err != nil {
		return nil, err
	}
	mapping := old.take()
	if mapping == nil {
		return nil, verbs.ErrClosed
	}
	delete(t.byKey, old.key)
	if r.mapping == nil {
		r.mapping, r.bytes, r.addr, mapping = mapping, mapping.Bytes(), old.addr, nil
	} else {
		t.place(r)
	}
	t.enter(r)
	return mapping, nil
}

// find returns the region that key opens to members of a domain with the given right, nil where there is none.
func (t *regionTable) find(key uint32, p *pd, right verbs.Access) *registration {
	t.mu.RLock()
	m := t.byKey[key]
	t.mu.RUnlock()
	if m == nil || m.pd != p || m.spec.Access&right != right {
		return nil
	}
	return m
}

// holds reports whether [addr, addr+n) lies inside the region.
func (r *registration) holds(addr, n uint64) bool {
	return addr >= r.addr && n <= r.spec.Length && addr-r.addr <= r.spec.Length-n
}

// read appends n bytes at addr to dst; ok is false where they are not all there.
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

// write places src at addr, all or nothing, unless the bytes cannot be reached.
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

// at returns the region of host memory that an address lies in, nil where there is none. It walks all regions: only inline data asks.
func (t *regionTable) at(addr uint64) *registration {
	t.mu.RLock()
	defer t.mu.RUnlock()
	for _, m := range t.byKey {
		if m.dm == nil && m.holds(addr, 1) {
			return m
		}
	}
	return nil
}
