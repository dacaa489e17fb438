package verbstest

import (
	"fmt"
	"testing"

	"rdmatui/verbs"
)

// testUC moves messages over an unreliable connection; IBA 9.8.2.
func testUC(t *testing.T, b *bench) {
	const size = 5000
	src, dst := b.newMR(size, verbs.LocalWrite), b.newMR(size+64, localAndAll)
	for mtu := verbs.MTU256; mtu <= b.port.ActiveMTU; mtu++ {
		b.part(mtu.String(), func(t *testing.T, b *bench) {
			p := b.newPair(pairOptions{typ: verbs.UC, access: allRemote, mtu: mtu, psnA: 0xfffffc})
			m := uint32(mtu.Bytes())
			for _, n := range []uint32{0, 1, m - 1, m, m + 1, size} {
				for _, op := range []verbs.WROpcode{verbs.WRSend, verbs.WRSendWithImm, verbs.WRRDMAWriteWithImm,
					verbs.WRRDMAWrite} {
					t.Run(fmt.Sprintf("%s %d", op, n), func(t *testing.T) { p.moveUC(t, op, src, dst, n) })
				}
			}
		})
	}
	testUCSilence(t, b)
}

// moveUC moves n bytes from a to b. An empty SEND follows a WRITE; its RECV completes
// after the WRITE has arrived.
func (p *pair) moveUC(t *testing.T, op verbs.WROpcode, src, dst verbs.MR, n uint32) {
	t.Helper()
	want, guard := pattern(int(n), byte(n)+byte(op)), pattern(64, 0x55)
	fill(t, src, want, 0)
	fill(t, dst, make([]byte, n), 0)
	fill(t, dst, guard, int64(n))
	wr := verbs.SendWR{WRID: 2, Opcode: op, SendFlags: verbs.SendSignaled, ImmData: 0xfeedbeef}
	if n > 0 {
		wr.SGList = sge(src, 0, n)
	}
	recv := verbs.RecvWR{WRID: 1}
	traits := op.Traits()
	if traits.Remote {
		wr.RemoteAddr, wr.RKey = dst.Addr(), dst.RKey()
	} else {
		recv.SGList = sge(dst, 0, n+64)
	}
	p.postRecv(p.b, recv)
	p.postSend(p.a, wr)
	count := 2
	if !traits.NeedRecv {
		p.postSend(p.a, verbs.SendWR{WRID: 3, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled})
		count = 3
	}
	got := p.completions(count)
	wantStatus(t, got, 2, verbs.WCSuccess)
	wc := wantStatus(t, got, 1, verbs.WCSuccess)
	if traits.NeedRecv && wc.ByteLen != n {
		t.Errorf("%s; want %d bytes", describe(wc), n)
	}
	if imm := wc.WCFlags&verbs.WCWithImm != 0; imm != traits.Imm || imm && wc.ImmData != 0xfeedbeef {
		t.Errorf("%s: flags %s imm 0x%x", op, wc.WCFlags, wc.ImmData)
	}
	wantBytes(t, dst, want, 0)
	wantBytes(t, dst, guard, int64(n))
}

// testUCSilence sends messages that the peer must drop: neither side reports an error,
// and the next message arrives.
func testUCSilence(t *testing.T, b *bench) {
	const size = 3000
	tests := []struct {
		name   string
		access verbs.Access
		recv   uint32 // bytes; none is posted for 0
		change func(wr *verbs.SendWR)
		quirk  Quirk // with it the message fails the RECV
	}{
		{"WRITE with a bad rkey", allRemote, 0, func(wr *verbs.SendWR) { wr.RKey ^= 0x5a5a00 }, ""},
		{"WRITE outside of the region", allRemote, 0, func(wr *verbs.SendWR) { wr.RemoteAddr += 100 }, ""},
		{"WRITE without the right", 0, 0, func(*verbs.SendWR) {}, ""},
		{"SEND without a RECV", allRemote, 0, func(wr *verbs.SendWR) { wr.Opcode = verbs.WRSend }, ""},
		{"SEND longer than the RECV", allRemote, size - 1, func(wr *verbs.SendWR) { wr.Opcode = verbs.WRSend },
			ShortRecvIsQPErr},
	}
	for _, tt := range tests {
		b.part(tt.name, func(t *testing.T, b *bench) {
			p := b.newPair(pairOptions{typ: verbs.UC, access: tt.access})
			src, dst := b.newMR(size, verbs.LocalWrite), b.newMR(size+8, localAndAll)
			fill(t, src, pattern(size, 1), 0)
			fill(t, dst, pattern(size, 2), 0)
			wr := verbs.SendWR{
				WRID: 1, Opcode: verbs.WRRDMAWrite, SGList: sge(src, 0, size), RemoteAddr: dst.Addr(), RKey: dst.RKey(),
			}
			tt.change(&wr)
			if tt.recv > 0 {
				b.postRecv(p.b, verbs.RecvWR{WRID: 2, SGList: sge(dst, 0, tt.recv)})
			}
			b.postSend(p.a, wr)
			b.settle()
			if b.env.has(tt.quirk) {
				wantStatus(t, b.completions(1), 2, verbs.WCLocQPOpErr)
				wantState(t, p.b, verbs.QPErr)
				return
			}
			b.noCompletion()
			wantState(t, p.b, verbs.QPRTS)
			if tt.recv == 0 {
				wantBytes(t, dst, pattern(size, 2), 0)
				b.postRecv(p.b, verbs.RecvWR{WRID: 2, SGList: sge(dst, size, 8)})
			}
			b.postSend(p.a,
				verbs.SendWR{WRID: 3, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled, SGList: sge(src, 0, 8)})
			got := b.completions(2)
			wantStatus(t, got, 3, verbs.WCSuccess)
			if wc := wantStatus(t, got, 2, verbs.WCSuccess); wc.ByteLen != 8 {
				t.Errorf("%s; want 8 bytes", describe(wc))
			}
		})
	}
	for _, op := range []verbs.WROpcode{verbs.WRRDMARead, verbs.WRAtomicFetchAndAdd} {
		b.part(op.String(), func(t *testing.T, b *bench) {
			p := b.newPair(pairOptions{typ: verbs.UC, access: allRemote})
			mr := b.newMR(64, localAndAll)
			b.wantRefusedSend(p.a,
				verbs.SendWR{WRID: 1, Opcode: op, SGList: sge(mr, 0, word), RemoteAddr: mr.Addr(), RKey: mr.RKey()})
		})
	}
}

// settle waits until all packets sent so far have reached their queue pairs, by sending
// messages back and forth after them.
func (b *bench) settle() {
	b.t.Helper()
	side := *b
	side.cq = b.newCQ(4, nil)
	p := side.newPair(pairOptions{})
	for range 3 {
		side.postRecv(p.b, verbs.RecvWR{WRID: 1})
		side.postSend(p.a, verbs.SendWR{WRID: 2, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled})
		side.completions(2)
	}
}

// wantRefusedSend posts an operation that the queue pair's type does not have: the post
// or the request must fail.
func (b *bench) wantRefusedSend(qp verbs.QP, wr verbs.SendWR) {
	b.t.Helper()
	wr.SendFlags |= verbs.SendSignaled
	n, err := qp.PostSend(wr)
	if err != nil {
		if n != 0 {
			b.t.Errorf("PostSend accepted %d: %v", n, err)
		}
		return
	}
	want := requesterStatus(b.env, verbs.WCLocQPOpErr)
	if wc := b.completions(1)[wr.WRID]; wc.Status != want {
		b.t.Errorf("%s; want %s or a refused post", describe(wc), want)
	}
}
