package soft

import (
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

// TestProgressOfNothing: an empty send queue has no request, though its only slot held one.
func TestProgressOfNothing(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		r := newRawPeer(t, p, pairOptions{Depth: 1})
		r.Send(verbs.SendWR{WRID: 1, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled})
		synctest.Wait()
		r.put(r.acknowledge(200, wire.ACKUnlimited))
		r.Want(1, verbs.WCSuccess)
		if got := r.QP.(verbs.ProgressTeller).Progress(); got != (verbs.Progress{Expected: 100}) {
			t.Errorf("%+v", got)
		}
	})
}

// TestProgress follows a SEND of three packets, and another after it, through an RNR NAK and a timeout.
func TestProgress(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		r := newRawPeer(t, p, pairOptions{})
		mr := r.NewMR(4096, verbs.LocalWrite)
		now := func() verbs.Progress { return r.QP.(verbs.ProgressTeller).Progress() }
		tries := func() verbs.Tries { return r.QP.(verbs.TryTeller).Tries() }
		want := func(when string, want verbs.Progress) {
			t.Helper()
			synctest.Wait()
			if want.Expected = 100; now() != want {
				t.Errorf("%s: %+v, want %+v", when, now(), want)
			}
		}
		want("at the start", verbs.Progress{})
		long := []verbs.SGE{{Addr: mr.Addr(), Length: 2*1024 + 1, LKey: mr.LKey()}}
		r.Send(verbs.SendWR{WRID: 1, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled, SGList: long},
			verbs.SendWR{WRID: 2, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled})
		want("posted", verbs.Progress{Sent: 2, WRID: 1, Packets: 3, Out: 3, First: 200})
		r.put(r.acknowledge(199, wire.RNRNAK(1)))
		if got := tries().RNRNAKs; got != 0 {
			t.Errorf("%d RNR NAKs for an acknowledged packet", got)
		}
		r.put(r.acknowledge(200, wire.RNRNAK(1)))
		want("not ready", verbs.Progress{Sent: 2, WRID: 1, Packets: 3, Out: 3, First: 200, RNRWait: true})
		if got := tries(); got.RNRNAKs != 1 || got.Timeouts != 0 {
			t.Errorf("not ready: %+v", got)
		}
		time.Sleep(wire.RNRTimer(1).Duration())
		r.put(r.acknowledge(200, wire.ACKUnlimited))
		want("one packet there", verbs.Progress{Sent: 2, WRID: 1, Packets: 3, Out: 3, Acked: 1, First: 200})
		if got := tries(); got != (verbs.Tries{}) {
			t.Errorf("progress left %+v", got)
		}
		time.Sleep(verbs.AckTimeout(14))
		synctest.Wait()
		if got := tries(); got.Timeouts != 1 || got.Resends != 1 {
			t.Errorf("after a timeout: %+v", got)
		}
		r.put(r.acknowledge(202, wire.ACKUnlimited))
		want("the next", verbs.Progress{Sent: 1, WRID: 2, Packets: 1, Out: 1, First: 203})
		r.put(r.acknowledge(203, wire.ACKUnlimited))
		want("all done", verbs.Progress{})
		ok(t, r.QP.Modify(verbs.QPAttr{Mask: verbs.AttrState, QPState: verbs.QPSQD}))
		r.Send(verbs.SendWR{WRID: 3, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled})
		want("held back", verbs.Progress{Queued: 1, WRID: 3})
		ok(t, r.QP.Modify(verbs.QPAttr{Mask: verbs.AttrState, QPState: verbs.QPErr}))
		want("flushed", verbs.Progress{})
	})
}
