//go:build linux

package native

import (
	"errors"
	"slices"
	"syscall"
	"testing"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
	"rdmatui/verbs/native/internal/dl"
	"rdmatui/verbs/verbstest/race"
)

func TestSendRequestsReachC(t *testing.T) {
	const target, key = 0x1122334455667788, 0x99aabbcc
	ah := abi.SendUD{RemoteQPN: 0x123456, RemoteQKey: 0x11111111}
	base := verbs.SendWR{
		WRID: 1<<63 + 7, SendFlags: verbs.SendSignaled | verbs.SendFence, ImmData: 0x01020304,
		InvalidateKey: 0x05060708, RemoteAddr: target, RKey: key, CompareAdd: 0xc0c0, Swap: 0x5a5a,
		RemoteQPN: 0x123456, RemoteQKey: 0x11111111,
	}
	imm, inv := [4]byte{1, 2, 3, 4}, [4]byte{8, 7, 6, 5}
	rdma := func(w *abi.SendWR) { w.SetRDMA(abi.SendRDMA{RemoteAddr: target, RKey: key}) }
	atomic := func(w *abi.SendWR) {
		w.SetAtomic(abi.SendAtomic{RemoteAddr: target, CompareAdd: 0xc0c0, Swap: 0x5a5a, RKey: key})
	}
	none := func(*abi.SendWR) {}
	for _, tt := range []struct {
		typ    verbs.QPType
		op     verbs.WROpcode
		imm    [4]byte
		target func(*abi.SendWR)
	}{
		{verbs.RC, verbs.WRSend, [4]byte{}, none},
		{verbs.RC, verbs.WRSendWithImm, imm, none},
		{verbs.RC, verbs.WRSendWithInv, inv, none},
		{verbs.RC, verbs.WRLocalInv, inv, none},
		{verbs.RC, verbs.WRRDMAWrite, [4]byte{}, rdma},
		{verbs.RC, verbs.WRRDMAWriteWithImm, imm, rdma},
		{verbs.RC, verbs.WRRDMARead, [4]byte{}, rdma},
		{verbs.RC, verbs.WRAtomicCmpAndSwp, [4]byte{}, atomic},
		{verbs.RC, verbs.WRAtomicFetchAndAdd, [4]byte{}, atomic},
		{verbs.UD, verbs.WRSendWithImm, imm, func(w *abi.SendWR) { w.SetUD(ah) }},
		{verbs.UD, verbs.WRRDMAWrite, [4]byte{}, func(w *abi.SendWR) { w.SetUD(ah) }}, // the driver has to refuse it
	} {
		t.Run(tt.typ.String()+" "+tt.op.String(), func(t *testing.T) {
			f := newFakeC(t)
			wr := base
			wr.Opcode = tt.op
			if tt.typ == verbs.UD {
				a, err := f.pd().CreateAH(verbs.AHAttr{})
				if err != nil {
					t.Fatal(err)
				}
				wr.AH, ah.AH = a, a.(*addressHandle).ptr
			}
			if n, err := f.qp(tt.typ).PostSend(wr); n != 1 || err != nil {
				t.Fatal(n, err)
			}
			want := abi.SendWR{
				WRID: 1<<63 + 7, Opcode: uint32(tt.op),
				SendFlags: uint32(verbs.SendSignaled | verbs.SendFence), Imm: tt.imm,
			}
			tt.target(&want)
			if got := f.sends[0][0]; got != want {
				t.Errorf("%+v\nwant %+v", got, want)
			}
		})
	}
}

