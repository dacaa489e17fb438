//go:build linux

package native

import (
	"bytes"
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
	"rdmatui/verbs/native/internal/dl"
	"rdmatui/verbs/native/internal/eventfile"
)

// TestAsyncEventsAreAcknowledged: each event that was read is acknowledged once, since the library waits for that when
// its object is closed. Where none was read, there is none to acknowledge.
func TestAsyncEventsAreAcknowledged(t *testing.T) {
	f := newFakeC(t)
	lib := f.dev.lib
	acked := 0
	lib.getAsyncEvent = dl.At[dl.StatusFunc](lib.dl, dl.Callback(func(_, event uintptr) uintptr {
		if f.answer != 0 {
			return ^uintptr(0)
		}
		*dl.View[abi.AsyncEvent](event) = abi.AsyncEvent{Element: 2, EventType: uint32(verbs.EventPortErr)}
		return 0
	}))
	lib.ackAsyncEvent = dl.At[dl.ValueFunc](lib.dl, dl.Callback(func(uintptr) uintptr { acked++; return 0 }))
	e, err := f.dev.takeAsyncEvent()
	if err != nil || e.Type != verbs.EventPortErr || e.PortNum != 2 || acked != 1 {
		t.Errorf("%v, %+v, %d acknowledged", err, e, acked)
	}
	f.answer = 1
	if e, err := f.dev.takeAsyncEvent(); err == nil || acked != 1 {
		t.Errorf("%+v, %v, %d acknowledged", e, err, acked)
	}
	f.answer = 0
	if err := f.dev.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := f.dev.takeAsyncEvent(); !errors.Is(err, verbs.ErrClosed) || acked != 1 {
		t.Errorf("of a closed device: %v, %d acknowledged", err, acked)
	}
	f.dev.async, f.dev.asyncErr = nil, syscall.EMFILE
	if _, err := f.dev.GetAsyncEvent(t.Context()); !errors.Is(err, syscall.EMFILE) {
		t.Errorf("without a descriptor: %v", err)
	}
}

// TestDeviceCloses: a device is closed once, when it has no objects and the library agrees.
func TestDeviceCloses(t *testing.T) {
	f := newFakeC(t)
	f.dev.async = &eventfile.File{}
	closed := 0
	f.dev.lib.closeDevice = dl.At[dl.StatusFunc](f.dev.lib.dl, dl.Callback(func(uintptr) uintptr {
		closed++
		if f.answer != 0 {
			return ^uintptr(0)
		}
		return 0
	}))
	pd := f.pd()
	var busy *verbs.BusyError
	if err := f.dev.closeContext(); !errors.As(err, &busy) || len(busy.UsedBy) != 1 || closed != 0 {
		t.Errorf("%v, closed %d times", err, closed)
	}
	if err := pd.Close(); err != nil {
		t.Fatal(err)
	}
	f.answer = 1
	if err := f.dev.closeContext(); err == nil || closed != 1 || f.dev.ctx == 0 {
		t.Errorf("%v, closed %d times", err, closed)
	}
	f.answer = 0
	for range 2 {
		if err := f.dev.closeContext(); err != nil || closed != 2 || f.dev.ctx != 0 {
			t.Errorf("%v, closed %d times", err, closed)
		}
	}
	if _, err := f.dev.AllocPD(); !errors.Is(err, verbs.ErrClosed) {
		t.Errorf("a closed device: %v", err)
	}
}

// TestGIDByShortQuery: an older library tells only the GID; sysfs has its type and netdev, of used rows.
func TestGIDByShortQuery(t *testing.T) {
	f := newFakeC(t)
	lib := f.dev.lib
	lib.queryPort = dl.At[dl.ErrnoFunc](lib.dl, dl.Callback(func(_, port, attr uintptr) uintptr {
		if port > 2 {
			return uintptr(syscall.EINVAL)
		}
		dl.View[abi.PortAttrEx](attr).LinkLayer = uint8(port) // 1: InfiniBand, 2: Ethernet
		return 0
	}))
	lib.queryGID = dl.At[dl.StatusFunc](lib.dl, dl.Callback(func(_, port, index, gid uintptr) uintptr {
		switch index {
		case 9:
			return ^uintptr(0)
		case 8: // unused
			return 0
		}
		dl.View[abi.GID](gid).Raw = [16]byte{0xfe, 0x80, 14: byte(port), 15: byte(index)}
		return 0
	}))
	f.dev.info.IBDevPath = t.TempDir()
	sysfs := func(port, kind, index, text string) {
		dir := filepath.Join(f.dev.info.IBDevPath, "ports", port, "gid_attrs", kind)
		err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, index), []byte(text), 0o600))
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, port := range []string{"1", "2"} {
		sysfs(port, "types", "0", "IB/RoCE v1\n")
		sysfs(port, "types", "1", "RoCE v2\n")
		sysfs(port, "ndevs", "1", "eth1\n")
		sysfs(port, "types", "8", "RoCE v2\n")
		sysfs(port, "ndevs", "8", "eth8\n")
	}
	gid := func(port, index byte) verbs.GID { return verbs.GID{0xfe, 0x80, 14: port, 15: index} }
	for _, want := range []verbs.GIDEntry{
		{PortNum: 1, Index: 0, GID: gid(1, 0), Type: verbs.GIDTypeIB},
		{PortNum: 2, Index: 0, GID: gid(2, 0), Type: verbs.GIDTypeRoCEv1},
		{PortNum: 2, Index: 1, GID: gid(2, 1), Type: verbs.GIDTypeRoCEv2, Netdev: "eth1"},
		{PortNum: 2, Index: 8},
	} {
		if got, err := f.dev.QueryGID(want.PortNum, want.Index); err != nil || got != want {
			t.Errorf("%+v, %v; want %+v", got, err, want)
		}
	}
	for _, row := range []struct {
		port  uint8
		index int
	}{{3, 0}, {2, 9}} {
		if got, err := f.dev.QueryGID(row.port, row.index); err == nil || got != (verbs.GIDEntry{}) {
			t.Errorf("port %d, row %d: %+v, %v", row.port, row.index, got, err)
		}
	}
}

