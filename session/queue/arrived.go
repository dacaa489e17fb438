package queue

import (
	"rdmatui/session/core"
	"rdmatui/session/region"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// arrivedMax bounds the bytes copied from a received message, including a datagram's
// GRH.
const arrivedMax = 256

// arrivedFew is the largest batch of completions whose data is copied: in a flood
// nobody reads each.
const arrivedFew = 16

// bringsData reports whether a successful request wrote bytes into its SGE list.
// RECV_RDMA_WITH_IMM did not: the peer's WRITE chose the address.
func bringsData(wc *verbs.WC) bool {
	return !wc.Failed() && (wc.Opcode == verbs.WCRecv || wc.Opcode.Receives())
}

// Arrived copies the beginning of what a completion put into memory, before a later
// message can overwrite it. It returns nil if there is no such data or the memory is
// not in one of the session's regions.
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
