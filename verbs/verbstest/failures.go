package verbstest

import (
	"testing"

	"rdmatui/verbs"
)

// refused are requests that a responder must refuse.
var refused = []struct {
	name   string
	access verbs.Access // of the queue pair
	region verbs.Access
	op     verbs.WROpcode
	change func(wr *verbs.SendWR, dst verbs.MR)
	status verbs.WCStatus
}{
	{"WRITE with a bad rkey", allRemote, verbs.LocalWrite | allRemote, verbs.WRRDMAWrite,
		func(wr *verbs.SendWR, _ verbs.MR) { wr.RKey ^= 0x5a5a00 }, verbs.WCRemAccessErr},
	{"READ with a bad rkey", allRemote, verbs.LocalWrite | allRemote, verbs.WRRDMARead,
		func(wr *verbs.SendWR, _ verbs.MR) { wr.RKey ^= 0x5a5a00 }, verbs.WCRemAccessErr},
	{"WRITE past the end", allRemote, verbs.LocalWrite | allRemote, verbs.WRRDMAWrite,
		func(wr *verbs.SendWR, dst verbs.MR) { wr.RemoteAddr = dst.Addr() + 4096 - 99 }, verbs.WCRemAccessErr},
	{"WRITE before the start", allRemote, verbs.LocalWrite | allRemote, verbs.WRRDMAWrite,
		func(wr *verbs.SendWR, dst verbs.MR) { wr.RemoteAddr = dst.Addr() - 1 }, verbs.WCRemAccessErr},
	{"WRITE at the end of the address space", allRemote, verbs.LocalWrite | allRemote, verbs.WRRDMAWrite,
		func(wr *verbs.SendWR, dst verbs.MR) { wr.RemoteAddr = ^uint64(0) - 49 }, verbs.WCRemAccessErr},
	{"WRITE to a region without REMOTE_WRITE", allRemote, verbs.LocalWrite | verbs.RemoteRead, verbs.WRRDMAWrite,
		nil, verbs.WCRemAccessErr},
	{"READ from a region without REMOTE_READ", allRemote, verbs.LocalWrite | verbs.RemoteWrite, verbs.WRRDMARead,
		nil, verbs.WCRemAccessErr},
}

// testRemoteFailures posts requests that the responder must refuse: it places no byte, the
// requester learns the reason, and both queue pairs end in ERR.
func testRemoteFailures(t *testing.T, b *bench) {
	for _, tt := range refused {
		t.Run(tt.name, func(t *testing.T) {
			p := b.newPair(pairOptions{access: tt.access})
			src := b.newMR(4096, verbs.LocalWrite)
			dst := b.newMR(4096, tt.region)
			fill(t, src, pattern(4096, 1), 0)
			fill(t, dst, pattern(4096, 2), 0)
			wr := verbs.SendWR{
				WRID: 1, Opcode: tt.op, SendFlags: verbs.SendSignaled, SGList: sge(src, 0, 100),
				RemoteAddr: dst.Addr(), RKey: dst.RKey(),
			}
			if tt.change != nil {
				tt.change(&wr, dst)
			}
			b.postSend(p.a, wr)
			wc := wantStatus(t, b.completions(1), 1, tt.status)
			if wc.QPNum != p.a.Num() {
				t.Errorf("qp_num %s, want %s", wc.QPNum, p.a.Num())
			}
			wantBytes(t, dst, pattern(4096, 2), 0)
			wantBytes(t, src, pattern(4096, 1), 0)
			wantState(t, p.a, verbs.QPErr)
			wantState(t, p.b, verbs.QPErr)
		})
	}
	t.Run("a peer's queue pair without REMOTE_WRITE", func(t *testing.T) {
		p := b.newPair(pairOptions{access: 0})
		dst := b.newMR(64, verbs.LocalWrite|allRemote)
		b.postSend(p.a, verbs.SendWR{WRID: 1, Opcode: verbs.WRRDMAWrite, SendFlags: verbs.SendSignaled,
			SGList: sge(dst, 0, 8), RemoteAddr: dst.Addr(), RKey: dst.RKey()})
		// IBA 9.7.5.2.4 requires a NAK "invalid request" here, and rxe sends it.
		wantStatus(t, b.completions(1), 1, verbs.WCRemInvReqErr)
		wantState(t, p.a, verbs.QPErr)
	})
	t.Run("a region of another PD", func(t *testing.T) {
		p := b.newPair(pairOptions{access: allRemote})
		pd, err := b.dev.AllocPD()
		b.must(err)
		b.closeAtEnd(pd)
		dst, err := pd.RegMR(verbs.MRSpec{Length: 64, Access: verbs.LocalWrite | allRemote})
		b.must(err)
		b.closeAtEnd(dst)
		src := b.newMR(64, verbs.LocalWrite)
		b.postSend(p.a, verbs.SendWR{WRID: 1, Opcode: verbs.WRRDMAWrite, SendFlags: verbs.SendSignaled,
			SGList: sge(src, 0, 8), RemoteAddr: dst.Addr(), RKey: dst.RKey()})
		wantStatus(t, b.completions(1), 1, verbs.WCRemAccessErr)
	})
	t.Run("a RECV that is too small", func(t *testing.T) {
		p := b.newPair(pairOptions{})
		mr := b.newMR(4096, verbs.LocalWrite)
		b.postRecv(p.b, verbs.RecvWR{WRID: 1, SGList: sge(mr, 0, 10)})
		b.postSend(p.a,
			verbs.SendWR{WRID: 2, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled, SGList: sge(mr, 2048, 11)})
		got := b.completions(2)
		wantStatus(t, got, 1, expect(b.env, ShortRecvIsQPErr, verbs.WCLocLenErr, verbs.WCLocQPOpErr))
		wantStatus(t, got, 2, expect(b.env, ShortRecvIsQPErr, verbs.WCRemInvReqErr, verbs.WCRemOpErr))
		wantState(t, p.b, verbs.QPErr)
	})
}

