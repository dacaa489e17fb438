//go:build linux

package native

import (
	"errors"
	"slices"
	"syscall"
	"testing"
	"unsafe"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
	"rdmatui/verbs/native/internal/dl"
)

const firstKey = 0x500 // of each window

// windows makes the driver allocate windows and bind them: each binding creates the next key.
func (f *fakeC) windows() (binds *[]abi.MWBind) {
	so := f.dev.lib.dl
	binds = new([]abi.MWBind)
	f.dev.ops.allocMW = dl.At[dl.PointerFunc](so, dl.Callback(func(_, typ uintptr) uintptr {
		if f.answer != 0 {
			return 0
		}
		ptr := f.object()
		*dl.View[abi.MW](ptr) = abi.MW{RKey: firstKey, Type: uint32(typ)}
		return ptr
	}))
	f.dev.ops.bindMW = dl.At[dl.ErrnoFunc](so, dl.Callback(func(_, mw, bind uintptr) uintptr {
		if f.answer != 0 {
			return uintptr(f.answer)
		}
		*binds = append(*binds, *dl.View[abi.MWBind](bind))
		dl.View[abi.MW](mw).RKey++
		return 0
	}))
	f.dev.ops.deallocMW = dl.At[dl.ErrnoFunc](so, dl.Callback(f.destroy))
	return binds
}

func (f *fakeC) window(pd verbs.PD, typ verbs.MWType) verbs.MW {
	f.Helper()
	mw, err := pd.AllocMW(typ)
	if err != nil {
		f.Fatal(err)
	}
	return mw
}

func (f *fakeC) region(pd verbs.PD) verbs.MR {
	f.Helper()
	mr, err := pd.RegMR(verbs.MRSpec{Length: 4096, Access: verbs.LocalWrite})
	if err != nil {
		f.Fatal(err)
	}
	return mr
}

// foreign is an object of another provider.
type foreign struct {
	verbs.MR
	verbs.PD
}

func (foreign) Spec() verbs.MRSpec { return verbs.MRSpec{} }
func (foreign) RKey() uint32       { return 0 }
func (foreign) Close() error       { return nil }

type foreignWindow struct{ verbs.MW }

