package queue

import (
	"testing"

	"rdmatui/session/core"
	"rdmatui/verbs"
)

// telling is a queue pair that tells its progress.
type telling struct {
	verbs.QP
	at verbs.Progress
}

func (q telling) Progress() verbs.Progress { return q.at }
func (telling) Tries() verbs.Tries         { return verbs.Tries{Timeouts: 1} }

// TestLook: the request that a queue pair is at is told, which may be a later one than the oldest.
func TestLook(t *testing.T) {
	s := &core.Session{}
	q := &QP{}
	if v := Look(s, q); v.Seen() {
		t.Errorf("without a request: %+v", v)
	}
	for _, r := range []Request{{WRID: 3, Opcode: verbs.WRSend}, {WRID: 4, Opcode: verbs.WRRDMARead}} {
		q.Sends.Push(r)
	}
	for _, tt := range []struct {
		at verbs.Progress
		id uint64
		op verbs.WROpcode
	}{
		{verbs.Progress{Sent: 1, Queued: 1, WRID: 3}, 3, verbs.WRSend},
		{verbs.Progress{Sent: 1, WRID: 4}, 4, verbs.WRRDMARead},
		{verbs.Progress{Queued: 1, WRID: 4}, 4, verbs.WRRDMARead},
		{verbs.Progress{WRID: 4}, 3, verbs.WRSend},          // it is at none
		{verbs.Progress{Sent: 1, WRID: 9}, 9, verbs.WRSend}, // posted past the session
	} {
		q.QP = telling{at: tt.at}
		v := Look(s, q)
		if v.WRID != tt.id || v.Opcode != tt.op || !v.Told || v.Tries.Timeouts != 1 ||
			v.By != core.ToldByQP || v.Age <= 0 {
			t.Errorf("%+v: %+v", tt.at, v)
		}
	}
}

// TestNoteSRQ: only the attributes in the mask are stored.
func TestNoteSRQ(t *testing.T) {
	for mask, want := range map[verbs.SRQAttrMask][2]uint32{0: {1, 2}, verbs.SRQMaxWR: {5, 2}, verbs.SRQLimit: {1, 9},
		verbs.SRQMaxWR | verbs.SRQLimit: {5, 9}} {
		q := &SRQ{Attr: verbs.SRQAttr{MaxWR: 1, Limit: 2}}
		before := noteSRQ(&core.Session{}, q, mask, verbs.SRQAttr{MaxWR: 5, Limit: 9})
		if got := [2]uint32{q.Attr.MaxWR, q.Attr.Limit}; got != want || before.MaxWR != 1 || before.Limit != 2 {
			t.Errorf("%v: %v, want %v, before %+v", mask, got, want, before)
		}
	}
}
