//go:build linux

package native

import (
	"errors"
	"os"
	"syscall"
	"testing"
	"unsafe"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
	"rdmatui/verbs/native/internal/dl"
)

// fakeHost is a library with a list of devices.
type fakeHost struct {
	*fakeC
	fd             int32 // of the async events of an opened device
	refuse         bool  // to open a device
	lists, freed   int
	opened, closed []uintptr
	devices        []uintptr
	provider       *Provider
}

func newFakeHost(t *testing.T, names ...string) *fakeHost {
	f := &fakeHost{fakeC: newFakeC(t)}
	lib := f.dev.lib
	array := f.object()
	for i, name := range names {
		ptr := f.object()
		raw := dl.View[abi.Device](ptr)
		raw.NodeType = 1
		copy(raw.Name[:], name)
		copy(raw.DevName[:], "uverbs")
		*dl.View[uintptr](array + uintptr(i)*8) = ptr
		f.devices = append(f.devices, ptr)
	}
	lib.getDeviceList = dl.At[dl.PointerFunc](lib.dl, dl.Callback(func(n uintptr) uintptr {
		*dl.View[int32](n) = int32(len(names))
		f.lists++
		return array
	}))
	lib.freeDeviceList = dl.At[dl.ValueFunc](lib.dl, dl.Callback(func(a uintptr) uintptr {
		if a == array {
			f.freed++
		}
		return 0
	}))
	lib.getDeviceGUID = dl.At[dl.ValueFunc](lib.dl, dl.Callback(func(dev uintptr) uintptr { return dev }))
	lib.openDevice = dl.At[dl.PointerFunc](lib.dl, dl.Callback(func(dev uintptr) uintptr {
		f.opened = append(f.opened, dev)
		if f.refuse {
			return 0
		}
		ctx := f.object()
		dl.View[abi.Context](ctx).AsyncFD = f.fd
		return ctx
	}))
	lib.closeDevice = dl.At[dl.StatusFunc](lib.dl, dl.Callback(func(ctx uintptr) uintptr {
		f.closed = append(f.closed, ctx)
		return 0
	}))
	f.provider = &Provider{lib: lib}
	return f
}

// TestDevicesOfTheLibrary: the devices are those of the library's list, which is freed each time. A device that cannot
// be used is closed again.
func TestDevicesOfTheLibrary(t *testing.T) {
	f := newFakeHost(t, "rxe0", "mlx5_0")
	infos, err := f.provider.Devices()
	if err != nil || len(infos) != 2 || infos[0].Name != "rxe0" || infos[1].Name != "mlx5_0" {
		t.Fatalf("%+v, %v", infos, err)
	}
	for i, info := range infos {
		if info.NodeType != "CA" || info.Transport != "InfiniBand" || info.DevName != "uverbs" ||
			*(*uintptr)(unsafe.Pointer(&info.NodeGUID)) != f.devices[i] {
			t.Errorf("%+v", info)
		}
	}
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer write.Close()
	defer read.Close()
	for _, tt := range []struct {
		name   string
		refuse bool
		fd     int32
		want   error
		opened int // row of the list; -1: none
		closed int
	}{
		{"mlx5_0", false, int32(read.Fd()), nil, 1, 0}, {"rxe0", false, int32(read.Fd()), nil, 0, 0},
		{"rxe", false, int32(read.Fd()), syscall.ENODEV, -1, 0}, {"", false, int32(read.Fd()), syscall.ENODEV, -1, 0},
		{"rxe0", true, int32(read.Fd()), syscall.EIO, 0, 0}, {"rxe0", false, -1, syscall.EBADF, 0, 1},
	} {
		f.fd, f.refuse, f.opened, f.closed, f.lists, f.freed = tt.fd, tt.refuse, nil, nil, 0, 0
		dev, err := f.provider.Open(tt.name)
		if (err == nil) != (tt.want == nil) || tt.want != nil && !errors.Is(err, tt.want) ||
			len(f.closed) != tt.closed {
			t.Errorf("%q: %v, %d closed, want %v", tt.name, err, len(f.closed), tt.want)
		}
		if tt.opened < 0 && len(f.opened) != 0 ||
			tt.opened >= 0 && (len(f.opened) != 1 || f.opened[0] != f.devices[tt.opened]) {
			t.Errorf("%q: opened %x of %x", tt.name, f.opened, f.devices)
		}
		if f.lists != 1 || f.freed != 1 {
			t.Errorf("%q: %d lists, %d freed", tt.name, f.lists, f.freed)
		}
		if err != nil {
			continue
		}
		if dev.Info().Name != tt.name {
			t.Errorf("%q: opened %q", tt.name, dev.Info().Name)
		}
		if err := dev.Close(); err != nil || len(f.closed) != 1 {
			t.Errorf("%q: %v, %d closed", tt.name, err, len(f.closed))
		}
		if _, err := dev.GetAsyncEvent(t.Context()); !errors.Is(err, verbs.ErrClosed) {
			t.Errorf("%q: an event of a closed device: %v", tt.name, err)
		}
	}
	if infos, err := newFakeHost(t).provider.Devices(); err != nil || len(infos) != 0 {
		t.Errorf("a host without devices: %+v, %v", infos, err)
	}
}

