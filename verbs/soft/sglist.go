package soft

import "rdmatui/verbs"

// sgCursor is a place in an SGE list.
type sgCursor struct {
	elem int
	off  uint32 // within the element
}

// seek returns the cursor that lies n bytes into the list.
func seek(list []verbs.SGE, n uint32) (c sgCursor) {
	for c.elem < len(list) && n >= list[c.elem].Length {
		n -= list[c.elem].Length
		c.elem++
	}
	c.off = n
	return c
}

// listLength is the bytes of a list, which may exceed 32 bits.
func listLength(list []verbs.SGE) (n uint64) {
	for i := range list {
		n += uint64(list[i].Length)
	}
	return n
}

// checkList reports whether a domain may use every element with the given right. Empty elements are not looked at.
func (t *regionTable) checkList(list []verbs.SGE, p *pd, right verbs.Access) bool {
	for i := range list {
		s := &list[i]
		if s.Length == 0 {
			continue
		}
		if m := t.find(s.LKey, p, right); m == nil || !m.holds(s.Addr, uint64(s.Length)) {
			return false
		}
	}
	return true
}

// piece returns the next part of the list, at most n bytes, and moves behind it.
func (c *sgCursor) piece(list []verbs.SGE, n int) (addr uint64, key uint32, length int) {
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

// gather appends the next n bytes of the list to dst.
func (t *regionTable) gather(dst []byte, list []verbs.SGE, c *sgCursor, n int, p *pd) ([]byte, bool) {
	for n > 0 {
		addr, key, k := c.piece(list, n)
		m := t.find(key, p, 0)
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

// scatter places src at the cursor; the caller has checked that the list is long enough.
func (t *regionTable) scatter(src []byte, list []verbs.SGE, c *sgCursor, p *pd) bool {
	for len(src) > 0 {
		addr, key, k := c.piece(list, len(src))
		m := t.find(key, p, verbs.LocalWrite)
		if k == 0 || m == nil || !m.write(src[:k], addr) {
			return false
		}
		src = src[k:]
	}
	return true
}
