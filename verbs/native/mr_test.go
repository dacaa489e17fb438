//go:build linux

package native

import (
	"errors"
	"syscall"
	"testing"

	"rdmatui/verbs"
	"rdmatui/verbs/memory"
	"rdmatui/verbs/native/internal/abi"
	"rdmatui/verbs/native/internal/dl"
)

// regions makes the library register memory, or refuse it.
func (f *fakeC) regions() {
	so := f.dev.lib.dl
	f.dev.lib.regMR = dl.At[dl.PointerFunc](so, dl.Callback(func(_, addr, length, access uintptr) uintptr {
		f.access = verbs.Access(access)
		if f.answer != 0 {
			return 0
		}
		ptr := f.object()
		*dl.View[abi.MR](ptr) = abi.MR{Addr: addr, Length: uint64(length), LKey: 1, RKey: 2}
		return ptr
	}))
	f.dev.lib.deregMR = dl.At[dl.ErrnoFunc](so, dl.Callback(f.destroy))
	f.dev.lib.reregMR = dl.At[dl.CountFunc](so, dl.Callback(func(uintptr) uintptr {
		if f.answer != 0 {
			return ^uintptr(0) // nothing was read or written
		}
		return 0
	}))
}

// TestAccessReachesC: the library gets the access flags unchanged, except those that
// only a newer function accepts.
func TestAccessReachesC(t *testing.T) {
	f := newFakeC(t)
	f.regions()
	for access, want := range map[verbs.Access]verbs.Access{
		verbs.LocalWrite | verbs.OnDemand:                         verbs.LocalWrite | verbs.OnDemand,
		verbs.LocalWrite | verbs.OnDemand | verbs.RelaxedOrdering: verbs.LocalWrite | verbs.OnDemand,
	} {
		mr, err := f.pd().RegMR(verbs.MRSpec{Length: 1 << 20, Access: access})
		if err != nil || f.access != want || mr.Spec().Access != access {
			t.Fatalf("%s: %v, the library got %s", access, err, f.access)
		}
		if err := mr.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestBufferReachesC: a dma-buf is registered by its descriptor, for its address in the
// process.
func TestBufferReachesC(t *testing.T) {
	f := newFakeC(t)
	mem, err := dl.NewMem(8192)
	if err != nil {
		t.Fatal(err)
	}
	defer mem.Close()
	spec := verbs.MRSpec{
		Access: verbs.LocalWrite | verbs.RemoteRead, Backing: verbs.Backing{Kind: verbs.DMABuf, FD: 5, Offset: 4096},
	}
	if _, err := f.dev.lib.registerBuffer(1, 7, mem, &spec); !errors.Is(err, dl.ErrUnbound) {
		t.Errorf("a library without the function: %v", err)
	}
	var got [6]uintptr
	f.dev.lib.regDMABufMR = dl.At[dl.PointerFunc](f.dev.lib.dl,
		dl.Callback(func(pd, offset, length, iova, fd, access uintptr) uintptr {
			got = [6]uintptr{pd, offset, length, iova, fd, access}
			return f.object()
		}))
	if _, err := f.dev.lib.registerBuffer(1, 7, mem, &spec); err != nil {
		t.Fatal(err)
	}
	if want := [6]uintptr{1, 4096, 8192, mem.Addr(), 7, uintptr(spec.Access)}; got != want {
		t.Errorf("the library got %x, want %x", got, want)
	}
}

// TestRegionsTakeFromTheBudget registers memory, changes it and fails in each way: the
// budget always matches the regions' sizes.
func TestRegionsTakeFromTheBudget(t *testing.T) {
	f := newFakeC(t)
	f.regions()
	pd := f.pd()
	budget := memory.OfProcess()
	start := budget.Used()
	taken := func(step string, want uint64) {
		t.Helper()
		if got := budget.Used() - start; got != want {
			t.Errorf("%s: the budget has %d bytes taken, want %d", step, got, want)
		}
	}
	mr, err := pd.RegMR(verbs.MRSpec{Length: 10_000})
	if err != nil {
		t.Fatal(err)
	}
	taken("registered", 10_000)
	for _, length := range []uint64{budget.Limit(), 1 << 62} {
		var full *memory.Error
		_, err := pd.RegMR(verbs.MRSpec{Length: length})
		if !errors.Is(err, syscall.ENOMEM) || !errors.As(err, &full) {
			t.Errorf("%d bytes: %v", length, err)
		}
		if err := mr.Rereg(verbs.MRChange{Flags: verbs.ReregTranslation, Length: length}); !errors.As(err, &full) {
			t.Errorf("%d bytes instead: %v", length, err)
		}
	}
	taken("refused by the budget", 10_000)
	f.answer = int(syscall.EINVAL)
	if _, err := pd.RegMR(verbs.MRSpec{Length: 500}); err == nil {
		t.Error("registered though the library refuses")
	}
	if err := mr.Rereg(verbs.MRChange{Flags: verbs.ReregTranslation, Length: 500}); err == nil {
		t.Error("changed though the library refuses")
	}
	taken("refused by the library", 10_000)
	f.answer = 0
	if err := mr.Rereg(verbs.MRChange{Flags: verbs.ReregTranslation, Length: 700}); err != nil {
		t.Error(err)
	}
	taken("changed", 700)
	for range 2 {
		if err := mr.Close(); err != nil {
			t.Error(err)
		}
	}
	taken("closed", 0)
}
