package verbstest

import (
	"errors"
	"fmt"
	"syscall"
	"testing"
	"time"

	"rdmatui/verbs"
)

// testInlineLengths sends inline data of each length up to max_inline_data, from one
// element and from several.
func testInlineLengths(t *testing.T, b *bench) {
	p := b.newPair(pairOptions{access: allRemote, mtu: verbs.MTU256, specA: verbs.QPSpec{
		Cap: verbs.QPCap{MaxSendWR: 16, MaxRecvWR: 1, MaxSendSGE: 4, MaxRecvSGE: 1, MaxInlineData: 300},
	}})
	top := p.a.Cap().MaxInlineData
	if top < 300 {
		t.Fatalf("max_inline_data is %d, asked for 300", top)
	}
	src, dst := b.newMR(uint64(top)+1, verbs.LocalWrite), b.newMR(uint64(top)+8, localAndAll)
	for _, n := range []uint32{0, 1, 3, 64, 255, 256, 257, top - 1, top} {
		for _, op := range []verbs.WROpcode{verbs.WRSend, verbs.WRRDMAWrite} {
			t.Run(fmt.Sprintf("%s %d", op, n), func(t *testing.T) {
				want := pattern(int(n), byte(n))
				fill(t, src, want, 0)
				fill(t, dst, make([]byte, top+8), 0)
				list := append(sge(src, 0, n/3), sge(src, uint64(n/3), n-n/3)...)
				for i := range list {
					list[i].LKey = 0xdead // ignored for inline data
				}
				wr := verbs.SendWR{
					WRID: 2, Opcode: op, SendFlags: verbs.SendSignaled | verbs.SendInline, SGList: list,
					RemoteAddr: dst.Addr(), RKey: dst.RKey(),
				}
				count := 1
				if op == verbs.WRSend {
					b.postRecv(p.b, verbs.RecvWR{WRID: 1, SGList: sge(dst, 0, top+8)})
					count = 2
				}
				b.postSend(p.a, wr)
				fill(t, src, make([]byte, n), 0) // the data was copied at post time
				for _, wc := range b.completions(count) {
					if wc.Status != verbs.WCSuccess || wc.Opcode.IsRecv() && wc.ByteLen != n {
						t.Errorf("%s; want %d bytes", describe(wc), n)
					}
				}
				wantBytes(t, dst, append(want, make([]byte, top+8-n)...), 0)
			})
		}
	}
	t.Run("one byte more", func(t *testing.T) {
		n, err := p.a.PostSend(verbs.SendWR{
			WRID: 1, Opcode: verbs.WRSend, SendFlags: verbs.SendInline, SGList: sge(src, 0, top+1),
		})
		if n != 0 || !errors.Is(err, syscall.EINVAL) {
			t.Errorf("PostSend accepted %d: %v; want EINVAL", n, err)
		}
	})
}

// testElements gathers from several regions and scatters into several, with
// empty elements first, last and in between.
func testElements(t *testing.T, b *bench) {
	const n, size, fourth = 2000, 4000, 2000 // the fourth element follows the first, in the same region
	p := b.newPair(pairOptions{access: allRemote, mtu: verbs.MTU256})
	near, far := make([]verbs.MR, 3), make([]verbs.MR, 3)
	for i := range near {
		near[i], far[i] = b.newMR(size, localAndAll), b.newMR(size, localAndAll)
	}
	// Lengths of the four elements; 0 is an empty one, whose key may be anything.
	lists := [][4]uint32{{0, 700, 0, 1300}, {1, 0, 999, 1000}, {500, 500, 500, 500},
		{1999, 1, 0, 0}, {255, 257, 1488, 0}}
	make4 := func(mrs []verbs.MR, lengths [4]uint32) (list []verbs.SGE) {
		for i, length := range lengths {
			e := sge(mrs[i%3], uint64(i/3)*fourth, length)[0]
			if length == 0 {
				e = verbs.SGE{LKey: e.LKey}
			}
			list = append(list, e)
		}
		return list
	}
	gathered := func(mrs []verbs.MR, lengths [4]uint32) (all []byte) {
		for i, length := range lengths {
			buf := make([]byte, length)
			if _, err := mrs[i%3].ReadAt(buf, int64(i/3)*fourth); err != nil {
				t.Fatal(err)
			}
			all = append(all, buf...)
		}
		return all
	}
	for i, from := range lists {
		to := lists[(i+1)%len(lists)]
		for j := range near {
			fill(t, near[j], pattern(size, byte(i+j)), 0)
		}
		want := gathered(near, from)
		t.Run(fmt.Sprintf("SEND %v into %v", from, to), func(t *testing.T) {
			b.postRecv(p.b, verbs.RecvWR{WRID: 1, SGList: make4(far, to)})
			b.postSend(p.a,
				verbs.SendWR{WRID: 2, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled, SGList: make4(near, from)})
			if wc := wantStatus(t, b.completions(2), 1, verbs.WCSuccess); wc.ByteLen != n {
				t.Errorf("%s; want %d bytes", describe(wc), n)
			}
			if string(gathered(far, to)) != string(want) {
				t.Error("the bytes differ")
			}
			for _, mr := range far {
				fill(t, mr, make([]byte, size), 0)
			}
		})
		t.Run(fmt.Sprintf("WRITE %v and READ it back into %v", from, to), func(t *testing.T) {
			whole := b.newMR(n, localAndAll)
			for _, wr := range []verbs.SendWR{
				{WRID: 1, Opcode: verbs.WRRDMAWrite, SGList: make4(near, from)},
				{WRID: 1, Opcode: verbs.WRRDMARead, SGList: make4(far, to)},
			} {
				wr.RemoteAddr, wr.RKey = whole.Addr(), whole.RKey()
				b.wantComplete(p.a, wr, verbs.WCSuccess)
			}
			wantBytes(t, whole, want, 0)
			if string(gathered(far, to)) != string(want) {
				t.Error("the bytes differ")
			}
		})
	}
}

