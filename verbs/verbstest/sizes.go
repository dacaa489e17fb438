package verbstest

import (
	"fmt"
	"testing"

	"rdmatui/verbs"
)

// movers are what moves bytes between two connected queue pairs.
var movers = []verbs.WROpcode{verbs.WRSend, verbs.WRRDMAWrite, verbs.WRRDMARead}

// testSizes moves messages of the lengths around each path MTU.
func testSizes(t *testing.T, b *bench) {
	const top = 1 << 20
	src, dst := b.newMR(top, localAndAll), b.newMR(top+64, localAndAll)
	for mtu := verbs.MTU256; mtu <= b.port.ActiveMTU; mtu++ {
		b.part(mtu.String(), func(t *testing.T, b *bench) {
			p := b.newPair(pairOptions{access: allRemote, mtu: mtu})
			m := uint32(mtu.Bytes())
			lengths := []uint32{0, 1, m - 1, m, m + 1, 2 * m, 5*m + 3}
			if mtu == b.port.ActiveMTU {
				lengths = append(lengths, top)
			}
			for _, n := range lengths {
				for _, op := range movers {
					t.Run(fmt.Sprintf("%s %d", op, n), func(t *testing.T) { p.moveOnce(t, op, src, dst, n, byte(n)+byte(op)) })
				}
			}
		})
	}
}

// testPSNWrap lets the sequence numbers of both directions wrap inside a message.
func testPSNWrap(t *testing.T, b *bench) {
	const n = 7*256 + 1 // 8 packets
	src, dst := b.newMR(n, localAndAll), b.newMR(n+64, localAndAll)
	for _, psn := range []verbs.PSN{verbs.MaxPSN, verbs.MaxPSN - 1, 0xfffff0, 0x7ffffe, 0x800000} {
		b.part(psn.String(), func(t *testing.T, b *bench) {
			p := b.newPair(pairOptions{access: everyRemote, mtu: verbs.MTU256, psnA: psn, psnB: (psn - 1) & verbs.MaxPSN})
			for round := range byte(3) {
				for _, op := range movers {
					p.moveOnce(t, op, src, dst, n, round+byte(op))
				}
				for _, op := range []verbs.WROpcode{verbs.WRAtomicFetchAndAdd, verbs.WRAtomicCmpAndSwp} {
					before := readWord(t, dst, 0)
					b.wantComplete(p.a, verbs.SendWR{WRID: 3, Opcode: op, SGList: sge(src, 0, word), RemoteAddr: dst.Addr(), RKey: dst.RKey(),
						CompareAdd: before, Swap: 2 * before}, verbs.WCSuccess)
					wantWord(t, dst, 2*before, 0)
					wantWord(t, src, before, 0)
				}
			}
		})
	}
}
