package session

import (
	"rdmatui/session/core"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// arrivedMax is how many bytes are kept of what a completion brought, the GRH of a
// datagram among them.
const arrivedMax = 256

// arrivedFew is up to how many completions at a time are looked at so: in a flood
// nobody reads each.
const arrivedFew = 16

// bringsData reports whether a successful request put bytes where its list says.
// RECV_RDMA_WITH_IMM is not among them: the bytes went to where the peer wrote.
func bringsData(wc *verbs.WC) bool {
	if wc.Failed() {
		return false
	}
	switch wc.Opcode {
	case verbs.WCRecv, verbs.WCRDMARead, verbs.WCCompSwap, verbs.WCFetchAdd:
		return true
	}
	return false
}

// arrived copies the beginning of what a completion put into memory, as it is now:
// a later message may lie there soon. It is nil where nothing did, or the memory is
// not one of the session's regions.
func arrived(s *core.Session, list []verbs.SGE, wc *verbs.WC) *timeline.Arrived {
	if !bringsData(wc) || wc.ByteLen == 0 {
		return nil
	}
	left := int(min(wc.ByteLen, arrivedMax))
	data := make([]byte, 0, left)
	for i := 0; i < len(list) && left > 0; i++ {
		n := min(left, int(min(list[i].Length, arrivedMax)))
		part := data[len(data) : len(data)+n]
		if n > 0 && !readAt(s, list[i], part) {
			break
		}
		data = data[:len(data)+n]
		left -= n
	}
	if len(data) == 0 {
		return nil
	}
	return &timeline.Arrived{Data: data, Total: wc.ByteLen}
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
