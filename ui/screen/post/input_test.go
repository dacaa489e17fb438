package post

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session/preflight"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
)

// A paste longer than a field takes is refused with one message, and the field keeps
// its text.
func TestPasteTooLong(t *testing.T) {
	d, sess, s, _ := start(t, theme.New("none", true))
	d.Send(tea.PasteMsg{Content: "nowhere"})
	d.Keys("P")
	d.Send(tea.PasteMsg{Content: strings.Repeat("x", 1<<20)})
	want := []string{"paste not taken: \"nowhere\" is not a field; paste addr, rkey, length, qp_num, psn, lid, gid, host or port; P opens the payload",
		"paste not taken: it has 1,048,576 bytes, a field takes 65,536; save it to a file and use file:PATH"}
	if !slices.Equal(d.Flashes, want) {
		t.Errorf("%q", d.Flashes)
	}
	d.Keys("enter", "enter")
	sess.WantLines(`write_mem src "hello"`, "post_send a SEND wr_id=1 sge=src:0:5 send_flags=SIGNALED")
	d.Keys("P", "ctrl+u")
	d.Send(tea.PasteMsg{Content: strings.Repeat("y", widget.MaxInput)})
	d.View(80, 24)
	d.Keys("enter")
	if n := s.req.payloadLength(); n != widget.MaxInput {
		t.Errorf("%d bytes were taken", n)
	}
	d.Shows(120, 40, "65,536 bytes at 0 are not inside src")
}

// Escape sequences in a paste are kept byte for byte, and shown as escapes.
func TestPasteOfEscapes(t *testing.T) {
	const evil = "\x1b[2J\xff\r\n\u202e\x00é"
	d, sess, s, now := start(t, theme.New("none", true))
	d.Keys("P", "ctrl+u")
	d.Send(tea.PasteMsg{Content: evil})
	d.Keys("enter")
	if got := plainText(s.req.value("payload")); got != evil {
		t.Errorf("%q, want %q", got, evil)
	}
	for _, size := range sizes {
		if v := settled(d, now, size[0], size[1]); strings.ContainsAny(v, "\x1b\x00") {
			t.Errorf("not escaped:\n%q", v)
		}
	}
	d.Keys("enter")
	sess.WantLines(`write_mem src "\x1b[2J\xff\r\n\xe2\x80\xae\0é"`,
		fmt.Sprintf("post_send a SEND wr_id=1 sge=src:0:%d send_flags=SIGNALED", len(evil)))
	for _, tt := range []struct{ keys, want string }{
		{"P end", evil + "\x07"}, {"P", "\x07"}, // added to what is there, or in its place
	} {
		d.Keys(strings.Fields(tt.keys)...)
		d.Send(tea.PasteMsg{Content: "\x07"})
		d.Keys("enter")
		if got := plainText(s.req.value("payload")); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.keys, got, tt.want)
		}
	}
}

const biggest = "18446744073709551615"

// Numbers near the limit of 64 bits give one message each, never wrap, and keep the
// form.
func TestBiggestNumbers(t *testing.T) {
	for _, tt := range []struct{ field, value, want string }{
		{"remote_addr", biggest, "are not inside dst, which has 4,096"},
		{"remote_addr", "dst.addr+" + biggest, "are not inside dst, which has 4,096"},
		{"sge", "src:" + biggest + ":7", "are not inside src, which has 4,096"},
		{"sge", "src:" + biggest + ":4294967295", "are not inside src, which has 4,096"},
		{"sge", "src:1:4294967295", "4,294,967,295 bytes at 1 are not inside src"},
		{"sge", "src:0:" + biggest, "the field has 32 bits, at most 4294967295"},
		{"sge", "src:0:" + biggest + "0", "is too large: the field has 32 bits"},
		{"wr_id", biggest, ""},
		{"count", biggest, ""},
		{"rkey", biggest, "the field has 32 bits, at most 4294967295"},
	} {
		d, sess, s, now := start(t, theme.New("none", true))
		d.Keys("t", "t")
		s.turnTo(tt.field, tt.value)
		v := settled(d, now, 200, 60)
		bad := s.checks[0]
		if tt.want != "" && (bad.Verdict != preflight.Missing || !strings.Contains(bad.Text, tt.want) ||
			!strings.Contains(v, tt.want)) {
			t.Errorf("%s=%s: %+v", tt.field, tt.value, bad)
		}
		sess.Do("modify_qp a RESET") // which refuses requests
		d.Keys("enter")
		settled(d, now, 80, 24)
		if got := s.req.value(tt.field); got != tt.value {
			t.Errorf("%s=%s is %q after an error", tt.field, tt.value, got)
		}
		d.Keys("a", "m")
		settled(d, now, 80, 24)
	}
}

