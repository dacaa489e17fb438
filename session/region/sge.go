package region

import (
	"rdmatui/session/core"
	"rdmatui/session/device"
	"rdmatui/verbs"
)

// regionByLKey finds the region of a device that a local key opens.
func regionByLKey(s *core.Session, dev *device.Device, lkey uint32) *MR {
	return Where(s, dev, func(r *MR) bool { return r.MR.LKey() == lkey })
}

// Where finds a region of a device.
func Where(s *core.Session, dev *device.Device, fits func(*MR) bool) *MR {
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	for _, n := range s.Graph.Nodes {
		if r, ok := n.Body.(*MR); ok && r.PD.Device == dev && fits(r) {
			return r
		}
	}
	return nil
}

// CheckSGEs holds pieces of memory against the regions that their keys open.
func CheckSGEs(c *core.Call, pd *PD, list []verbs.SGE, limit uint32, limitName string, need verbs.Access) {
	if len(list) > int(limit) {
		c.Warn("%d SGEs are more than %s %d", len(list), limitName, limit)
	}
	for i := range list {
		e := &list[i]
		r := regionByLKey(c.S, pd.Device, e.LKey)
		if r == nil {
			c.Warn("lkey 0x%x opens no region of this session", e.LKey)
			continue
		}
		if r.PD != pd {
			c.Warn("%s is of %s, the queue pair of %s", r.Name, r.PD.Name, pd.Name)
		}
		if !Inside(r, e.Addr, uint64(e.Length)) {
			c.Warn("%d bytes at 0x%x are not inside %s", e.Length, e.Addr, r.Name)
		}
		if missing := need &^ r.MR.Spec().Access; missing != 0 {
			c.Warn("%s lacks %s", r.Name, missing)
		}
	}
}

// Inside reports whether a piece lies in a region; addresses may be hostile.
func Inside(r *MR, addr, length uint64) bool {
	base, size := r.MR.Addr(), r.MR.Spec().Length
	return addr >= base && addr-base <= size && length <= size-(addr-base)
}

// TotalLength is how many bytes a list has.
func TotalLength(list []verbs.SGE) (n uint64) {
	for i := range list {
		n += uint64(list[i].Length)
	}
	return n
}

// ReadAt fills p from the memory that an element names.
func ReadAt(s *core.Session, e verbs.SGE, p []byte) bool {
	r := Of(s, e)
	if r == nil {
		return false
	}
	n, err := r.MR.ReadAt(p, int64(e.Addr-r.MR.Addr()))
	return err == nil && n == len(p)
}

// Of is the region that an element of a list lies in, nil if none of this
// session.
func Of(s *core.Session, e verbs.SGE) *MR {
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	for _, n := range s.Graph.Nodes {
		r, ok := n.Body.(*MR)
		if !ok || r.MR.LKey() != e.LKey {
			continue
		}
		if length := r.MR.Spec().Length; e.Addr >= r.MR.Addr() && e.Addr-r.MR.Addr() <= length && uint64(e.Length) <= length-(e.Addr-r.MR.Addr()) {
			return r
		}
	}
	return nil
}
