package transport

import (
	"testing"

	"rdmatui/verbs"
)

// TestQueueBytes compares what the budget is charged for queues with what they allocate.
func TestQueueBytes(t *testing.T) {
	for _, c := range []verbs.QPCap{
		{}, {MaxSendWR: 1, MaxRecvWR: 1},
		{MaxSendWR: 5, MaxRecvWR: 9, MaxSendSGE: 3, MaxRecvSGE: 2, MaxInlineData: 100},
		{MaxSendWR: 64, MaxRecvWR: 128, MaxSendSGE: 1, MaxRecvSGE: 32},
	} {
		var s sendQueue
		s.init(c)
		send := uint64(len(s.slots)) * sendBytes
		for i := range s.slots {
			send += uint64(cap(s.slots[i].list))*sgeBytes + uint64(cap(s.slots[i].inline))
		}
		var r recvRing
		r.init(c.MaxRecvWR, c.MaxRecvSGE)
		recv := uint64(len(r.slots)) * recvBytes
		for i := range r.slots {
			recv += uint64(cap(r.slots[i].list)) * sgeBytes
		}
		if a, b, both := sendQueueBytes(c), recvQueueBytes(c.MaxRecvWR, c.MaxRecvSGE),
			queuePairBytes(c); a != send || b != recv || both != send+recv {
			t.Errorf("%+v: %d and %d bytes, %d together; want %d and %d", c, a, b, both, send, recv)
		}
	}
	if n := compQueueBytes(7); n != 7*wcBytes || wcBytes == 0 {
		t.Errorf("7 completions: %d bytes", n)
	}
}
