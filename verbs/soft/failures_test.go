package soft

import (
	"errors"
	"syscall"
	"testing"
	"testing/synctest"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/wire"
)

const noEventType = verbs.EventType(99)

// TestRefusedByThePeer posts what the responder must refuse: the status on both sides, the event and the state are
// exact, and no byte is written.
func TestRefusedByThePeer(t *testing.T) {
	write := func(wr *verbs.SendWR, _ verbs.MR) { wr.Opcode = verbs.WRRDMAWrite }
	read := func(wr *verbs.SendWR, _ verbs.MR) { wr.Opcode = verbs.WRRDMARead }
	add := func(wr *verbs.SendWR, _ verbs.MR) { wr.Opcode, wr.CompareAdd = verbs.WRAtomicFetchAndAdd, 1 }
	both := func(f, g func(*verbs.SendWR, verbs.MR)) func(*verbs.SendWR, verbs.MR) {
		return func(wr *verbs.SendWR, mr verbs.MR) { f(wr, mr); g(wr, mr) }
	}
	badKey := func(wr *verbs.SendWR, _ verbs.MR) { wr.RKey ^= 1 }
	at := func(off uint64) func(*verbs.SendWR, verbs.MR) {
		return func(wr *verbs.SendWR, mr verbs.MR) { wr.RemoteAddr = mr.Addr() + off }
	}
	tests := []struct {
		name   string
		o      pairOptions
		region verbs.Access
		wr     func(*verbs.SendWR, verbs.MR)
		recv   uint32 // bytes of the posted RECV; 0: none
		local  verbs.WCStatus
		remote verbs.WCStatus // of the RECV
		event  verbs.EventType
	}{
		{"WRITE with a bad rkey", pairOptions{}, everything, both(write, badKey), 0, verbs.WCRemAccessErr, 0,
			verbs.EventQPAccessErr},
		{"READ with a bad rkey", pairOptions{}, everything, both(read, badKey), 0, verbs.WCRemAccessErr, 0,
			verbs.EventQPAccessErr},
		{"WRITE one byte past the end", pairOptions{}, everything, both(write, at(8192-2999)), 0, verbs.WCRemAccessErr,
			0, verbs.EventQPAccessErr},
		{"READ one byte past the end", pairOptions{}, everything, both(read, at(8192-2999)), 0, verbs.WCRemAccessErr, 0,
			verbs.EventQPAccessErr},
		{"WRITE one byte before the start", pairOptions{}, everything, both(write, at(1<<64-1)), 0,
			verbs.WCRemAccessErr, 0, verbs.EventQPAccessErr},
		{"WRITE around the end of the address space", pairOptions{}, everything,
			both(write, func(wr *verbs.SendWR, _ verbs.MR) { wr.RemoteAddr = 1<<64 - 100 }), 0, verbs.WCRemAccessErr, 0,
			verbs.EventQPAccessErr},
		{"WRITE to a region without REMOTE_WRITE", pairOptions{}, verbs.LocalWrite | verbs.RemoteRead, write, 0,
			verbs.WCRemAccessErr, 0, verbs.EventQPAccessErr},
		{"READ from a region without REMOTE_READ", pairOptions{}, verbs.LocalWrite | verbs.RemoteWrite, read, 0,
			verbs.WCRemAccessErr, 0, verbs.EventQPAccessErr},
		{"WRITE to a queue pair without REMOTE_WRITE", pairOptions{Access: verbs.RemoteRead}, everything, write, 0,
			verbs.WCRemInvReqErr, 0, verbs.EventQPReqErr},
		{"READ from a queue pair without REMOTE_READ", pairOptions{Access: verbs.RemoteWrite}, everything, read, 0,
			verbs.WCRemInvReqErr, 0, verbs.EventQPReqErr},
		{"an atomic without a right key", pairOptions{}, everything, both(add, badKey), 0, verbs.WCRemAccessErr, 0,
			verbs.EventQPAccessErr},
		{"an atomic half past the end", pairOptions{}, everything, both(add, at(8192)), 0, verbs.WCRemAccessErr, 0,
			verbs.EventQPAccessErr},
		{"a misaligned atomic", pairOptions{}, everything, both(add, at(1)), 0, verbs.WCRemInvReqErr, 0,
			verbs.EventQPReqErr},
		{"an atomic to a region without REMOTE_ATOMIC", pairOptions{}, everything &^ verbs.RemoteAtomic, add, 0,
			verbs.WCRemAccessErr, 0, verbs.EventQPAccessErr},
		{"an atomic to a queue pair without REMOTE_ATOMIC", pairOptions{Access: verbs.RemoteRead}, everything, add, 0,
			verbs.WCRemInvReqErr, 0, verbs.EventQPReqErr},
		{"SEND longer than the RECV", pairOptions{}, everything, func(*verbs.SendWR, verbs.MR) {}, 2999,
			verbs.WCRemInvReqErr, verbs.WCLocLenErr, noEventType},
		{"SEND into a RECV that may not be written", pairOptions{}, verbs.RemoteRead, func(*verbs.SendWR, verbs.MR) {},
			3000, verbs.WCRemOpErr, verbs.WCLocProtErr, noEventType},
		{"SEND with no RECV and no RNR retries",
			pairOptions{RNRRetry: 0, KeepZero: true, Timeout: 14, Retry: 7, RDAtomic: 1, RNRTimer: 1}, everything,
			func(*verbs.SendWR, verbs.MR) {}, 0, verbs.WCRNRRetryExcErr, 0, noEventType},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, b := connect(t, New(Options{}), "soft0", "soft1", tt.o)
			src, dst := a.NewMR(8192, everything), b.NewMR(8192, tt.region)
			fill(t, src, pattern(8192, 1), 0)
			fill(t, dst, pattern(8192, 2), 0)
			wr := verbs.SendWR{
				WRID: 1, Opcode: verbs.WRSend, SGList: sge(src, 0, 3000), RemoteAddr: dst.Addr(), RKey: dst.RKey(),
			}
			tt.wr(&wr, dst)
			if tt.recv > 0 {
				b.Recv(verbs.RecvWR{WRID: 7, SGList: sge(dst, 4096, tt.recv)}, verbs.RecvWR{WRID: 8})
			}
			a.Send(wr, verbs.SendWR{WRID: 2, Opcode: verbs.WRSend})
			got := a.Wait(2)
			if got[0].WRID != 1 || got[0].Status != tt.local || got[1].WRID != 2 ||
				got[1].Status != verbs.WCWRFlushErr {
				t.Errorf("%+v; want %s and a flushed request", got, tt.local)
			}
			a.WaitState(verbs.QPErr)
			if tt.local == verbs.WCRNRRetryExcErr {
				b.WaitState(verbs.QPRTS) // the responder is not at fault
				b.Nothing()
				return
			}
			b.WaitState(verbs.QPErr)
			if tt.remote != 0 {
				b.Want(7, tt.remote)
				b.Want(8, verbs.WCWRFlushErr)
				wantBytes(t, dst, pattern(8192, 2)[:4096], 0)
			} else {
				wantBytes(t, dst, pattern(8192, 2), 0)
			}
			wantBytes(t, src, pattern(8192, 1), 0)
			if tt.event != noEventType {
				if ev := b.NextEvent(tt.event); ev.QP != b.QP {
					t.Errorf("the event is of %v", ev.QP)
				}
			}
			b.NoEvent()
			a.NoEvent()
		})
	}
}

