package device

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/verbs"
	"rdmatui/verbs/route"
)

// TestSoftRoCE lists rxe devices that have a network interface here, once each.
func TestSoftRoCE(t *testing.T) {
	rxe, nic := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(rxe, "parent"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := &core.Session{}
	add := func(node, name, path, netdev string) {
		d := &Device{Info: verbs.DeviceInfo{Name: name, IBDevPath: path}}
		d.GIDs = GIDTable{
			Rows: []verbs.GIDEntry{{}, {Netdev: netdev}}, Network: route.Network{Here: func(e verbs.GIDEntry) bool {
				return e.Netdev != "elsewhere"
			}},
		}
		s.Graph.Add(&core.Node{Name: node, Kind: command.KindDevice, Body: d})
	}
	add("soft0", "soft0", "", "lo")
	add("nic", "nic", nic, "eth0")
	add("rxe0", "rxe0", rxe, "eth1")
	add("again", "rxe0", rxe, "eth1")
	add("far", "rxe1", rxe, "elsewhere")
	if got := SoftRoCE(s); !slices.Equal(got, []string{"rxe0"}) {
		t.Errorf("%q", got)
	}
	for name, want := range map[string]string{"soft0": "lo", "nic": "eth0", "rxe0": "eth1", "rxe1": "", "none": ""} {
		if got := InterfaceOf(s, name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
