package wire

import (
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"rdmatui/session/capture"
	"rdmatui/session/conversation"
	"rdmatui/session/timeline"
	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs/wire"
)

// TestBoundedTwice: as packets go on being dropped the cursor stays on its packet, and new ones follow.
func TestBoundedTwice(t *testing.T) {
	run(t, theme.New("none", true), func(x *bench) {
		psn := wire.PSN(0)
		flood := func(n int) {
			for range n {
				x.onWire(true, true, request(wire.RCSendOnly, psn, 4))
				psn++
			}
			x.refresh()
			x.view(120, 30)
		}
		for range 8 {
			flood(conversation.LiveKept / 16)
		}
		x.keys("up")
		was := x.s.list.at(x.s.table.Cursor()).N
		for range 4 {
			flood(100)
			if got := x.s.list.at(x.s.table.Cursor()); got.N != was {
				t.Errorf("on packet %d, was on %d", got.N, was)
			}
			if tried, dropped := x.s.list.extend(); tried || dropped != 0 {
				t.Errorf("%d packets are dropped again", dropped)
			}
		}
		x.filter("psn>=0")
		x.keys("home", "down", "down")
		was = x.s.list.at(x.s.table.Cursor()).N
		if from, _ := x.s.live.Span(); was != from+4 { // each has two records
			t.Errorf("the third row is packet %d of those from %d on", was, from)
		}
		flood(10) // which drops the row under the cursor
		from, _ := x.s.live.Span()
		if got := x.s.list.at(x.s.table.Cursor()); got.N != from || x.s.list.Len() != conversation.LiveKept/2 {
			t.Errorf("on packet %d, the first is %d; %d rows", got.N, from, x.s.list.Len())
		}
	})
}

// TestTapFails: if the tap cannot be switched on, the screen says why, and that it is off.
func TestTapFails(t *testing.T) {
	run(t, theme.New("none", true), func(x *bench) {
		msg := watching{on: true, err: errors.New("no tap")}
		flash, _ := x.s.Update(msg)().(screen.FlashMsg)
		if flash.Level != timeline.LevelError || flash.Text != "no tap" {
			t.Errorf("%+v", flash)
		}
		if x.refresh(); !strings.Contains(x.view(120, 30), "tap off") {
			t.Errorf("it is not said\n%s", x.view(120, 30))
		}
	})
}

// TestOtherDevicesOnce: the tap is requested again for a device that was opened since, once.
func TestOtherDevicesOnce(t *testing.T) {
	runOn(t, theme.New("none", true), native{uitest.Soft(nil)}, []string{"open_device mlx5_0"}, func(x *bench) {
		asked := func() (n int) {
			for range 3 {
				if _, cmd := x.s.Refresh(&screen.State{Session: x.sess.Snapshot()}); cmd != nil {
					x.s.Update(cmd())
					n++
				}
			}
			return n
		}
		asked()
		if n := asked(); n != 0 {
			t.Errorf("asked %d times for a device that is known", n)
		}
		x.s.others = nil
		if n := asked(); n != 1 {
			t.Errorf("asked %d times for a new device", n)
		}
		x.keys("t") // off
		x.s.others = nil
		if n := asked(); n != 0 {
			t.Errorf("asked %d times while the tap is off", n)
		}
	})
}

// TestAddressesOfTheEnds: the two ends are named with their addresses where both fit with two blanks between.
func TestAddressesOfTheEnds(t *testing.T) {
	run(t, theme.New("none", true), func(x *bench) {
		x.journey()
		clear(x.s.list.names)
		full := 2*len("qp 0x123456 127.0.0.1") + 2
		for w := 20; w < 120; w++ {
			x.s.ladder.SetSize(w, 10)
			head, _, _ := strings.Cut(uitest.Text(widget.Render(x.s.th, x.s.ladder, w, 10)), "\n")
			room := w - 9 - 12 // between the times and the marks, with the rails
			if w < 54 {
				room = w - 12 // no times
			}
			if got := strings.Contains(head, "127.0.0.1"); got != (room >= full) {
				t.Errorf("%d cells: %q", w, head)
			}
			if got := strings.Count(head, "127.0.0."); got != 0 && got != 2 {
				t.Errorf("%d cells: %q", w, head)
			}
			if room >= 2*len("qp 0x123456")+2 && strings.Count(head, "qp 0x") != 2 {
				t.Errorf("%d cells: %q", w, head)
			}
		}
	})
}

// TestWayOfAPacket: the detail begins with when and how a packet was captured, as far as the capture tells.
func TestWayOfAPacket(t *testing.T) {
	for _, tt := range []struct {
		way    capture.Way
		device string
		want   string
	}{
		{capture.Unknown, "", "1.250000 s  10.0.0.1:1 to 10.0.0.2:2"},
		{capture.Unknown, "eth0", "1.250000 s  eth0  10.0.0.1:1 to 10.0.0.2:2"},
		{capture.In, "eth0", "1.250000 s  ← eth0  10.0.0.1:1 to 10.0.0.2:2"},
		{capture.Out, "eth0", "1.250000 s  → eth0  10.0.0.1:1 to 10.0.0.2:2"},
	} {
		p := &conversation.Packet{Frame: capture.Frame{Way: tt.way, Packet: timeline.Packet{Device: tt.device,
			T: 1250 * time.Millisecond, Src: netip.MustParseAddrPort("10.0.0.1:1"),
			Dst: netip.MustParseAddrPort("10.0.0.2:2"), Outgoing: tt.way == capture.Out}}}
		th := &theme.Theme{Glyphs: theme.New("none", true).Glyphs}
		d := newDetail(th, newList(th, conversation.NewLive()))
		d.row = p
		b := line.New(th)
		if d.drawWay(b); b.String() != tt.want {
			t.Errorf("%q, want %q", b.String(), tt.want)
		}
		p.Live = true
		b.Reset()
		if d.drawWay(b); tt.device != "" && !strings.Contains(b.String(), "eth0  10") {
			t.Errorf("of the session: %q", b.String())
		}
	}
}
