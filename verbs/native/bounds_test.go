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

// TestExtendedInline: max_inline_data bounds the inline data of a request, not other data.
func TestExtendedInline(t *testing.T) {
	f := newFakeExtended(t, verbs.RC)
	f.regions()
	mr := f.region(f.pd())
	// A driver reads other data than inline data by its key alone, wherever it lies.
	if _, err := f.qp.PostSend(verbs.SendWR{Opcode: verbs.WRSend,
		SGList: []verbs.SGE{{Addr: 8, Length: 8}}}); err != nil {
		t.Errorf("data outside the regions: %v", err)
	}
	for _, tt := range []struct {
		flags   verbs.SendFlags
		lengths []uint32
		want    error
	}{
		{verbs.SendInline, []uint32{64}, nil}, {verbs.SendInline, []uint32{32, 32}, nil},
		{verbs.SendInline, []uint32{65}, syscall.EINVAL}, {verbs.SendInline, []uint32{32, 33}, syscall.EINVAL},
		{verbs.SendSignaled, []uint32{65}, nil}, {0, []uint32{2048, 2048}, nil},
	} {
		wr := verbs.SendWR{Opcode: verbs.WRSend, SendFlags: tt.flags}
		for _, n := range tt.lengths {
			wr.SGList = append(wr.SGList, verbs.SGE{Addr: mr.Addr(), Length: n})
		}
		if _, err := f.qp.PostSend(wr); !errors.Is(err, tt.want) || (err == nil) != (tt.want == nil) {
			t.Errorf("%v of %v bytes: %v, want %v", tt.flags, tt.lengths, err, tt.want)
		}
	}
}

// TestExtendedBind: a window that ibv_wr_bind_mw binds has its new key once the batch is accepted.
func TestExtendedBind(t *testing.T) {
	f := newFakeExtended(t, verbs.RC)
	f.regions()
	f.windows()
	f.raw.BindMW = dl.Callback(func(_, _, _, _ uintptr) uintptr { return 0 })
	pd := f.pd()
	mr, mw := f.region(pd), f.window(pd, verbs.MWType2)
	bind := &verbs.BindWR{MW: mw, RKey: firstKey + 1,
		MWBinding: verbs.MWBinding{MR: mr, Addr: mr.Addr(), Length: 8, Access: verbs.RemoteRead}}
	f.answer = int(syscall.ENOMEM)
	for _, want := range []uint32{firstKey, firstKey + 1} {
		_, err := f.qp.PostSend(verbs.SendWR{Opcode: verbs.WRBindMW, Bind: bind})
		if key := mw.RKey(); key != want || (err == nil) != (want != firstKey) {
			t.Errorf("%v: key 0x%x, want 0x%x", err, key, want)
		}
		f.answer = 0
	}
}

