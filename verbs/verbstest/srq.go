package verbstest

import (
	"errors"
	"fmt"
	"syscall"
	"testing"

	"rdmatui/verbs"
)

func (b *bench) newSRQ(maxWR, maxSGE uint32) verbs.SRQ {
	b.t.Helper()
	srq, err := b.pd.CreateSRQ(verbs.SRQSpec{MaxWR: maxWR, MaxSGE: maxSGE})
	b.must(err)
	b.closeAtEnd(srq)
	return srq
}

func (b *bench) postSRQ(srq verbs.SRQ, wrs ...verbs.RecvWR) {
	b.t.Helper()
	if n, err := srq.PostRecv(wrs...); err != nil || n != len(wrs) {
		b.t.Fatalf("PostRecv accepted %d of %d: %v", n, len(wrs), err)
	}
}

// newPairOn makes a pair whose b takes its receive requests from the queue.
func (b *bench) newPairOn(srq verbs.SRQ, typ verbs.QPType) *pair {
	b.t.Helper()
	return b.newPair(pairOptions{typ: typ, access: allRemote, specB: verbs.QPSpec{
		SRQ: srq, Cap: verbs.QPCap{MaxSendWR: 16, MaxSendSGE: 1},
	}})
}

// testSRQ lets two connections share a queue: each message takes the oldest request, and falling
// below the limit causes an event. IBA 10.2.9.
func testSRQ(t *testing.T, b *bench) {
	for _, typ := range []verbs.QPType{verbs.RC, verbs.UC} {
		b.part(typ.String(), func(t *testing.T, b *bench) {
			const count, size, limit = 6, 3000, 3 // several packets each
			srq := b.newSRQ(8, 2)
			pairs := []*pair{b.newPairOn(srq, typ), b.newPairOn(srq, typ)}
			src, dst := b.newMR(size, verbs.LocalWrite), b.newMR(count*size, verbs.LocalWrite)
			for i := range uint64(count) {
				b.postSRQ(srq, verbs.RecvWR{WRID: 100 + i,
					SGList: append(sge(dst, i*size, 1000), sge(dst, i*size+1000, size-1000)...)})
			}
			b.must(srq.Modify(verbs.SRQAttr{Mask: verbs.SRQLimit, Limit: limit}))
			for i := range uint64(count) {
				if attr, err := srq.Query(); err != nil || attr.MaxWR < 8 || attr.MaxSGE < 2 ||
					(attr.Limit == limit) != (count-i >= limit) {
					t.Errorf("with %d left: %+v, %v", count-i, attr, err)
				}
				p := pairs[i%2]
				fill(t, src, pattern(size, byte(i)), 0)
				b.postSend(p.a, verbs.SendWR{WRID: i, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled,
					SGList: sge(src, 0, size)})
				got := b.completions(2)
				wantStatus(t, got, i, verbs.WCSuccess)
				if wc := wantStatus(t, got, 100+i, verbs.WCSuccess); wc.QPNum != p.b.Num() || wc.ByteLen != size {
					t.Errorf("%s; want %d bytes on %s", describe(wc), size, p.b.Num())
				}
				wantBytes(t, dst, pattern(size, byte(i)), int64(i*size))
			}
			b.wantEvents(event{verbs.EventSRQLimitReached, srq}) // once
			b.postSRQ(srq, verbs.RecvWR{WRID: 100})
			b.must(srq.Modify(verbs.SRQAttr{Mask: verbs.SRQLimit, Limit: 1}))
			b.postSend(pairs[0].a, verbs.SendWR{WRID: 1, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled})
			b.completions(2)
			b.wantEvents(event{verbs.EventSRQLimitReached, srq}) // again, because the limit was set again
		})
	}
	testSRQDomains(b)
	testSRQRefusals(t, b)
}