// TestRefusedHere posts requests that the local device must refuse by completion.
func TestRefusedHere(t *testing.T) {
	tests := []struct {
		name   string
		o      pairOptions
		op     verbs.WROpcode
		region verbs.Access
		change func(e *verbs.SGE)
		want   verbs.WCStatus
	}{
		{"a bad lkey", pairOptions{}, verbs.WRSend, everything, func(e *verbs.SGE) { e.LKey++ }, verbs.WCLocProtErr},
		{"past the end", pairOptions{}, verbs.WRRDMAWrite, everything,
			func(e *verbs.SGE) { e.Addr += 4000; e.Length = 97 }, verbs.WCLocProtErr},
		{"before the start", pairOptions{}, verbs.WRSend, everything, func(e *verbs.SGE) { e.Addr-- },
			verbs.WCLocProtErr},
		{"READ into a region without LOCAL_WRITE", pairOptions{}, verbs.WRRDMARead, 0, func(*verbs.SGE) {},
			verbs.WCLocProtErr},
		{"an atomic into a region without LOCAL_WRITE", pairOptions{}, verbs.WRAtomicFetchAndAdd, 0,
			func(*verbs.SGE) {}, verbs.WCLocProtErr},
		{"an atomic where max_rd_atomic is 0", pairOptions{KeepZero: true, Timeout: 14, Retry: 7, RNRRetry: 7},
			verbs.WRAtomicCmpAndSwp, everything, func(*verbs.SGE) {}, verbs.WCLocQPOpErr},
		{"READ where max_rd_atomic is 0", pairOptions{KeepZero: true, Timeout: 14, Retry: 7, RNRRetry: 7},
			verbs.WRRDMARead, everything, func(*verbs.SGE) {}, verbs.WCLocQPOpErr},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, b := connect(t, New(Options{}), "soft0", "soft1", tt.o)
			local, remote := a.NewMR(4096, tt.region), b.NewMR(4096, everything)
			fill(t, remote, pattern(4096, 4), 0)
			b.Recv(verbs.RecvWR{WRID: 9, SGList: sge(remote, 0, 4096)})
			list := sge(local, 0, 64)
			tt.change(&list[0])
			good := verbs.SendWR{WRID: 1, Opcode: verbs.WRRDMAWrite, SendFlags: verbs.SendSignaled}
			a.Send(good, verbs.SendWR{WRID: 2, Opcode: tt.op, SGList: list, RemoteAddr: remote.Addr(),
				RKey: remote.RKey()}, good)
			a.Want(1, verbs.WCSuccess) // earlier requests complete first
			a.Want(2, tt.want)
			a.Want(1, verbs.WCWRFlushErr)
			a.WaitState(verbs.QPErr)
			wantBytes(t, remote, pattern(4096, 4), 0)
			b.Nothing()
			b.WaitState(verbs.QPRTS)
		})
	}
}