// testLocalFailures posts requests that the local device must refuse.
func testLocalFailures(t *testing.T, b *bench) {
	tests := []struct {
		name   string
		op     verbs.WROpcode
		region verbs.Access
		change func(e *verbs.SGE)
		status verbs.WCStatus
	}{
		{"a bad lkey", verbs.WRSend, verbs.LocalWrite, func(e *verbs.SGE) { e.LKey ^= 0x5a5a00 },
			requesterStatus(b.env, expect(b.env, BadLKeyIsQPErr, verbs.WCLocProtErr, verbs.WCLocQPOpErr))},
		{"past the end of the region", verbs.WRSend, verbs.LocalWrite,
			func(e *verbs.SGE) { e.Addr += 4000; e.Length = 97 }, requesterStatus(b.env, verbs.WCLocProtErr)},
		{"READ into a region without LOCAL_WRITE", verbs.WRRDMARead, 0, func(*verbs.SGE) {}, verbs.WCLocProtErr},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := b.newPair(pairOptions{access: allRemote})
			local := b.newMR(4096, tt.region)
			remote := b.newMR(4096, verbs.LocalWrite|allRemote)
			b.postRecv(p.b, verbs.RecvWR{WRID: 9, SGList: sge(remote, 0, 4096)})
			list := sge(local, 0, 64)
			tt.change(&list[0])
			b.postSend(p.a, verbs.SendWR{WRID: 1, Opcode: tt.op, SendFlags: verbs.SendSignaled, SGList: list,
				RemoteAddr: remote.Addr(), RKey: remote.RKey()})
			wc := b.completions(1)
			wantStatus(t, wc, 1, tt.status)
			wantState(t, p.a, verbs.QPErr)
		})
	}
}

func testFlush(t *testing.T, b *bench) {
	p := b.newPair(pairOptions{})
	mr := b.newMR(64, verbs.LocalWrite)
	b.postRecv(p.a, verbs.RecvWR{WRID: 1, SGList: sge(mr, 0, 64)}, verbs.RecvWR{WRID: 2, SGList: sge(mr, 0, 64)})
	toErr := verbs.QPAttr{Mask: verbs.AttrState, QPState: verbs.QPErr}
	b.must(p.a.Modify(toErr))
	got := b.completions(2)
	wantStatus(t, got, 1, verbs.WCWRFlushErr)
	wantStatus(t, got, 2, verbs.WCWRFlushErr)
	// unsignalled, but a failure always completes
	b.postSend(p.a, verbs.SendWR{WRID: 3, Opcode: verbs.WRSend, SGList: sge(mr, 0, 8)})
	wantStatus(t, b.completions(1), 3, verbs.WCWRFlushErr)
	b.postRecv(p.a, verbs.RecvWR{WRID: 4})
	if b.env.has(LateRecvFlush) {
		b.noCompletion()
		b.must(p.a.Modify(toErr))
	}
	wantStatus(t, b.completions(1), 4, verbs.WCWRFlushErr)
}

func testPostStates(t *testing.T, b *bench) {
	mr := b.newMR(64, verbs.LocalWrite)
	qp := b.newQP(verbs.RC, false)
	send := verbs.SendWR{WRID: 1, Opcode: verbs.WRSend, SGList: sge(mr, 0, 8)}
	recv := verbs.RecvWR{WRID: 2, SGList: sge(mr, 0, 8)}
	if _, err := qp.PostRecv(recv); err == nil {
		t.Error("a RECV was accepted in RESET")
	}
	if _, err := qp.PostSend(send); err == nil {
		t.Error("a SEND was accepted in RESET")
	}
	b.must(qp.Modify(b.initAttr(pairOptions{})))
	if _, err := qp.PostSend(send); err == nil {
		t.Error("a SEND was accepted in INIT")
	}
	b.postRecv(qp, recv)
	// The queue may be larger than creation reported; a query returns its size.
	_, init, err := qp.Query(verbs.AttrCap)
	b.must(err)
	if init.Cap.MaxRecvWR < qp.Cap().MaxRecvWR {
		t.Errorf("max_recv_wr %d was granted, query_qp returns %d", qp.Cap().MaxRecvWR, init.Cap.MaxRecvWR)
	}
	full := init.Cap.MaxRecvWR
	for i := uint32(1); i < full; i++ {
		b.postRecv(qp, recv)
	}
	if n, err := qp.PostRecv(recv); err == nil || n != 0 {
		t.Errorf("a receive queue of %d accepted %d", full, full+1)
	}
}
