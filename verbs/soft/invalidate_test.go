package soft

import (
	"testing"
	"testing/synctest"

	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

// TestInvalidateOnTheWire posts SENDs that invalidate a key of the peer's: only the last packet carries it.
func TestInvalidateOnTheWire(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		r := newRawPeer(t, p, pairOptions{})
		mr := r.NewMR(4096, everything)
		wr := verbs.SendWR{
			WRID: 1, Opcode: verbs.WRSendWithInv, InvalidateKey: 0xabcdef01, SendFlags: verbs.SendSignaled,
		}
		long := wr
		long.SGList = sge(mr, 0, 2049)
		r.Send(wr, long)
		synctest.Wait()
		got := r.answers()
		want := []wire.Opcode{wire.RCSendOnlyInvalidate, wire.RCSendFirst, wire.RCSendMiddle, wire.RCSendLastInvalidate}
		if len(got) != len(want) {
			t.Fatalf("%d packets", len(got))
		}
		for i, h := range got {
			if h.BTH.Opcode != want[i] {
				t.Errorf("packet %d is %s, want %s", i, h.BTH.Opcode, want[i])
			}
			if h.Headers.Has(wire.HasIETH) && h.IETH.RKey != 0xabcdef01 {
				t.Errorf("packet %d names key 0x%x", i, h.IETH.RKey)
			}
		}
		r.put(r.acknowledge(203, wire.ACKUnlimited))
		for range 2 {
			if wc := r.Want(1, verbs.WCSuccess); wc.Opcode != verbs.WCSend {
				t.Errorf("opcode %s", wc.Opcode)
			}
		}
	})
}

// TestInvalidateRefused names keys that may not be invalidated, such as those of plain regions: the SEND arrives, its
// RECV fails, and the region stays unchanged.
func TestInvalidateRefused(t *testing.T) {
	for name, key := range map[string]func(far verbs.MR) uint32{
		"of a region":  verbs.MR.RKey,
		"of no region": func(far verbs.MR) uint32 { return far.RKey() ^ 1 },
		"zero":         func(verbs.MR) uint32 { return 0 },
	} {
		t.Run(name, func(t *testing.T) {
			p := New(Options{})
			a, b := connect(t, p, "soft0", "soft1", pairOptions{})
			src, far := a.NewMR(64, everything), b.NewMR(64, everything)
			fill(t, src, pattern(64, 3), 0)
			b.Recv(verbs.RecvWR{WRID: 2, SGList: sge(far, 0, 64)}, verbs.RecvWR{WRID: 3})
			a.Send(verbs.SendWR{WRID: 1, Opcode: verbs.WRSendWithInv, SGList: sge(src, 0, 64), InvalidateKey: key(far),
				SendFlags: verbs.SendSignaled})
			a.Want(1, verbs.WCSuccess)
			b.Want(2, verbs.WCRemInvReqErr)
			b.Want(3, verbs.WCWRFlushErr)
			b.WaitState(verbs.QPErr)
			b.NoEvent()
			c, d := b.Pair(t, p)
			list := sge(d.NewMR(64, everything), 0, 64)
			d.Send(verbs.SendWR{WRID: 4, Opcode: verbs.WRRDMARead, SGList: list, RemoteAddr: far.Addr(),
				RKey: far.RKey(), SendFlags: verbs.SendSignaled})
			d.Want(4, verbs.WCSuccess)
			c.Nothing()
			wantBytes(t, far, pattern(64, 3), 0)
		})
	}
}
