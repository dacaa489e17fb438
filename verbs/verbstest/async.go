package verbstest

import (
	"context"
	"errors"
	"testing"
	"time"

	"rdmatui/verbs"
)

// testAsyncEvents makes happen what a responder must report to its owner; IBA
// 11.6.3.
func testAsyncEvents(t *testing.T, b *bench) {
	mr := b.newMR(4096, verbs.LocalWrite|allRemote)
	send := verbs.SendWR{WRID: 1, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled, SGList: sge(mr, 0, 64)}
	t.Run("COMM_EST", func(t *testing.T) {
		// The first packet finds the responder in RTR.
		o := pairOptions{}.withDefaults()
		p := b.newHalfPair(o)
		b.postRecv(p.b, verbs.RecvWR{WRID: 2, SGList: sge(mr, 64, 64)})
		b.postSend(p.a, send)
		got := b.completions(2)
		wantStatus(t, got, 1, verbs.WCSuccess)
		b.wantEvent(t, NoCommEst, verbs.EventCommEst, p.b)
		b.must(p.b.Modify(rtsAttr(o, o.psnB)))
	})
	t.Run("QP_ACCESS_ERR", func(t *testing.T) {
		p := b.newPair(pairOptions{access: allRemote})
		bad := send
		bad.Opcode, bad.RemoteAddr, bad.RKey = verbs.WRRDMAWrite, mr.Addr(), mr.RKey()^0x5a5a00
		b.postSend(p.a, bad)
		wantStatus(t, b.completions(1), 1, verbs.WCRemAccessErr)
		b.wantEvent(t, NoErrorEvents, verbs.EventQPAccessErr, p.b)
	})
	t.Run("QP_REQ_ERR", func(t *testing.T) {
		p := b.newPair(pairOptions{})
		bad := send
		bad.Opcode, bad.RemoteAddr, bad.RKey = verbs.WRRDMAWrite, mr.Addr(), mr.RKey()
		b.postSend(p.a, bad)
		wantStatus(t, b.completions(1), 1, verbs.WCRemInvReqErr)
		b.wantEvent(t, NoErrorEvents, verbs.EventQPReqErr, p.b)
	})
}

// wantEvent waits for an event of the queue pair; of a device with the quirk,
// none may come.
func (b *bench) wantEvent(t *testing.T, q Quirk, want verbs.EventType, qp verbs.QP) {
	t.Helper()
	wait := patience
	if b.env.has(q) {
		wait = 50 * time.Millisecond
	}
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	e, err := b.dev.GetAsyncEvent(ctx)
	switch {
	case b.env.has(q) && err == nil:
		t.Errorf("%s: but %s came", q, e.Type)
	case b.env.has(q):
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	case err != nil:
		t.Errorf("waiting for %s: %v", want, err)
	case e.Type != want || e.QP != qp:
		t.Errorf("%s of %v, want %s of %v", e.Type, e.QP, want, qp)
	}
}
