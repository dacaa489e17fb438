package verbstest

import (
	"bytes"
	"errors"
	"fmt"
	"syscall"
	"testing"

	"rdmatui/verbs"
)

// testUD sends datagrams of various lengths and checks what the receiver gets: the GRH,
// the data and the sender's address. IBA 9.8.3, 11.4.1.2.
func testUD(t *testing.T, b *bench) {
	mtu := uint32(b.port.ActiveMTU.Bytes())
	tk := b.newTalkers(verbs.UD)
	src, dst := b.newMR(uint64(mtu), verbs.LocalWrite), b.newMR(uint64(mtu)+verbs.GRHLen+8, verbs.LocalWrite)
	for _, n := range []uint32{0, 1, 255, mtu - 1, mtu} {
		for _, op := range []verbs.WROpcode{verbs.WRSend, verbs.WRSendWithImm} {
			t.Run(fmt.Sprintf("%s %d", op, n), func(t *testing.T) {
				fill(t, src, pattern(int(n), byte(n)), 0)
				fill(t, dst, pattern(int(mtu)+verbs.GRHLen+8, 0xaa), 0)
				var list []verbs.SGE
				if n > 0 {
					list = sge(src, 0, n)
				}
				wr := tk.send(2, tk.b, list)
				wr.Opcode, wr.ImmData = op, 0xcafe0000+n
				b.postRecv(tk.b, verbs.RecvWR{WRID: 1, SGList: sge(dst, 0, mtu+verbs.GRHLen+8)})
				b.postSend(tk.a, wr)
				got := b.completions(2)
				wantStatus(t, got, 2, verbs.WCSuccess)
				wc := wantStatus(t, got, 1, verbs.WCSuccess)
				if wc.ByteLen != n+verbs.GRHLen || wc.SrcQP != tk.a.Num() || wc.QPNum != tk.b.Num() ||
					wc.WCFlags&verbs.WCGRH == 0 {
					t.Errorf("%s src_qp %s flags %s; want %d bytes with GRH from %s on %s", describe(wc), wc.SrcQP,
						wc.WCFlags, n+verbs.GRHLen, tk.a.Num(), tk.b.Num())
				}
				if imm := wc.WCFlags&verbs.WCWithImm != 0; imm != op.Traits().Imm || imm && wc.ImmData != 0xcafe0000+n {
					t.Errorf("flags %s imm 0x%x", wc.WCFlags, wc.ImmData)
				}
				wantGRH(t, dst, b.gid.GID, b.gid.GID)
				wantBytes(t, dst, pattern(int(n), byte(n)), verbs.GRHLen)
				wantBytes(t, dst, pattern(int(mtu)+verbs.GRHLen+8, 0xaa)[verbs.GRHLen+n:], int64(verbs.GRHLen+n))
			})
		}
	}
	testUDSilence(t, b)
	testUDAddresses(t, b)
	b.part("traffic class and hop limit", testUDHeader)
}

// wantGRH checks the addresses in the 40 bytes before a datagram: an IPv6 header, or 20
// undefined bytes and an IPv4 header; annex A17.4.5.
func wantGRH(t *testing.T, mr verbs.MR, src, dst verbs.GID) {
	t.Helper()
	var grh [verbs.GRHLen]byte
	if _, err := mr.ReadAt(grh[:], 0); err != nil {
		t.Fatal(err)
	}
	const protocolUDP = 17
	version, protocol, gotSrc, gotDst := grh[0]>>4, grh[6], grh[8:24], grh[24:40]
	wantVersion, wantSrc, wantDst := byte(6), src[:], dst[:]
	if from, to := src.Addr().Unmap(), dst.Addr().Unmap(); from.Is4() {
		version, protocol, gotSrc, gotDst = grh[20]>>4, grh[29], grh[32:36], grh[36:40]
		wantVersion, wantSrc, wantDst = 4, from.AsSlice(), to.AsSlice()
	}
	if version != wantVersion || protocol != protocolUDP || !bytes.Equal(gotSrc, wantSrc) ||
		!bytes.Equal(gotDst, wantDst) {
		t.Errorf("GRH % x; want IPv%d of UDP from % x to % x", grh, wantVersion, wantSrc, wantDst)
	}
}

