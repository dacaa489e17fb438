package soft

import (
	"sync"

	"rdmatui/verbs"
)

// regionTable finds regions by key. Keys are random, so that knowing one tells nothing about the next.
type regionTable struct {
	random *lockedRand

	mu    sync.RWMutex
	byKey map[uint32]*mr
	next  uint64 // address of the next region
}

// Regions lie in an address space of the device's own, each on pages of its own with at least one free page between, so that running
// past an end never lands in a neighbour.
const (
	pageSize   = 1 << 12
	spaceStart = 1 << 44
	spaceSlide = 1 << 40
)

func (t *regionTable) init(random *lockedRand) {
	t.random = random
	t.byKey = map[uint32]*mr{}
	t.next = spaceStart + random.uint64()%spaceSlide&^(pageSize-1)
}

// insert gives the region its key and address.
func (t *regionTable) insert(m *mr) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for {
		m.key = t.random.uint32()
		if m.key != 0 && t.byKey[m.key] == nil {
			break
		}
	}
	t.byKey[m.key] = m
	m.addr = t.next
	t.next += (m.spec.Length+pageSize-1)&^(pageSize-1) + pageSize
}

func (t *regionTable) remove(m *mr) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.byKey, m.key)
}

// find returns the region that key opens to members of a domain with the given right, nil where there is none.
func (t *regionTable) find(key uint32, p *pd, right verbs.Access) *mr {
	t.mu.RLock()
	m := t.byKey[key]
	t.mu.RUnlock()
	if m == nil || m.pd != p || m.spec.Access&right != right {
		return nil
	}
	return m
}

// holds reports whether [addr, addr+n) lies inside the region.
func (m *mr) holds(addr, n uint64) bool {
	return addr >= m.addr && n <= m.spec.Length && addr-m.addr <= m.spec.Length-n
}

// read appends n bytes at addr to dst; ok is false where they are not all there.
func (m *mr) read(dst []byte, addr, n uint64) (out []byte, ok bool) {
	if !m.holds(addr, n) {
		return dst, false
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.bytes == nil {
		return dst, false
	}
	at := addr - m.addr
	return append(dst, m.bytes[at:at+n]...), true
}

// write places src at addr, all or nothing.
func (m *mr) write(src []byte, addr uint64) bool {
	if !m.holds(addr, uint64(len(src))) {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.bytes == nil {
		return false
	}
	copy(m.bytes[addr-m.addr:], src)
	return true
}

// at returns the region that an address lies in, nil where there is none. It walks all regions: only inline data asks.
func (t *regionTable) at(addr uint64) *mr {
	t.mu.RLock()
	defer t.mu.RUnlock()
	for _, m := range t.byKey {
		if m.holds(addr, 1) {
			return m
		}
	}
	return nil
}
