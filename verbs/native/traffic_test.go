package native_test

import (
	"encoding/binary"
	"errors"
	"sync"
	"syscall"
	"testing"

	"rdmatui/verbs"
	vmtest "rdmatui/verbs/verbstest/vm"
)

func sge(mr verbs.MR, off uint64, length uint32) []verbs.SGE {
	return []verbs.SGE{{Addr: mr.Addr() + off, Length: length, LKey: mr.LKey()}}
}

// TestLongChains posts more requests than one call into C takes.
func TestLongChains(t *testing.T) {
	vmtest.Need(t)
	const n = 150
	r := openRig(t)
	a, b := r.pair(verbs.RC)
	mr := r.mr(2*n*8, verbs.LocalWrite)
	var sends []verbs.SendWR
	var recvs []verbs.RecvWR
	want := make([]byte, n*8)
	for i := range uint64(n) {
		binary.BigEndian.PutUint64(want[i*8:], 0xabcd0000+i)
		// Four elements each, so that the elements of a call also run out.
		list := append(append(sge(mr, i*8, 1), sge(mr, i*8+1, 3)...),
			append(sge(mr, i*8+4, 2), sge(mr, i*8+6, 2)...)...)
		sends = append(sends, verbs.SendWR{WRID: i, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled, SGList: list})
		recvs = append(recvs, verbs.RecvWR{WRID: 1000 + i, SGList: sge(mr, n*8+i*8, 8)})
	}
	_, err := mr.WriteAt(want, 0)
	r.must(err)
	if k, err := b.PostRecv(recvs...); k != n || err != nil {
		t.Fatalf("PostRecv took %d: %v", k, err)
	}
	if k, err := a.PostSend(sends...); k != n || err != nil {
		t.Fatalf("PostSend took %d: %v", k, err)
	}
	nextSend, nextRecv := uint64(0), uint64(1000)
	for _, wc := range r.wantSuccess(r.cq, 2*n) {
		next := &nextSend
		if wc.WRID >= 1000 {
			next = &nextRecv
		}
		if wc.WRID != *next {
			t.Fatalf("wr_id %d, want %d", wc.WRID, *next)
		}
		*next++
	}
	got := make([]byte, n*8)
	_, err = mr.ReadAt(got, n*8)
	r.must(err)
	if string(got) != string(want) {
		t.Error("the bytes differ")
	}
}

// TestBatchStopsAtTheBadOne has the bad request in the second call into C.
func TestBatchStopsAtTheBadOne(t *testing.T) {
	vmtest.Need(t)
	r := openRig(t)
	a, _ := r.pair(verbs.RC)
	mr := r.mr(64, verbs.LocalWrite|verbs.RemoteWrite)
	good := verbs.SendWR{
		Opcode: verbs.WRRDMAWrite, SendFlags: verbs.SendSignaled, SGList: sge(mr, 0, 8),
		RemoteAddr: mr.Addr(), RKey: mr.RKey(),
	}
	for name, tt := range map[string]struct {
		change func(*verbs.SendWR)
		want   error
	}{
		"too many elements": {func(wr *verbs.SendWR) { wr.SGList = make([]verbs.SGE, 5) },
			syscall.EINVAL},
		"more than a call has room for": {func(wr *verbs.SendWR) { wr.SGList = make([]verbs.SGE, 5000) },
			syscall.EINVAL},
		"inline data at an invalid address": {
			func(wr *verbs.SendWR) { wr.SGList, wr.SendFlags = []verbs.SGE{{Addr: 8, Length: 8}}, verbs.SendInline },
			syscall.EFAULT},
		"inline data past the end": {
			func(wr *verbs.SendWR) { wr.SGList, wr.SendFlags = sge(mr, 60, 5), verbs.SendInline }, syscall.EFAULT},
		"too much inline data": {func(wr *verbs.SendWR) {
			wr.SGList, wr.SendFlags = append(sge(mr, 0, 64), sge(mr, 0, 64)...), verbs.SendInline
		}, syscall.EINVAL},
		"a binding of nothing": {func(wr *verbs.SendWR) { wr.Opcode = verbs.WRBindMW }, syscall.EINVAL},
		"an unknown opcode":    {func(wr *verbs.SendWR) { wr.Opcode = 4711 }, verbs.ErrUnsupported},
	} {
		t.Run(name, func(t *testing.T) {
			wrs := make([]verbs.SendWR, 80)
			for i := range wrs {
				wrs[i] = good
			}
			tt.change(&wrs[70])
			n, err := a.PostSend(wrs...)
			if n != 70 || !errors.Is(err, tt.want) {
				t.Errorf("took %d, %v; want 70, %v", n, err, tt.want)
			}
			r.wantSuccess(r.cq, 70)
		})
	}
}