// testSRQDomains uses a queue of another protection domain than the queue pair's: its RECVs may name regions of the
// queue's own domain only. The first RECV proves it, the second is refused.
func testSRQDomains(b *bench) {
	b.part("another protection domain", func(t *testing.T, b *bench) {
		pd := b.newPD()
		srq, err := pd.CreateSRQ(verbs.SRQSpec{MaxWR: 2, MaxSGE: 1})
		b.must(err)
		b.closeAtEnd(srq)
		src, good := b.newMR(64, verbs.LocalWrite), b.newMRIn(pd, 64, verbs.LocalWrite)
		bad := src
		if b.env.has(SharedRecvInQPDomain) {
			good, bad = bad, good
		}
		fill(t, src, pattern(64, 1), 0)
		p := b.newPairOn(srq, verbs.RC)
		send := func(id uint64) map[uint64]verbs.WC {
			b.postSend(p.a, verbs.SendWR{WRID: id, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled,
				SGList: sge(src, 0, 8)})
			return b.completions(2)
		}
		b.postSRQ(srq, verbs.RecvWR{WRID: 100, SGList: sge(good, 32, 8)})
		got := send(1)
		wantStatus(t, got, 1, verbs.WCSuccess)
		wantStatus(t, got, 100, verbs.WCSuccess)
		wantBytes(t, good, pattern(64, 1)[:8], 32)
		b.postSRQ(srq, verbs.RecvWR{WRID: 101, SGList: sge(bad, 32, 8)})
		got = send(2)
		wantStatus(t, got, 2, verbs.WCRemOpErr)
		wantStatus(t, got, 101, expect(b.env, BadLKeyIsQPErr, verbs.WCLocProtErr, verbs.WCLocQPOpErr))
	})
}

func testSRQRefusals(t *testing.T, b *bench) {
	b.part("refusals", func(t *testing.T, b *bench) {
		srq := b.newSRQ(4, 1)
		p := b.newPairOn(srq, verbs.RC)
		if n, err := p.b.PostRecv(verbs.RecvWR{WRID: 1}); n != 0 || !errors.Is(err, syscall.EINVAL) {
			t.Errorf("a queue pair with a shared receive queue accepted %d RECVs: %v; want EINVAL", n, err)
		}
		if err := srq.Close(); !errors.Is(err, syscall.EBUSY) {
			t.Errorf("closing a shared queue in use: %v, want EBUSY", err)
		}
		attr, err := srq.Query()
		b.must(err)
		if err := srq.Modify(verbs.SRQAttr{Mask: verbs.SRQLimit, Limit: attr.MaxWR + 1}); !errors.Is(err,
			syscall.EINVAL) {
			t.Errorf("a limit above the depth: %v, want EINVAL", err)
		}
		if n, err := srq.PostRecv(verbs.RecvWR{SGList: make([]verbs.SGE, attr.MaxSGE+1)}); n != 0 || err == nil {
			t.Errorf("a request of %d elements: %v", attr.MaxSGE+1, err)
		}
		if _, err := b.newPD().CreateSRQ(verbs.SRQSpec{}); err == nil {
			t.Error("a shared queue with max_wr 0 was created")
		}
	})
	b.part("full", func(t *testing.T, b *bench) {
		srq := b.newSRQ(4, 1)
		const more = 1 << 10
		n, err := srq.PostRecv(make([]verbs.RecvWR, more)...)
		if n < 4 || n == more || !errors.Is(err, syscall.ENOMEM) {
			t.Errorf("PostRecv accepted %d: %v; want ENOMEM", n, err)
		}
	})
	b.part("resize", func(t *testing.T, b *bench) {
		attr, err := b.dev.QueryDevice()
		b.must(err)
		const resizable = 1 << 13 // SRQ_RESIZE
		if attr.DeviceCapFlags&resizable == 0 {
			t.Skip("the device does not report SRQ_RESIZE")
		}
		srq := b.newSRQ(4, 1)
		b.postSRQ(srq, verbs.RecvWR{WRID: 1}, verbs.RecvWR{WRID: 2})
		b.must(srq.Modify(verbs.SRQAttr{Mask: verbs.SRQMaxWR, MaxWR: 100}))
		if got, err := srq.Query(); err != nil || got.MaxWR < 100 {
			t.Errorf("%+v, %v; want max_wr 100", got, err)
		}
		for id := range uint64(90) {
			b.postSRQ(srq, verbs.RecvWR{WRID: 3 + id})
		}
		p := b.newPairOn(srq, verbs.RC)
		for id := uint64(1); id <= 5; id++ { // RECVs posted before the resize are taken first
			b.postSend(p.a, verbs.SendWR{WRID: 1000, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled})
			wantStatus(t, b.completions(2), id, verbs.WCSuccess)
		}
	})
	b.part("an object of another context", func(t *testing.T, b *bench) {
		dev, err := b.env.Provider.Open(b.env.Device)
		b.must(err)
		b.closeAtEnd(dev)
		other := &bench{t: t, env: b.env, dev: dev}
		pd := other.newPD()
		_, err = pd.CreateQP(verbs.QPSpec{
			QPType: verbs.RC, SendCQ: other.newCQ(1, nil), RecvCQ: other.newCQ(1, nil), SRQ: b.newSRQ(1, 1),
		})
		if !errors.Is(err, verbs.ErrForeignObject) {
			t.Errorf("%v, want ErrForeignObject", err)
		}
	})
}

