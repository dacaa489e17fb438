package soft

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/link"
)

// ways are the pairs of devices that must reach each other.
var ways = []struct{ from, to string }{{"soft0", "soft0"}, {"soft0", "soft1"}, {"soft1", "soft0"}, {"soft1", "soft1"}}

func TestSendReachesEveryDevice(t *testing.T) {
	for _, w := range ways {
		for _, gid := range []int{-1, 1} {
			t.Run(fmt.Sprint(w.from, " to ", w.to, " GID ", max(gid, 0)), func(t *testing.T) {
				a, b := connect(t, New(Options{}), w.from, w.to, pairOptions{GIDIndex: gid})
				src, dst := a.NewMR(100, verbs.LocalWrite), b.NewMR(100, verbs.LocalWrite)
				fill(t, src, pattern(100, 1), 0)
				b.Recv(verbs.RecvWR{WRID: 1, SGList: sge(dst, 0, 100)})
				a.Send(verbs.SendWR{WRID: 2, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled,
					SGList: sge(src, 0, 100)})
				if wc := b.Want(1, verbs.WCSuccess); wc.ByteLen != 100 || wc.Opcode != verbs.WCRecv {
					t.Errorf("%+v", wc)
				}
				a.Want(2, verbs.WCSuccess)
				wantBytes(t, dst, pattern(100, 1), 0)
			})
		}
	}
}

// message is one transfer: a SEND or WRITE goes from a to b, a READ is requested by b.
type message struct {
	op   verbs.WROpcode
	size int
}

// completedAs maps a request's opcode to that of its completion.
var completedAs = map[verbs.WROpcode]verbs.WCOpcode{
	verbs.WRSend: verbs.WCSend, verbs.WRSendWithImm: verbs.WCSend,
	verbs.WRRDMAWrite: verbs.WCRDMAWrite, verbs.WRRDMAWriteWithImm: verbs.WCRDMAWrite,
	verbs.WRRDMARead: verbs.WCRDMARead, verbs.WRAtomicFetchAndAdd: verbs.WCFetchAdd,
}

// move makes a transfer and compares every byte, including those after the data. It returns the completion of b's RECV,
// if any.
func move(t *testing.T, a, b *side, src, dst verbs.MR, m message, seed byte) (got verbs.WC) {
	t.Helper()
	want, guard := pattern(m.size, seed), pattern(64, ^seed)
	fill(t, src, want, 0)
	fill(t, dst, make([]byte, m.size), 0)
	fill(t, dst, guard, int64(m.size))
	wr := verbs.SendWR{
		WRID: 2, Opcode: m.op, SendFlags: verbs.SendSignaled, SGList: sge(src, 0, uint32(m.size)),
		RemoteAddr: dst.Addr(), RKey: dst.RKey(), ImmData: 0x01020304,
	}
	from := a
	if m.op == verbs.WRRDMARead {
		wr.SGList, wr.RemoteAddr, wr.RKey = sge(dst, 0, uint32(m.size)), src.Addr(), src.RKey()
		from = b
	}
	if m.op.Traits().NeedRecv {
		recv := verbs.RecvWR{WRID: 1}
		if m.op != verbs.WRRDMAWriteWithImm {
			recv.SGList = sge(dst, 0, uint32(m.size)+64)
		}
		b.Recv(recv)
	}
	from.Send(wr)
	if m.op.Traits().NeedRecv {
		got = b.Want(1, verbs.WCSuccess)
	}
	done := from.Want(2, verbs.WCSuccess)
	if done.Opcode != completedAs[m.op] {
		t.Errorf("opcode %s", done.Opcode)
	}
	wantBytes(t, dst, want, 0)
	wantBytes(t, dst, guard, int64(m.size))
	return got
}

var allOps = []verbs.WROpcode{verbs.WRSend, verbs.WRSendWithImm, verbs.WRRDMAWrite,
	verbs.WRRDMAWriteWithImm, verbs.WRRDMARead}

// TestMessages moves every interesting length by every operation at every path MTU, while the PSNs wrap.
func TestMessages(t *testing.T) {
	const top = 1 << 20
	for mtu := verbs.MTU256; mtu <= verbs.MTU4096; mtu++ {
		a, b := connect(t, New(Options{}), "soft0", "soft1", pairOptions{MTU: mtu, PSNA: 0xffffff, PSNB: 0xfffffe})
		src, dst := a.NewMR(top, everything), b.NewMR(top+64, everything)
		n := mtu.Bytes()
		for i, size := range []int{0, 1, 3, n - 1, n, n + 1, 2 * n, 65536, top} {
			for _, op := range allOps {
				t.Run(fmt.Sprintf("MTU %s %s %d", mtu, op, size), func(t *testing.T) {
					got := move(t, a, b, src, dst, message{op: op, size: size}, byte(i)+byte(op))
					traits := op.Traits()
					if traits.NeedRecv && got.ByteLen != uint32(size) {
						t.Errorf("byte_len %d, want %d", got.ByteLen, size)
					}
					if traits.Imm && (got.WCFlags != verbs.WCWithImm || got.ImmData != 0x01020304) {
						t.Errorf("flags %s imm_data 0x%x", got.WCFlags, got.ImmData)
					}
				})
			}
		}
	}
}