func TestAtomics(t *testing.T) {
	vmtest.Need(t)
	r := openRig(t)
	a, _ := r.pair(verbs.RC)
	mr := r.mr(64, verbs.LocalWrite|verbs.RemoteAtomic)
	word := func(off int64) uint64 {
		var b [8]byte
		_, err := mr.ReadAt(b[:], off)
		r.must(err)
		return binary.NativeEndian.Uint64(b[:])
	}
	wr := verbs.SendWR{SendFlags: verbs.SendSignaled, SGList: sge(mr, 8, 8), RemoteAddr: mr.Addr(), RKey: mr.RKey()}
	for _, tt := range []struct {
		op           verbs.WROpcode
		add, swap    uint64
		before, then uint64
		wc           verbs.WCOpcode
	}{
		{verbs.WRAtomicFetchAndAdd, 0x1_0000_0005, 0, 0, 0x1_0000_0005, verbs.WCFetchAdd},
		{verbs.WRAtomicCmpAndSwp, 0x1_0000_0005, 0x7_0000_0009, 0x1_0000_0005, 0x7_0000_0009, verbs.WCCompSwap},
		{verbs.WRAtomicCmpAndSwp, 1, 2, 0x7_0000_0009, 0x7_0000_0009, verbs.WCCompSwap},
	} {
		wr.Opcode, wr.CompareAdd, wr.Swap = tt.op, tt.add, tt.swap
		_, err := a.PostSend(wr)
		r.must(err)
		wc := r.wantSuccess(r.cq, 1)[0]
		if wc.Opcode != tt.wc || word(8) != tt.before || word(0) != tt.then {
			t.Errorf("%s: %s fetched 0x%x and left 0x%x, want 0x%x and 0x%x", tt.op, wc.Opcode, word(8), word(0),
				tt.before, tt.then)
		}
	}
}

// TestInvalidate shows that the key arrives and that rxe acts on it: rxe invalidates
// only regions that kernel users registered, so the receiver's request ends in
// REM_INV_REQ_ERR although the sender's was acknowledged.
func TestInvalidate(t *testing.T) {
	vmtest.Need(t)
	r := openRig(t)
	buf := r.mr(4096, verbs.LocalWrite)
	target := r.mr(4096, verbs.LocalWrite|verbs.RemoteWrite)
	t.Run("of the peer's region", func(t *testing.T) {
		a, b := r.pair(verbs.RC)
		_, err := b.PostRecv(verbs.RecvWR{WRID: 2, SGList: sge(buf, 0, 64)})
		r.must(err)
		_, err = a.PostSend(verbs.SendWR{
			WRID: 1, Opcode: verbs.WRSendWithInv, SendFlags: verbs.SendSignaled,
			InvalidateKey: target.RKey(), SGList: sge(buf, 64, 8),
		})
		r.must(err)
		want := map[uint64]verbs.WCStatus{1: verbs.WCSuccess, 2: verbs.WCRemInvReqErr}
		for _, wc := range r.completions(r.cq, 2) {
			if wc.Status != want[wc.WRID] {
				t.Errorf("wr_id %d: %s, want %s", wc.WRID, wc.Status, want[wc.WRID])
			}
		}
	})
	status := verbs.WCLocQPOpErr
	if vmtest.KernelAtLeast(t, 6, 4) {
		status = verbs.WCWRFlushErr // see rxeQuirks
	}
	t.Run("of an own region", func(t *testing.T) {
		a, _ := r.pair(verbs.RC)
		_, err := a.PostSend(verbs.SendWR{
			WRID: 3, Opcode: verbs.WRLocalInv, SendFlags: verbs.SendSignaled, InvalidateKey: target.RKey(),
		})
		r.must(err)
		if wc := r.completions(r.cq, 1)[0]; wc.WRID != 3 || wc.Status != status {
			t.Errorf("%+v", wc)
		}
	})
	t.Run("of no region", func(t *testing.T) {
		a, _ := r.pair(verbs.RC)
		_, err := a.PostSend(verbs.SendWR{
			WRID: 4, Opcode: verbs.WRLocalInv, SendFlags: verbs.SendSignaled, InvalidateKey: 0x7fffff00,
		})
		r.must(err)
		if wc := r.completions(r.cq, 1)[0]; wc.WRID != 4 || wc.Status != status {
			t.Errorf("%+v", wc)
		}
	})
}

