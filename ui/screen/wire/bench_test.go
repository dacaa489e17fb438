package wire

import (
	"net/netip"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session"
	"rdmatui/session/capture"
	"rdmatui/session/timeline"
	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
	"rdmatui/verbs"
)

// bench is a screen on a fake session with two devices, at a time that tests move.
type bench struct {
	t   testing.TB
	f   *fake
	s   *Screen
	now time.Duration
}

func newBench(t testing.TB, th *theme.Theme) *bench {
	f := &fake{names: []string{"soft0", "soft1"}}
	f.taps = []session.PacketTap{
		{Device: "soft0", On: true, Counts: capture.Counts{Sent: 1234, Received: 1200}, Counters: []verbs.HWCounter{
			{Name: "sent_pkts", Value: 2000}, {Name: "rcvd_seq_err", Value: 3}, {Name: "retransmits", Value: 1500}, {Name: "bad_icrc"},
		}},
		{Device: "soft1", On: true, Capture: "12 packets of 100 to x.pcapng", Counts: capture.Counts{Sent: 1200, Received: 1201, Missed: 7}},
	}
	gid := func(a netip.AddrPort) []verbs.GIDEntry {
		return []verbs.GIDEntry{{PortNum: 1, GID: verbs.GIDFromAddr(a.Addr())}}
	}
	f.snap = session.Snapshot{Version: 1,
		Devices: []session.DeviceView{{Name: "soft0", GIDs: gid(addrA), Faults: verbs.Faults{Loss: 0.05, Seed: 7}}, {Name: "soft1", GIDs: gid(addrB)}},
		QPs:     []session.QPView{{Name: "a", Device: "soft0", Num: qpA}, {Name: "b", Device: "soft1", Num: qpB}},
	}
	x := &bench{t: t, f: f, now: 12 * time.Second}
	x.s = New(&screen.Env{Ctx: t.Context(), Theme: th, Session: f, Packets: f})
	x.s.now = func() time.Time { return begin.Add(x.now) }
	x.s.Update(x.s.Show()())
	x.refresh()
	return x
}

func (x *bench) refresh() bool {
	changed, _ := x.s.Refresh(&screen.State{Session: x.f.snap})
	return changed
}

func (x *bench) keys(names ...string) (msg tea.Msg) {
	for _, n := range names {
		if cmd := x.s.Update(uitest.Key(n)); cmd != nil {
			msg = cmd()
			x.s.Update(msg)
		}
	}
	return msg
}

func (x *bench) view(w, h int) string {
	x.t.Helper()
	got := widget.Render(x.s.th, x.s, w, h)
	uitest.Exact(x.t, got, w, h)
	return uitest.Text(got)
}

// seen adds what one device's link saw.
func (x *bench) seen(device string, out bool, src, dst netip.AddrPort, data []byte) {
	p := timeline.Packet{At: begin.Add(x.now), T: x.now, Device: device, Outgoing: out, Src: src, Dst: dst, Data: data}
	p.Decode()
	x.f.ring.Add([]timeline.Packet{p})
	x.now += 10 * time.Microsecond
}
