package region

import (
	"rdmatui/session/core"
	"rdmatui/verbs"
)

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
		if length := r.MR.Spec().Length; e.Addr >= r.MR.Addr() && e.Addr-r.MR.Addr() <= length &&
			uint64(e.Length) <= length-(e.Addr-r.MR.Addr()) {
			return r
		}
	}
	return nil
}