// TestClosedQueues: nothing is posted to what is closed, nor taken from it.
func TestClosedQueues(t *testing.T) {
	f := newFakeExtended(t, verbs.RC)
	plain, cq, stamped := f.fakeC.qp(verbs.RC), f.cq(), f.cq().(*completionQueue)
	stamped.stamps = verbs.CQWithTimestamp
	for _, c := range []interface{ Close() error }{f.qp, plain, cq, stamped} {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	send := verbs.SendWR{Opcode: verbs.WRSend}
	for name, call := range map[string]func() (int, error){
		"post_send": func() (int, error) { return plain.PostSend(send) },
		"wr_send":   func() (int, error) { return f.qp.PostSend(send) },
		"post_recv": func() (int, error) { return plain.PostRecv(verbs.RecvWR{}) },
		"poll":      func() (int, error) { return cq.Poll(make([]verbs.WC, 1)) },
		"next_poll": func() (int, error) { return stamped.Poll(make([]verbs.WC, 1)) },
	} {
		if n, err := call(); n != 0 || !errors.Is(err, verbs.ErrClosed) {
			t.Errorf("%s: %d, %v", name, n, err)
		}
	}
	if len(f.calls) != 0 || len(f.sends) != 0 || len(f.recvs) != 0 || len(f.polls) != 0 {
		t.Errorf("C was called: %q, %v, %v, %v", f.calls, f.sends, f.recvs, f.polls)
	}
}

// TestAttributesFail: a query that fails returns no attributes, and no table of GIDs.
func TestAttributesFail(t *testing.T) {
	f := newFakeC(t)
	outer := f.extended()
	outer.QueryDeviceEx = dl.Callback(func(_, _, attr uintptr) uintptr {
		dl.View[abi.DeviceAttrEx](attr).PhysPortCntEx = 3
		return uintptr(f.answer)
	})
	lib := f.dev.lib
	lib.queryDevice = dl.At[dl.ErrnoFunc](lib.dl, dl.Callback(func(_, attr uintptr) uintptr {
		dl.View[abi.DeviceAttr](attr).MaxQP = 7
		return uintptr(f.answer)
	}))
	lib.queryPort = dl.At[dl.ErrnoFunc](lib.dl, dl.Callback(func(_, _, _ uintptr) uintptr { return 0 }))
	asked := 0
	lib.queryGIDTable = dl.At[dl.NegErrnoFunc](lib.dl, dl.Callback(func(uintptr) uintptr { asked++; return 0 }))
	if attr, err := f.dev.QueryDevice(); err != nil || attr.MaxQP != 7 {
		t.Errorf("%+v, %v", attr, err)
	}
	if ex, err := f.dev.QueryDeviceEx(); err != nil || ex.PhysPortCntEx != 3 {
		t.Errorf("%+v, %v", ex, err)
	}
	if rows, err := f.dev.QueryGIDTable(); err != nil || len(rows) != 0 || asked != 0 {
		t.Errorf("ports without rows: %v, %v, asked %d times", rows, err, asked)
	}
	f.answer = int(syscall.EIO)
	if attr, err := f.dev.QueryDevice(); !errors.Is(err, syscall.EIO) || attr != (verbs.DeviceAttr{}) {
		t.Errorf("%+v, %v", attr, err)
	}
	if ex, err := f.dev.QueryDeviceEx(); !errors.Is(err, syscall.EIO) || ex != (verbs.DeviceAttrEx{}) {
		t.Errorf("%+v, %v", ex, err)
	}
	if rows, err := f.dev.QueryGIDTable(); !errors.Is(err, syscall.EIO) || rows != nil {
		t.Errorf("%v, %v", rows, err)
	}
}

// TestNewerRegistration: where the library has it, the call that takes optional rights registers memory.
func TestNewerRegistration(t *testing.T) {
	f := newFakeC(t)
	f.regions()
	var got [5]uintptr
	f.dev.lib.regMRIova2 = dl.At[dl.PointerFunc](f.dev.lib.dl,
		dl.Callback(func(pd, addr, length, iova, access uintptr) uintptr {
			got = [5]uintptr{pd, addr, length, iova, access}
			return f.object()
		}))
	const access = verbs.LocalWrite | verbs.RelaxedOrdering
	pd := f.pd()
	mr, err := pd.RegMR(verbs.MRSpec{Length: 100, Access: access})
	if err != nil {
		t.Fatal(err)
	}
	addr := uintptr(mr.Addr())
	if want := [5]uintptr{pd.(*protectionDomain).ptr, addr, 100, addr, uintptr(access)}; got != want {
		t.Errorf("the library got %x, want %x", got, want)
	}
}

// TestDomainOfTheManagersQP: a queue pair of the connection manager is made in a domain of its own device.
func TestDomainOfTheManagersQP(t *testing.T) {
	f, g := newFakeC(t), newFakeC(t)
	own, closed := f.pd(), f.pd()
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		pd   verbs.PD
		want error
		ptr  uintptr
	}{
		"none": {nil, nil, 0}, "its own": {own, nil, own.(*protectionDomain).ptr},
		"closed":  {closed, verbs.ErrClosed, 0},
		"foreign": {foreign{}, verbs.ErrForeignObject, 0}, "another device's": {g.pd(), verbs.ErrForeignObject, 0},
	} {
		ptr, err := f.dev.pdPointer(tt.pd)
		if !errors.Is(err, tt.want) || err == nil && (tt.want != nil || ptr != tt.ptr) {
			t.Errorf("%s: 0x%x, %v, want 0x%x, %v", name, ptr, err, tt.ptr, tt.want)
		}
	}
}
