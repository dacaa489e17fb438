package queue

import (
	"testing"

	"rdmatui/session/core"
	"rdmatui/session/region"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

func TestInboxDropsTheOldest(t *testing.T) {
	var b inbox
	batch := make([]timeline.Completion, 1000)
	for i := range 3 * inboxCap / 1000 {
		for j := range batch {
			batch[j].WC.WRID = uint64(i*1000 + j)
		}
		b.Push(batch)
	}
	total := uint64(3 * inboxCap / 1000 * 1000)
	if b.Len() != inboxCap {
		t.Errorf("%d kept", b.Len())
	}
	got := b.Pop(nil, 2)
	if len(got) != 2 || got[0].WC.WRID != total-inboxCap || got[1].WC.WRID != total-inboxCap+1 {
		t.Errorf("%+v", got)
	}
}

// TestInvalidatedWindows: a window is unbound by a message that invalidates its key, and by no other.
func TestInvalidatedWindows(t *testing.T) {
	for name, tt := range map[string]struct {
		wc    verbs.WC
		bound bool
	}{
		"SEND_WITH_INV":  {verbs.WC{Opcode: verbs.WCRecv, WCFlags: verbs.WCWithInv, InvalidatedRKey: 7}, false},
		"another key":    {verbs.WC{Opcode: verbs.WCRecv, WCFlags: verbs.WCWithInv, InvalidatedRKey: 8}, true},
		"immediate data": {verbs.WC{Opcode: verbs.WCRecv, WCFlags: verbs.WCWithImm, InvalidatedRKey: 7}, true},
		"sent":           {verbs.WC{Opcode: verbs.WCSend, WCFlags: verbs.WCWithInv, InvalidatedRKey: 7}, true},
		"failed": {verbs.WC{Opcode: verbs.WCRecv, Status: verbs.WCLocProtErr, WCFlags: verbs.WCWithInv,
			InvalidatedRKey: 7}, true},
	} {
		q, qp, w := &CQ{Node: &core.Node{Name: "cq"}}, &QP{Node: &core.Node{Name: "a"}, Num: 17}, &region.MW{}
		w.Show(region.Binding{On: &qp.Windows, RKey: 7})
		q.last, qp.RecvCQ = qp, q
		tt.wc.QPNum = 17
		var c timeline.Completion
		q.Match(&c, &tt.wc, 0)
		if bound := qp.Windows.Find(7) == w; bound != tt.bound || c.QP != "a" {
			t.Errorf("%s: bound %v, queue pair %q", name, bound, c.QP)
		}
	}
}
