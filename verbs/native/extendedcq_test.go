//go:build linux

package native

import (
	"errors"
	"syscall"
	"testing"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
	"rdmatui/verbs/native/internal/dl"
)

// TestExtendedCompletions reads completions field by field: few fields if one failed,
// and each between a start and an end.
func TestExtendedCompletions(t *testing.T) {
	f := newFakeC(t)
	cq := f.cq().(*completionQueue)
	cq.stamps = verbs.CQWithTimestamp | verbs.CQWithWallclock
	cq.poll.cq = f.object()
	raw := dl.View[abi.CQEx](cq.poll.cq)
	answers := []struct {
		status uint32
		flags  verbs.WCFlags
	}{{0, verbs.WCWithImm}, {uint32(verbs.WCRetryExcErr), 0}, {0, verbs.WCWithInv}, {0, 0}}
	at, open, failure := -1, 0, syscall.ENOENT
	field := func(v uint64) uintptr {
		return dl.Callback(func(uintptr) uintptr {
			if open != 1 || answers[at].status != 0 {
				t.Errorf("field 0x%x of completion %d is read, open %d", v, at, open)
			}
			return uintptr(v)
		})
	}
	raw.StartPoll = dl.Callback(func(_, attr uintptr) uintptr {
		if dl.View[abi.PollCQAttr](attr).CompMask != 0 || open != 0 {
			t.Error("comp_mask is set, or the poll before has not ended")
		}
		if at+1 == len(answers) {
			return uintptr(failure)
		}
		at, open = at+1, 1
		raw.WRID, raw.Status = uint64(7+at), answers[at].status
		return 0
	})
	raw.EndPoll = dl.Callback(func(uintptr) uintptr { open--; return 0 })
	raw.ReadVendorErr = dl.Callback(func(uintptr) uintptr { return 0x88 })
	raw.ReadQPNum = dl.Callback(func(uintptr) uintptr { return 0x11 })
	raw.ReadWCFlags = dl.Callback(func(uintptr) uintptr { return uintptr(answers[at].flags) })
	raw.ReadOpcode, raw.ReadByteLen, raw.ReadImmData = field(128), field(5), field(0x04030201)
	raw.ReadSrcQP, raw.ReadSLID, raw.ReadSL, raw.ReadDLIDPathBits = field(0x123456), field(0x4567), field(9), field(3)
	raw.ReadCompletionTS, raw.ReadCompletionWallclockNS = field(1<<40), field(1<<60)
	wcs := make([]verbs.WC, 8)
	n, err := cq.Poll(wcs[:2])
	if n != 2 || err != nil {
		t.Fatal(n, err)
	}
	ok := verbs.WC{WRID: 7, VendorErr: 0x88, QPNum: 0x11, Opcode: verbs.WCRecv, ByteLen: 5,
		WCFlags: verbs.WCWithImm, ImmData: 0x01020304, SrcQP: 0x123456, SLID: 0x4567, SL: 9, DLIDPathBits: 3,
		Stamps: cq.stamps, CompletionTS: 1 << 40, CompletionWallclockNS: 1 << 60}
	if wcs[0] != ok {
		t.Errorf("%+v\nwant %+v", wcs[0], ok)
	}
	if want := (verbs.WC{WRID: 8, Status: verbs.WCRetryExcErr, VendorErr: 0x88, QPNum: 0x11}); wcs[1] != want {
		t.Errorf("%+v\nwant %+v", wcs[1], want)
	}
	if n, err = cq.Poll(wcs); n != 2 || err != nil || wcs[0].InvalidatedRKey != 0x04030201 || wcs[0].ImmData != 0 ||
		wcs[1].InvalidatedRKey != 0 || wcs[1].ImmData != 0 || wcs[1].ByteLen != 5 {
		t.Errorf("%d, %v, %+v", n, err, wcs[:2])
	}
	failure = syscall.EIO
	if n, err = cq.Poll(wcs); n != 0 || !errors.Is(err, syscall.EIO) {
		t.Errorf("%d, %v; want EIO", n, err)
	}
}

// TestExtendedQueueIsNotMade: the library has no such function.
func TestExtendedQueueIsNotMade(t *testing.T) {
	f := newFakeC(t)
	if _, err := f.dev.CreateCQ(verbs.CQSpec{CQE: 4, WCFlags: verbs.CQWithTimestamp}); !errors.Is(err,
		syscall.EOPNOTSUPP) {
		t.Errorf("%v", err)
	}
	cq := f.cq()
	if _, err := f.pd().CreateQP(verbs.QPSpec{QPType: verbs.RC, SendCQ: cq, RecvCQ: cq,
		SendOps: verbs.WRFlush.SendOp()}); !errors.Is(err, syscall.EOPNOTSUPP) {
		t.Errorf("%v", err)
	}
}