// extended puts the device into a verbs_context, whose functions newer drivers have.
func (f *fakeC) extended() *abi.VerbsContext {
	outer := dl.View[abi.VerbsContext](f.object())
	outer.Size, outer.Context.ABICompat = uint64(unsafe.Sizeof(*outer)), ^uintptr(0)
	f.dev.ctx = uintptr(unsafe.Pointer(&outer.Context))
	return outer
}

// TestPortCount: the extended attributes have the number of ports, if the driver knows them; the basic ones have at
// most 255.
func TestPortCount(t *testing.T) {
	f := newFakeC(t) // one for all: callbacks are scarce
	for _, tt := range []struct {
		name     string
		missing  bool
		answer   syscall.Errno
		extended uint32
		refused  syscall.Errno // of the basic query
		want     int
		err      error
	}{
		{"extended", false, 0, 300, 0, 300, nil},
		{"not in the extended ones", false, 0, 0, 0, 2, nil},
		{"no extended ones", true, 0, 0, 0, 2, nil},
		{"the driver has none", false, syscall.EOPNOTSUPP, 0, 0, 2, nil},
		{"the driver fails", false, syscall.EIO, 0, 0, 0, syscall.EIO},
		{"both fail", true, 0, 0, syscall.ENOMEM, 0, syscall.ENOMEM},
	} {
		outer := f.extended()
		if !tt.missing {
			outer.QueryDeviceEx = dl.Callback(func(_, _, attr uintptr) uintptr {
				dl.View[abi.DeviceAttrEx](attr).PhysPortCntEx = tt.extended
				return uintptr(tt.answer)
			})
		}
		f.dev.lib.queryDevice = dl.At[dl.ErrnoFunc](f.dev.lib.dl, dl.Callback(func(_, attr uintptr) uintptr {
			dl.View[abi.DeviceAttr](attr).PhysPortCnt = 2
			return uintptr(tt.refused)
		}))
		if got, err := f.dev.portCount(); got != tt.want || !errors.Is(err, tt.err) || (err == nil) != (tt.err == nil) {
			t.Errorf("%s: %d, %v, want %d, %v", tt.name, got, err, tt.want, tt.err)
		}
	}
}

// TestRealTimeValues: a driver that does not set the clock has none.
func TestRealTimeValues(t *testing.T) {
	f := newFakeC(t)
	for _, tt := range []struct {
		name    string
		missing bool
		answer  syscall.Errno
		mask    uint32
		want    error
	}{
		{"set", false, 0, 1, nil}, {"not set", false, 0, 0, verbs.ErrUnsupported},
		{"missing", true, 0, 0, verbs.ErrUnsupported}, {"refused", false, syscall.EIO, 1, syscall.EIO},
	} {
		outer := f.extended()
		if !tt.missing {
			outer.QueryRtValues = dl.Callback(func(_, values uintptr) uintptr {
				raw := dl.View[abi.ValuesEx](values)
				if raw.CompMask != 1 {
					return uintptr(syscall.EINVAL)
				}
				raw.CompMask, raw.RawClock = tt.mask, [2]int64{17, 23}
				return uintptr(tt.answer)
			})
		}
		values, err := f.dev.QueryRTValuesEx()
		if !errors.Is(err, tt.want) || (err == nil) != (tt.want == nil) ||
			err == nil && (values.RawClock.Sec != 17 || values.RawClock.NSec != 23) {
			t.Errorf("%s: %+v, %v, want %v", tt.name, values, err, tt.want)
		}
	}
}

