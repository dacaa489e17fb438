package wire

import (
	"fmt"
	"strings"
	"testing"

	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
	"rdmatui/verbs/wire"
)

// offered lists the screen's own keys that work now, of those named.
func (x *bench) offered(among string) (keys string) {
	own, _ := x.s.Context().Short()
	for _, name := range strings.Fields(among) {
		for _, b := range own {
			if b.Keys()[0] == name {
				keys += name + " "
			}
		}
	}
	return strings.TrimSpace(keys)
}

// TestOffered: the bottom line has the keys that do something now.
func TestOffered(t *testing.T) {
	const keys = "p v d f t C w . n N E"
	run(t, theme.New("none", true), func(x *bench) {
		want := func(when, want string) {
			t.Helper()
			x.view(200, 50)
			if got := x.offered(keys); got != want {
				t.Errorf("%s: %s, want %s", when, got, want)
			}
		}
		want("no packet", "p d f t")
		x.onWire(true, true, request(wire.RCSendOnly, 1, 4))
		x.refresh()
		want("a packet", "p v d f t C w")
		x.keys("tab")
		want("on the packet's time", "p v d f t C w")
		x.keys("down", "down", "down", "down", "down")
		want("on a header", "p v d f t C w E")
		x.keys("esc")
		want("on the packets", "p v d f t C w")
		x.journey()
		want("at the end, an RNR NAK", "p v d f t C w N")
		x.keys("home")
		want("at the first", "p v d f t C w n")
		x.keys("down", "down", "down", "down", "down")
		want("amid trouble", "p v d f t C w n N")
		x.keys("/")
		if c := x.s.Context(); c.Name == "Wire" {
			t.Error("the keys of the list are offered while a filter is typed")
		}
	})
	for i, want := range []string{"p v . n E", "v . n E"} { // while it is read, and then
		x := onTrace(t, theme.New("none", true), newCaptured(t).journey().traceOf())
		x.view(160, 40)
		x.keys("home", "tab", "down", "down", "down", "down", "down", "down", "down", "down")
		if x.s.traced.state.Done = i == 1; x.offered(keys) != want {
			t.Errorf("of a capture: %s, want %s", x.offered(keys), want)
		}
	}
}

// TestBack: esc undoes one thing at a time: the zoom, the focus, what was typed, the conversation, the device.
func TestBack(t *testing.T) {
	run(t, theme.New("none", true), func(x *bench) {
		x.journey()
		x.keys("d", "v")
		x.filter("op~send")
		x.keys("tab", "z")
		state := func() string {
			return fmt.Sprint(x.s.Zoom, x.s.Focus, " ", x.s.list.text, " ", x.s.list.talk != nil, x.s.list.device)
		}
		for _, want := range []string{"true 1 op~send true soft0", "false 1 op~send true soft0",
			"false 0 op~send true soft0", "false 0  true soft0", "false 0  false soft0", "false 0  false ",
			"false 0  false "} {
			if got := state(); strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(want, " ", "") {
				t.Errorf("%s, want %s", got, want)
			}
			x.keys("esc")
			x.view(200, 50)
		}
		if x.s.list.Len() != 9 {
			t.Errorf("%d rows", x.s.list.Len())
		}
	})
}

// TestSeekEnds: n and N say so when there is no more trouble, and leave the cursor where it is.
func TestSeekEnds(t *testing.T) {
	run(t, theme.New("none", true), func(x *bench) {
		want := func(key, text string, under int) {
			t.Helper()
			msg := x.keys(key)
			if flash, _ := msg.(screen.FlashMsg); flash.Text != text || x.under() != under {
				t.Errorf("%s: %q, on %d, want %q, on %d", key, flash.Text, x.under(), text, under)
			}
		}
		want("n", "No trouble after this packet", -1)
		want("N", "No trouble before this packet", -1)
		x.journey()
		want("n", "No trouble after this packet", 15)
		x.keys("home")
		want("N", "No trouble before this packet", 0)
		for _, at := range []int{2, 5, 7, 9, 15} {
			want("n", "", at)
		}
		for _, at := range []int{9, 7, 5, 2} {
			want("N", "", at)
		}
		want("N", "No trouble before this packet", 2)
	})
}

