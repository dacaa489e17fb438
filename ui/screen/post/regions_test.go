package post

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session"
	"rdmatui/session/preflight"
	"rdmatui/session/timeline"
	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
	"rdmatui/verbs"
)

// The regions shown are those of the request: the first SGE's here, and at the far end the one that remote_addr names,
// or else that of the peer; both panes never show the same one.
func TestRegionsOfTheRequest(t *testing.T) {
	for _, tt := range []struct {
		op, sge, addr string
		near, far     string
	}{
		{"SEND", "", "", "src", "dst"},
		{"SEND", "dst:0:5", "", "dst", "src"},
		{"SEND", "big:0:5", "", "big", "dst"},
		{"SEND", "none:0:5", "", "src", "dst"},
		{"SEND", "", "big.addr", "src", "dst"}, // a SEND has no remote address
		{"RDMA_WRITE", "", "", "src", "dst"},
		{"RDMA_WRITE", "", "big.addr+8", "src", "big"},
		{"RDMA_WRITE", "", "gone.addr", "src", "dst"},
		{"RDMA_WRITE", "big:0:5", "src.addr", "big", "src"},
		{"RDMA_WRITE", "dst:0:5", "", "dst", "src"},
	} {
		_, _, s, _ := start(t, theme.New("none", true), append(benchWith(), "reg_mr big pd=pd length=64")...)
		s.req.op = tt.op
		if tt.sge != "" {
			s.req.set("sge", tt.sge)
		}
		if tt.addr != "" {
			s.req.set("remote_addr", tt.addr)
		}
		s.refill()
		if s.near.mr.Name != tt.near || s.far.mr.Name != tt.far {
			t.Errorf("%s of %q to %q shows %s and %s, want %s and %s", tt.op, tt.sge, tt.addr, s.near.mr.Name,
				s.far.mr.Name, tt.near, tt.far)
		}
	}
}

// The pieces of a request are marked in turn by two styles, each with a tag if there are several; pieces in another
// region are not.
func TestMarksOfPieces(t *testing.T) {
	th := uitest.Tokens()
	_, _, s, _ := start(t, th)
	for i, sge := range []string{"src:0:4", "src:8:4", "dst:0:4", "src:16:4", "src:4090:9"} {
		if i > 0 {
			s.req.addPiece()
		}
		s.req.set(s.req.sgeNames()[i], sge)
		s.refill()
		if i == 0 {
			if m := s.near.marks; len(m) != 1 || m[0].Tag != "" || m[0].Style != th.Range || s.near.names != nil {
				t.Errorf("one piece: %+v, %q", m, s.near.names)
			}
		}
	}
	want := []struct {
		off, n int
		tag    string
		style  theme.Style
	}{{0, 4, "¹", th.Range}, {8, 4, "²", th.Range2}, {16, 4, "⁴", th.Range2}, {4090, 6, "⁵", th.Range}}
	if len(s.near.marks) != len(want) {
		t.Fatalf("%+v", s.near.marks)
	}
	for i, m := range s.near.marks {
		if w := want[i]; m.Off != w.off || m.Len != w.n || m.Tag != w.tag || m.Style != w.style {
			t.Errorf("piece %d: %+v, want %+v", i, m, w)
		}
	}
	if want := []string{"src:0:4", "src:8:4", "src:16:4", "src:4090:9"}; !slices.Equal(s.near.names, want) {
		t.Errorf("%q, want %q", s.near.names, want)
	}
	s.req.op = "LOCAL_INV"
	if s.refill(); s.near.marks != nil {
		t.Errorf("a request without a list has marks: %+v", s.near.marks)
	}
}

