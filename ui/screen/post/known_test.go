package post

import (
	"strings"
	"testing"

	"rdmatui/session"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
)

// withRegions has two regions, one behind the other, a window of each kind, and peers with and without regions.
func withRegions() *session.Snapshot {
	return &session.Snapshot{
		MRs: []session.MRView{
			{Name: "a", Addr: 0x1000, Length: 0x100, LKey: 1, RKey: 2},
			{Name: "b", Addr: 0x1100, Length: 0x10, LKey: 3, RKey: 4},
		},
		MWs: []session.MWView{
			{Name: "w", Addr: 0x1010, Length: 0x20, RKey: 5},
			{Name: "z", Addr: 0x1040, Length: 0x30, RKey: 6, Access: verbs.ZeroBased},
		},
		Peers: []session.PeerView{{Name: "p", Regions: []session.RemoteRegion{
			{Name: "first", Addr: 0x9000, Length: 8, RKey: 7}, {Name: "second", Addr: 0xa000, Length: 9, RKey: 8},
		}}, {Name: "q"}},
	}
}

// TestKnown: a number is known, and a reference to a region, a window or a region that a peer told.
func TestKnown(t *testing.T) {
	for text, want := range map[string]uint64{
		"7": 7, "0x10": 16, "a.addr": 0x1000, "a.addr+8": 0x1008, "a.length": 0x100, "a.lkey": 1, "b.rkey": 4,
		"w.addr": 0x1010, "w.addr+1": 0x1011, "w.length": 0x20, "w.rkey": 5, "z.addr": 0, "z.addr+4": 4,
		"z.length": 0x30,
		"p.addr":   0x9000, "p.rkey": 7, "p.length": 8,
	} {
		if got, ok := known(withRegions(), text); !ok || got != want {
			t.Errorf("%s: 0x%x, %t, want 0x%x", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "x", "-1", "c.addr", "q.addr", "a.name", "w.lkey", "p.lkey"} {
		if got, ok := known(withRegions(), text); ok {
			t.Errorf("%q: 0x%x", text, got)
		}
	}
}

// TestRemote: a remote address is in the region that it names, or in the one whose bytes have it.
func TestRemote(t *testing.T) {
	for text, want := range map[string]struct {
		name string
		at   uint64
	}{
		"a.addr": {"a", 0}, "a.addr+255": {"a", 255}, "b.addr+3": {"b", 3}, "0x1000": {"a", 0}, "0x10ff": {"a", 0xff},
		"0x1100": {"b", 0}, "0x110f": {"b", 0xf}, "0x1110": {"", 0}, "0xfff": {"", 0}, "w.addr+2": {"a", 0x12},
		"c.addr": {"", 0}, "": {"", 0}, "a.length": {"", 0}, "a.rkey": {"", 0},
	} {
		r := newRequest(withRegions())
		r.op = "RDMA_WRITE"
		r.set("remote_addr", text)
		name := ""
		got := r.remote()
		if got.mr != nil {
			name = got.mr.Name
		}
		if name != want.name || got.off != want.at {
			t.Errorf("%q: byte 0x%x of %q, want 0x%x of %q", text, got.off, name, want.at, want.name)
		}
	}
}

// TestWindowByKey: a window is found by its key's number, or by its name.
func TestWindowByKey(t *testing.T) {
	for key, want := range map[string]string{
		"5": "w", "0x6": "z", "w.rkey": "w", "z.rkey": "z", "7": "", "": "", "a.rkey": "", "w": "", "0x100000005": "",
	} {
		got := ""
		if w := windowByKey(withRegions(), key); w != nil {
			got = w.Name
		}
		if got != want {
			t.Errorf("%q: window %q, want %q", key, got, want)
		}
	}
}

// TestDrawFill: a queue shows as a bar and a number: the bar is empty only if the queue is, and full only if it is.
func TestDrawFill(t *testing.T) {
	th := &theme.Theme{Glyphs: theme.New("none", true).Glyphs}
	p := &path{th: th}
	full, empty := th.Glyphs.Thumb, th.Glyphs.Track
	repeat := func(s string, n int) (all string) {
		for range n {
			all += s
		}
		return all
	}
	for _, tt := range []struct {
		used, slots, w int
		want           string
	}{
		{0, 4, 20, repeat(empty, 4) + " 0/4"}, {1, 4, 20, repeat(full, 1) + repeat(empty, 3) + " 1/4"},
		{4, 4, 20, repeat(full, 4) + " 4/4"}, {1, 100, 40, full + repeat(empty, 15) + " 1/100"},
		{99, 100, 40, repeat(full, 15) + empty + " 99/100"}, {100, 100, 40, repeat(full, 16) + " 100/100"},
		{2, 4, 6, full + empty + " 2/4"}, {2, 4, 5, full + " 2/4"}, {2, 4, 4, "2/4"}, {2, 4, 3, "2/4"},
	} {
		b := line.New(th)
		b.Begin(40)
		p.drawFill(b, &lane{used: tt.used, slots: tt.slots}, tt.w)
		if got := strings.TrimRight(b.String(), " "); got != tt.want {
			t.Errorf("%d of %d in %d cells: %q, want %q", tt.used, tt.slots, tt.w, got, tt.want)
		}
	}
}
