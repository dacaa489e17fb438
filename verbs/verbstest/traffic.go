package verbstest

import (
	"fmt"
	"testing"

	"rdmatui/verbs"
)

// testMessages moves messages of every interesting length by each operation
// and compares all bytes at the receiver.
func testMessages(t *testing.T, b *bench) {
	const top = 1 << 20
	p := b.newPair(pairOptions{access: allRemote, psnA: 0xfffff0, psnB: 0xfffffa}) // both wrap
	src := b.newMR(top, verbs.LocalWrite|allRemote)
	dst := b.newMR(top+64, verbs.LocalWrite|allRemote)
	lengths := []uint32{1, 2, 3, 5, 64, 1023, 1024, 1025, 4093, 65536, top}
	for i, n := range lengths {
		for _, op := range []verbs.WROpcode{verbs.WRSend, verbs.WRRDMAWrite, verbs.WRRDMARead} {
			t.Run(fmt.Sprintf("%s %d", op, n), func(t *testing.T) {
				p.moveOnce(t, op, src, dst, n, byte(i*3)+byte(op))
			})
		}
	}
	t.Run("SEND 0", func(t *testing.T) {
		b.postRecv(p.b, verbs.RecvWR{WRID: 1})
		b.postSend(p.a, verbs.SendWR{WRID: 2, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled})
		got := b.completions(2)
		if wc := wantStatus(t, got, 1, verbs.WCSuccess); wc.ByteLen != 0 {
			t.Errorf("byte_len %d", wc.ByteLen)
		}
		wantStatus(t, got, 2, verbs.WCSuccess)
	})
}

// moveOnce moves n bytes from src to dst: a posts a SEND or WRITE, b posts a READ. The bytes
// after them must not change.
func (p *pair) moveOnce(t *testing.T, op verbs.WROpcode, src, dst verbs.MR, n uint32, seed byte) {
	t.Helper()
	want := pattern(int(n), seed)
	guard := pattern(64, ^seed)
	fill(t, src, want, 0)
	fill(t, dst, make([]byte, n), 0)
	fill(t, dst, guard, int64(n))
	wr := verbs.SendWR{
		WRID: 2, Opcode: op, SendFlags: verbs.SendSignaled, SGList: sge(src, 0, n),
		RemoteAddr: dst.Addr(), RKey: dst.RKey(),
	}
	qp, count, wcOp := p.a, 1, verbs.WCRDMAWrite
	if n == 0 {
		wr.SGList = nil // a length of 0 in an element means 2³¹ to some devices
	}
	switch op {
	case verbs.WRSend:
		wr.RemoteAddr, wr.RKey = 0, 0
		p.postRecv(p.b, verbs.RecvWR{WRID: 1, SGList: sge(dst, 0, n+64)})
		count, wcOp = 2, verbs.WCSend
	case verbs.WRRDMARead:
		wr.RemoteAddr, wr.RKey = src.Addr(), src.RKey()
		if n > 0 {
			wr.SGList = sge(dst, 0, n)
		}
		qp, wcOp = p.b, verbs.WCRDMARead
	}
	p.postSend(qp, wr)
	got := p.completions(count)
	if wc := wantStatus(t, got, 2, verbs.WCSuccess); wc.Opcode != wcOp || wc.QPNum != qp.Num() {
		t.Errorf("requester: %s; want %s on %s", describe(wc), wcOp, qp.Num())
	}
	if op == verbs.WRSend {
		if wc := wantStatus(t, got, 1, verbs.WCSuccess); wc.ByteLen != n || wc.Opcode != verbs.WCRecv ||
			wc.QPNum != p.b.Num() {
			t.Errorf("responder: %s; want RECV of %d bytes on %s", describe(wc), n, p.b.Num())
		}
	}
	wantBytes(t, dst, want, 0)
	wantBytes(t, dst, guard, int64(n))
}

func testImmediate(t *testing.T, b *bench) {
	p := b.newPair(pairOptions{access: allRemote})
	src := b.newMR(4096, verbs.LocalWrite)
	dst := b.newMR(4096, verbs.LocalWrite|allRemote)
	fill(t, src, pattern(3000, 9), 0)
	tests := []struct {
		op   verbs.WROpcode
		wcOp verbs.WCOpcode
	}{{verbs.WRSendWithImm, verbs.WCRecv}, {verbs.WRRDMAWriteWithImm, verbs.WCRecvRDMAWithImm}}
	for _, tt := range tests {
		for _, n := range []uint32{0, 5, 3000} {
			t.Run(fmt.Sprintf("%s %d", tt.op, n), func(t *testing.T) {
				fill(t, dst, make([]byte, 4096), 0)
				recv := verbs.RecvWR{WRID: 1}
				wr := verbs.SendWR{WRID: 2, Opcode: tt.op, SendFlags: verbs.SendSignaled, ImmData: 0x01020304 + n}
				if n > 0 {
					wr.SGList = sge(src, 0, n)
				}
				if tt.op == verbs.WRSendWithImm {
					recv.SGList = sge(dst, 0, 4096)
				} else {
					wr.RemoteAddr, wr.RKey = dst.Addr(), dst.RKey()
				}
				b.postRecv(p.b, recv)
				b.postSend(p.a, wr)
				got := b.completions(2)
				wantStatus(t, got, 2, verbs.WCSuccess)
				wc := wantStatus(t, got, 1, verbs.WCSuccess)
				if wc.Opcode != tt.wcOp || wc.WCFlags&verbs.WCWithImm == 0 || wc.ImmData != 0x01020304+n ||
					wc.ByteLen != n {
					t.Errorf("%s flags %s imm 0x%x; want %s of %d bytes with imm 0x%x", describe(wc), wc.WCFlags,
						wc.ImmData, tt.wcOp, n, 0x01020304+n)
				}
				wantBytes(t, dst, pattern(3000, 9)[:n], 0)
			})
		}
	}
}

