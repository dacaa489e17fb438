//go:build linux

package native

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
	"rdmatui/verbs/native/internal/dl"
)

// fakeExtended stands in for the functions of a struct ibv_qp_ex: it records the calls
// with their arguments.
type fakeExtended struct {
	*fakeC
	qp      *queuePair
	raw     *abi.QPEx
	calls   []string
	inlined []uintptr // addresses of inline data
	answer  int       // of wr_complete
}

func newFakeExtended(t *testing.T, typ verbs.QPType) *fakeExtended {
	f := &fakeExtended{fakeC: newFakeC(t)}
	f.qp = f.fakeC.qp(typ).(*queuePair)
	f.qp.ex, f.qp.ops, f.qp.cap.MaxInlineData = f.object(), 1<<13-1, 64
	f.raw = dl.View[abi.QPEx](f.qp.ex)
	note := func(name string, args ...any) uintptr {
		for i, a := range args {
			args[i] = fmt.Sprintf(" 0x%x", a)
		}
		f.calls = append(f.calls, name+fmt.Sprint(args...))
		return 0
	}
	begin := func(name string, args ...any) uintptr {
		note(name, args...)
		f.calls[len(f.calls)-1] = fmt.Sprintf("%d:%d ", f.raw.WRID, f.raw.WRFlags) + f.calls[len(f.calls)-1]
		return 0
	}
	f.raw.Start = dl.Callback(func(uintptr) uintptr { return note("start") })
	f.raw.Abort = dl.Callback(func(uintptr) uintptr { return note("abort") })
	f.raw.Complete = dl.Callback(func(uintptr) uintptr { note("complete"); return uintptr(f.answer) })
	f.raw.Send = dl.Callback(func(uintptr) uintptr { return begin("send") })
	f.raw.SendImm = dl.Callback(func(_, imm uintptr) uintptr { return begin("send_imm", uint32(imm)) })
	f.raw.LocalInv = dl.Callback(func(_, key uintptr) uintptr { return begin("local_inv", uint32(key)) })
	f.raw.RDMAWriteImm = dl.Callback(func(_, key, addr, imm uintptr) uintptr {
		return begin("write_imm", uint32(key), addr, uint32(imm))
	})
	f.raw.AtomicCmpSwp = dl.Callback(func(_, key, addr, compare, swap uintptr) uintptr {
		return begin("cmp_swp", uint32(key), addr, compare, swap)
	})
	f.raw.AtomicWrite = dl.Callback(func(_, key, addr, data uintptr) uintptr {
		return begin("atomic_write", uint32(key), addr, *dl.View[uint64](data))
	})
	*(*uintptr)(unsafe.Add(unsafe.Pointer(f.raw), unsafe.Sizeof(*f.raw)-unsafe.Sizeof(uintptr(0)))) = dl.Callback(
		func(_, key, addr, n, typ, level uintptr) uintptr {
			return begin("flush", uint32(key), addr, n, uint8(typ), uint8(level))
		})
	f.raw.SetUDAddr = dl.Callback(func(_, _, qpn, qkey uintptr) uintptr {
		return note("ud", uint32(qpn), uint32(qkey))
	})
	f.raw.SetSGEList = dl.Callback(func(_, n, list uintptr) uintptr {
		for _, e := range elements(list, int32(n)) {
			note("sge", e.Addr, e.Length, e.LKey)
		}
		return note("sges", n)
	})
	f.raw.SetInlineData = dl.Callback(func(_, addr, n uintptr) uintptr {
		f.inlined = append(f.inlined, addr)
		return note("inline", unsafe.Slice(dl.View[byte](addr), n))
	})
	return f
}

// memory is 8 bytes that the device accepts as a region.
func (f *fakeExtended) memory(v uint64) uint64 {
	mem, err := dl.NewMem(64)
	if err != nil {
		f.Fatal(err)
	}
	*dl.View[uint64](mem.Addr()) = v
	f.dev.regions.add(uint64(mem.Addr()), mem)
	return uint64(mem.Addr())
}