// TestChainsAreCutAtTheRoom posts more requests and elements than one call into C
// takes.
func TestChainsAreCutAtTheRoom(t *testing.T) {
	f := newFakeC(t)
	qp := f.qp(verbs.RC)
	var wrs []verbs.SendWR
	var recvs []verbs.RecvWR
	var want [][]abi.SGE
	for i := range uint64(200) {
		var list []verbs.SGE
		var raw []abi.SGE
		for j := range i % 9 {
			e := abi.SGE{Addr: i<<16 | j, Length: uint32(i + j), LKey: uint32(j)}
			raw, list = append(raw, e), append(list, verbs.SGE(e))
		}
		if i == 150 { // more elements than a whole batch has
			list, raw = make([]verbs.SGE, 1000), make([]abi.SGE, 1000)
			list[999].LKey, raw[999].LKey = 9, 9
		}
		wrs = append(wrs, verbs.SendWR{WRID: i, Opcode: verbs.WRSend, SGList: list})
		recvs = append(recvs, verbs.RecvWR{WRID: i, SGList: list})
		want = append(want, raw)
	}
	if n, err := qp.PostSend(wrs...); n != 200 || err != nil {
		t.Fatalf("PostSend took %d: %v", n, err)
	}
	if n, err := qp.PostRecv(recvs...); n != 200 || err != nil {
		t.Fatalf("PostRecv took %d: %v", n, err)
	}
	if len(f.sends) > 8 || len(f.recvs) != len(f.sends) {
		t.Errorf("%d and %d calls for 200 requests", len(f.sends), len(f.recvs))
	}
	sends, received := slices.Concat(f.sends...), slices.Concat(f.recvs...)
	for i := range want {
		if sends[i].WRID != uint64(i) || received[i].WRID != uint64(i) || !slices.Equal(f.sendSGEs[i], want[i]) {
			t.Fatalf("request %d arrived as %+v %+v with %d elements", i, sends[i], received[i], len(f.sendSGEs[i]))
		}
	}
}

// TestSmallQueues: a chain is cut at the size of the queue, which is at least one request.
func TestSmallQueues(t *testing.T) {
	for _, tt := range []struct {
		granted abi.QPCap
		calls   int // for 7 requests of 2 elements
	}{
		{abi.QPCap{}, 7},
		{abi.QPCap{MaxSendWR: 3, MaxRecvWR: 3, MaxSendSGE: 2, MaxRecvSGE: 2}, 3},
		{abi.QPCap{MaxSendWR: 3, MaxRecvWR: 3}, 7}, // room for 3 elements
		{abi.QPCap{MaxSendWR: 1 << 31, MaxRecvWR: 1 << 31, MaxSendSGE: 1 << 31, MaxRecvSGE: 1 << 31}, 1},
	} {
		f := newFakeC(t)
		f.granted = tt.granted
		var sends []verbs.SendWR
		var recvs []verbs.RecvWR
		qp, list := f.qp(verbs.RC), []verbs.SGE{{Addr: 1, Length: 1}, {Addr: 2, Length: 2}}
		for n := range uint64(7) {
			sends = append(sends, verbs.SendWR{WRID: n, Opcode: verbs.WRSend, SGList: list})
			recvs = append(recvs, verbs.RecvWR{WRID: n, SGList: list})
		}
		if n, err := qp.PostSend(sends...); n != 7 || err != nil || len(f.sends) != tt.calls {
			t.Errorf("%+v: %d SENDs in %d calls, %v", tt.granted, n, len(f.sends), err)
		}
		if n, err := qp.PostRecv(recvs...); n != 7 || err != nil || len(f.recvs) != tt.calls {
			t.Errorf("%+v: %d RECVs in %d calls, %v", tt.granted, n, len(f.recvs), err)
		}
	}
}

func TestTheRefusedRequestIsCounted(t *testing.T) {
	wrs := make([]verbs.SendWR, 100)
	for i := range wrs {
		wrs[i] = verbs.SendWR{WRID: uint64(i), Opcode: verbs.WRSend}
	}
	for _, place := range []int{0, 1, 63} {
		f := newFakeC(t)
		f.refuse = place
		n, err := f.qp(verbs.RC).PostSend(wrs...)
		if n != place || !errors.Is(err, syscall.ENOMEM) || len(f.sends) != 1 {
			t.Errorf("refused at %d: took %d in %d calls, %v", place, n, len(f.sends), err)
		}
	}
	t.Run("the driver negates errno and names none", func(t *testing.T) {
		f := newFakeC(t)
		qp := f.qp(verbs.RC)
		f.answer = int(syscall.ENOMEM)
		if n, err := qp.PostRecv(make([]verbs.RecvWR, 3)...); n != 0 || !errors.Is(err, syscall.ENOMEM) {
			t.Errorf("took %d, %v; want 0, ENOMEM", n, err)
		}
	})
	t.Run("one that cannot be passed to C", func(t *testing.T) {
		f := newFakeC(t)
		bad := slices.Clone(wrs)
		bad[90].Opcode = verbs.WRTSO
		n, err := f.qp(verbs.RC).PostSend(bad...)
		if n != 90 || !errors.Is(err, verbs.ErrUnsupported) || len(slices.Concat(f.sends...)) != 90 {
			t.Errorf("took %d, %v; want 90 and ErrUnsupported", n, err)
		}
	})
}

