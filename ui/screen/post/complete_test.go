package post

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"rdmatui/session"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/verbs"
)

// Each field is completed with what fits it: pieces of regions of the queue pair's own domain, addresses and keys of
// all regions, windows and announced regions, and address handles; only at the end of the text, and never with itself.
func TestComplete(t *testing.T) {
	_, _, s, _ := start(t, theme.New("none", true))
	s.snap = session.Snapshot{
		QPs: []session.QPView{{Name: "a", PD: "pd"}},
		MRs: []session.MRView{{Name: "src", PD: "pd", Length: 8, Addr: 0x10, RKey: 0x20, Access: verbs.LocalWrite},
			{Name: "far", PD: "pd2", Length: 9, Addr: 0x30, RKey: 0x40}},
		MWs: []session.MWView{{Name: "w", Type: verbs.MWType2, Addr: 0x50, RKey: 0x60}},
		Peers: []session.PeerView{{Name: "p", Regions: []session.RemoteRegion{{Name: "mr", Addr: 0x70, RKey: 0x80},
			{Name: "m2", Addr: 0x90, RKey: 0xa0}}}},
		AHs: []session.AHView{{Name: "ah"}},
	}
	s.req.qp = "a"
	for _, tt := range []struct {
		field, text string
		want        string // texts with their help
	}{
		{"sge", "", "src:0:8 LOCAL_WRITE"},
		{"sge 2", "s", "src:0:8 LOCAL_WRITE"},
		{"sge", "f", ""},
		{"sge", "src:0:8", ""},
		{"mr", "", "src LOCAL_WRITE;far 0"},
		{"mw", "", "w TYPE_2"},
		{"remote_addr", "", "src.addr 0x10;far.addr 0x30;w.addr window 0x50;p.mr.addr 0x70 at the peer;" +
			"p.m2.addr 0x90 at the peer"},
		{"rkey", "", "src.rkey 0x20;far.rkey 0x40;w.rkey window 0x60;p.mr.rkey 0x80 at the peer;" +
			"p.m2.rkey 0xa0 at the peer"},
		{"rkey", "p.m2", "p.m2.rkey 0xa0 at the peer"},
		{"invalidate_rkey", "", "src.rkey 0x20;far.rkey 0x40;w.rkey window 0x60"},
		{"ah", "", "ah ::"},
		{"count", "", ""}, {"payload", "", ""}, {"addr", "", ""},
	} {
		var got []string
		for _, c := range s.complete(tt.field, tt.text, len(tt.text)) {
			if got = append(got, c.Text+" "+c.Help); c.From != 0 || c.To != len(tt.text) {
				t.Errorf("%s %q: %+v replaces something else", tt.field, tt.text, c)
			}
		}
		if list := strings.Join(got, ";"); list != tt.want {
			t.Errorf("%s %q: %s, want %s", tt.field, tt.text, list, tt.want)
		}
	}
	if list := s.complete("sge", "s", 0); list != nil {
		t.Errorf("in the middle of a text: %v", list)
	}
	s.req.qp = ""
	if list := s.complete("sge", "", 0); list != nil {
		t.Errorf("without a queue pair: %v", list)
	}
}