// TestRefusedAtPost posts requests that PostSend must refuse.
func TestRefusedAtPost(t *testing.T) {
	a, _ := connect(t, New(Options{}), "soft0", "soft1", pairOptions{SGE: 2})
	mr := a.NewMR(4096, everything)
	tests := []struct {
		name string
		wr   verbs.SendWR
		want error
	}{
		{"more SGEs than granted", verbs.SendWR{SGList: make([]verbs.SGE, 3)}, syscall.EINVAL},
		{"more inline data than granted", verbs.SendWR{SendFlags: verbs.SendInline, SGList: sge(mr, 0, 65)},
			syscall.EINVAL},
		{"an inline READ", verbs.SendWR{Opcode: verbs.WRRDMARead, SendFlags: verbs.SendInline, SGList: sge(mr, 0, 5)},
			syscall.EINVAL},
		{"inline data at an invalid address",
			verbs.SendWR{SendFlags: verbs.SendInline, SGList: []verbs.SGE{{Addr: 5, Length: 5}}}, syscall.EFAULT},
		{"longer than max_msg_sz", verbs.SendWR{SGList: []verbs.SGE{{Length: 1 << 30}, {Length: 1}}}, syscall.EINVAL},
		{"an atomic with room for 7 bytes", verbs.SendWR{Opcode: verbs.WRAtomicFetchAndAdd, SGList: sge(mr, 0, 7)},
			syscall.EINVAL},
		{"an inline atomic", verbs.SendWR{Opcode: verbs.WRAtomicCmpAndSwp, SendFlags: verbs.SendInline,
			SGList: sge(mr, 0, 8)}, syscall.EINVAL},
		{"an invalidation with an SGE", verbs.SendWR{Opcode: verbs.WRLocalInv, SGList: sge(mr, 0, 8)}, syscall.EINVAL},
		{"an unknown opcode", verbs.SendWR{Opcode: 200}, verbs.ErrUnsupported},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n, err := a.QP.PostSend(verbs.SendWR{Opcode: verbs.WRRDMAWrite}, tt.wr,
				verbs.SendWR{Opcode: verbs.WRRDMAWrite})
			var op *verbs.OpError
			if n != 1 || !errors.Is(err, tt.want) || !errors.As(err, &op) || op.Op != "ibv_post_send" {
				t.Errorf("took %d, %v; want 1 and %v", n, err, tt.want)
			}
		})
	}
}

func TestFullQueues(t *testing.T) {
	p := New(Options{})
	o := pairOptions{Depth: 5}.WithDefaults()
	s := newSide(t, p, "soft0", o)
	ok(t, s.ToInit(o))
	if n, err := s.QP.PostRecv(make([]verbs.RecvWR, 6)...); n != 5 || !errors.Is(err, syscall.ENOMEM) {
		t.Errorf("RECV: %d, %v", n, err)
	}
	if n, err := s.QP.PostSend(verbs.SendWR{}); n != 0 || !errors.Is(err, syscall.EINVAL) {
		t.Errorf("SEND in INIT: %d, %v", n, err)
	}
	a, _ := connect(t, p, "soft0", "soft1", pairOptions{Depth: 5}) // no RECV is posted: RNR forever
	if n, err := a.QP.PostSend(make([]verbs.SendWR, 1)...); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	sends := make([]verbs.SendWR, 6)
	for i := range sends {
		sends[i].Opcode = verbs.WRSend
	}
	b, _ := connect(t, p, "soft0", "soft1", pairOptions{Depth: 5})
	if n, err := b.QP.PostSend(sends...); n != 5 || !errors.Is(err, syscall.ENOMEM) {
		t.Errorf("SEND: %d, %v", n, err)
	}
}

