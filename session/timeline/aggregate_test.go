package timeline

import (
	"testing"

	"rdmatui/verbs"
)

// TestCountingManyIsCountingEach: adding counts together gives the same as counting each event.
func TestCountingManyIsCountingEach(t *testing.T) {
	each, many := New(16, nil), New(16, nil)
	for _, wc := range []verbs.WC{
		{Opcode: verbs.WCRecv, ByteLen: 64},
		{Opcode: verbs.WCSend, ByteLen: 64},
		{Status: verbs.WCRetryExcErr, ByteLen: 64},
	} {
		const n = 1000
		for range n + 1 {
			each.AppendBatch([]Completion{{WC: wc, CQ: "cq"}})
		}
		many.CountCompletions("cq", wc, n)
		many.CountCompletions("cq", wc, 1)
		many.CountCompletions("cq", wc, 0)
	}
	a, b := each.Counts(), many.Counts()
	if b.Kind(kinds) != 0 {
		t.Error("events of no kind")
	}
	if b.Total != 0 || b.Kind(KindWC) != 0 {
		t.Errorf("events were counted: %+v", b)
	}
	a.Total, a.Dropped, a.ByKind = 0, 0, b.ByKind
	if a != b || each.CQ("cq") != many.CQ("cq") || b.WCOK != 2002 || b.Bytes != 64*1001 {
		t.Errorf("%+v\n%+v", a, b)
	}
}