// TestNetdevNames: an index becomes the interface's name, which is looked up once.
func TestNetdevNames(t *testing.T) {
	list, err := net.Interfaces()
	if err != nil || len(list) == 0 {
		t.Fatalf("%v, %v", list, err)
	}
	names := netdevNames{}
	for _, i := range list {
		if got := names.of(uint32(i.Index)); got != i.Name || names[uint32(i.Index)] != i.Name {
			t.Errorf("index %d: %q, want %q; known: %v", i.Index, got, i.Name, names)
		}
	}
	if got := names.of(0); got != "" || len(names) != len(list) {
		t.Errorf("index 0: %q, known: %v", got, names)
	}
}

// TestExtendedQPIsGivenBack: a queue pair whose extended functions cannot be had is destroyed again.
func TestExtendedQPIsGivenBack(t *testing.T) {
	f := newFakeC(t)
	made, extended := f.object(), f.object()
	convert := dl.At[dl.PointerFunc](f.dev.lib.dl, dl.Callback(func(uintptr) uintptr { return extended }))
	for _, tt := range []struct {
		name    string
		create  bool
		convert bool
		want    error
		freed   int
	}{
		{"made", true, true, nil, 0}, {"a driver without the call", false, true, syscall.EOPNOTSUPP, 0},
		{"no extended functions", true, false, verbs.ErrUnsupported, 1},
	} {
		f.freed, f.dev.lib.qpToQPEx = nil, dl.PointerFunc{}
		slots := f.extended()
		var attr abi.QPInitAttrEx
		if tt.create {
			slots.CreateQPEx = dl.Callback(func(_, a uintptr) uintptr {
				attr = *dl.View[abi.QPInitAttrEx](a)
				dl.View[abi.QPInitAttrEx](a).Cap = abi.QPCap{MaxSendWR: 77}
				return made
			})
		}
		if tt.convert {
			f.dev.lib.qpToQPEx = convert
		}
		cq := f.cq()
		qp, err := f.pd().CreateQP(verbs.QPSpec{QPType: verbs.RC, SendCQ: cq, RecvCQ: cq, SendOps: 3})
		if !errors.Is(err, tt.want) || (err == nil) != (tt.want == nil) || len(f.freed) != tt.freed ||
			tt.freed == 1 && f.freed[0] != made {
			t.Errorf("%s: %v, destroyed %x, want %v", tt.name, err, f.freed, tt.want)
		}
		if err != nil {
			continue
		}
		q := qp.(*queuePair)
		if q.ex != extended || q.ops != 3 || attr.SendOpsFlags != 3 || q.cap.MaxSendWR != 77 {
			t.Errorf("%s: %x, %v, %+v", tt.name, q.ex, q.ops, attr)
		}
	}
}

// TestSafeInlineData: a driver gets copies of data in memory that can become inaccessible, and other data as it is. The
// caller's own list stays as it was.
func TestSafeInlineData(t *testing.T) {
	f := newFakeC(t)
	f.regions()
	file := filepath.Join(t.TempDir(), "f")
	page := os.Getpagesize()
	if err := os.WriteFile(file, bytes.Repeat([]byte("x"), 2*page), 0o600); err != nil {
		t.Fatal(err)
	}
	pd := f.pd()
	plain := f.region(pd)
	mapped, err := pd.RegMR(verbs.MRSpec{Backing: verbs.Backing{Kind: verbs.FileMapping, Path: file}})
	if err != nil {
		t.Fatal(err)
	}
	defer mapped.Close()
	if _, err := mapped.WriteAt([]byte("hello"), 100); err != nil {
		t.Fatal(err)
	}
	list := []verbs.SGE{
		{Addr: plain.Addr() + 8, Length: 16}, {Addr: mapped.Addr() + 100, Length: 5},
		{Addr: mapped.Addr() + 101, Length: 3}, {Addr: 0xdead},
	}
	before := slices.Clone(list)
	safe, copies, err := f.dev.regions.safe(list)
	if err != nil || len(copies) != 2 || string(copies[0]) != "hello" || string(copies[1]) != "ell" {
		t.Fatalf("%v, copies %q", err, copies)
	}
	want := slices.Clone(before)
	want[1].Addr, want[2].Addr = dl.AddrOf(copies[0]), dl.AddrOf(copies[1])
	if !slices.Equal(safe, want) || !slices.Equal(list, before) {
		t.Errorf("%+v, want %+v; the caller's list %+v", safe, want, list)
	}
	if safe, copies, err := f.dev.regions.safe(before[:1]); err != nil || copies != nil || &safe[0] != &before[0] {
		t.Errorf("%v, %+v, %q", err, safe, copies)
	}
	if err := os.Truncate(file, 0); err != nil {
		t.Fatal(err)
	}
	if safe, copies, err := f.dev.regions.safe(list); err == nil {
		t.Errorf("copied %q for %+v from a file that lost its data", copies, safe)
	}
}
