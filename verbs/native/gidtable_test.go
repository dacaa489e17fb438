//go:build linux

package native

import (
	"syscall"
	"testing"

	"rdmatui/verbs/native/internal/abi"
	"rdmatui/verbs/native/internal/dl"
)

// TestGIDsBesideUnreadablePort: the rows of other ports are read if one port cannot be
// queried, with the whole table or row by row.
func TestGIDsBesideUnreadablePort(t *testing.T) {
	const broken, ports, rows = 1, 2, 3 // port 1 cannot be queried
	f := newFakeC(t)
	lib := f.dev.lib
	lib.queryDevice = dl.At[dl.ErrnoFunc](lib.dl, dl.Callback(func(_, attr uintptr) uintptr {
		dl.View[abi.DeviceAttr](attr).PhysPortCnt = ports
		return 0
	}))
	lib.queryPort = dl.At[dl.ErrnoFunc](lib.dl, dl.Callback(func(_, port, attr uintptr) uintptr {
		if port == broken {
			return uintptr(syscall.EIO)
		}
		dl.View[abi.PortAttrEx](attr).GIDTblLen = rows
		return 0
	}))
	lib.queryGIDEx = dl.At[dl.ErrnoFunc](lib.dl, dl.Callback(func(_, port, index, entry, _ uintptr) uintptr {
		e := dl.View[abi.GIDEntry](entry)
		e.PortNum, e.GIDIndex, e.GID.Raw[15] = uint32(port), uint32(index), byte(port)
		return 0
	}))
	if got, err := f.dev.QueryGIDTable(); err != nil || len(got) != rows || got[0].PortNum != 2 {
		t.Errorf("row by row: %+v, %v", got, err)
	}
	// The library reads the rows of all ports at once: the buffer needs room for those
	// of the broken port.
	lib.queryGIDTable = dl.At[dl.NegErrnoFunc](lib.dl, dl.Callback(func(_, entries, n uintptr) uintptr {
		if n < rows*ports {
			return ^uintptr(syscall.EINVAL - 1)
		}
		for i := range uint32(rows * ports) {
			e := dl.View[abi.GIDEntry](entries + uintptr(i)*32)
			e.PortNum, e.GIDIndex = i/rows+1, i%rows
		}
		return rows * ports
	}))
	if got, err := f.dev.QueryGIDTable(); err != nil || len(got) != rows*ports {
		t.Errorf("at once: %+v, %v", got, err)
	}
	for port, want := range map[uint8]bool{1: false, 2: true} {
		if _, err := f.dev.QueryPort(port); (err == nil) != want {
			t.Errorf("port %d: %v", port, err)
		}
	}
}