// TestFaultKey: f opens the faults of the device shown alone, else of the one with faults, else of the device of the
// packet, else of the first.
func TestFaultKey(t *testing.T) {
	for _, tt := range []struct {
		name, before string
		journey      bool
		keys         []string
		want         string
	}{
		{"one has faults", "", true, nil, "soft0"},
		{"that one alone", "", true, []string{"d"}, "soft0"},
		{"the other alone", "", true, []string{"d", "d"}, "soft1"},
		{"without packets", "fault soft0 off", false, nil, "soft0"},
		{"a packet of soft0", "fault soft0 off", true, []string{"home"}, "soft0"},
		{"a packet of soft1", "fault soft0 off", true, []string{"home", "down", "down", "down"}, "soft1"},
	} {
		run(t, theme.New("none", true), func(x *bench) {
			if tt.before != "" {
				x.sess.Do(tt.before)
			}
			if x.refresh(); tt.journey {
				x.journey()
			}
			x.keys(tt.keys...)
			if x.keys("f"); x.s.faults.device != tt.want || !x.s.faulting {
				t.Errorf("%s: %q, want %q", tt.name, x.s.faults.device, tt.want)
			}
		})
	}
}

// TestLadderKeys: the keys in the conversation go from arrow to arrow, a page at most as far as one can see, and stay
// within it. The selected arrow stays in sight.
func TestLadderKeys(t *testing.T) {
	for _, h := range []int{4, 5, 8, 13, 40, 60} {
		run(t, theme.New("none", true), func(x *bench) {
			for i := range 25 {
				x.onWire(true, true, request(wire.RCSendOnly, wire.PSN(2*i), 4))
				x.onWire(false, true, answer(wire.ACKUnlimited, wire.PSN(2*i), uint32(i)))
			}
			x.refresh()
			x.view(200, 50)
			x.keys("[", "z")
			page := h - 3 // without the frame and the names of the ends
			at, top, margin := 49, 50-page, min(2, page/3)
			far := 1 << 10
			for _, tt := range []struct {
				key string
				by  int
			}{{"up", -1}, {"down", 1}, {"down", 1}, {"home", -far}, {"up", -1}, {"down", 1}, {"pgdown", page}, {"j", 1},
				{"pgdown", page}, {"k", -1}, {"pgup", -page}, {"pgdown", page}, {"pgdown", page}, {"end", far},
				{"pgdown", page}, {"pgup", -page}, {"g", -far}, {"pgup", -page}, {"G", far}} {
				x.view(120, h)
				x.keys(tt.key)
				at = min(max(at+tt.by, 0), 49)
				if got := x.s.ladder.index(); got != at {
					t.Fatalf("%d lines: %s goes to arrow %d, want %d", h, tt.key, got, at)
				}
				view := x.view(120, h)
				if top = min(max(top, at+margin-page+1), at-margin); x.s.ladder.top != max(min(top, 50-page), 0) {
					t.Errorf("%d lines: %s: from arrow %d on, want %d", h, tt.key, x.s.ladder.top, top)
				}
				top = x.s.ladder.top
				if n := strings.Count(view, "▸"); n != 1 {
					t.Errorf("%d lines: %s: %d arrows are marked\n%s", h, tt.key, n, view)
				}
				if n := strings.Count(view, "SEND_ONLY") + strings.Count(view, "ACK 0x"); n != min(page, 50) {
					t.Errorf("%d lines: %s: %d arrows in sight, want %d\n%s", h, tt.key, n, min(page, 50), view)
				}
				below := 0
				if _, text, more := strings.Cut(view, "↓ "); more {
					fmt.Sscanf(text, "%d more", &below)
				}
				if want := 50 - page - x.s.ladder.top; below != max(want, 0) {
					t.Errorf("%d lines: %s: %d more below, want %d", h, tt.key, below, want)
				}
			}
		})
	}
}
