package verbstest

import (
	"fmt"
	"testing"

	"rdmatui/verbs"
)

// testTwoDevices moves bytes between the device and its peer, if there is one.
func testTwoDevices(t *testing.T, b *bench) {
	if b.env.Peer == "" {
		return
	}
	env := b.env
	env.Device = env.Peer
	for _, typ := range []verbs.QPType{verbs.RC, verbs.UC} {
		b.part(typ.String(), func(t *testing.T, b *bench) {
			far := newBench(t, env)
			o := pairOptions{typ: typ, access: everyRemote}.withDefaults()
			a, c := b.newQP(typ, false), far.newQP(typ, false)
			b.must(a.Modify(b.initAttr(o)))
			far.must(c.Modify(far.initAttr(o)))
			b.must(a.Modify(towards(b.rtrAttr(o, c.Num(), o.psnB), far.gid.GID)))
			far.must(c.Modify(towards(far.rtrAttr(o, a.Num(), o.psnA), b.gid.GID)))
			b.must(a.Modify(rtsAttr(o, o.psnA)))
			far.must(c.Modify(rtsAttr(o, o.psnB)))
			for _, n := range []uint32{1, 1024, 100_000} {
				t.Run(fmt.Sprint(n), func(t *testing.T) { moveAcross(t, b, far, a, c, n) })
			}
		})
	}
	b.part("a stranger", func(t *testing.T, b *bench) { testStranger(t, b, env) })
}

// testStranger sends from the peer's device to a queue pair that is connected to another:
// the packets are dropped although queue pair number and key are right. IBA 9.6.1.
func testStranger(t *testing.T, b *bench, env Env) {
	p := b.newPair(pairOptions{access: everyRemote})
	mr := b.newMR(64, localAndAll)
	far := newBench(t, env)
	o := pairOptions{access: everyRemote, timeout: 8, retryCnt: 1}.withDefaults()
	stranger := far.newQP(verbs.RC, false)
	far.must(stranger.Modify(far.initAttr(o)))
	far.must(stranger.Modify(towards(far.rtrAttr(o, p.b.Num(), o.psnB), b.gid.GID)))
	far.must(stranger.Modify(rtsAttr(o, o.psnA)))
	src := far.newMR(word, verbs.LocalWrite)
	fill(t, src, pattern(word, 1), 0)
	far.wantComplete(stranger, verbs.SendWR{WRID: 1, Opcode: verbs.WRRDMAWrite, SGList: sge(src, 0, word),
		RemoteAddr: mr.Addr(), RKey: mr.RKey()}, verbs.WCRetryExcErr)
	wantBytes(t, mr, make([]byte, 64), 0)
	b.wantComplete(p.a, verbs.SendWR{WRID: 2, Opcode: verbs.WRRDMAWrite, SGList: sge(mr, 0, word),
		RemoteAddr: mr.Addr(), RKey: mr.RKey()}, verbs.WCSuccess)
}

func towards(attr verbs.QPAttr, to verbs.GID) verbs.QPAttr {
	attr.AH.GRH.DGID = to
	return attr
}

// moveAcross SENDs n bytes to the far side and, on a reliable connection, READs
// them back and swaps the first word.
func moveAcross(t *testing.T, near, far *bench, a, c verbs.QP, n uint32) {
	t.Helper()
	src, back := near.newMR(uint64(n), verbs.LocalWrite), near.newMR(uint64(n), verbs.LocalWrite)
	there := far.newMR(uint64(n)+word, localAndAll)
	fill(t, src, pattern(int(n), byte(n)), 0)
	far.postRecv(c, verbs.RecvWR{WRID: 1, SGList: sge(there, 0, n)})
	near.wantComplete(a, verbs.SendWR{WRID: 2, Opcode: verbs.WRSend, SGList: sge(src, 0, n)}, verbs.WCSuccess)
	wantStatus(t, far.completions(1), 1, verbs.WCSuccess)
	wantBytes(t, there, pattern(int(n), byte(n)), 0)
	if a.Type() != verbs.RC {
		return
	}
	near.wantComplete(a, verbs.SendWR{WRID: 3, Opcode: verbs.WRRDMARead, SGList: sge(back, 0, n),
		RemoteAddr: there.Addr(), RKey: there.RKey()}, verbs.WCSuccess)
	wantBytes(t, back, pattern(int(n), byte(n)), 0)
	result := near.newMR(word, verbs.LocalWrite)
	before := readWord(t, there, 0)
	near.wantComplete(a, verbs.SendWR{WRID: 4, Opcode: verbs.WRAtomicCmpAndSwp, SGList: sge(result, 0, word),
		RemoteAddr: there.Addr(), RKey: there.RKey(),
		CompareAdd: before, Swap: ^before}, verbs.WCSuccess)
	wantWord(t, result, before, 0)
	wantWord(t, there, ^before, 0)
}