// TestLendsMemory: only those requests keep other objects from being closed whose memory C reads.
func TestLendsMemory(t *testing.T) {
	plain, inline := verbs.SendWR{Opcode: verbs.WRSend}, verbs.SendWR{Opcode: verbs.WRSend, SendFlags: verbs.SendInline}
	for _, tt := range []struct {
		name string
		typ  verbs.QPType
		wrs  []verbs.SendWR
		want bool
	}{
		{"none", verbs.RC, nil, false}, {"SEND", verbs.RC, []verbs.SendWR{plain, plain}, false},
		{"inline data", verbs.RC, []verbs.SendWR{plain, inline}, true},
		{"other flags", verbs.RC, []verbs.SendWR{{SendFlags: verbs.SendSignaled | verbs.SendFence}}, false},
		{"BIND_MW", verbs.RC, []verbs.SendWR{plain, {Opcode: verbs.WRBindMW}}, true},
		{"ATOMIC_WRITE", verbs.RC, []verbs.SendWR{{Opcode: verbs.WRAtomicWrite}}, true},
		{"a datagram", verbs.UD, []verbs.SendWR{plain}, true},
	} {
		if got := (&queuePair{typ: tt.typ}).lendsMemory(tt.wrs); got != tt.want {
			t.Errorf("%s: %t", tt.name, got)
		}
	}
}

// TestDeviceMemoryBounds: only bytes inside device memory are copied and registered.
func TestDeviceMemoryBounds(t *testing.T) {
	f := newFakeMemory(t)
	dm, err := f.dev.AllocDM(verbs.DMSpec{Length: 64})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		off    int64
		length int
		want   error
	}{
		{0, 64, nil}, {63, 1, nil}, {64, 0, nil}, {0, 0, nil},
		{0, 65, syscall.EFAULT}, {63, 2, syscall.EFAULT}, {64, 1, syscall.EFAULT}, {65, 0, syscall.EFAULT},
		{-1, 1, syscall.EFAULT}, {-1, 0, syscall.EFAULT}, {1 << 62, 1, syscall.EFAULT},
	} {
		for name, call := range map[string]func([]byte, int64) (int, error){"read": dm.ReadAt, "write": dm.WriteAt} {
			n, err := call(make([]byte, tt.length), tt.off)
			if !errors.Is(err, tt.want) || (err == nil) != (tt.want == nil) || n != tt.length && err == nil ||
				n != 0 && err != nil {
				t.Errorf("%s %d bytes at %d: %d, %v, want %v", name, tt.length, tt.off, n, err, tt.want)
			}
		}
	}
	pd := f.pd()
	for _, tt := range []struct{ offset, length, want uint64 }{
		{0, 64, 64}, {0, 0, 64}, {63, 0, 1}, {63, 1, 1}, {64, 0, 0}, {0, 65, 65}, {64, 1, 1}, {65, 0, 0}, {63, 2, 2},
	} {
		f.reg = nil
		mr, err := pd.RegMR(verbs.MRSpec{Length: tt.length,
			Backing: verbs.Backing{Kind: verbs.DeviceMemory, DM: dm, Offset: tt.offset}})
		if tt.offset+tt.want > 64 {
			if !errors.Is(err, syscall.EINVAL) || f.reg != nil {
				t.Errorf("%d bytes at %d: %v, registered with %x", tt.length, tt.offset, err, f.reg)
			}
			continue
		}
		if err != nil || f.reg[1] != uintptr(tt.offset) || f.reg[2] != uintptr(tt.want) {
			t.Errorf("%d bytes at %d: %v, registered with %x", tt.length, tt.offset, err, f.reg)
			continue
		}
		b := make([]byte, 1)
		_, readErr := mr.ReadAt(b, 0)
		_, writeErr := mr.WriteAt(b, 0)
		if !errors.Is(readErr, verbs.ErrDeviceMemory) || !errors.Is(writeErr, verbs.ErrDeviceMemory) {
			t.Errorf("the region was copied: %v, %v", readErr, writeErr)
		}
		if err := mr.Rereg(verbs.MRChange{Flags: verbs.ReregAccess}); !errors.Is(err, syscall.EINVAL) {
			t.Errorf("the region was changed: %v", err)
		}
		if err := mr.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := dm.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = pd.RegMR(verbs.MRSpec{Length: 1, Backing: verbs.Backing{Kind: verbs.DeviceMemory, DM: dm}})
	if !errors.Is(err, verbs.ErrClosed) {
		t.Errorf("closed memory: %v", err)
	}
}