// TestWindowsReachC: a type 1 window is bound by its own call. Its key and its region are those of the last binding
// that was made; what the header's function checks is refused before.
func TestWindowsReachC(t *testing.T) {
	f := newFakeC(t)
	f.regions()
	binds := f.windows()
	pd, other := f.pd(), f.pd()
	cq := f.cq()
	qp, err := pd.CreateQP(verbs.QPSpec{QPType: verbs.RC, SendCQ: cq, RecvCQ: cq})
	if err != nil {
		t.Fatal(err)
	}
	mr, elsewhere, closed := f.region(pd), f.region(other), f.region(pd)
	one, two, gone := f.window(pd, verbs.MWType1), f.window(pd, verbs.MWType2), f.window(pd, verbs.MWType1)
	if one.Type() != verbs.MWType1 || two.Type() != verbs.MWType2 || one.RKey() != firstKey {
		t.Errorf("types %v and %v, key 0x%x", one.Type(), two.Type(), one.RKey())
	}
	for _, c := range []interface{ Close() error }{closed, gone} {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	g := newFakeC(t)
	g.windows()
	strange := g.window(g.pd(), verbs.MWType1)
	half := verbs.MWBinding{MR: mr, Addr: mr.Addr() + 64, Length: 128, Access: verbs.RemoteWrite}
	for _, tt := range []struct {
		name   string
		mw     verbs.MW
		bind   verbs.MWBinding
		answer int
		want   error
		key    uint32 // of the window afterwards
		ptr    verbs.MR
	}{
		{"no window", nil, half, 0, syscall.EINVAL, 0, nil},
		{"a foreign window", foreignWindow{}, half, 0, verbs.ErrForeignObject, 0, nil},
		{"another device's window", strange, half, 0, verbs.ErrForeignObject, firstKey, nil},
		{"a closed window", gone, half, 0, verbs.ErrClosed, firstKey, nil},
		{"a type 2 window", two, half, 0, syscall.EINVAL, firstKey, nil},
		{"nothing to unbind", one, verbs.MWBinding{}, 0, syscall.EINVAL, firstKey, nil},
		{"an address without a region", one, verbs.MWBinding{Addr: 1}, 0, syscall.EINVAL, firstKey, nil},
		{"a length without a region", one, verbs.MWBinding{Length: 1}, 0, syscall.EINVAL, firstKey, nil},
		{"a foreign region", one, verbs.MWBinding{MR: foreign{}, Length: 1}, 0, verbs.ErrForeignObject, firstKey, nil},
		{"a closed region", one, verbs.MWBinding{MR: closed, Length: 1}, 0, verbs.ErrClosed, firstKey, nil},
		{"a region of another domain", one, verbs.MWBinding{MR: elsewhere, Length: 1}, 0, syscall.EPERM, firstKey, nil},
		{"the driver refuses", one, half, int(syscall.ENOMEM), syscall.ENOMEM, firstKey, nil},
		{"bound", one, half, 0, nil, firstKey + 1, mr},
		{"an address without a region, after that", one, verbs.MWBinding{Addr: 1}, 0, syscall.EINVAL, firstKey + 1, mr},
		{"a length without a region, after that", one, verbs.MWBinding{Length: 1}, 0, syscall.EINVAL, firstKey + 1, mr},
		{"a region of another domain, after that", one, verbs.MWBinding{MR: elsewhere, Length: 1}, 0, syscall.EPERM,
			firstKey + 1, mr},
		{"unbound", one, verbs.MWBinding{}, 0, nil, firstKey + 2, nil},
		{"unbound again", one, verbs.MWBinding{}, 0, syscall.EINVAL, firstKey + 2, nil},
	} {
		before := len(*binds)
		f.answer = tt.answer
		err := qp.BindMW(tt.mw, 7, verbs.SendSignaled, tt.bind)
		f.answer = 0
		if !errors.Is(err, tt.want) || (err == nil) != (tt.want == nil) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
		if made := len(*binds) - before; (made == 1) != (tt.want == nil) {
			t.Errorf("%s: %d bindings", tt.name, made)
		}
		w, ok := tt.mw.(*memoryWindow)
		if !ok {
			continue
		}
		region, _ := tt.ptr.(*memoryRegion)
		if w.RKey() != tt.key || w.region.Load() != region {
			t.Errorf("%s: key 0x%x, region %v; want 0x%x, %v", tt.name, w.RKey(), w.region.Load(), tt.key, region)
		}
	}
	ptr := mr.(*memoryRegion).ptr
	want := []abi.MWBind{
		{WRID: 7, SendFlags: uint32(verbs.SendSignaled), BindInfo: abi.MWBindInfo{MR: ptr, Addr: half.Addr, Length: 128,
			AccessFlags: uint32(verbs.RemoteWrite)}},
		{WRID: 7, SendFlags: uint32(verbs.SendSignaled), BindInfo: abi.MWBindInfo{MR: ptr}},
	}
	if !slices.Equal(*binds, want) {
		t.Errorf("the driver got %+v, want %+v", *binds, want)
	}
	f.answer = int(syscall.ENOMEM)
	if mw, err := pd.AllocMW(verbs.MWType1); err == nil {
		t.Errorf("allocated %v though the driver refuses", mw)
	}
}

// TestBindRequests: a type 2 window is bound by a request, which names the key that the window then has. A region that
// cannot be deregistered names the windows that are bound to it.
func TestBindRequests(t *testing.T) {
	f := newFakeC(t)
	f.regions()
	f.windows()
	pd := f.pd()
	cq := f.cq()
	qp, err := pd.CreateQP(verbs.QPSpec{QPType: verbs.RC, SendCQ: cq, RecvCQ: cq})
	if err != nil {
		t.Fatal(err)
	}
	mr, free := f.region(pd), f.region(pd)
	one, two := f.window(pd, verbs.MWType1), f.window(pd, verbs.MWType2)
	half := verbs.MWBinding{MR: mr, Addr: mr.Addr() + 64, Length: 128, Access: verbs.RemoteRead}
	post := func(bind *verbs.BindWR) error {
		_, err := qp.PostSend(verbs.SendWR{Opcode: verbs.WRBindMW, Bind: bind})
		return err
	}
	for name, bind := range map[string]*verbs.BindWR{
		"no binding": nil, "no region": {MW: two}, "a type 1 window": {MW: one, RKey: 9, MWBinding: half},
		"no window":              {RKey: 9, MWBinding: half},
		"a range without region": {MW: two, RKey: 9, MWBinding: verbs.MWBinding{Addr: 1, Length: 1}},
	} {
		if err := post(bind); !errors.Is(err, syscall.EINVAL) || len(f.sends) != 0 {
			t.Errorf("%s: %v, %d requests", name, err, len(f.sends))
		}
	}
	w := two.(*memoryWindow)
	if w.RKey() != firstKey || w.region.Load() != nil {
		t.Errorf("a refused request bound the window: 0x%x, %v", w.RKey(), w.region.Load())
	}
	if err := post(&verbs.BindWR{MW: two, RKey: firstKey + 1, MWBinding: half}); err != nil {
		t.Fatal(err)
	}
	raw := f.sends[0][0]
	want := abi.SendBindMW{MW: w.ptr, RKey: firstKey + 1, BindInfo: abi.MWBindInfo{
		MR: mr.(*memoryRegion).ptr, Addr: half.Addr, Length: 128, AccessFlags: uint32(verbs.RemoteRead)}}
	if got := *(*abi.SendBindMW)(unsafe.Pointer(&raw.Tail)); got != want {
		t.Errorf("the driver got %+v, want %+v", got, want)
	}
	if w.RKey() != firstKey+1 || dl.View[abi.MW](w.ptr).RKey != firstKey+1 {
		t.Errorf("keys 0x%x and, in C, 0x%x, want 0x%x", w.RKey(), dl.View[abi.MW](w.ptr).RKey, firstKey+1)
	}
	for _, tt := range []struct {
		mr     verbs.MR
		answer syscall.Errno
		users  []string
	}{
		{mr, syscall.EBUSY, []string{w.name}}, {mr, syscall.EINVAL, []string{w.name}}, {mr, syscall.EIO, nil},
		{free, syscall.EBUSY, nil},
	} {
		f.answer = int(tt.answer)
		err := tt.mr.Close()
		var busy *verbs.BusyError
		if errors.As(err, &busy); !errors.Is(err, tt.answer) || (busy != nil) != (tt.users != nil) ||
			busy != nil && !slices.Equal(busy.UsedBy, tt.users) {
			t.Errorf("%v: %v, users %+v, want %q", tt.answer, err, busy, tt.users)
		}
	}
	if err := post(&verbs.BindWR{MW: two, RKey: firstKey + 2, MWBinding: verbs.MWBinding{MR: mr}}); err != nil {
		t.Fatal(err)
	}
	f.answer = int(syscall.EBUSY)
	var busy *verbs.BusyError
	if err := mr.Close(); errors.As(err, &busy) || w.RKey() != firstKey+2 {
		t.Errorf("a binding of 0 bytes holds the region: %v; key 0x%x", err, w.RKey())
	}
	f.answer = 0
	elsewhere := f.region(f.pd())
	foreign := verbs.MWBinding{MR: elsewhere, Length: 1}
	if err := post(&verbs.BindWR{MW: two, RKey: firstKey + 3, MWBinding: foreign}); err != nil {
		t.Errorf("a region of another domain, which is the device's to refuse: %v", err)
	}
}

// TestChangedRegion: a region takes over what the library changed, and its old memory is no longer one to send from.
func TestChangedRegion(t *testing.T) {
	f := newFakeC(t)
	f.regions()
	pd, other := f.pd(), f.pd()
	mr := f.region(pd)
	g := newFakeC(t)
	gone := f.pd()
	if err := gone.Close(); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		pd   verbs.PD
		want error
	}{
		"no domain": {nil, syscall.EINVAL}, "a foreign domain": {foreign{}, verbs.ErrForeignObject},
		"another device's domain": {g.pd(), verbs.ErrForeignObject}, "a closed domain": {gone, verbs.ErrClosed},
	} {
		if err := mr.Rereg(verbs.MRChange{Flags: verbs.ReregPD, PD: tt.pd}); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", name, err, tt.want)
		}
	}
	for _, length := range []uint64{0, 1 << 63} {
		err := mr.Rereg(verbs.MRChange{Flags: verbs.ReregTranslation, Length: length})
		if !errors.Is(err, syscall.EINVAL) {
			t.Errorf("%d bytes: %v", length, err)
		}
	}
	holds := func(addr, length uint64) bool {
		return f.dev.regions.holds([]verbs.SGE{{Addr: addr, Length: uint32(length)}})
	}
	old := mr.Addr()
	if !holds(old, 4096) {
		t.Error("the region is not registered")
	}
	*dl.View[abi.MR](mr.(*memoryRegion).ptr) = abi.MR{LKey: 3, RKey: 4}
	err := mr.Rereg(verbs.MRChange{Flags: verbs.ReregTranslation | verbs.ReregPD | verbs.ReregAccess, PD: other,
		Length: 10_000, Access: verbs.RemoteWrite})
	want := verbs.MRSpec{Length: 10_000, Access: verbs.RemoteWrite}
	if err != nil || mr.LKey() != 3 || mr.RKey() != 4 || mr.Spec() != want {
		t.Errorf("%v: keys %d and %d, %+v, want %+v", err, mr.LKey(), mr.RKey(), mr.Spec(), want)
	}
	if !holds(mr.Addr(), 10_000) || holds(mr.Addr(), 10_001) {
		t.Error("the new memory is not that of the region")
	}
	if mr.Addr() != old && holds(old, 4096) {
		t.Error("the old memory is still that of a region")
	}
	if got := mr.(*memoryRegion).domain(); got != other.(*protectionDomain).ptr {
		t.Errorf("domain 0x%x, want 0x%x", got, other.(*protectionDomain).ptr)
	}
	if err := mr.Rereg(verbs.MRChange{Flags: verbs.ReregAccess, Access: verbs.RemoteRead}); err != nil ||
		mr.Spec().Access != verbs.RemoteRead || mr.Spec().Length != 10_000 || !holds(mr.Addr(), 10_000) {
		t.Errorf("%v: %+v", err, mr.Spec())
	}
	if err := mr.Rereg(verbs.MRChange{Flags: verbs.ReregPD, PD: other, Access: verbs.LocalWrite}); err != nil ||
		mr.Spec().Access != verbs.RemoteRead {
		t.Errorf("another domain: %v, %+v", err, mr.Spec())
	}
	f.answer = int(syscall.EBUSY)
	for p, used := range map[verbs.PD]bool{pd: false, other: true} {
		var busy *verbs.BusyError
		if err := p.Close(); errors.As(err, &busy) != used || used && !slices.Equal(busy.UsedBy, []string{"MR 0x1"}) {
			t.Errorf("the domain of the region: %t; %v", used, err)
		}
	}
	f.answer = 0
	addr := mr.Addr()
	if err := mr.Close(); err != nil || holds(addr, 1) {
		t.Errorf("%v; the memory of a closed region is still held", err)
	}
	if err := mr.Rereg(verbs.MRChange{}); !errors.Is(err, verbs.ErrClosed) {
		t.Error(err)
	}
}
