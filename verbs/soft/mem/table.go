package mem

import (
	"sync"

	"rdmatui/verbs"
	"rdmatui/verbs/memory"
	"rdmatui/verbs/soft/internal/object"
)

// Table finds the regions and windows of one device by key. Keys are random, so that one key does not reveal the next.
type Table struct {
	random *object.Random
	quota  *object.Quota

	mu      sync.RWMutex
	byKey   map[uint32]*registration
	windows map[uint32]*MW // by WindowIndex
	next    uint64         // address of the next region
}

// Regions lie in the device's own address space, each on separate pages with at least one free page in between, so that
// an overrun never reaches another region.
const (
	pageSize   = 1 << 12
	spaceStart = 1 << 44
	spaceSlide = 1 << 40
)

// Init creates an empty table. Regions, windows and blocks of device memory count against the quota.
func (t *Table) Init(random *object.Random, quota *object.Quota) {
	t.random, t.quota = random, quota
	t.byKey = map[uint32]*registration{}
	t.windows = map[uint32]*MW{}
	t.next = spaceStart + random.Uint64()%spaceSlide&^(pageSize-1)
}

// Keys returns the number of regions and of windows that have keys.
func (t *Table) Keys() (regions, windows int) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return len(t.byKey), len(t.windows)
}

// insert assigns the region its key and address.
func (t *Table) insert(r *registration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.place(r)
	t.enter(r)
}

// place assigns a region its address; mu is held, as for enter. A region of device memory starts at 0.
func (t *Table) place(r *registration) {
	if r.dm != nil {
		return
	}
	r.addr = t.next
	t.next += (r.spec.Length+pageSize-1)&^(pageSize-1) + pageSize
}

// enter assigns a region a key that no other region or window uses or could use.
func (t *Table) enter(r *registration) {
	for {
		r.key = t.random.Uint32()
		if r.key != 0 && t.byKey[r.key] == nil && t.windows[WindowIndex(r.key)] == nil {
			break
		}
	}
	t.byKey[r.key] = r
}

// remove ends a registration and returns its memory, nil if it was already removed. It fails while windows are bound.
func (t *Table) remove(r *registration) (*memory.Mapping, error) {
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

// replace ends a registration and enters another. The new one takes over the memory unless it has its own: then replace
// returns the old memory. It fails like remove.
func (t *Table) replace(old, r *registration) (*memory.Mapping, error) {
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

// find returns the region for a key if it belongs to the domain and grants the right, nil otherwise.
func (t *Table) find(key uint32, d *Domain, right verbs.Access) *registration {
	t.mu.RLock()
	m := t.byKey[key]
	t.mu.RUnlock()
	if m == nil || m.domain != d || m.spec.Access&right != right {
		return nil
	}
	return m
}

// at returns the region of host memory that contains an address, nil if there is none. It searches all regions: only
// inline data needs it.
func (t *Table) at(addr uint64) *registration {
	t.mu.RLock()
	defer t.mu.RUnlock()
	for _, m := range t.byKey {
		if m.dm == nil && m.holds(addr, 1) {
			return m
		}
	}
	return nil
}