func TestUnreliableConnection(t *testing.T) {
	a, b := connect(t, New(Options{}), "soft0", "soft1", pairOptions{Typ: verbs.UC, PSNA: 0xfffff0})
	src, dst := a.NewMR(1<<16, everything), b.NewMR(1<<16+64, everything)
	for i, size := range []int{0, 1, 1024, 1025, 1 << 16} {
		for _, op := range []verbs.WROpcode{verbs.WRSend, verbs.WRSendWithImm, verbs.WRRDMAWriteWithImm} {
			t.Run(fmt.Sprintf("%s %d", op, size), func(t *testing.T) {
				move(t, a, b, src, dst, message{op: op, size: size}, byte(i))
			})
		}
	}
	if n, err := a.QP.PostSend(verbs.SendWR{Opcode: verbs.WRRDMARead}); n != 0 ||
		!errors.Is(err, verbs.ErrUnsupported) {
		t.Errorf("READ on UC: %d, %v", n, err)
	}
	t.Run("a lost packet costs one message", func(t *testing.T) { testLostUC(t) })
}

func testLostUC(t *testing.T) {
	p := New(Options{})
	a, b := connect(t, p, "soft0", "soft1", pairOptions{Typ: verbs.UC})
	src, dst := a.NewMR(4096, verbs.LocalWrite), b.NewMR(4096, verbs.LocalWrite)
	fill(t, src, pattern(4096, 9), 0)
	p.Fabric().SetFault(dropNth(2)) // a MIDDLE
	b.Recv(verbs.RecvWR{WRID: 1, SGList: sge(dst, 0, 4096)})
	a.Send(verbs.SendWR{WRID: 2, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled, SGList: sge(src, 0, 4096)})
	a.Want(2, verbs.WCSuccess)
	a.Send(verbs.SendWR{WRID: 3, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled, SGList: sge(src, 0, 5)})
	a.Want(3, verbs.WCSuccess)
	if wc := b.Want(1, verbs.WCSuccess); wc.ByteLen != 5 {
		t.Errorf("byte_len %d, want that of the second message", wc.ByteLen)
	}
}

// dropNth drops the nth packet, counted from 1.
func dropNth(n int64) link.Fault {
	var seen atomic.Int64
	return func(*link.Packet) link.Verdict {
		if seen.Add(1) == n {
			return link.Drop
		}
		return link.Deliver
	}
}

// datagram brings a UD queue pair to RTS.
func datagram(t *testing.T, s *side, qkey uint32) {
	t.Helper()
	ok(t, s.QP.Modify(verbs.QPAttr{Mask: verbs.AttrState | verbs.AttrPKeyIndex | verbs.AttrPort | verbs.AttrQKey,
		QPState: verbs.QPInit, PortNum: 1, QKey: qkey}))
	ok(t, s.QP.Modify(verbs.QPAttr{Mask: verbs.AttrState, QPState: verbs.QPRTR}))
	ok(t, s.QP.Modify(verbs.QPAttr{Mask: verbs.AttrState | verbs.AttrSQPSN, QPState: verbs.QPRTS}))
}

func TestDatagrams(t *testing.T) {
	for _, gid := range []int{-1, 1} {
		p := New(Options{})
		o := pairOptions{Typ: verbs.UD, GIDIndex: gid}.WithDefaults()
		a, b := newSide(t, p, "soft0", o), newSide(t, p, "soft1", o)
		datagram(t, a, 7)
		datagram(t, b, 0x11111111)
		ah := must(a.PD.CreateAH(verbs.AHAttr{IsGlobal: true, PortNum: 1,
			GRH: verbs.GlobalRoute{DGID: b.GID.GID, SGIDIndex: uint8(o.GIDIndex)}}))(t)
		closeAtEnd(t, ah)
		src, dst := a.NewMR(4096, verbs.LocalWrite), b.NewMR(8192, verbs.LocalWrite)
		for _, size := range []int{0, 1, 64, 4096} {
			fill(t, src, pattern(size, 3), 0)
			b.Recv(verbs.RecvWR{WRID: 1, SGList: sge(dst, 0, uint32(size)+verbs.GRHLen)})
			wr := verbs.SendWR{
				WRID: 2, Opcode: verbs.WRSendWithImm, ImmData: 5, SendFlags: verbs.SendSignaled,
				SGList: sge(src, 0, uint32(size)), AH: ah, RemoteQPN: b.QP.Num(), RemoteQKey: 0x11111110,
			}
			a.Send(wr) // a wrong Q_Key: dropped
			a.Want(2, verbs.WCSuccess)
			wr.RemoteQKey++
			a.Send(wr)
			a.Want(2, verbs.WCSuccess)
			wc := b.Want(1, verbs.WCSuccess)
			if wc.ByteLen != uint32(size)+verbs.GRHLen || wc.WCFlags != verbs.WCGRH|verbs.WCWithImm ||
				wc.SrcQP != a.QP.Num() || wc.ImmData != 5 {
				t.Errorf("%+v", wc)
			}
			wantBytes(t, dst, pattern(size, 3), verbs.GRHLen)
		}
		a.Send(verbs.SendWR{WRID: 9, Opcode: verbs.WRSend, SGList: append(sge(src, 0, 4096), sge(src, 0, 1)...), AH: ah,
			RemoteQPN: b.QP.Num()})
		a.Want(9, verbs.WCLocLenErr)
		if got := a.State(); got != verbs.QPSQE {
			t.Errorf("after a failed SEND the queue pair is in %s, want SQE", got)
		}
		a.Send(verbs.SendWR{WRID: 10, Opcode: verbs.WRSend, AH: ah, RemoteQPN: b.QP.Num()})
		a.Want(10, verbs.WCWRFlushErr)
	}
}
