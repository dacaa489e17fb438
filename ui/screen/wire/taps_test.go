package wire

import (
	"slices"
	"strings"
	"testing"

	"rdmatui/session"
	"rdmatui/session/capture"
	"rdmatui/session/packets"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
)

// TestTapLines: each device has a line, and what cannot be captured follows. A single row has the first of what cannot
// be captured, else all devices.
func TestTapLines(t *testing.T) {
	th := &theme.Theme{Glyphs: theme.New("none", true).Glyphs}
	soft := func(name string, sent, received uint64) packets.Tap {
		return packets.Tap{Device: name, On: true, Counts: capture.Counts{Sent: sent, Received: received}}
	}
	two := []packets.Tap{soft("soft0", 7, 1200), soft("soft1", 1200, 7)}
	two[1].Capture = "a.pcap"
	rxe := session.DeviceView{Name: "r", Info: verbs.DeviceInfo{Name: "rxe0"}}
	lossy := session.DeviceView{Name: "d", Info: verbs.DeviceInfo{Name: "soft0"}, Faults: verbs.Faults{Loss: 0.25}}
	silent := packets.Tap{Device: "rxe0", On: true, Netdev: "eth0"}
	heard := packets.Tap{Device: "rxe0", On: true, Netdev: "eth0", Counts: capture.Counts{Received: 1}}
	broken := packets.Tap{Device: "rxe0", Problem: "no permission"}
	for _, tt := range []struct {
		name  string
		list  []packets.Tap
		open  []session.DeviceView
		on    bool
		h     int
		want  []string // how each line begins
		below int
	}{
		{"no tap", nil, nil, false, 2, []string{"the tap is off: t switches it on", ""}, 0},
		{"no device", nil, nil, true, 1, []string{"no software device"}, 0},
		{"two", two, nil, true, 3, []string{"soft0   7 sent  1,200 received", "soft1   1,200 sent  7 received", ""}, 0},
		{"two in one row", two, nil, true, 1, []string{"soft0 " + th.Glyphs.Right + "7 "}, 0},
		{"one in one row", two[:1], nil, true, 1, []string{"soft0   7 sent  1,200 received  not open"}, 0},
		{"faults", two[:1], []session.DeviceView{lossy}, true, 1,
			[]string{"soft0   7 sent  1,200 received  faults loss="}, 0},
		{"a NIC", two[:1], []session.DeviceView{rxe}, true, 3,
			[]string{"soft0   7 sent", "rxe0: not captured here; capture rxe0 on reads its netdev"}, 0},
		{"a NIC in one row", two, []session.DeviceView{rxe}, true, 1, []string{"rxe0: not captured here"}, 0},
		{"a NIC out of sight", two, []session.DeviceView{rxe}, true, 2,
			[]string{"soft0   7 sent", "soft1   1,200 sent"}, 1},
		{"a NIC opened twice", nil, []session.DeviceView{rxe, rxe}, true, 2,
			[]string{"rxe0: not captured here", ""}, 0},
		{"a silent NIC", []packets.Tap{silent}, []session.DeviceView{rxe}, true, 2,
			[]string{"rxe0    0 sent  0 received  on eth0", "rxe0: no RoCE packet on eth0 so far"}, 0},
		{"a NIC that is heard", []packets.Tap{heard}, []session.DeviceView{rxe}, true, 2,
			[]string{"rxe0    0 sent  1 received  on eth0", ""}, 0},
		{"a NIC that refuses", []packets.Tap{broken}, []session.DeviceView{rxe}, true, 2,
			[]string{"rxe0: no permission", ""}, 0},
	} {
		x := &taps{th: th, known: []string{"soft0", "soft1"}, on: tt.on}
		x.take(tt.list, &session.Snapshot{Devices: tt.open})
		const w = 200
		x.SetSize(w, tt.h)
		for y, want := range tt.want {
			b := line.New(th)
			b.Begin(w)
			x.DrawLine(b, y)
			got := strings.TrimSpace(b.String())
			if !strings.HasPrefix(got, want) || want == "" && got != "" {
				t.Errorf("%s, line %d: %q, want %q", tt.name, y, got, want)
			}
		}
		if got := x.Below(); got != tt.below {
			t.Errorf("%s: %d rows below, want %d", tt.name, got, tt.below)
		}
		if want := len(tt.want) - strings.Count(strings.Join(tt.want, "\n")+"\n", "\n\n"); tt.h > 1 && tt.below == 0 &&
			x.rowsWanted(w) != max(want, 1) {
			t.Errorf("%s: %d rows wanted, want %d", tt.name, x.rowsWanted(w), want)
		}
	}
}

// TestAllTapsInARow: a single row has the counts of all devices, their faults and captures.
func TestAllTapsInARow(t *testing.T) {
	th := &theme.Theme{Glyphs: theme.New("none", true).Glyphs}
	x := &taps{th: th, known: []string{"soft0", "soft1"}, on: true}
	x.take([]packets.Tap{
		{Device: "soft0", On: true, Counts: capture.Counts{Sent: 1, Received: 2}},
		{Device: "soft1", On: true, Counts: capture.Counts{Sent: 3, Received: 4}, Capture: "a.pcap"},
	}, &session.Snapshot{Devices: []session.DeviceView{
		{Info: verbs.DeviceInfo{Name: "soft0"}, Faults: verbs.Faults{Loss: 0.25}},
		{Info: verbs.DeviceInfo{Name: "soft1"}},
	}})
	x.SetSize(120, 1)
	b := line.New(th)
	b.Begin(120)
	x.DrawLine(b, 0)
	r, l := th.Glyphs.Right, th.Glyphs.Left
	want := []string{"soft0", r + "1", l + "2", "loss=25%", "soft1", r + "3", l + "4", "capture"}
	if got := strings.Fields(strings.NewReplacer(r+" ", r, l+" ", l).Replace(b.String())); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