// testChainStops posts chains with a bad request at each position: the requests before it are
// executed, it and the ones after it are not.
func testChainStops(t *testing.T, b *bench) {
	const length = 5
	bad := map[string]func(wr *verbs.SendWR, c verbs.QPCap){
		"too many elements": func(wr *verbs.SendWR, c verbs.QPCap) { wr.SGList = make([]verbs.SGE, c.MaxSendSGE+1) },
		"too much inline data": func(wr *verbs.SendWR, c verbs.QPCap) {
			wr.SendFlags |= verbs.SendInline
			wr.SGList[0].Length = c.MaxInlineData + 1
		},
	}
	for name, spoil := range bad {
		for at := range length {
			b.part(fmt.Sprintf("%s at %d", name, at), func(t *testing.T, b *bench) {
				p := b.newPair(pairOptions{access: allRemote})
				src, dst := b.newMR(4096, verbs.LocalWrite), b.newMR(length, localAndAll)
				fill(t, src, pattern(4096, 1), 0)
				wrs := make([]verbs.SendWR, length)
				for i := range wrs {
					wrs[i] = verbs.SendWR{WRID: uint64(i), Opcode: verbs.WRRDMAWrite, SendFlags: verbs.SendSignaled,
						SGList:     sge(src, uint64(i), 1),
						RemoteAddr: dst.Addr() + uint64(i), RKey: dst.RKey()}
				}
				spoil(&wrs[at], p.a.Cap())
				n, err := p.a.PostSend(wrs...)
				if n != at || !errors.Is(err, syscall.EINVAL) {
					t.Errorf("PostSend accepted %d: %v; want %d and EINVAL", n, err, at)
				}
				for _, wc := range b.completions(at) {
					if wc.Status != verbs.WCSuccess {
						t.Error(describe(wc))
					}
				}
				want := make([]byte, length)
				copy(want, pattern(4096, 1)[:at])
				wantBytes(t, dst, want, 0)
				b.wantComplete(p.a, verbs.SendWR{WRID: 9, Opcode: verbs.WRRDMAWrite, SGList: sge(src, 0, 1),
					RemoteAddr: dst.Addr(), RKey: dst.RKey()}, verbs.WCSuccess)
			})
		}
	}
	b.part("RECVs", func(t *testing.T, b *bench) {
		p := b.newPair(pairOptions{})
		n, err := p.b.PostRecv(verbs.RecvWR{WRID: 1}, verbs.RecvWR{WRID: 2},
			verbs.RecvWR{SGList: make([]verbs.SGE, p.b.Cap().MaxRecvSGE+1)}, verbs.RecvWR{WRID: 3})
		if n != 2 || !errors.Is(err, syscall.EINVAL) {
			t.Errorf("PostRecv accepted %d: %v; want 2 and EINVAL", n, err)
		}
		for id := range uint64(2) {
			b.postSend(p.a, verbs.SendWR{WRID: 8, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled})
			wantStatus(t, b.completions(2), id+1, verbs.WCSuccess)
		}
	})
}

// testFullSendQueue posts SENDs that wait for a RECV until the queue is full. They are
// unsignalled, so that none leaves the queue early.
func testFullSendQueue(t *testing.T, b *bench) {
	p := b.newPair(pairOptions{rnrTimer: 1})
	const far = 1 << 16
	_, init, err := p.a.Query(verbs.AttrCap)
	b.must(err)
	posted := 0
	for ; posted < far; posted++ {
		if n, err := p.a.PostSend(verbs.SendWR{WRID: uint64(posted), Opcode: verbs.WRSend}); err != nil {
			if n != 0 || !errors.Is(err, syscall.ENOMEM) {
				t.Errorf("PostSend accepted %d: %v; want ENOMEM", n, err)
			}
			break
		}
	}
	if posted == far || posted < int(max(init.Cap.MaxSendWR, p.a.Cap().MaxSendWR)) {
		t.Errorf("a send queue of %d accepted %d", init.Cap.MaxSendWR, posted)
	}
	for id := range uint64(posted) {
		b.postRecv(p.b, verbs.RecvWR{WRID: id})
		wantStatus(t, b.completions(1), id, verbs.WCSuccess)
	}
	// The completion of a signalled request completes all before it.
	b.postRecv(p.b, verbs.RecvWR{WRID: 1})
	b.postSendUntilTaken(p.a, verbs.SendWR{WRID: 2, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled})
	wantStatus(t, b.completions(2), 2, verbs.WCSuccess)
}

// postSendUntilTaken posts a request repeatedly to a queue that will soon have room.
func (b *bench) postSendUntilTaken(qp verbs.QP, wr verbs.SendWR) {
	b.t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(100 * time.Microsecond) {
		_, err := qp.PostSend(wr)
		if err == nil {
			return
		}
		if !errors.Is(err, syscall.ENOMEM) || time.Now().After(deadline) {
			b.t.Fatal(err)
		}
	}
}