func testScatterGather(t *testing.T, b *bench) {
	p := b.newPair(pairOptions{access: allRemote})
	src := b.newMR(8192, verbs.LocalWrite)
	dst := b.newMR(8192, verbs.LocalWrite)
	fill(t, src, pattern(8192, 5), 0)
	gather := append(sge(src, 100, 1000), append(sge(src, 0, 7), sge(src, 4000, 2500)...)...)
	scatter := append(sge(dst, 4096, 1), append(sge(dst, 0, 3000), sge(dst, 5000, 1000)...)...)
	b.postRecv(p.b, verbs.RecvWR{WRID: 1, SGList: scatter})
	b.postSend(p.a, verbs.SendWR{WRID: 2, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled, SGList: gather})
	got := b.completions(2)
	wantStatus(t, got, 2, verbs.WCSuccess)
	if wc := wantStatus(t, got, 1, verbs.WCSuccess); wc.ByteLen != 3507 {
		t.Errorf("byte_len %d, want 3507", wc.ByteLen)
	}
	all := pattern(8192, 5)
	msg := append(append(append([]byte{}, all[100:1100]...), all[:7]...), all[4000:6500]...)
	wantBytes(t, dst, msg[:1], 4096)
	wantBytes(t, dst, msg[1:3001], 0)
	wantBytes(t, dst, msg[3001:], 5000)
	wantBytes(t, dst, make([]byte, 100), 5506)
}

func testChain(t *testing.T, b *bench) {
	p := b.newPair(pairOptions{access: allRemote})
	src, dst := b.newMR(4096, verbs.LocalWrite), b.newMR(4096, verbs.LocalWrite|allRemote)
	fill(t, src, pattern(4096, 8), 0)
	var sends []verbs.SendWR
	var recvs []verbs.RecvWR
	for i := range uint64(8) {
		recvs = append(recvs, verbs.RecvWR{WRID: 100 + i, SGList: sge(dst, i*512, 512)})
		sends = append(sends, verbs.SendWR{
			WRID: i, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled, SGList: sge(src, i*512, 512),
		})
	}
	b.postRecv(p.b, recvs...)
	b.postSend(p.a, sends...)
	for id, wc := range b.completions(16) {
		if wc.Status != verbs.WCSuccess || id >= 100 && wc.ByteLen != 512 {
			t.Error(describe(wc))
		}
	}
	wantBytes(t, dst, pattern(4096, 8), 0)

	t.Run("the bad one is named", func(t *testing.T) {
		sends[2].SGList = make([]verbs.SGE, p.a.Cap().MaxSendSGE+1)
		b.postRecv(p.b, recvs[:2]...)
		n, err := p.a.PostSend(sends[:4]...)
		if err == nil || n != 2 {
			t.Errorf("PostSend accepted %d: %v; want 2 and an error", n, err)
		}
		b.completions(4)
		b.noCompletion()
	})
}

func testUnsignalled(t *testing.T, b *bench) {
	p := b.newPair(pairOptions{access: allRemote})
	src, dst := b.newMR(64, verbs.LocalWrite), b.newMR(64, verbs.LocalWrite|allRemote)
	write := verbs.SendWR{
		WRID: 1, Opcode: verbs.WRRDMAWrite, SGList: sge(src, 0, 64), RemoteAddr: dst.Addr(), RKey: dst.RKey(),
	}
	for range 5 { // more rounds than the send queue is deep
		for i := range uint64(7) {
			write.WRID, write.SendFlags = i, 0
			b.postSend(p.a, write)
		}
		write.WRID, write.SendFlags = 7, verbs.SendSignaled
		b.postSend(p.a, write)
		wantStatus(t, b.completions(1), 7, verbs.WCSuccess)
		b.noCompletion()
	}
}

// movers are the operations that move bytes between two connected queue pairs.
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
					t.Run(fmt.Sprintf("%s %d", op, n), func(t *testing.T) {
						p.moveOnce(t, op, src, dst, n, byte(n)+byte(op))
					})
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
			p := b.newPair(pairOptions{
				access: everyRemote, mtu: verbs.MTU256, psnA: psn, psnB: (psn - 1) & verbs.MaxPSN,
			})
			for round := range byte(3) {
				for _, op := range movers {
					p.moveOnce(t, op, src, dst, n, round+byte(op))
				}
				for _, op := range []verbs.WROpcode{verbs.WRAtomicFetchAndAdd, verbs.WRAtomicCmpAndSwp} {
					before := readWord(t, dst, 0)
					b.wantComplete(p.a, verbs.SendWR{WRID: 3, Opcode: op, SGList: sge(src, 0, word),
						RemoteAddr: dst.Addr(), RKey: dst.RKey(),
						CompareAdd: before, Swap: 2 * before}, verbs.WCSuccess)
					wantWord(t, dst, 2*before, 0)
					wantWord(t, src, before, 0)
				}
			}
		})
	}
}
