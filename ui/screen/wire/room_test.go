package wire

import (
	"strings"
	"testing"

	"rdmatui/session"
	"rdmatui/session/capture"
	"rdmatui/session/packets"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

// While the packets have the keys they have most of the screen.
func TestRoomForPackets(t *testing.T) {
	run(t, theme.New("none", true), func(x *bench) {
		for psn := range wire.PSN(40) {
			x.onWire(true, true, request(wire.RCSendOnly, psn, 1))
		}
		x.refresh()
		for _, tt := range []struct{ w, h, least int }{{120, 36, 14}, {80, 20, 7}} {
			if n := strings.Count(x.view(tt.w, tt.h), " SEND_ONLY "); n < tt.least {
				t.Errorf("%d by %d: %d rows\n%s", tt.w, tt.h, n, x.view(tt.w, tt.h))
			}
		}
	})
}

// A device's line leaves out what is least important, and is never cut.
func TestDeviceLine(t *testing.T) {
	th := theme.New("none", true)
	tap := packets.Tap{Device: "soft0", On: true, Counts: capture.Counts{Sent: 3802, Received: 3802},
		Counters: []verbs.HWCounter{{Name: "rcvd_rnr_err", Value: 1901}, {Name: "send_rnr_err", Value: 1901}}}
	taps := &taps{th: &theme.Theme{}, faults: map[string]verbs.Faults{"soft0": {}}}
	for w, want := range map[int]string{
		100: "soft0   3,802 sent  3,802 received  no faults  rcvd_rnr_err 1,901  send_rnr_err 1,901",
		77:  "soft0   3,802 sent  3,802 received  rcvd_rnr_err 1,901  send_rnr_err 1,901",
		60:  "soft0   3,802 sent  3,802 received  rcvd_rnr_err 1,901",
		40:  "soft0   3,802 sent  3,802 received",
	} {
		b := line.New(&theme.Theme{Glyphs: th.Glyphs})
		b.Begin(w)
		taps.drawTap(b, &tap)
		if got := strings.TrimRight(b.String(), " "); got != want {
			t.Errorf("%d cells: %q, want %q", w, got, want)
		}
	}
}

// A device that the connection manager opened once more is no other device.
func TestManagedDevice(t *testing.T) {
	taps := &taps{known: []string{"soft0"}}
	var snap session.Snapshot
	for name, info := range map[string]string{"soft0-cm": "soft0", "rxe0": "rxe0", "rxe0-cm": "rxe0"} {
		snap.Devices = append(snap.Devices, session.DeviceView{Name: name, Info: verbs.DeviceInfo{Name: info}})
	}
	taps.take(nil, &snap)
	if _, open := taps.faults["soft0"]; !open || len(taps.others) != 1 || !strings.HasPrefix(taps.others[0], "rxe0: ") {
		t.Errorf("open %v, others %q", open, taps.others)
	}
}
