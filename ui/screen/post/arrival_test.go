package post

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"rdmatui/session"
	"rdmatui/ui/theme"
	"rdmatui/verbs"
)

// TestArrived: bytes that changed in a region open to a peer are told one read later, unless something here accounts
// for them.
func TestArrived(t *testing.T) {
	const open = verbs.LocalWrite | verbs.RemoteWrite
	for _, tt := range []struct {
		name   string
		access verbs.Access
		from   int    // of the window
		change string // written at offset 10 between the first two reads
		events [3]uint64
		busy   [3]bool // something is under way here
		moved  bool    // the window moves between the first two reads
		err    bool    // the second read fails
		want   string
	}{
		{name: "a WRITE", access: open, change: "ab", want: "2 bytes of dst changed from offset 10."},
		{name: "one byte", access: open, change: "a", want: "1 byte of dst changed from offset 10."},
		{name: "two places", access: open, change: "a\x00b", want: "2 bytes of dst changed from offset 10."},
		{name: "scrolled", access: open, from: 8, change: "ab", want: "2 bytes of dst changed from offset 10."},
		{name: "an atomic", access: verbs.RemoteAtomic, change: "a", want: "1 byte of dst changed from offset 10."},
		{name: "nothing", access: open},
		{name: "closed", access: verbs.LocalWrite | verbs.RemoteRead, change: "a"},
		{name: "a command ended", access: open, change: "a", events: [3]uint64{0, 1, 1}},
		{name: "a completion came", access: open, change: "a", events: [3]uint64{0, 0, 1}},
		{name: "busy at first", access: open, change: "a", busy: [3]bool{true}},
		{name: "busy then", access: open, change: "a", busy: [3]bool{1: true}},
		{name: "busy later", access: open, change: "a", busy: [3]bool{2: true}},
		{name: "another window", access: open, change: "a", moved: true},
		{name: "not read", access: open, change: "a", err: true},
	} {
		m := newMemory(theme.New("none", true))
		m.show(&session.MRView{Name: "dst", Length: 64, Access: tt.access})
		now := make([]byte, 64)
		var told string
		for i := range 3 {
			w := window{"dst", tt.from, 32}
			if i == 1 {
				copy(now[10:], tt.change)
			}
			if tt.moved && i == 0 {
				w.to = 48
			}
			p := piecesRead{window: w, bytes: bytes.Clone(now[w.from:w.to])}
			if tt.err && i == 1 {
				p.err = errors.New("x")
			}
			if told = m.arrived(p, tt.events[i], !tt.busy[i]); i < 2 && told != "" {
				t.Errorf("%s: told at read %d: %s", tt.name, i, told)
			}
			m.take(p)
		}
		if want := tt.want; want != "" {
			tt.want = want + " No completion was polled: a peer's WRITE has none."
		}
		if told != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, told, tt.want)
		}
	}
}

// TestTake: bytes go where they were read, an error shows in the title until the next read, and those of another region
// are dropped.
func TestTake(t *testing.T) {
	m := newMemory(theme.New("none", true))
	m.show(&session.MRView{Name: "dst", Length: 8, Addr: 0x100, RKey: 0x20})
	m.SetSize(100, 10)
	m.take(piecesRead{window: window{"src", 0, 2}, bytes: []byte("no")})
	m.take(piecesRead{window: window{"dst", 2, 4}, bytes: []byte("ab"), err: errors.New("unreadable")})
	if want := "\x00\x00ab\x00\x00\x00\x00"; string(m.data) != want {
		t.Errorf("%q, want %q", m.data, want)
	}
	if got, want := m.title(), "dst · 8 B · addr 0x100 · rkey 0x20 · unreadable"; got[:len(want)] != want {
		t.Errorf("%q, want %q", got, want)
	}
	m.take(piecesRead{window: window{"dst", 6, 8}, bytes: []byte("cd")})
	if want := "\x00\x00ab\x00\x00cd"; string(m.data) != want || m.err != "" {
		t.Errorf("%q and %q, want %q", m.data, m.err, want)
	}
	m.mark()
	if !bytes.Equal(m.was, m.data) {
		t.Errorf("%q is not what was there before an operation, %q", m.was, m.data)
	}
	m.show(&session.MRView{Name: "dst", Length: 8, Addr: 0x200})
	if !bytes.Equal(m.data, make([]byte, 8)) || !bytes.Equal(m.was, make([]byte, 8)) {
		t.Errorf("another region starts with %q and %q", m.data, m.was)
	}
	if m.show(nil); m.title() != "no region" || m.about() != "" {
		t.Errorf("without a region: %q, %q", m.title(), m.about())
	}
}

// TestAbout: the title has the access if it fits; else the access has a line of its own, from a height of 8 rows.
func TestAbout(t *testing.T) {
	const all = " · 16 B · addr 0x100 · rkey 0x20 · LOCAL_WRITE|REMOTE_WRITE"
	m := newMemory(theme.New("none", true))
	m.show(&session.MRView{
		Name: "dst", Length: 16, Addr: 0x100, RKey: 0x20, Access: verbs.LocalWrite | verbs.RemoteWrite,
	})
	whole := len([]rune("dst" + all))
	for _, tt := range []struct {
		w, h int
		fits bool
		head int
	}{
		{whole + titleEnds, 20, true, 0}, {whole + titleEnds - 1, 20, false, 1},
		{whole + titleEnds - 1, accessRows, false, 1}, {whole + titleEnds - 1, accessRows - 1, false, 0},
	} {
		m.SetSize(tt.w, tt.h)
		if got := m.about() == all; got != tt.fits || m.headLines(tt.h) != tt.head {
			t.Errorf("%dx%d: %q with %d more lines", tt.w, tt.h, m.about(), m.headLines(tt.h))
		}
	}
	for length, want := range map[uint64]bool{maxView: false, maxView + 1: true} {
		m.show(&session.MRView{Name: "big", Length: length})
		if got := strings.Contains(m.about(), " · the first MiB"); got != want || len(m.data) != maxView {
			t.Errorf("%d bytes: %s, %d shown", length, m.about(), len(m.data))
		}
	}
}

// TestLastPosted: RECVs share one number; the others of a repetition are numbered from the first.
func TestLastPosted(t *testing.T) {
	for _, tt := range []struct {
		posted
		want uint64
	}{
		{posted{wrID: 7}, 7}, {posted{wrID: 7, times: 1}, 7}, {posted{wrID: 7, times: 5}, 11},
		{posted{wrID: 7, times: 5, recv: true}, 7}, {posted{wrID: 1<<64 - 2, times: 5}, 1<<64 - 1},
	} {
		if got := tt.last(); got != tt.want {
			t.Errorf("%s: %d, want %d", fmt.Sprintf("%+v", tt.posted), got, tt.want)
		}
	}
}
