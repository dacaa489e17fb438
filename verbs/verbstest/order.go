package verbstest

import (
	"testing"
	"time"

	"rdmatui/verbs"
)

// inOrder polls until n completions have arrived and returns them in that order.
func (b *bench) inOrder(n int) (got []verbs.WC) {
	b.t.Helper()
	var wcs [3]verbs.WC // fewer than arrive at once
	for deadline := time.Now().Add(patience); len(got) < n; {
		k, err := b.cq.Poll(wcs[:])
		b.must(err)
		got = append(got, wcs[:k]...)
		if k == 0 {
			if time.Now().After(deadline) {
				b.t.Fatalf("%d of %d completions came", len(got), n)
			}
			time.Sleep(100 * time.Microsecond)
		}
	}
	return got
}

// testOrder chains operations of all kinds: they complete in the order in which they
// were posted, however long each takes. IBA 10.8.5.
func testOrder(t *testing.T, b *bench) {
	const rounds, size = 4, 5000
	recvCQ := b.newCQ(32, nil)
	p := b.newPair(pairOptions{access: everyRemote, mtu: verbs.MTU256, rdAtomic: 4,
		destRDAtomic: 4, specA: verbs.QPSpec{
			SQSigAll: true, // whatever the requests' flags are
			Cap:      verbs.QPCap{MaxSendWR: 64, MaxRecvWR: 1, MaxSendSGE: 1, MaxRecvSGE: 1},
		}, specB: verbs.QPSpec{RecvCQ: recvCQ}})
	mr, far := b.newMR(size, verbs.LocalWrite), b.newMR(size, localAndAll)
	ops := []verbs.WROpcode{
		verbs.WRRDMARead, verbs.WRSend, verbs.WRAtomicFetchAndAdd, verbs.WRRDMAWrite, verbs.WRRDMARead,
		verbs.WRRDMAWriteWithImm, verbs.WRAtomicCmpAndSwp, verbs.WRSendWithImm,
	}
	lengths := map[verbs.WROpcode]uint32{verbs.WRRDMARead: size, verbs.WRRDMAWrite: size, verbs.WRSend: 3}
	var wrs []verbs.SendWR
	var recvs []verbs.RecvWR
	for i := range uint64(rounds * len(ops)) {
		op := ops[i%uint64(len(ops))]
		wr := verbs.SendWR{WRID: i, Opcode: op, RemoteAddr: far.Addr(), RKey: far.RKey()}
		if op.Traits().Atomic {
			wr.SGList = sge(mr, 0, word)
		} else if n := lengths[op]; n > 0 {
			wr.SGList = sge(mr, 0, n)
		}
		wrs = append(wrs, wr)
		if op.Traits().NeedRecv {
			recvs = append(recvs, verbs.RecvWR{WRID: uint64(len(recvs)), SGList: sge(far, 0, 16)})
		}
	}
	b.postRecv(p.b, recvs...)
	b.postSend(p.a, wrs...)
	wantSequence(t, b.inOrder(len(wrs)))
	receiver := *b
	receiver.cq = recvCQ
	wantSequence(t, receiver.inOrder(len(recvs)))
}

func wantSequence(t *testing.T, got []verbs.WC) {
	t.Helper()
	for i := range got {
		if got[i].WRID != uint64(i) || got[i].Status != verbs.WCSuccess {
			t.Fatalf("completion %d is %s", i, describe(got[i]))
		}
	}
}

// testFlushOrder fails a request in the middle of a chain: the ones before it succeed, the ones
// after it are flushed in order, signalled or not.
func testFlushOrder(t *testing.T, b *bench) {
	const length, bad = 8, 3
	p := b.newPair(pairOptions{access: allRemote})
	src, dst := b.newMR(length, verbs.LocalWrite), b.newMR(length, localAndAll)
	fill(t, src, pattern(length, 1), 0)
	wrs := make([]verbs.SendWR, length)
	for i := range wrs {
		wrs[i] = verbs.SendWR{
			WRID: uint64(i), Opcode: verbs.WRRDMAWrite, SGList: sge(src, uint64(i), 1),
			RemoteAddr: dst.Addr() + uint64(i), RKey: dst.RKey(),
		}
		if i < bad {
			wrs[i].SendFlags = verbs.SendSignaled
		}
	}
	wrs[bad].RKey ^= 0x5a5a00
	b.postSend(p.a, wrs...)
	for i, wc := range b.inOrder(length) {
		want := verbs.WCSuccess
		if i == bad {
			want = verbs.WCRemAccessErr
		} else if i > bad {
			want = verbs.WCWRFlushErr
		}
		if wc.WRID != uint64(i) || wc.Status != want || wc.QPNum != p.a.Num() {
			t.Errorf("completion %d is %s; want %s", i, describe(wc), want)
		}
	}
	want := make([]byte, length)
	copy(want, pattern(length, 1)[:bad])
	wantBytes(t, dst, want, 0)
}