// + adds an SGE behind the last, up to 8, and puts the cursor on it; - removes the one under the cursor or the last,
// but never the only one.
func TestAddAndDropPieces(t *testing.T) {
	d, _, s, _ := start(t, theme.New("none", true))
	pieces := func() string { return s.req.sgeList() }
	for _, tt := range []struct{ key, want string }{
		{"-", "src:0:5"}, {"+", "src:0:5,src:5:16"}, {"-", "src:0:5"}, {"=", "src:0:5,src:5:16"},
		{"+", "src:0:5,src:5:16,src:21:16"},
	} {
		if d.Keys(tt.key); pieces() != tt.want {
			t.Errorf("%s: %s, want %s", tt.key, pieces(), tt.want)
		}
	}
	if at := s.form.Name(); at != "sge 3" {
		t.Errorf("the cursor is on %s", at)
	}
	d.Keys("up", "-") // the second of three
	if pieces() != "src:0:5,src:21:16" {
		t.Errorf("the third takes the place of the second: %s", pieces())
	}
	d.Keys("home", "-") // not on an SGE
	if pieces() != "src:0:5" {
		t.Errorf("the last is removed: %s", pieces())
	}
	d.Keys(slices.Repeat([]string{"+"}, 12)...)
	if n := len(s.req.sgeNames()); n != maxPieces {
		t.Errorf("%d SGEs", n)
	}
}

// What the form does not accept is refused with the reason, and the form keeps its values.
func TestRefusedValues(t *testing.T) {
	for _, tt := range []struct{ field, value, says string }{
		{"qp", "none", "no queue pair none"},
		{"opcode", "TSO", "TSO cannot be posted here; the console (:) takes every opcode"},
		{"opcode", "FLUSH", whyNot(&session.Snapshot{}, &session.QPView{Name: "a", Type: verbs.RC}, "FLUSH")},
	} {
		d, _, s, _ := start(t, theme.New("none", true))
		d.Send(s.turnTo(tt.field, tt.value)())
		if s.req.qp != "a" || s.req.op != "SEND" || !slices.Equal(d.Flashes, []string{tt.says}) {
			t.Errorf("%s=%s: %q, %s on %s", tt.field, tt.value, d.Flashes, s.req.op, s.req.qp)
		}
	}
}

// A RECV that a key posts at the peer has the number that was typed for it, each time, or else the next one.
func TestNumbersAtThePeer(t *testing.T) {
	d, sess, s, _ := start(t, theme.New("none", true))
	d.Keys("R", "R", "enter")
	sess.WantLines("post_recv b wr_id=1 sge=dst:0:4096", "post_recv b wr_id=2 sge=dst:0:4096", `write_mem src "hello"`,
		"post_send a SEND wr_id=3 sge=src:0:5 send_flags=SIGNALED")
	d.Keys("o", "v")
	s.turnTo("wr_id", "70")
	d.Keys("o", "t", "R", "R")
	sess.WantLines("post_recv b wr_id=70 sge=dst:0:4096", "post_recv b wr_id=70 sge=dst:0:4096")
	d, sess, s, _ = start(t, theme.New("none", true))
	s.req.typed[slot{"b", recv, "wr_id"}] = "1" // the next number anyway
	d.Keys("R", "R")
	sess.WantLines("post_recv b wr_id=1 sge=dst:0:4096", "post_recv b wr_id=2 sge=dst:0:4096")
}

// b makes what is missing on an open device, says so if nothing is, and leads to Bring-up if none is open.
func TestMakesWhatIsMissing(t *testing.T) {
	d, sess, _, _ := start(t, theme.New("none", true), uitest.BenchLines[:3]...)
	d.Keys("b")
	sess.WantLines(uitest.BenchLines[3:]...)
	if d.Keys("b"); !slices.Equal(d.Flashes, []string{"nothing is missing"}) {
		t.Errorf("%q", d.Flashes)
	}
	d, sess, _, _ = startOn(uitest.NewSession(t, session.Options{}), theme.New("none", true), t)
	d.Keys("b")
	if sess.WantLines(); !slices.Equal(d.Flashes, []string{"b creates all objects"}) {
		t.Errorf("%q", d.Flashes)
	}
}

// A RECV of a shared receive queue may complete at any of its queue pairs; all else completes at its own.
func TestCompletesAt(t *testing.T) {
	snap := &session.Snapshot{QPs: []session.QPView{{Name: "a"}, {Name: "b", SRQ: "srq"}},
		SRQs: []session.SRQView{{Name: "srq"}}}
	for _, tt := range []struct{ qp, op, want string }{{"a", "SEND", "a"}, {"a", recv, "a"}, {"b", "SEND", "b"},
		{"b", recv, ""}, {"srq", recv, ""}} {
		r := newRequest(snap)
		if r.qp, r.op = tt.qp, tt.op; r.completesAt() != tt.want {
			t.Errorf("%s on %s: %q", tt.op, tt.qp, r.completesAt())
		}
	}
}

