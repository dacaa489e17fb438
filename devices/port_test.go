package devices

import (
	"errors"
	"slices"
	"syscall"
	"testing"

	"rdmatui/verbs"
)

// TestReadPKeys: the rows up to the last one that is set, or up to the first unreadable
// one.
func TestReadPKeys(t *testing.T) {
	for _, tt := range []struct {
		table []uint16
		err   error
		want  []uint16
	}{
		{nil, nil, []uint16{}}, {[]uint16{0, 0}, nil, []uint16{}}, {[]uint16{0xffff}, nil, []uint16{0xffff}},
		{[]uint16{1, 0, 2, 0}, nil, []uint16{1, 0, 2}},
		{[]uint16{1, 2}, syscall.EIO, []uint16{1}},
	} {
		got, err := readPKeys(&fakeDevice{pkeys: tt.table, pkeysErr: tt.err},
			&verbs.PortAttr{PKeyTblLen: uint16(len(tt.table))})
		if !slices.Equal(got, tt.want) || got == nil || !errors.Is(err, tt.err) {
			t.Errorf("%x: %x, %v; want %x", tt.table, got, err, tt.want)
		}
	}
}

// TestRowsOfAPort selects a port's rows from a table of two ports.
func TestRowsOfAPort(t *testing.T) {
	table := []verbs.GIDEntry{{PortNum: 2, Index: 0, Netdev: "b"}, {PortNum: 1, Index: 0},
		{PortNum: 1, Index: 1, Netdev: "a"}}
	for port, want := range map[uint8]string{1: "a", 2: "b", 3: ""} {
		if got := firstNetdev(table, port); got != want {
			t.Errorf("port %d is on %q, want %q", port, got, want)
		}
	}
	if got := portGIDs(table, 1); len(got) != 2 || got[0].Netdev != "" || got[1].Index != 1 {
		t.Errorf("%+v", got)
	}
}

func TestPortCount(t *testing.T) {
	for _, tt := range []struct {
		narrow uint8
		wide   *verbs.DeviceAttrEx
		want   int
	}{
		{1, nil, 1}, {2, &verbs.DeviceAttrEx{}, 2}, {1, &verbs.DeviceAttrEx{PhysPortCntEx: 2}, 2},
		{1, &verbs.DeviceAttrEx{PhysPortCntEx: 1000}, 255},
	} {
		d := Detail{DeviceAttr: verbs.DeviceAttr{PhysPortCnt: tt.narrow}, DeviceAttrEx: tt.wide}
		if got := d.portCount(); got != tt.want {
			t.Errorf("%+v: %d ports, want %d", tt, got, tt.want)
		}
	}
}

// TestLID: sysfs has LIDs in hexadecimal, people in decimal.
func TestLID(t *testing.T) {
	sys := plant(t, "rxe")
	for text, want := range map[string]string{"0x4\n": "4", "0xffff": "65535", "0x10000": "–", "x": "–"} {
		sys.write(t, "/sys/lid", text)
		if got := lidOf(sys, "/sys/lid"); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	if got := lidOf(sys, "/sys/none"); got != "–" {
		t.Errorf("no file: %s", got)
	}
}