// testUDSilence sends datagrams that must not arrive, each followed by one that must:
// the second takes the RECV, which the first has left untouched.
func testUDSilence(t *testing.T, b *bench) {
	mtu := uint32(b.port.ActiveMTU.Bytes())
	tests := []struct {
		name   string
		change func(wr *verbs.SendWR, mr verbs.MR)
		status verbs.WCStatus
		quirk  Quirk // with it the datagram fails the RECV
	}{
		{"another Q_Key", func(wr *verbs.SendWR, _ verbs.MR) { wr.RemoteQKey = qkey + 1 }, verbs.WCSuccess, ""},
		{"no Q_Key", func(wr *verbs.SendWR, _ verbs.MR) { wr.RemoteQKey = 0 }, verbs.WCSuccess, ""},
		{"another queue pair's number", func(wr *verbs.SendWR, _ verbs.MR) { wr.RemoteQPN = 0xfffffe },
			verbs.WCSuccess, ""},
		{"longer than the RECV", func(wr *verbs.SendWR, mr verbs.MR) { wr.SGList = sge(mr, 0, 128) }, verbs.WCSuccess,
			LongDatagramBreaksRecv},
		{"longer than the MTU", func(wr *verbs.SendWR, mr verbs.MR) { wr.SGList = sge(mr, 0, mtu+1) },
			expect(b.env, LongDatagramFails, verbs.WCSuccess, verbs.WCLocLenErr), ""},
	}
	for _, tt := range tests {
		b.part(tt.name, func(t *testing.T, b *bench) {
			tk := b.newTalkers(verbs.UD)
			mr := b.newMR(uint64(mtu)+1, verbs.LocalWrite)
			b.postRecv(tk.b, verbs.RecvWR{WRID: 1, SGList: sge(mr, 0, 64)})
			wr := tk.send(2, tk.b, sge(mr, 64, 8))
			tt.change(&wr, mr)
			if b.env.has(tt.quirk) {
				b.postSend(tk.a, wr)
				wantStatus(t, b.completions(2), 1, verbs.WCLocQPOpErr)
				wantState(t, tk.b, verbs.QPErr)
				return
			}
			b.wantComplete(tk.a, wr, tt.status)
			if tt.status != verbs.WCSuccess {
				wantState(t, tk.a, verbs.QPSQE)
				b.must(tk.a.Modify(toState(verbs.QPRTS)))
			}
			b.postSend(tk.a, tk.send(3, tk.b, sge(mr, 64, 9)))
			got := b.completions(2)
			wantStatus(t, got, 3, verbs.WCSuccess)
			if wc := wantStatus(t, got, 1, verbs.WCSuccess); wc.ByteLen != verbs.GRHLen+9 {
				t.Errorf("%s; want the following datagram, of %d bytes", describe(wc), verbs.GRHLen+9)
			}
		})
	}
	b.part("no RECV", func(t *testing.T, b *bench) {
		tk := b.newTalkers(verbs.UD)
		mr := b.newMR(128, verbs.LocalWrite)
		b.wantComplete(tk.a, tk.send(1, tk.b, sge(mr, 0, 8)), verbs.WCSuccess)
		b.settle()
		b.postRecv(tk.b, verbs.RecvWR{WRID: 2, SGList: sge(mr, 0, 128)})
		b.postSend(tk.a, tk.send(3, tk.b, sge(mr, 0, 9)))
		if wc := wantStatus(t, b.completions(2), 2, verbs.WCSuccess); wc.ByteLen != verbs.GRHLen+9 {
			t.Errorf("%s; want %d bytes", describe(wc), verbs.GRHLen+9)
		}
	})
	for _, op := range []verbs.WROpcode{verbs.WRRDMAWrite, verbs.WRRDMARead, verbs.WRAtomicCmpAndSwp} {
		b.part(op.String(), func(t *testing.T, b *bench) {
			tk := b.newTalkers(verbs.UD)
			mr := b.newMR(64, localAndAll)
			wr := tk.send(1, tk.b, sge(mr, 0, word))
			wr.Opcode, wr.RemoteAddr, wr.RKey = op, mr.Addr(), mr.RKey()
			b.wantRefusedSend(tk.a, wr)
		})
	}
}

