package mem

import "rdmatui/verbs"

// Cursor is a position in an SGE list.
type Cursor struct {
	elem int
	off  uint32 // within the element
}

// Seek returns the cursor n bytes into the list.
func Seek(list []verbs.SGE, n uint32) (c Cursor) {
	for c.elem < len(list) && n >= list[c.elem].Length {
		n -= list[c.elem].Length
		c.elem++
	}
	c.off = n
	return c
}

// Check reports whether the view's domain may use every element with the given right. Empty elements are ignored.
func (v *View) Check(list []verbs.SGE, right verbs.Access) bool {
	for i := range list {
		s := &list[i]
		if s.Length == 0 {
			continue
		}
		if m := v.table.find(s.LKey, v.domain, right); m == nil || !m.holds(s.Addr, uint64(s.Length)) {
			return false
		}
	}
	return true
}

// piece returns the next part of the list, at most n bytes, and advances past it.
func (c *Cursor) piece(list []verbs.SGE, n int) (addr uint64, key uint32, length int) {
	for c.elem < len(list) {
		s := &list[c.elem]
		if left := s.Length - c.off; left > 0 {
			length = min(n, int(left))
			addr, key = s.Addr+uint64(c.off), s.LKey
			c.off += uint32(length)
			return addr, key, length
		}
		c.elem, c.off = c.elem+1, 0
	}
	return 0, 0, 0
}

// Gather appends the next n bytes of the list to dst.
func (v *View) Gather(dst []byte, list []verbs.SGE, c *Cursor, n int) ([]byte, bool) {
	for n > 0 {
		addr, key, k := c.piece(list, n)
		m := v.table.find(key, v.domain, 0)
		if k == 0 || m == nil {
			return dst, false
		}
		var ok bool
		if dst, ok = m.read(dst, addr, uint64(k)); !ok {
			return dst, false
		}
		n -= k
	}
	return dst, true
}

// Scatter stores src at the cursor; the caller has checked that the list is long enough.
func (v *View) Scatter(src []byte, list []verbs.SGE, c *Cursor) bool {
	for len(src) > 0 {
		addr, key, k := c.piece(list, len(src))
		m := v.table.find(key, v.domain, verbs.LocalWrite)
		if k == 0 || m == nil || !m.write(src[:k], addr) {
			return false
		}
		src = src[k:]
	}
	return true
}

// AppendInline appends the data of a whole list to dst. In C, inline data may lie anywhere in the process; here every
// address lies in a region, so the region is found by address and the key is ignored.
func (v *View) AppendInline(dst []byte, list []verbs.SGE) ([]byte, bool) {
	for i := range list {
		s := &list[i]
		if s.Length == 0 {
			continue
		}
		m := v.table.find(s.LKey, v.domain, 0)
		if m == nil || m.dm != nil || !m.holds(s.Addr, uint64(s.Length)) {
			m = v.table.at(s.Addr)
		}
		if m == nil || m.domain.context != v.domain.context {
			return dst, false
		}
		var ok bool
		if dst, ok = m.read(dst, s.Addr, uint64(s.Length)); !ok {
			return dst, false
		}
	}
	return dst, true
}
