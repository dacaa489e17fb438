package queue

import (
	"rdmatui/session/core"
	"rdmatui/session/region"
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

// Arrived copies the beginning of what a completion put into memory, as it is now:
// a later message may lie there soon. It is nil where nothing did, or the memory is
// not one of the session's regions.
func Arrived(s *core.Session, list []verbs.SGE, wc *verbs.WC) *timeline.Arrived {
	if !bringsData(wc) || wc.ByteLen == 0 {
		return nil
	}
	left := int(min(wc.ByteLen, arrivedMax))
	data := make([]byte, 0, left)
	for i := 0; i < len(list) && left > 0; i++ {
		n := min(left, int(min(list[i].Length, arrivedMax)))
		part := data[len(data) : len(data)+n]
		if n > 0 && !region.ReadAt(s, list[i], part) {
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