// testUDAddresses sends to different address handles and queue pair numbers.
func testUDAddresses(t *testing.T, b *bench) {
	b.part("to itself", func(t *testing.T, b *bench) {
		tk := b.newTalkers(verbs.UD)
		mr := b.newMR(128, verbs.LocalWrite)
		b.postRecv(tk.a, verbs.RecvWR{WRID: 1, SGList: sge(mr, 0, 128)})
		b.postSend(tk.a, tk.send(2, tk.a, sge(mr, 0, 8)))
		got := b.completions(2)
		wantStatus(t, got, 2, verbs.WCSuccess)
		if wc := wantStatus(t, got, 1, verbs.WCSuccess); wc.SrcQP != tk.a.Num() {
			t.Errorf("src_qp %s, want %s", wc.SrcQP, tk.a.Num())
		}
	})
	b.part("the own Q_Key", func(t *testing.T, b *bench) {
		const own = 1 << 31 // a Q_Key with this bit selects the sender's own Q_Key; IBA 10.2.5
		tk := b.newTalkers(verbs.UD)
		mr := b.newMR(128, verbs.LocalWrite)
		b.postRecv(tk.b, verbs.RecvWR{WRID: 1, SGList: sge(mr, 0, 128)})
		wr := tk.send(2, tk.b, sge(mr, 0, 8))
		wr.RemoteQKey = own | 0x1234
		if b.env.has(NoOwnQKey) {
			b.wantComplete(tk.a, wr, verbs.WCSuccess)
			b.settle()
			b.noCompletion()
			return
		}
		b.postSend(tk.a, wr)
		wantStatus(t, b.completions(2), 1, verbs.WCSuccess)
	})
	b.part("no address handle", func(t *testing.T, b *bench) {
		tk := b.newTalkers(verbs.UD)
		wr := tk.send(2, tk.b, nil)
		wr.AH = nil
		if n, err := tk.a.PostSend(wr); n != 0 || !errors.Is(err, syscall.EINVAL) {
			t.Errorf("PostSend accepted %d: %v; want EINVAL", n, err)
		}
	})
	if b.env.Peer == "" {
		return
	}
	b.part("to the other device", func(t *testing.T, b *bench) {
		env := b.env
		env.Device = b.env.Peer
		far := newBench(t, env)
		near := b.newTalkers(verbs.UD)
		there := far.newTalkers(verbs.UD)
		src, dst := b.newMR(64, verbs.LocalWrite), far.newMR(128, verbs.LocalWrite)
		fill(t, src, pattern(64, 3), 0)
		attr := b.ownAH()
		attr.GRH.DGID = far.gid.GID
		near.ah = b.newAH(attr)
		far.postRecv(there.b, verbs.RecvWR{WRID: 1, SGList: sge(dst, 0, 128)})
		b.wantComplete(near.a, near.send(2, there.b, sge(src, 0, 64)), verbs.WCSuccess)
		if wc := wantStatus(t, far.completions(1), 1, verbs.WCSuccess); wc.SrcQP != near.a.Num() {
			t.Errorf("src_qp %s, want %s", wc.SrcQP, near.a.Num())
		}
		wantGRH(t, dst, b.gid.GID, far.gid.GID)
		wantBytes(t, dst, pattern(64, 3), verbs.GRHLen)
	})
}

// testUDHeader sends a datagram whose address handle sets traffic class and hop limit, and
// checks them in the GRH.
func testUDHeader(t *testing.T, b *bench) {
	tk := b.newTalkers(verbs.UD)
	mr := b.newMR(128, verbs.LocalWrite)
	attr := b.ownAH()
	attr.GRH.TrafficClass, attr.GRH.HopLimit = 184, 3
	tk.ah = b.newAH(attr)
	b.postRecv(tk.b, verbs.RecvWR{WRID: 1, SGList: sge(mr, 0, 128)})
	b.postSend(tk.a, tk.send(2, tk.b, sge(mr, 0, 8)))
	wantStatus(t, b.completions(2), 1, verbs.WCSuccess)
	wantGRH(t, mr, b.gid.GID, b.gid.GID)
	var grh [verbs.GRHLen]byte
	if _, err := mr.ReadAt(grh[:], 0); err != nil {
		t.Fatal(err)
	}
	class, hops := grh[0]<<4|grh[1]>>4, grh[7]
	if b.gid.GID.Addr().Unmap().Is4() {
		class, hops = grh[21], grh[28]
	}
	if want := expect(b.env, HopLimitOfRoute, uint8(3), 64); class != 184 || hops != want {
		t.Errorf("received traffic class %d, hop limit %d; want 184 and %d", class, hops, want)
	}
}
