//go:build linux

package native

import (
	"errors"
	"syscall"
	"testing"
	"unsafe"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
	"rdmatui/verbs/native/internal/dl"
)

// fakeMemory is device memory below a context that has the slots for it.
type fakeMemory struct {
	*fakeC
	asked abi.AllocDMAttr
	bytes [64]byte
	reg   []uintptr // arguments of the latest reg_dm_mr
}

func newFakeMemory(t *testing.T) *fakeMemory {
	f := &fakeMemory{fakeC: newFakeC(t)}
	f.regions()
	outer := f.extended()
	outer.AllocDM = dl.Callback(func(_, attr uintptr) uintptr {
		f.asked = *dl.View[abi.AllocDMAttr](attr)
		if f.answer != 0 {
			return 0
		}
		ptr := f.object()
		*dl.View[abi.DM](ptr) = abi.DM{Handle: 3,
			MemcpyToDM: dl.Callback(func(_, off, from, n uintptr) uintptr {
				copy(f.bytes[off:], unsafe.Slice(dl.View[byte](from), n))
				return uintptr(f.answer)
			}),
			MemcpyFromDM: dl.Callback(func(to, _, off, n uintptr) uintptr {
				copy(unsafe.Slice(dl.View[byte](to), n), f.bytes[off:])
				return uintptr(f.answer)
			}),
		}
		return ptr
	})
	outer.FreeDM = dl.Callback(f.destroy)
	outer.RegDMMR = dl.Callback(func(_, dm, off, length, access uintptr) uintptr {
		f.reg = []uintptr{dm, off, length, access}
		if f.answer != 0 {
			return 0
		}
		ptr := f.object()
		*dl.View[abi.MR](ptr) = abi.MR{LKey: 1, RKey: 2}
		return ptr
	})
	return f
}

// TestDeviceMemoryReachesC checks the arguments that each call passes to C, and the
// results that it returns.
func TestDeviceMemoryReachesC(t *testing.T) {
	f := newFakeMemory(t)
	dm, err := f.dev.AllocDM(verbs.DMSpec{Length: 64, LogAlignReq: 4})
	if err != nil || f.asked != (abi.AllocDMAttr{Length: 64, LogAlignReq: 4}) {
		t.Fatalf("%v, asked for %+v", err, f.asked)
	}
	if n, err := dm.WriteAt([]byte("hello"), 8); n != 5 || err != nil || string(f.bytes[8:13]) != "hello" {
		t.Errorf("%d, %v: %q", n, err, f.bytes[:16])
	}
	got := make([]byte, 4)
	if n, err := dm.ReadAt(got, 9); n != 4 || err != nil || string(got) != "ello" {
		t.Errorf("%d, %v: %q", n, err, got)
	}
	const access = verbs.LocalWrite | verbs.ZeroBased
	pd := f.pd()
	mr, err := pd.RegMR(verbs.MRSpec{
		Access: access, Backing: verbs.Backing{Kind: verbs.DeviceMemory, DM: dm, Offset: 16},
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := []uintptr{dm.(*deviceMemory).ptr, 16, 48, uintptr(access)}; [4]uintptr(f.reg) != [4]uintptr(want) {
		t.Errorf("registered with %x, want %x", f.reg, want)
	}
	if mr.Addr() != 0 || mr.Spec().Length != 48 || mr.LKey() != 1 || mr.RKey() != 2 {
		t.Errorf("0x%x, %+v", mr.Addr(), mr.Spec())
	}
	qp := f.qp(verbs.RC)
	if _, err := qp.PostSend(verbs.SendWR{Opcode: verbs.WRSend, SendFlags: verbs.SendInline,
		SGList: []verbs.SGE{{Addr: 0, Length: 8, LKey: 1}}}); !errors.Is(err, syscall.EFAULT) {
		t.Errorf("inline data of device memory: %v, want EFAULT", err)
	}
	f.answer = int(syscall.EBUSY)
	var busy *verbs.BusyError
	if err := dm.Close(); !errors.As(err, &busy) || len(busy.UsedBy) != 1 {
		t.Errorf("%v, want a busy error with the region", err)
	}
	f.answer = int(syscall.EINVAL)
	for name, err := range map[string]error{
		"copy":     func() error { _, err := dm.WriteAt(got, 0); return err }(),
		"allocate": func() error { _, err := f.dev.AllocDM(verbs.DMSpec{Length: 1}); return err }(),
		"register": func() error {
			_, err := pd.RegMR(verbs.MRSpec{Length: 1, Backing: verbs.Backing{Kind: verbs.DeviceMemory, DM: dm}})
			return err
		}(),
	} {
		var failed *verbs.OpError
		if !errors.As(err, &failed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	f.answer = 0
	if err := errors.Join(mr.Close(), mr.Close(), dm.Close(), dm.Close()); err != nil {
		t.Error(err)
	}
	if _, err := dm.ReadAt(got, 0); !errors.Is(err, verbs.ErrClosed) {
		t.Errorf("after Close: %v, want ErrClosed", err)
	}
}

// TestNoDeviceMemory: the error says that the library or driver lacks the calls.
func TestNoDeviceMemory(t *testing.T) {
	f := newFakeC(t)
	if _, err := f.dev.AllocDM(verbs.DMSpec{Length: 64}); !errors.Is(err, verbs.ErrUnsupported) {
		t.Errorf("%v, want ErrUnsupported", err)
	}
	if _, err := f.pd().RegMR(verbs.MRSpec{Length: 64, Backing: verbs.Backing{Kind: verbs.DeviceMemory}}); !errors.Is(
		err, verbs.ErrForeignObject) {
		t.Errorf("%v, want ErrForeignObject", err)
	}
}