// TestExtendedRequestsReachC checks the calls that each kind of request makes on its
// queue pair.
func TestExtendedRequestsReachC(t *testing.T) {
	f := newFakeExtended(t, verbs.RC)
	data := f.memory(0x1122334455667788)
	list := []verbs.SGE{{Addr: data, Length: 8, LKey: 7}}
	base := verbs.SendWR{
		RemoteAddr: 0x1000, RKey: 0xffffffff, ImmData: 0x01020304, InvalidateKey: 9, CompareAdd: 5, Swap: 6,
		SendFlags: verbs.SendSignaled, SGList: list,
	}
	wrs := make([]verbs.SendWR, 0, 8)
	for i, op := range []verbs.WROpcode{verbs.WRSend, verbs.WRSendWithImm, verbs.WRRDMAWriteWithImm,
		verbs.WRAtomicCmpAndSwp, verbs.WRAtomicWrite, verbs.WRFlush, verbs.WRLocalInv} {
		wr := base
		if wr.Opcode, wr.WRID = op, uint64(i); op == verbs.WRFlush || op == verbs.WRLocalInv {
			wr.SGList = nil
		}
		wrs = append(wrs, wr)
	}
	wrs[0].SendFlags |= verbs.SendInline | verbs.SendFence
	wrs[1].SendFlags |= verbs.SendInline
	wrs[1].SGList = []verbs.SGE{{Addr: data, Length: 2}, {Addr: data + 5, Length: 0}, {Addr: data + 5, Length: 3}}
	wrs[5].Flush = verbs.FlushWR{Length: 1<<32 - 1, Type: verbs.FlushToPersistent, Level: verbs.FlushMR}
	if n, err := f.qp.PostSend(wrs...); n != len(wrs) || err != nil {
		t.Fatal(n, err)
	}
	sges := fmt.Sprintf("sge 0x%x 0x8 0x7, sges 0x1", data)
	want := "start, 0:11 send, inline 0x8877665544332211, 1:10 send_imm 0x4030201, inline 0x8877332211, 2:2 write_imm 0xffffffff 0x1000 0x4030201, " + sges +
		", 3:2 cmp_swp 0xffffffff 0x1000 0x5 0x6, " + sges + ", 4:2 atomic_write 0xffffffff 0x1000 0x1122334455667788" +
		", 5:2 flush 0xffffffff 0x1000 0xffffffff 0x2 0x1, 6:2 local_inv 0x9, complete"
	if got := strings.Join(f.calls, ", "); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if len(f.sends) > 0 {
		t.Errorf("%d calls of post_send", len(f.sends))
	}
	// The elements are joined in memory that the queue pair keeps: a goroutine's stack may move during the call.
	kept := f.qp.inlined
	if len(kept) == 0 || f.inlined[1] != uintptr(unsafe.Pointer(unsafe.SliceData(kept[len(kept)-1]))) {
		t.Errorf("the joined elements are not among the %d blocks that are kept", len(kept))
	}
}

func TestExtendedDatagram(t *testing.T) {
	f := newFakeExtended(t, verbs.UD)
	ah, err := f.pd().CreateAH(verbs.AHAttr{})
	if err != nil {
		t.Fatal(err)
	}
	if n, err := f.qp.PostSend(verbs.SendWR{Opcode: verbs.WRSend, AH: ah, RemoteQPN: 0x123456,
		RemoteQKey: 0x11111111}); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	if got, want := strings.Join(f.calls, ", "),
		"start, 0:0 send, ud 0x123456 0x11111111, sges 0x0, complete"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// TestExtendedRuns: consecutive requests of one kind are posted together; a refused
// request ends its run.
func TestExtendedRuns(t *testing.T) {
	flush := verbs.SendWR{Opcode: verbs.WRFlush}
	send := verbs.SendWR{Opcode: verbs.WRSend}
	for _, tt := range []struct {
		name   string
		wrs    []verbs.SendWR
		ops    verbs.SendOps
		answer syscall.Errno
		posted int
		err    error
		calls  string
		sends  int // by ibv_post_send
	}{
		{"mixed", []verbs.SendWR{send, flush, flush, send}, verbs.WRFlush.SendOp(), 0, 4, nil,
			"start flush flush complete", 2},
		{"refused as a whole", []verbs.SendWR{send, flush, flush, send}, verbs.WRFlush.SendOp(), syscall.ENOMEM, 1,
			syscall.ENOMEM, "start flush flush complete", 1},
		{"one that cannot be built", []verbs.SendWR{flush, {Opcode: verbs.WRFlush, SGList: make([]verbs.SGE, 1)},
			flush}, 1<<13 - 1, 0, 1, syscall.EINVAL, "start flush complete", 0},
		{"the first cannot be built", []verbs.SendWR{{Opcode: verbs.WRAtomicWrite}, flush}, 1<<13 - 1, 0, 0,
			syscall.EINVAL, "start abort", 0},
		{"bytes of no region", []verbs.SendWR{{Opcode: verbs.WRAtomicWrite, SGList: []verbs.SGE{{Addr: 8, Length: 8}}}},
			1<<13 - 1, 0, 0, syscall.EFAULT, "start abort", 0},
		{"INLINE", []verbs.SendWR{{Opcode: verbs.WRFlush, SendFlags: verbs.SendInline}}, 1<<13 - 1, 0, 0,
			syscall.EINVAL, "start abort", 0},
		{"a segment", []verbs.SendWR{{Opcode: verbs.WRTSO}}, 1<<13 - 1, 0, 0, verbs.ErrUnsupported, "start abort", 0},
		{"a function that is not there", []verbs.SendWR{{Opcode: verbs.WRRDMARead}}, 1<<13 - 1, 0, 0,
			verbs.ErrUnsupported, "start abort", 0},
		{"one that was not asked for", []verbs.SendWR{send, flush}, verbs.WRAtomicWrite.SendOp(), 0, 1,
			verbs.ErrUnsupported, "", 1},
		{"none was asked for", []verbs.SendWR{flush}, 0, 0, 0, verbs.ErrUnsupported, "", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFakeExtended(t, verbs.RC)
			f.qp.ops, f.answer = tt.ops, int(tt.answer)
			n, err := f.qp.PostSend(tt.wrs...)
			if n != tt.posted || !errors.Is(err, tt.err) {
				t.Errorf("%d, %v; want %d, %v", n, err, tt.posted, tt.err)
			}
			var calls []string
			for _, c := range f.calls {
				_, name, ok := strings.Cut(c, ":0 ")
				if !ok {
					name = c
				}
				calls = append(calls, strings.Fields(name)[0])
			}
			if got := strings.Join(calls, " "); got != tt.calls || len(slices.Concat(f.sends...)) != tt.sends {
				t.Errorf("%s, and %d by ibv_post_send; want %s, and %d", got, len(slices.Concat(f.sends...)),
					tt.calls, tt.sends)
			}
		})
	}
}