func TestPollInBatches(t *testing.T) {
	f := newFakeC(t)
	cq := f.cq()
	for i := range 100 {
		f.completions = append(f.completions, abi.WC{WRID: uint64(i)})
	}
	wcs := make([]verbs.WC, 80)
	n, err := cq.Poll(wcs)
	if n != 80 || err != nil || wcs[0].WRID != 0 || wcs[79].WRID != 79 {
		t.Errorf("%d, %v, %v", n, err, wcs)
	}
	if n, err = cq.Poll(wcs); n != 20 || err != nil || wcs[19].WRID != 99 {
		t.Errorf("%d, %v", n, err)
	}
	if n, err = cq.Poll(nil); n != 0 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if want := []int{64, 16, 64}; !slices.Equal(f.polls, want) {
		t.Errorf("C was asked for %v, want %v", f.polls, want)
	}
	f.pollAnswer = -2
	var op *verbs.OpError
	if _, err := cq.Poll(wcs); !errors.As(err, &op) || op.Op != "ibv_poll_cq" {
		t.Errorf("%v", err)
	}
}

func TestHotPathDoesNotAllocate(t *testing.T) {
	f := newFakeC(t)
	qp, cq := f.qp(verbs.RC), f.cq()
	abs := mustBindAbs(t, f.dev.lib.dl)
	qp.(*queuePair).sq.post, qp.(*queuePair).rq.post = newPostFunc(abs.errno, dl.NewPace(nil)),
		newPostFunc(abs.errno, dl.NewPace(nil))
	cq.(*completionQueue).poll.fn = abs.count.AtOnce(dl.NewPace(nil))
	// abs(0): success
	qp.(*queuePair).sq.ptr, qp.(*queuePair).rq.ptr, cq.(*completionQueue).poll.cq = 1<<32, 1<<32, 1<<32
	sends := []verbs.SendWR{{Opcode: verbs.WRSend, SGList: make([]verbs.SGE, 2)}, {Opcode: verbs.WRRDMAWrite}}
	recvs := make([]verbs.RecvWR, 3)
	wcs := make([]verbs.WC, 16)
	n := testing.AllocsPerRun(1000, func() {
		_, err1 := qp.PostSend(sends...)
		_, err2 := qp.PostRecv(recvs...)
		_, err3 := cq.Poll(wcs)
		if err := errors.Join(err1, err2, err3); err != nil {
			t.Fatal(err)
		}
	})
	if n != 0 && !(race.Enabled && plainCalls()) {
		t.Errorf("%v allocations", n)
	}
}

// TestShortAndLongPosts checks which call posts a chain.
func TestShortAndLongPosts(t *testing.T) {
	f := newFakeC(t)
	calls := map[string]int{}
	way := func(name string) dl.ErrnoFunc {
		return dl.At[dl.ErrnoFunc](f.dev.lib.dl, dl.Callback(func(_, _, _ uintptr) uintptr {
			calls[name]++
			return 0
		}))
	}
	f.dev.ops.postSend = postFunc{short: way("short"), long: way("long")}
	qp := f.qp(verbs.RC)
	for _, tt := range []struct {
		requests int
		bytes    uint32 // per request
		want     string
	}{{1, 0, "short"}, {1, 65536, "short"}, {1, 65537, "long"}, {2, 32769, "long"}, {8, 1, "short"}, {9, 1, "long"},
		{2, 1 << 31, "long"}, {1, 64, "short"}} {
		clear(calls)
		wrs := make([]verbs.SendWR, tt.requests)
		for i := range wrs {
			wrs[i] = verbs.SendWR{Opcode: verbs.WRSend, SGList: []verbs.SGE{{Length: tt.bytes}}}
		}
		if _, err := qp.PostSend(wrs...); err != nil {
			t.Fatal(err)
		}
		if len(calls) != 1 || calls[tt.want] != 1 {
			t.Errorf("%d requests of %d bytes: %v, want one %s", tt.requests, tt.bytes, calls, tt.want)
		}
	}
}
