//go:build linux

package cm

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
	"rdmatui/verbs/native/internal/dl"
)

func TestCMDeviceLivesWhileUsed(t *testing.T) {
	f := newFakeCM(t)
	ch := f.channel()
	a, b := f.id(ch, verbs.PortSpaceTCP), f.id(ch, verbs.PortSpaceTCP)
	f.bindTo(a)
	f.bindTo(b)
	dev := a.Device()
	if dev == nil || b.Device() != dev || a.PortNum() != 1 {
		t.Fatalf("%v and %v", dev, b.Device())
	}
	pd, err := dev.AllocPD()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(a.Close(), a.Close()); err != nil || f.lists != 0 {
		t.Errorf("%v, %d lists", err, f.lists)
	}
	if err := b.Close(); err != nil || f.lists != 1 {
		t.Errorf("the last identifier: %v, %d lists are held", err, f.lists)
	}
	second, err := dev.AllocPD()
	if err != nil {
		t.Fatalf("with an object left: %v", err)
	}
	if err := errors.Join(pd.Close(), second.Close()); err != nil || f.lists != 0 {
		t.Errorf("%v, %d lists are held", err, f.lists)
	}
	if _, err := dev.AllocPD(); !errors.Is(err, verbs.ErrClosed) {
		t.Errorf("with nothing left: %v", err)
	}
}

// TestCMDeadDeviceKeepsItsLastIdentifier: librdmacm would free the device together with
// its last identifier.
func TestCMDeadDeviceKeepsItsLastIdentifier(t *testing.T) {
	f := newFakeCM(t)
	id := f.id(f.channel(), verbs.PortSpaceTCP)
	f.bindTo(id)
	pd, err := id.Device().AllocPD()
	if err != nil {
		t.Fatal(err)
	}
	f.gone = true
	var busy *verbs.BusyError
	if err := id.Close(); !errors.As(err, &busy) || f.lists != 0 {
		t.Errorf("%v, %d lists are held", err, f.lists)
	}
	if err := errors.Join(pd.Close(), id.Close()); err != nil {
		t.Error(err)
	}
}

// TestCMRemovedDeviceIsClosed: librdmacm closes a removed device if it can; else its
// descriptors are redirected to /dev/null, except one that is another file by now.
func TestCMRemovedDeviceIsClosed(t *testing.T) {
	for _, tt := range []struct {
		name   string
		has    bool // the host has another device left
		closed bool // librdmacm closed it before
		want   bool // the descriptors lead to /dev/null
	}{{"the last", false, false, true}, {"one of two", true, false, false}, {"closed before", false, true, false}} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFakeCM(t)
			f.host.has = tt.has
			open := func() *os.File {
				file, err := os.Create(filepath.Join(t.TempDir(), "device"))
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = file.Close() })
				return file
			}
			cmd, other := open(), open()
			*dl.View[abi.Context](f.ctx) = abi.Context{CmdFD: int32(cmd.Fd()), AsyncFD: int32(cmd.Fd())}
			ch := f.channel()
			id := f.id(ch, verbs.PortSpaceTCP)
			f.bindTo(id)
			dev := id.Device()
			f.take(ch, abi.CMEvent{ID: id.ptr, Event: uint32(verbs.CMDeviceRemoval)})
			if tt.closed {
				if err := syscall.Dup3(int(other.Fd()), int(cmd.Fd()), syscall.O_CLOEXEC); err != nil {
					t.Fatal(err)
				}
			}
			if err := id.Close(); err != nil {
				t.Fatal(err)
			}
			at, err := os.Readlink(fmt.Sprint("/proc/self/fd/", cmd.Fd()))
			if err != nil || (at == "/dev/null") != tt.want {
				t.Errorf("%s, %v", at, err)
			}
			if _, err := dev.AllocPD(); !errors.Is(err, verbs.ErrClosed) || f.lists != 0 {
				t.Errorf("%v, %d lists", err, f.lists)
			}
		})
	}
}