// Left and right turn through all regions and come round; the other pane keeps its own.
func TestTurnRegions(t *testing.T) {
	d, sess, s, now := start(t, theme.New("none", true))
	sess.Do("reg_mr big pd=pd length=64")
	d.Frame()
	settled(d, now, 120, 40)
	for pane, want := range map[string][]string{"]": {"src", "dst", "big", "src", "big", "dst"},
		"]]": {"dst", "big", "src", "dst", "src", "big"}} {
		d.Keys("esc")
		d.Keys(strings.Split(pane, "")...)
		shown := func() string { return s.region().mr.Name }
		other := s.far
		if s.region() == s.far {
			other = s.near
		}
		got, kept := []string{shown()}, other.mr.Name
		for _, key := range []string{"right", "right", "right", "left", "left"} {
			d.Keys(key)
			got = append(got, shown())
		}
		if !slices.Equal(got, want) || other.mr.Name != kept {
			t.Errorf("%s: %q beside %s, want %q beside %s", pane, got, other.mr.Name, want, kept)
		}
		d.Keys("esc", "o", "o") // another queue pair, and this one again
	}
	d, _, s, _ = start(t, theme.New("none", true), "open_device soft0", "alloc_pd pd", "create_cq cq cqe=4",
		"create_qp a pd=pd send_cq=cq recv_cq=cq qp_type=RC")
	d.Keys("]", "right", "left", "down")
	if s.near.mr.Name != "" {
		t.Errorf("without a region %q is shown", s.near.mr.Name)
	}
	d.Flashes = nil
	d.Keys("A", "D")
	if want := "no region yet: n registers one"; !slices.Equal(d.Flashes, []string{want, want}) {
		t.Errorf("%q", d.Flashes)
	}
}

// A pane's texts can be copied: the command and its payload, and of a region its address and its bytes.
func TestCopies(t *testing.T) {
	d, sess, s, now := start(t, theme.New("none", true))
	settled(d, now, 120, 40)
	mrs := sess.Snapshot().MRs
	block := func(i int) string {
		return "addr " + hex(mrs[i].Addr) + " rkey " + hex(uint64(mrs[i].RKey)) + " length 4096"
	}
	const post = "post_send a SEND wr_id=1 sge=src:0:5 send_flags=SIGNALED"
	for _, tt := range []struct {
		keys []string
		want string
	}{
		{[]string{"y", "1"}, post},
		{[]string{"y", "2"}, "write_mem src \"hello\"\n" + post},
		{[]string{"]", "y", "1"}, block(0)},
		{[]string{"]", "]", "y", "1"}, block(1)},
	} {
		d.Copied = nil
		d.Keys(append([]string{"esc"}, tt.keys...)...)
		if !slices.Equal(d.Copied, []string{tt.want}) {
			t.Errorf("%q: copied %q, want %q", tt.keys, d.Copied, tt.want)
		}
	}
	d.Copied = nil
	d.Keys("esc", "]", "y", "2")
	if len(d.Copied) != 1 || !strings.Contains(d.Copied[0], "0000  00 00") {
		t.Errorf("the bytes are copied as %q", d.Copied)
	}
	s.near.show(nil)
	if list := texts(s, paneNear); list != nil {
		t.Errorf("without a region: %v", list)
	}
	if list := texts(s, panePath); list != nil {
		t.Errorf("of the data path: %v", list)
	}
}

// The lanes of the data path have the colour of their stage: what a request waits for is an error, where it is stands
// out, what is not known is dim.
func TestPathColours(t *testing.T) {
	th := uitest.Tokens()
	p := &path{th: th, behind: []string{"behind"}}
	for st, want := range map[stage]theme.Style{idle: th.Key, here: th.Accent, stuck: th.Err, unknown: th.Dim} {
		if got := p.laneStyle(&lane{stage: st}, th.Key); got != want {
			t.Errorf("stage %d has style %v", st, got)
		}
		if want == th.Key {
			want = th.Value
		}
		if p.stage = st; p.noteStyle(true) != want || p.noteStyle(false) != th.Dim {
			t.Errorf("the note of stage %d has style %v", st, p.noteStyle(true))
		}
	}
	for ascii, want := range map[bool][2]string{false: {"▸", "◂"}, true: {">", "<"}} {
		for i, back := range []bool{false, true} {
			p := &path{th: theme.New("none", !ascii), back: back}
			if got := p.arrow(); got != want[i] {
				t.Errorf("ASCII %t, back %t: %s, want %s", ascii, back, got, want[i])
			}
		}
	}
}

func hex(n uint64) string { return fmt.Sprintf("0x%x", n) }
