package bringup

import (
	"strings"
	"testing"

	"rdmatui/session"
	"rdmatui/verbs"
)

// TestLackOf: a queue pair of an RNIC is not offered the steps that only the connection manager takes.
func TestLackOf(t *testing.T) {
	snap := session.Snapshot{Devices: []session.DeviceView{
		{Name: "siw0", Info: verbs.DeviceInfo{Name: "siw0", NodeType: "RNIC", Transport: "iWARP"}},
		{Name: "rxe0", Info: verbs.DeviceInfo{Name: "rxe0", NodeType: "CA", Transport: "InfiniBand"}},
	}}
	for device, want := range map[string]string{"siw0": "through the connection manager only",
		"rxe0": "n creates a second QP"} {
		s := &Screen{snap: snap}
		if hint := s.nextHint(&session.QPView{Name: "a", Device: device, State: verbs.QPInit}); !strings.Contains(hint,
			want) {
			t.Errorf("%s: %q", device, hint)
		}
	}
}