// TestRegionClosedUnderway deregisters memory while it is in use: requests fail, with no other effect.
func TestRegionClosedUnderway(t *testing.T) {
	a, b := connect(t, New(Options{}), "soft0", "soft1", pairOptions{MTU: verbs.MTU256})
	src := a.NewMR(1<<20, everything)
	dst := b.NewMR(1<<20, everything)
	a.Send(verbs.SendWR{WRID: 1, Opcode: verbs.WRRDMAWrite, SGList: sge(src, 0, 1<<20), RemoteAddr: dst.Addr(),
		RKey: dst.RKey(), SendFlags: verbs.SendSignaled})
	ok(t, dst.Close())
	wc := a.Wait(1)[0]
	if wc.Status != verbs.WCRemAccessErr && wc.Status != verbs.WCSuccess {
		t.Errorf("%+v", wc)
	}
	if _, err := dst.ReadAt(make([]byte, 1), 0); !errors.Is(err, verbs.ErrClosed) {
		t.Error(err)
	}
}

// TestRegionClosedUnderRead deregisters the region that a long READ is being answered from: the READ fails and the
// responding queue pair goes to ERR.
func TestRegionClosedUnderRead(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		a, b := connect(t, p, "soft0", "soft1", pairOptions{MTU: verbs.MTU256})
		src, dst := b.NewMR(1<<16, everything), a.NewMR(1<<16, everything)
		n := 0
		p.Fabric().SetTap(func(k *link.Packet) { // called by the responder's engine, which holds no lock here
			if h, _ := wire.Parse(k.Data); h.BTH.Opcode == wire.RCReadResponseFirst {
				n++
				ok(t, src.Close())
			}
		})
		a.Send(verbs.SendWR{WRID: 1, Opcode: verbs.WRRDMARead, SGList: sge(dst, 0, 1<<16), RemoteAddr: src.Addr(),
			RKey: src.RKey()})
		a.Want(1, verbs.WCRemAccessErr)
		b.WaitState(verbs.QPErr)
		b.NextEvent(verbs.EventQPAccessErr)
		if n != 1 {
			t.Errorf("the READ was sent %d times", n)
		}
	})
}

// TestRegionGoneMidway closes a region of one side during a request that has been checked: the rest of it fails as if
// the region had never existed, and the other side gets a NAK or nothing.
func TestRegionGoneMidway(t *testing.T) {
	for _, tt := range []struct {
		name string
		op   verbs.WROpcode
		far  bool // the region is the peer's
		want verbs.WCStatus
	}{
		{"SEND", verbs.WRSend, false, verbs.WCLocProtErr},
		{"RDMA_WRITE", verbs.WRRDMAWrite, false, verbs.WCLocProtErr},
		{"RDMA_READ", verbs.WRRDMARead, false, verbs.WCLocProtErr},
		{"an atomic", verbs.WRAtomicFetchAndAdd, false, verbs.WCLocProtErr},
		{"SEND to a RECV", verbs.WRSend, true, verbs.WCRemOpErr},
		{"RDMA_WRITE to the peer", verbs.WRRDMAWrite, true, verbs.WCRemAccessErr},
	} {
		t.Run(tt.name, func(t *testing.T) {
			virtual(t, func(t *testing.T, p *Provider) {
				a, b := connect(t, p, "soft0", "soft1", pairOptions{MTU: verbs.MTU256})
				near, far := a.NewMR(1<<20, everything), b.NewMR(1<<20, everything)
				n := uint32(1 << 20)
				if tt.op == verbs.WRAtomicFetchAndAdd {
					n = 8
				}
				b.Recv(verbs.RecvWR{WRID: 7, SGList: sge(far, 0, n)})
				seen, pass := 0, 2
				p.Fabric().SetFault(func(*link.Packet) link.Verdict {
					if seen++; seen > pass {
						return link.Drop
					}
					return link.Deliver
				})
				if !tt.far {
					pass = 0 // the requester's own packets, or the answers to them
				}
				a.Send(verbs.SendWR{WRID: 1, Opcode: tt.op, SendFlags: verbs.SendSignaled, SGList: sge(near, 0, n),
					RemoteAddr: far.Addr(), RKey: far.RKey()})
				synctest.Wait()
				if tt.far {
					ok(t, far.Close())
				} else {
					ok(t, near.Close())
				}
				a.Nothing()
				p.Fabric().SetFault(nil)
				a.Want(1, tt.want)
				if a.State() != verbs.QPErr {
					t.Errorf("the queue pair is in %s", a.State())
				}
			})
		})
	}
}
