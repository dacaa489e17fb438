package verbstest

import (
	"fmt"
	"testing"

	"rdmatui/verbs"
)

// testSendWithInvalidate names keys that must not be invalidated, as none of a
// plain region may: only fast registrations and type 2 memory windows can be,
// and the suite has neither. The message arrives, its RECV fails, the peer is not
// told, and the region goes on as before. IBA 9.4.1.1.3, 9.9.3 (class J).
func testSendWithInvalidate(t *testing.T, b *bench) {
	keys := map[string]func(mr verbs.MR) uint32{
		"of a region": verbs.MR.RKey,
		"of nothing":  func(mr verbs.MR) uint32 { return mr.RKey() ^ 0x5a5a00 },
	}
	for name, key := range keys {
		for _, n := range []uint32{0, 8, 3000} {
			b.part(fmt.Sprintf("a key %s, %d bytes", name, n), func(t *testing.T, b *bench) {
				p := b.newPair(pairOptions{access: allRemote})
				src, dst := b.newMR(4096, verbs.LocalWrite), b.newMR(4096, localAndAll)
				wr := verbs.SendWR{WRID: 1, Opcode: verbs.WRSendWithInv, SendFlags: verbs.SendSignaled, InvalidateKey: key(dst)}
				if n > 0 {
					wr.SGList = sge(src, 0, n)
				}
				b.postRecv(p.b, verbs.RecvWR{WRID: 2, SGList: sge(dst, 0, 4096)}, verbs.RecvWR{WRID: 3})
				b.postSend(p.a, wr)
				got := b.completions(3)
				if wc := wantStatus(t, got, 1, verbs.WCSuccess); wc.Opcode != verbs.WCSend {
					t.Error(describe(wc))
				}
				wantStatus(t, got, 2, verbs.WCRemInvReqErr)
				wantStatus(t, got, 3, verbs.WCWRFlushErr)
				wantState(t, p.b, verbs.QPErr)
				next := b.newPair(pairOptions{access: allRemote})
				b.wantComplete(next.a, verbs.SendWR{WRID: 4, Opcode: verbs.WRRDMARead, SGList: sge(src, 0, 64), RemoteAddr: dst.Addr(), RKey: dst.RKey()}, verbs.WCSuccess)
			})
		}
	}
	for _, typ := range []verbs.QPType{verbs.UC, verbs.UD} {
		b.part(typ.String(), func(t *testing.T, b *bench) {
			tk := b.newTalkers(typ)
			wr := tk.send(1, tk.b, nil)
			wr.Opcode, wr.InvalidateKey = verbs.WRSendWithInv, 1
			b.wantRefusedSend(tk.a, wr)
		})
	}
}
