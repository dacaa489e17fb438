package verbstest

import (
	"fmt"
	"testing"

	"rdmatui/verbs"
)

// testFence posts a request that uses the bytes of a READ before it: with FENCE set it must
// not overtake the READ. IBA 10.8.3.3.
func testFence(t *testing.T, b *bench) {
	const n = 16 << 10
	for _, op := range []verbs.WROpcode{verbs.WRSend, verbs.WRRDMAWrite} {
		b.part(op.String(), func(t *testing.T, b *bench) {
			p := b.newPair(pairOptions{access: everyRemote, mtu: verbs.MTU256})
			far, between, dst := b.newMR(n, localAndAll), b.newMR(n, verbs.LocalWrite), b.newMR(n, localAndAll)
			for round := range byte(3) {
				fill(t, far, pattern(n, round), 0)
				fill(t, between, make([]byte, n), 0)
				behind := verbs.SendWR{
					WRID: 2, Opcode: op, SendFlags: verbs.SendSignaled | verbs.SendFence, SGList: sge(between, 0, n),
				}
				count := 2
				if op == verbs.WRSend {
					b.postRecv(p.b, verbs.RecvWR{WRID: 3, SGList: sge(dst, 0, n)})
					count = 3
				} else {
					behind.RemoteAddr, behind.RKey = dst.Addr(), dst.RKey()
				}
				b.postSend(p.a, verbs.SendWR{WRID: 1, Opcode: verbs.WRRDMARead, SendFlags: verbs.SendSignaled,
					SGList:     sge(between, 0, n),
					RemoteAddr: far.Addr(), RKey: far.RKey()}, behind)
				for id, wc := range b.completions(count) {
					if wc.Status != verbs.WCSuccess {
						t.Errorf("%d: %s", id, describe(wc))
					}
				}
				wantBytes(t, dst, pattern(n, round), 0)
			}
		})
	}
	b.part("an atomic", func(t *testing.T, b *bench) {
		p := b.newPair(pairOptions{access: everyRemote})
		counter, between, dst := b.newMR(word, localAndAll), b.newMR(word, verbs.LocalWrite), b.newMR(word, localAndAll)
		for round := range uint64(5) {
			b.postSend(p.a,
				verbs.SendWR{WRID: 1, Opcode: verbs.WRAtomicFetchAndAdd, SGList: sge(between, 0, word),
					RemoteAddr: counter.Addr(), RKey: counter.RKey(), CompareAdd: 3},
				verbs.SendWR{WRID: 2, Opcode: verbs.WRRDMAWrite, SendFlags: verbs.SendSignaled | verbs.SendFence,
					SGList:     sge(between, 0, word),
					RemoteAddr: dst.Addr(), RKey: dst.RKey()})
			wantStatus(t, b.completions(1), 2, verbs.WCSuccess)
			wantWord(t, dst, 3*round, 0)
		}
	})
}

// testReadLimits posts more READs and atomics than may be outstanding: the later ones
// wait.
func testReadLimits(t *testing.T, b *bench) {
	const n, count = 1000, 12
	for _, limit := range []int{1, 2, 4} {
		b.part(fmt.Sprintf("max_rd_atomic %d", limit), func(t *testing.T, b *bench) {
			p := b.newPair(pairOptions{access: everyRemote, mtu: verbs.MTU256, rdAtomic: limit, destRDAtomic: limit})
			far, near := b.newMR(n*count, localAndAll), b.newMR((n+word)*count, verbs.LocalWrite)
			counter := b.newMR(word, localAndAll)
			fill(t, far, pattern(n*count, 9), 0)
			var wrs []verbs.SendWR
			for i := range uint64(count) {
				if i%4 == 3 {
					wrs = append(wrs, verbs.SendWR{WRID: i, Opcode: verbs.WRAtomicFetchAndAdd,
						SendFlags: verbs.SendSignaled, SGList: sge(near, n*count+i*word, word),
						RemoteAddr: counter.Addr(), RKey: counter.RKey(), CompareAdd: 1})
					continue
				}
				wrs = append(wrs, verbs.SendWR{WRID: i, Opcode: verbs.WRRDMARead, SendFlags: verbs.SendSignaled,
					SGList:     sge(near, i*n, n),
					RemoteAddr: far.Addr() + i*n, RKey: far.RKey()})
			}
			b.postSend(p.a, wrs...)
			got := b.completions(count)
			for i := range int64(count) {
				wantStatus(t, got, uint64(i), verbs.WCSuccess)
				if i%4 == 3 {
					wantWord(t, near, uint64(i/4), n*count+i*word)
				} else {
					wantBytes(t, near, pattern(n*count, 9)[i*n:][:n], i*n)
				}
			}
		})
	}
	testNoReads(t, b)
}

// testNoReads uses one side that may not post READs, and one that does not answer them.
func testNoReads(t *testing.T, b *bench) {
	mr := b.newMR(64, localAndAll)
	read := verbs.SendWR{
		WRID: 1, Opcode: verbs.WRRDMARead, SendFlags: verbs.SendSignaled, SGList: sge(mr, 0, 8),
		RemoteAddr: mr.Addr() + 32, RKey: mr.RKey(),
	}
	add := read
	add.Opcode = verbs.WRAtomicFetchAndAdd
	for _, wr := range []verbs.SendWR{read, add} {
		b.part("max_rd_atomic 0 "+wr.Opcode.String(), func(t *testing.T, b *bench) {
			p := b.newPair(pairOptions{access: everyRemote, rdAtomic: noRDAtomic})
			if b.env.has(NoRDAtomicHangs) {
				b.postSend(p.a, wr)
				b.must(p.a.Modify(toState(verbs.QPErr)))
				wantStatus(t, b.completions(1), 1, verbs.WCWRFlushErr)
				return
			}
			b.wantComplete(p.a, wr, verbs.WCLocQPOpErr)
		})
		b.part("max_dest_rd_atomic 0 "+wr.Opcode.String(), func(t *testing.T, b *bench) {
			p := b.newPair(pairOptions{access: everyRemote, destRDAtomic: noRDAtomic})
			b.wantComplete(p.a, wr, verbs.WCRemInvReqErr)
			wantState(t, p.b, verbs.QPErr)
		})
	}
	b.part("more than the peer takes", func(t *testing.T, b *bench) {
		// The responder may answer one READ before the next arrives. It refuses a READ
		// beyond its limit and executes no request after it.
		const count = 8
		p := b.newPair(pairOptions{access: everyRemote, rdAtomic: 8})
		wrs := make([]verbs.SendWR, count)
		for i := range wrs {
			wrs[i] = read
			wrs[i].WRID = uint64(i)
		}
		b.postSend(p.a, wrs...)
		got := b.completions(count)
		good := 0
		for good < count && got[uint64(good)].Status == verbs.WCSuccess {
			good++
		}
		if good == count {
			return
		}
		wantStatus(t, got, uint64(good), verbs.WCRemInvReqErr)
		for i := good + 1; i < count; i++ {
			wantStatus(t, got, uint64(i), verbs.WCWRFlushErr)
		}
	})
}