func TestUnreliableConnection(t *testing.T) {
	vmtest.Need(t)
	r := openRig(t)
	a, b := r.pair(verbs.UC)
	mr := r.mr(4096, verbs.LocalWrite|verbs.RemoteWrite)
	_, err := b.PostRecv(verbs.RecvWR{WRID: 2, SGList: sge(mr, 2048, 2048)})
	r.must(err)
	_, err = a.PostSend(verbs.SendWR{
		WRID: 1, Opcode: verbs.WRSendWithImm, ImmData: 0xa0b0c0d0,
		SendFlags: verbs.SendSignaled, SGList: sge(mr, 0, 1500),
	})
	r.must(err)
	for _, wc := range r.wantSuccess(r.cq, 2) {
		if wc.WRID == 2 && (wc.ByteLen != 1500 || wc.ImmData != 0xa0b0c0d0 || wc.WCFlags&verbs.WCWithImm == 0) {
			t.Errorf("%+v", wc)
		}
	}
}

func TestDatagramNeedsAddress(t *testing.T) {
	vmtest.Need(t)
	r, other := openRig(t), openRig(t)
	qp := r.qp(verbs.UD, r.cq)
	attr := verbs.AHAttr{
		IsGlobal: true, PortNum: 1, GRH: verbs.GlobalRoute{DGID: r.gid.GID, SGIDIndex: uint8(r.gid.Index)},
	}
	foreign, err := other.pd.CreateAH(attr)
	r.must(err)
	other.closeAtEnd(foreign)
	closed, err := r.pd.CreateAH(attr)
	r.must(err)
	r.must(closed.Close())
	for name, tt := range map[string]struct {
		ah   verbs.AH
		want error
	}{"none": {nil, syscall.EINVAL}, "foreign": {foreign, verbs.ErrForeignObject},
		"closed": {closed, verbs.ErrClosed}} {
		if n, err := qp.PostSend(verbs.SendWR{Opcode: verbs.WRSend, AH: tt.ah}); n != 0 || !errors.Is(err, tt.want) {
			t.Errorf("%s: took %d, %v; want %v", name, n, err, tt.want)
		}
	}
}

// TestCloseWhileInUse closes everything while it is in use: each call returns success,
// ErrClosed or the device's own refusal, and nothing crashes.
func TestCloseWhileInUse(t *testing.T) {
	vmtest.Need(t)
	r := openRig(t)
	mr := r.mr(4096, verbs.LocalWrite|verbs.RemoteWrite)
	for range 20 {
		cq, err := r.dev.CreateCQ(verbs.CQSpec{CQE: 4096})
		r.must(err)
		qp := r.qp(verbs.RC, cq)
		r.connect(qp, qp)
		var users sync.WaitGroup
		use := func(call func() error) {
			users.Go(func() {
				for {
					switch err := call(); {
					case errors.Is(err, verbs.ErrClosed):
						return
					case err != nil && !errors.Is(err, syscall.ENOMEM) && !errors.Is(err, syscall.EINVAL):
						t.Error(err)
						return
					}
				}
			})
		}
		write := verbs.SendWR{
			Opcode: verbs.WRRDMAWrite, SendFlags: verbs.SendSignaled | verbs.SendInline, SGList: sge(mr, 0, 8),
			RemoteAddr: mr.Addr(), RKey: mr.RKey(),
		}
		use(func() error { _, err := qp.PostSend(write); return err })
		use(func() error { _, err := qp.PostRecv(verbs.RecvWR{SGList: sge(mr, 0, 8)}); return err })
		use(func() error { _, _, err := qp.Query(verbs.AttrState); return err })
		use(func() error { _, err := cq.Poll(make([]verbs.WC, 32)); return err })
		use(func() error { return cq.ReqNotify(false) })
		if err := cq.Close(); !errors.Is(err, syscall.EBUSY) {
			t.Errorf("closing a CQ in use: %v", err)
		}
		var closers sync.WaitGroup
		for range 2 {
			closers.Go(func() {
				if err := qp.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		closers.Wait()
		r.must(cq.Close())
		users.Wait()
	}
}
