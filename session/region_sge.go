package session

import (
	"rdmatui/session/core"
	"rdmatui/verbs"
)

// regionByLKey finds the region of a device that a local key opens.
func regionByLKey(s *core.Session, dev *device, lkey uint32) *MR {
	return regionWhere(s, dev, func(r *MR) bool { return r.mr.LKey() == lkey })
}

// regionWhere finds a region of a device.
func regionWhere(s *core.Session, dev *device, fits func(*MR) bool) *MR {
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	for _, n := range s.Graph.Nodes {
		if r, ok := n.Body.(*MR); ok && r.pd.dev == dev && fits(r) {
			return r
		}
	}
	return nil
}

// checkSGEs holds pieces of memory against the regions that their keys open.
func checkSGEs(c *core.Call, pd *PD, list []verbs.SGE, limit uint32, limitName string, need verbs.Access) {
	if len(list) > int(limit) {
		c.Warn("%d SGEs are more than %s %d", len(list), limitName, limit)
	}
	for i := range list {
		e := &list[i]
		r := regionByLKey(c.S, pd.dev, e.LKey)
		if r == nil {
			c.Warn("lkey 0x%x opens no region of this session", e.LKey)
			continue
		}
		if r.pd != pd {
			c.Warn("%s is of %s, the queue pair of %s", r.Name, r.pd.Name, pd.Name)
		}
		if !inside(r, e.Addr, uint64(e.Length)) {
			c.Warn("%d bytes at 0x%x are not inside %s", e.Length, e.Addr, r.Name)
		}
		if missing := need &^ r.mr.Spec().Access; missing != 0 {
			c.Warn("%s lacks %s", r.Name, missing)
		}
	}
}

// inside reports whether a piece lies in a region; addresses may be hostile.
func inside(r *MR, addr, length uint64) bool {
	base, size := r.mr.Addr(), r.mr.Spec().Length
	return addr >= base && addr-base <= size && length <= size-(addr-base)
}

// totalLength is how many bytes a list has.
func totalLength(list []verbs.SGE) (n uint64) {
	for i := range list {
		n += uint64(list[i].Length)
	}
	return n
}

// readAt fills p from the memory that an element names.
func readAt(s *core.Session, e verbs.SGE, p []byte) bool {
	r := regionOf(s, e)
	if r == nil {
		return false
	}
	n, err := r.mr.ReadAt(p, int64(e.Addr-r.mr.Addr()))
	return err == nil && n == len(p)
}

// regionOf is the region that an element of a list lies in, nil if none of this
// session.
func regionOf(s *core.Session, e verbs.SGE) *MR {
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	for _, n := range s.Graph.Nodes {
		r, ok := n.Body.(*MR)
		if !ok || r.mr.LKey() != e.LKey {
			continue
		}
		if length := r.mr.Spec().Length; e.Addr >= r.mr.Addr() && e.Addr-r.mr.Addr() <= length && uint64(e.Length) <= length-(e.Addr-r.mr.Addr()) {
			return r
		}
	}
	return nil
}