// testSRQRunsDry sends more messages than there are requests, and then posts the missing ones.
func testSRQRunsDry(t *testing.T, b *bench) {
	srq := b.newSRQ(8, 1)
	b.part("the rest waits", func(t *testing.T, b *bench) {
		p := b.newPairOn(srq, verbs.RC)
		b.postSRQ(srq, verbs.RecvWR{WRID: 100})
		for id := range uint64(3) {
			b.postSend(p.a, verbs.SendWR{WRID: id, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled})
		}
		b.completions(2)
		b.noCompletion()
		b.postSRQ(srq, verbs.RecvWR{WRID: 101}, verbs.RecvWR{WRID: 102})
		b.completions(4)
	})
	b.part("a queue pair that fails leaves what others may take", func(t *testing.T, b *bench) {
		bad, good := b.newPairOn(srq, verbs.RC), b.newPairOn(srq, verbs.RC)
		b.postSRQ(srq, verbs.RecvWR{WRID: 100}, verbs.RecvWR{WRID: 101})
		b.must(bad.b.Modify(toState(verbs.QPErr)))
		b.wantEvent(t, NoLastWQE, verbs.EventQPLastWQEReached, bad.b)
		b.noCompletion()
		for id := range uint64(2) {
			b.postSend(good.a, verbs.SendWR{WRID: id, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled})
			wantStatus(t, b.completions(2), 100+id, verbs.WCSuccess)
		}
	})
	b.part("a failure of the responder's", func(t *testing.T, b *bench) {
		p := b.newPairOn(srq, verbs.RC)
		mr := b.newMR(64, verbs.LocalWrite)
		b.postSRQ(srq, verbs.RecvWR{WRID: 100, SGList: sge(mr, 0, 8)}, verbs.RecvWR{WRID: 101})
		b.postSend(p.a, verbs.SendWR{WRID: 1, Opcode: verbs.WRSend, SGList: sge(mr, 0, 9)})
		got := b.completions(2)
		wantStatus(t, got, 1, expect(b.env, ShortRecvIsQPErr, verbs.WCRemInvReqErr, verbs.WCRemOpErr))
		wantStatus(t, got, 100, expect(b.env, ShortRecvIsQPErr, verbs.WCLocLenErr, verbs.WCLocQPOpErr))
		b.wantEvent(t, NoLastWQE, verbs.EventQPLastWQEReached, p.b)
		b.noCompletion() // 101 is still there
		next := b.newPairOn(srq, verbs.RC)
		b.postSend(next.a, verbs.SendWR{WRID: 2, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled})
		wantStatus(t, b.completions(2), 101, verbs.WCSuccess)
	})
	b.part("datagrams", func(t *testing.T, b *bench) {
		tk := b.newTalkers(verbs.UD)
		mr := b.newMR(256, verbs.LocalWrite)
		for id := range uint64(2) {
			qp := b.newQPOf(verbs.QPSpec{QPType: verbs.UD, SRQ: srq, Cap: verbs.QPCap{MaxSendWR: 1, MaxSendSGE: 1}})
			b.bringUp(qp, pairOptions{typ: verbs.UD}, verbs.QPRTS, 0)
			b.postSRQ(srq, verbs.RecvWR{WRID: 100 + id, SGList: sge(mr, 0, 128)})
			b.postSend(tk.a, tk.send(id, qp, sge(mr, 128, 5)))
			if wc := wantStatus(t, b.completions(2), 100+id, verbs.WCSuccess); wc.QPNum != qp.Num() ||
				wc.SrcQP != tk.a.Num() || wc.ByteLen != verbs.GRHLen+5 {
				t.Errorf("%s src_qp %s; want %d bytes from %s on %s", describe(wc), wc.SrcQP, verbs.GRHLen+5,
					tk.a.Num(), qp.Num())
			}
		}
	})
	for _, op := range []verbs.WROpcode{verbs.WRRDMAWriteWithImm, verbs.WRSendWithImm} {
		b.part(fmt.Sprint(op), func(t *testing.T, b *bench) {
			p := b.newPairOn(srq, verbs.RC)
			b.postSRQ(srq, verbs.RecvWR{WRID: 100})
			b.postSend(p.a, verbs.SendWR{WRID: 1, Opcode: op, SendFlags: verbs.SendSignaled, ImmData: 77})
			if wc := wantStatus(t, b.completions(2), 100, verbs.WCSuccess); wc.ImmData != 77 ||
				wc.WCFlags&verbs.WCWithImm == 0 {
				t.Errorf("%s flags %s imm %d", describe(wc), wc.WCFlags, wc.ImmData)
			}
		})
	}
}