// What is typed is read at once: an error stands below its field and in the check, names both, and nothing is posted.
func TestWrongValues(t *testing.T) {
	for _, tt := range []struct{ field, value, want string }{
		{"rkey", "0x12zz", `rkey: "0x12zz" is not a number; write one of 32 bits, such as 17 or 0x11`},
		{"rkey", "0x100000000", `rkey: "0x100000000" is too large: the field has 32 bits, at most 4294967295`},
		{"wr_id", "first", `wr_id: "first" is not a number; write one of 64 bits, such as 17 or 0x11`},
		{"remote_addr", "here", `remote_addr: "here" is not a number`},
		{"imm_data", "-1", `imm_data: "-1" is not a number; write one of 32 bits, such as 17 or 0x11`},
		{"sge", "src:x:5", `sge: offset: "x" is not a number`},
		{"sge", "src:0:5,", "sge: an SGE is empty: write name:offset:length"},
		{"send_flags", "SIGNALD", `send_flags: "SIGNALD"`},
		{"count", "twice", `count: "twice" is not a number`},
		{"payload", "pattern:1x", "payload: "},
	} {
		d, sess, s, now := start(t, theme.New("none", true))
		d.Keys("t", "t", "t") // RDMA_WRITE_WITH_IMM has all of them
		s.turnTo(tt.field, tt.value)
		v := settled(d, now, 200, 60)
		bad := s.checks[0]
		if bad.Verdict != preflight.Missing || !strings.HasPrefix(bad.Text, tt.want) ||
			strings.Count(v, tt.want) < 2 {
			t.Errorf("%s=%s: %+v\n%s", tt.field, tt.value, bad, v)
		}
		d.Keys("enter")
		if lines := sess.Lines(); len(lines) > 0 {
			t.Errorf("%s=%s: ran %q", tt.field, tt.value, lines)
		}
	}
}

// A size is kept as its number of bytes.
func TestSizes(t *testing.T) {
	for _, tt := range []struct{ field, typed, want string }{
		{"sge", "src:1K:2k", "src:1024:2048"}, {"sge", "src:0:src.length", "src:0:src.length"},
	} {
		d, _, s, _ := start(t, theme.New("none", true))
		s.form.Select(tt.field)
		d.Keys("e")
		d.Type(tt.typed)
		d.Keys("enter")
		if got := s.req.value(tt.field); got != tt.want {
			t.Errorf("%s %s: %q, want %q", tt.field, tt.typed, got, tt.want)
		}
	}
}

// Regions: select another in a pane, go to an offset, and edit a region's lines.
func TestRegionKeys(t *testing.T) {
	d, sess, s, now := start(t, theme.New("none", true))
	sess.Do("reg_mr big pd=pd length=16777216")
	d.Frame()
	settled(d, now, 80, 24)
	d.Keys("]", "left")
	if s.near.mr.Name != "big" || s.far.mr.Name != "dst" {
		t.Errorf("%s and %s are shown", s.near.mr.Name, s.far.mr.Name)
	}
	for _, tt := range []struct {
		typed string
		row   int
		flash string
	}{
		{"0x100", 0x100, ""},
		{fmt.Sprint(sess.Snapshot().MRs[2].Addr + 32), 32, ""}, // an address
		{"16777216", 32, "big ends at 16777216: 16777216 is beyond"},
		{biggest, 32, "big ends at 16777216: " + biggest + " is beyond"},
		{"1048576", 32, "only the first 1048576 bytes are shown: read_mem big 1048576 shows those"},
		{"-1", 32, `"-1" is not an offset`},
	} {
		d.Flashes = nil
		d.Keys("@")
		if !s.Typing() {
			t.Fatal("no offset can be typed")
		}
		d.Type(tt.typed)
		settled(d, now, 80, 24)
		d.Keys("enter")
		settled(d, now, 80, 24)
		if from, _ := s.near.dump.Visible(); from != tt.row {
			t.Errorf("%s: the first row is %#x, want %#x", tt.typed, from, tt.row)
		}
		if got := strings.Join(d.Flashes, ";"); got != tt.flash {
			t.Errorf("%s: %q, want %q", tt.typed, got, tt.flash)
		}
	}
	d.Keys("]", "A", "D", "esc", "n")
	want := []string{"rereg_mr dst access=LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ",
		"reg_mr pd=pd length=4096 access=LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ|REMOTE_ATOMIC|MW_BIND"}
	if !slices.Equal(d.Edits, want) {
		t.Errorf("%q", d.Edits)
	}
	if want := []string{"Deregister the memory region dst?"}; !slices.Equal(d.Asked, want) {
		t.Errorf("%q", d.Asked)
	}
	d.Keys("esc")
	d.Keys("o")
	if s.near.mr.Name != "dst" {
		t.Errorf("the request of another queue pair shows %s", s.near.mr.Name)
	}
}

// A peer's WRITE shows although no event reports it.
func TestFollowsThePeer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dst")
	write := func(text string) {
		if err := os.WriteFile(path, append([]byte(text), make([]byte, 4096-len(text))...), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("")
	d, _, _, now := start(t, theme.New("none", true),
		benchWith("reg_mr dst pd=pd length=4096 access=LOCAL_WRITE|REMOTE_WRITE backing=file:"+path)...)
	settled(d, now, 120, 40)
	write("from afar")
	*now = now.Add(quiet)
	d.Frame()
	d.Settle()
	d.Shows(120, 40, "from afar.......│")
}

// Tags distinguish pieces without colours and in ASCII.
func TestTagsInASCII(t *testing.T) {
	d, _, _, now := start(t, theme.New("none", false))
	d.Keys("+")
	v := settled(d, now, 120, 40)
	for _, want := range []string{"Psrc:0:5  Qsrc:5:16", "0000 P00 00 00 00 00Q00"} {
		if !strings.Contains(v, want) {
			t.Errorf("%q is not shown:\n%s", want, v)
		}
	}
}

// An SGE is completed from the regions of the domain.
func TestCompletesRegions(t *testing.T) {
	d, sess, _, _ := start(t, theme.New("none", true))
	d.Keys("down", "down", "down", "e", "ctrl+u", "d", "tab", "enter", "delete", "e", "ctrl+u", "d", "tab", "enter",
		"up", "delete", "enter")
	sess.WantLines("post_send a SEND wr_id=1 sge=dst:0:4096 send_flags=SIGNALED")
}