// A window through which a queue pair's memory can be reached is bound, on it or to any queue pair of its domain.
func TestWindowOf(t *testing.T) {
	for _, tt := range []struct {
		w    session.MWView
		want bool
	}{
		{session.MWView{MR: "m", QP: "a", PD: "other"}, true}, {session.MWView{MR: "m", PD: "pd"}, true},
		{session.MWView{MR: "m", QP: "b", PD: "pd"}, false}, {session.MWView{MR: "m", PD: "other"}, false},
		{session.MWView{QP: "a", PD: "pd"}, false},
	} {
		snap := &session.Snapshot{QPs: []session.QPView{{Name: "a", PD: "pd"}}, MWs: []session.MWView{tt.w}}
		if got := windowOf(snap, "a") != nil; got != tt.want || windowOf(snap, "none") != nil {
			t.Errorf("%+v: %t", tt.w, got)
		}
	}
}

// A piece names a region, an offset and a length; without a length it goes to the end. Raw addresses and what cannot
// be read name none.
func TestParsePiece(t *testing.T) {
	for text, want := range map[string]piece{
		"": {}, ":1:2": {}, "@0x10:1:2": {}, "m": {region: "m", toEnd: true}, "m:5": {region: "m", off: 5, toEnd: true},
		"m:5:6": {region: "m", off: 5, length: 6}, "m:0x10:0": {region: "m", off: 16}, "m:x:6": {}, "m:5:x": {},
		"m:": {},
	} {
		if got := parsePiece(text); got != want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
	p := parsePiece("m:5")
	for length, want := range map[uint64]uint64{0: 0, 5: 0, 6: 1, 64: 59} {
		if got := p.size(length); got != want {
			t.Errorf("%d bytes of %d, want %d", got, length, want)
		}
	}
}

// A dump has one blank before it: it needs a cell more than the dump alone.
func TestDumpWidth(t *testing.T) {
	per := func(w int, set func(w int) *widget.HexDump) int {
		from, to := set(w).Visible()
		return to - from
	}
	alone := func(w int) *widget.HexDump {
		d := widget.NewHexDump(theme.New("none", true))
		d.SetData(make([]byte, 4096))
		d.SetSize(w, 1)
		return d
	}
	inPane := func(w int) *widget.HexDump {
		m := newMemory(theme.New("none", true))
		m.show(&session.MRView{Name: "m", Length: 4096})
		m.SetSize(w, 1)
		return m.dump
	}
	for w := 20; w < 200; w++ {
		if a, b := per(w, alone), per(w+1, inPane); a != b {
			t.Fatalf("%d cells show %d bytes a row, %d with a blank", w, a, b)
		}
	}
}

// A paste with control characters becomes a quoted payload; other fields take it as it is.
func TestPasteIntoOtherFields(t *testing.T) {
	d, _, s, _ := start(t, theme.New("none", true))
	d.Keys(".", "end", "up", "e", "ctrl+u")
	d.Send(tea.PasteMsg{Content: "7\x01"})
	d.Keys("enter")
	if got := s.req.value("wr_id"); strings.HasPrefix(got, `"`) || !strings.HasPrefix(got, "7") {
		t.Errorf("wr_id is %q", got)
	}
}

// Where the data path has one or two lines, the first has the lanes, and the note stands behind them or below.
func TestShortPath(t *testing.T) {
	_, sess, s, _ := start(t, theme.New("none", true))
	sess.Do("post_send a RDMA_WRITE sge=src:0:1 remote_addr=dst.addr rkey=dst.rkey")
	s.Refresh(&screen.State{Session: sess.Snapshot()})
	const lanes, note = " src ▸ SQ 1/16 ▸ wire ▸ RQ ▸ dst ▸ CQ 0 ok", " wr 1 RDMA_WRITE: posted"
	for h, want := range map[int]string{1: lanes + " " + note, 2: lanes + " " + note + "\n" + note} {
		if got := uitest.Text(widget.Render(s.th, pathBlock(s), 120, h)); got != want {
			t.Errorf("%d lines: %q, want %q", h, got, want)
		}
	}
}

// Each pane's text can be copied.
func TestCopyOfEachPane(t *testing.T) {
	d, _, s, now := start(t, theme.New("none", true))
	settled(d, now, 120, 40)
	for pane, want := range map[screen.Pane]string{paneForm: "post_send", paneNear: "addr 0x", paneFar: "addr 0x",
		panePath: "SQ of a", paneChecks: "b has no RECV posted", paneResult: "Results appear here."} {
		d.Copied = nil
		s.Focus = pane
		d.View(120, 40)
		d.Keys("y", "1")
		if len(d.Copied) != 1 || !strings.Contains(d.Copied[0], want) {
			t.Errorf("pane %d: %q, want %q", pane, d.Copied, want)
		}
	}
}

// What a RECV of a queue pair on a shared receive queue says of the queue that takes it.
func TestRecvOfSharedQueue(t *testing.T) {
	_, _, s, _ := start(t, theme.New("none", true), onSRQ...)
	for qp, want := range map[string]bool{"a": true, "srq": false} {
		s.turnTo("qp", qp)
		s.req.op = recv
		s.refill()
		found := slices.ContainsFunc(s.checks, func(f preflight.Finding) bool {
			return f.Text == qp+" takes its RECVs from srq"
		})
		if found != want {
			t.Errorf("%s: %+v", qp, s.checks)
		}
	}
}

// Memory is read as soon as the screen comes to the front again.
func TestReadsAfterAnotherScreen(t *testing.T) {
	d, _, _, now := start(t, theme.New("none", true))
	settled(d, now, 120, 40)
	started := func(do func()) int {
		base := d.Started
		do()
		d.Settle()
		return d.Started - base
	}
	*now = now.Add(period)
	if n := started(func() { d.Frame() }); n != 0 {
		t.Errorf("%d reads while nothing happens", n)
	}
	if n := started(d.Back); n != 1 {
		t.Errorf("%d reads after another screen", n)
	}
}

// While memory is being read nothing else is asked for: what was read belongs to the events before it.
func TestOneReadAtATime(t *testing.T) {
	d, sess, s, now := start(t, theme.New("none", true))
	settled(d, now, 120, 40)
	*now = now.Add(quiet)
	d.Frame()
	under := s.asked
	sess.Do(`write_mem dst "x"`)
	*now = now.Add(quiet)
	if d.Frame(); s.asked != under || !s.reader.Busy() {
		t.Errorf("%+v is asked for while %+v is read", s.asked, under)
	}
	d.Settle()
	*now = now.Add(quiet)
	if d.Frame(); s.asked == under {
		t.Error("nothing is read after an event")
	}
	d.Settle()
}

// A typed line that posts is an operation too: what changed before is no longer marked; other lines leave the marks.
func TestTypedLines(t *testing.T) {
	for line, want := range map[string]bool{"post_send a SEND sge=src:0:1": false, "chain post_send a SEND": false,
		"post_recv b sge=dst:0:1": true, "write_mem src 0x00": true} {
		d, sess, s, now := start(t, theme.New("none", true))
		settled(d, now, 120, 40)
		sess.Do(`write_mem src "x"`, `write_mem dst "x"`)
		settled(d, now, 120, 40)
		d.Send(screen.DoneMsg{Line: line, Typed: true, Done: timeline.CommandDone{Line: line}})
		for _, m := range []*memory{s.near, s.far} {
			if marked := string(m.was) != string(m.data); marked != want {
				t.Errorf("%s: the change of %s is marked: %t", line, m.mr.Name, marked)
			}
		}
		d.Shows(120, 40, "✓       "+line)
	}
}

// Tours read the fields of the form, the cursor and the line that runs.
func TestFieldsOfTours(t *testing.T) {
	d, _, s, _ := start(t, theme.New("none", true))
	d.Keys("down")
	for name, want := range map[string]string{"cursor": "opcode", "opcode": "SEND", "qp": "a", "running": "",
		"wr_id": "1", "payload": "hello"} {
		if got := s.Fields.Field(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

// A quoted payload is what its escapes mean; one that cannot be read as such is its characters.
func TestPlainText(t *testing.T) {
	for text, want := range map[string]string{`hi`: "hi", `"hi"`: "hi", `"a\x41\n"`: "aA\n", `"`: `"`, `""`: "",
		`"a`: `"a`, `"a" "b"`: `a" "b`, `"\q"`: `\q`} {
		if got := plainText(text); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
