package post

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"rdmatui/session"
	"rdmatui/session/timeline"
	"rdmatui/ui/screen/steps/steptest"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/verbs"
)

var sizes = [][2]int{{80, 24}, {80, 17}, {120, 30}, {120, 40}, {200, 60}, {40, 10}}

// start shows the screen over a connected bench; time passes only when told.
func start(t *testing.T, th *theme.Theme) (*uitest.ScreenDriver, *steptest.Session, *Screen, *time.Time) {
	env, sess := steptest.NewEnv(t, th)
	sess.Bench()
	_, _ = sess.Exec(t.Context(), "connect_qps a b")
	sess.Lines()
	s := New(env)
	now := time.Unix(1000, 0)
	s.now = func() time.Time { return now }
	d := uitest.NewScreen(t, env, s)
	return d, sess, s, &now
}

// settled draws twice: what is visible is known, and read, only after the first.
func settled(d *uitest.ScreenDriver, now *time.Time, w, h int) string {
	d.View(w, h)
	*now = now.Add(time.Second)
	d.Frame()
	d.Settle()
	return d.View(w, h)
}

func wantLines(t *testing.T, s *steptest.Session, want ...string) {
	t.Helper()
	if got := s.Lines(); !slices.Equal(got, want) {
		t.Errorf("lines\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestGolden(t *testing.T) {
	cases := []struct {
		name string
		keys []string
		poke string
	}{
		{"send", nil, ""},
		{"sent", []string{"R", "enter"}, "hello"},
		{"write", []string{"o", "o"}, ""},
		{"read", []string{"o", "o", "o", "o"}, ""},
		{"atomic", slices.Repeat([]string{"o"}, 5), ""},
		{"recv", []string{"u", "r"}, ""},
		{"pieces", []string{"+", "+"}, ""},
		{"flags", []string{"down", "down", "down", "down", "e"}, ""},
		{"memory", []string{"enter", "m"}, "hello"},
		{"chain", []string{"a", "o", "a", "a"}, ""},
		{"repeat", []string{"end", "e", "8", "enter", "down", "e", "4", "enter"}, ""},
		{"jump", []string{"m", "@", "6", "4"}, ""},
	}
	for _, c := range cases {
		for _, size := range sizes {
			d, sess, _, now := start(t, theme.New("none", true))
			settled(d, now, size[0], size[1])
			d.Keys(c.keys...)
			if c.poke != "" {
				sess.Poke("dst", 0, c.poke)
			}
			uitest.Golden(t, fmt.Sprintf("%s-%dx%d", c.name, size[0], size[1]), settled(d, now, size[0], size[1]))
		}
	}
}

func TestASCIIGolden(t *testing.T) {
	d, _, _, now := start(t, theme.New("none", false))
	got := settled(d, now, 120, 40)
	if strings.ContainsFunc(got, func(r rune) bool { return r > 0x7e }) {
		t.Error("there is more than ASCII")
	}
	uitest.Golden(t, "send", got)
}

// With keys alone: RECV at the peer, SEND, WRITE, READ.
func TestJourney(t *testing.T) {
	d, sess, _, _ := start(t, theme.New("none", true))
	d.Keys("R")
	wantLines(t, sess, "post_recv b wr_id=1 sge=dst:0:4096")
	d.Keys("enter")
	wantLines(t, sess, `write_mem src "hello"`, "post_send a SEND wr_id=2 sge=src:0:5 send_flags=SIGNALED")
	d.Keys("o", "o", "enter")
	wantLines(t, sess, `write_mem src "written"`,
		"post_send a RDMA_WRITE wr_id=3 sge=src:0:7 remote_addr=dst.addr rkey=dst.rkey send_flags=SIGNALED")
	d.Keys("o", "o", "enter")
	wantLines(t, sess, "post_send a RDMA_READ wr_id=4 sge=src:32:16 remote_addr=dst.addr rkey=dst.rkey send_flags=SIGNALED")
	d.Keys(".")
	wantLines(t, sess, "post_send a RDMA_READ wr_id=4 sge=src:32:16 remote_addr=dst.addr rkey=dst.rkey send_flags=SIGNALED")
	d.Keys("u", "r", "enter")
	wantLines(t, sess, "post_recv b wr_id=5 sge=dst:0:4096")
}

func TestLines(t *testing.T) {
	tests := []struct {
		name string
		keys []string
		text string // typed after the keys, then enter twice
		want []string
	}{
		{"payload", []string{"p", "ctrl+u"}, `say "hi"`, []string{`write_mem src "say \"hi\""`, "post_send a SEND wr_id=1 sge=src:0:8 send_flags=SIGNALED"}},
		{"quoted payload", []string{"p", "ctrl+u"}, `"hi"`, []string{`write_mem src "hi"`, "post_send a SEND wr_id=1 sge=src:0:2 send_flags=SIGNALED"}},
		{"hex", []string{"p", "ctrl+u"}, "0x010203", []string{"write_mem src 0x010203", "post_send a SEND wr_id=1 sge=src:0:3 send_flags=SIGNALED"}},
		{"pattern", []string{"p", "ctrl+u"}, "pattern:100", []string{"write_mem src pattern:100", "post_send a SEND wr_id=1 sge=src:0:100 send_flags=SIGNALED"}},
		{"not hex", []string{"p", "ctrl+u"}, "0xyz", []string{`write_mem src "0xyz"`, "post_send a SEND wr_id=1 sge=src:0:4 send_flags=SIGNALED"}},
		{"no payload", []string{"p", "ctrl+u"}, "", []string{"post_send a SEND wr_id=1 sge=src:0:16 send_flags=SIGNALED"}},
		{"offset", []string{"down", "down", "down", "e", "ctrl+u"}, "src:64:5", []string{`write_mem src "hello" offset=64`, "post_send a SEND wr_id=1 sge=src:64:5 send_flags=SIGNALED"}},
		{"two pieces", []string{"+", "e", "ctrl+u"}, "dst:0:1", []string{`write_mem src "hello"`, "post_send a SEND wr_id=1 sge=src:0:5,dst:0:1 send_flags=SIGNALED"}},
		{"no flags", []string{"down", "down", "down", "down", "delete", "down", "e"}, "", []string{`write_mem src "hello"`, "post_send a SEND wr_id=1 sge=src:0:5 send_flags=0"}},
		{"imm", []string{"o", "p", "ctrl+u"}, "x", []string{`write_mem src "x"`, "post_send a SEND_WITH_IMM wr_id=1 sge=src:0:1 imm_data=0x12345678 send_flags=SIGNALED"}},
		{"hostile", []string{"down", "down", "down", "e", "ctrl+u"}, `s" x`, []string{`write_mem "s\" x" "hello"`, `post_send a SEND wr_id=1 sge="s\" x" send_flags=SIGNALED`}},
	}
	for _, tt := range tests {
		d, sess, _, _ := start(t, theme.New("none", true))
		d.Keys(tt.keys...)
		d.Type(tt.text)
		d.Keys("enter", "enter")
		if got := sess.Lines(); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// Atomics and SEND_WITH_INV, as they come filled in.
func TestOpcodesOfMoreFields(t *testing.T) {
	for n, want := range map[int][]string{
		5: {"post_send a ATOMIC_CMP_AND_SWP wr_id=1 sge=src:32:8 remote_addr=dst.addr rkey=dst.rkey compare_add=0 swap=1 send_flags=SIGNALED"},
		6: {"post_send a ATOMIC_FETCH_AND_ADD wr_id=1 sge=src:32:8 remote_addr=dst.addr rkey=dst.rkey compare_add=1 send_flags=SIGNALED"},
		7: {`write_mem src "hello and forget"`, "post_send a SEND_WITH_INV wr_id=1 sge=src:0:16 invalidate_rkey=dst.rkey send_flags=SIGNALED"},
	} {
		d, sess, _, _ := start(t, theme.New("none", true))
		d.Keys(slices.Repeat([]string{"o"}, n)...)
		d.Keys("enter")
		wantLines(t, sess, want...)
	}
}

// A payload that cannot be written is not sent; the answer is shown.
func TestStops(t *testing.T) {
	d, sess, _, _ := start(t, theme.New("none", true))
	sess.Fail["write_mem"] = timeline.CommandDone{Err: "outside\x1b[2J the region", Hint: "look at the offset"}
	d.Keys("enter")
	wantLines(t, sess, `write_mem src "hello"`)
	d.Shows(80, 24, `outside\x1b[2J the region`, "look at the offset")
	d.Keys("enter") // the same number again: nothing was posted
	wantLines(t, sess, `write_mem src "hello"`)
	d.Shows(120, 40, "wr_id      1 ")
}

// A RECV for a queue pair on a shared receive queue is posted there.
func TestRecvGoesToTheSRQ(t *testing.T) {
	d, sess, _, _ := start(t, theme.New("none", true))
	d.Keys("u", "r", "enter")
	wantLines(t, sess, "post_recv b wr_id=1 sge=dst:0:4096")
	sess.Change(func(s *session.Snapshot) { onSRQ(s, 0) })
	d.Frame()
	d.Settle()
	d.Keys("enter")
	wantLines(t, sess, "post_srq_recv srq wr_id=2 sge=dst:0:4096")
}

const cas = "ATOMIC_CMP_AND_SWP"

func grantAtomic(s *session.Snapshot) {
	s.MRs[1].Access |= verbs.RemoteAtomic
	s.QPs[1].Attr.QPAccessFlags |= verbs.RemoteAtomic
}

// onSRQ puts the queue pairs on a shared receive queue of 8 requests.
func onSRQ(s *session.Snapshot, posted int) {
	s.SRQs = []session.SRQView{{Name: "srq", PD: "pd", MaxWR: 8, MaxSGE: 1, RecvPosted: posted}}
	s.QPs = slices.Clone(s.QPs)
	for i := range s.QPs {
		s.QPs[i].SRQ = "srq"
	}
}

// Each check says no when its reason is there, and only then.
func TestChecks(t *testing.T) {
	tests := []struct {
		name   string
		op     string
		change func(*session.Snapshot)
		typed  map[string]string
		want   string // the text of the check that says no; "" if none does
	}{
		{"all well", "RDMA_WRITE", nil, nil, ""},
		{"recv", recv, nil, nil, ""},
		{"state", "RDMA_WRITE", func(s *session.Snapshot) { s.QPs[0].State = verbs.QPInit }, nil, "a is INIT: it must be RTS"},
		{"recv in RESET", recv, func(s *session.Snapshot) { s.QPs[0].State = verbs.QPReset }, nil, "a RECV needs INIT"},
		{"far state", "RDMA_WRITE", func(s *session.Snapshot) { s.QPs[1].State = verbs.QPInit }, nil, "b is INIT: it drops packets"},
		{"no RECV", "SEND", nil, nil, "b has no RECV posted"},
		{"a RECV", "SEND", func(s *session.Snapshot) { s.QPs[1].RecvPosted, s.QPs[1].RecvRoom = 1, 5 }, nil, ""},
		{"a RECV too small", "SEND", func(s *session.Snapshot) { s.QPs[1].RecvPosted, s.QPs[1].RecvRoom = 1, 4 }, nil, "room for 4 bytes, the message has 5"},
		{"queue full", "RDMA_WRITE", func(s *session.Snapshot) { s.QPs[0].SendOutstanding = 16 }, nil, "no room: 16 of 16 requests are under way (max_send_wr)"},
		{"past the end", "RDMA_WRITE", nil, map[string]string{"sge": "src:4090:7"}, "src ends at 4096"},
		{"remote past the end", "RDMA_WRITE", nil, map[string]string{"remote_addr": "dst.addr+4090"}, "not inside dst"},
		{"dead rkey", "RDMA_WRITE", nil, map[string]string{"rkey": "0x999"}, "no live region"},
		{"live rkey by number", "RDMA_WRITE", nil, map[string]string{"rkey": "0x201", "remote_addr": "0x20000"}, ""},
		{"no right", "RDMA_WRITE", nil, map[string]string{"rkey": "src.rkey", "remote_addr": "src.addr"}, "src does not grant REMOTE_WRITE"},
		{"no right of the QP", "RDMA_READ", func(s *session.Snapshot) { s.QPs[1].Attr.QPAccessFlags = verbs.RemoteWrite }, nil, "b has no REMOTE_READ"},
		{"no READ depth", "RDMA_READ", func(s *session.Snapshot) { s.QPs[0].Attr.MaxRDAtomic = 0 }, nil, "max_rd_atomic 0"},
		{"no LOCAL_WRITE", "RDMA_READ", func(s *session.Snapshot) { s.MRs[0].Access = 0 }, nil, "src must allow LOCAL_WRITE"},
		{"inline", "RDMA_WRITE", nil, map[string]string{"send_flags": "INLINE|SIGNALED"}, "max_inline_data is 0"},
		{"another domain", "RDMA_WRITE", func(s *session.Snapshot) { s.MRs[0].PD = "pd2" }, map[string]string{"sge": "src:0:7"}, "src is of domain pd2"},
		{"atomic", cas, grantAtomic, nil, ""},
		{"atomic right", cas, func(s *session.Snapshot) { grantAtomic(s); s.MRs[1].Access &^= verbs.RemoteAtomic }, nil, "dst does not grant REMOTE_ATOMIC"},
		{"atomic across", cas, grantAtomic, map[string]string{"remote_addr": "dst.addr+4"}, "8 does not divide remote_addr"},
		{"atomic of 16", cas, grantAtomic, map[string]string{"sge": "src:0:16"}, "an atomic fetches 8 bytes, the SGEs have 16"},
		{"atomic on UC", cas, func(s *session.Snapshot) { grantAtomic(s); s.QPs[0].Type, s.QPs[1].Type = verbs.UC, verbs.UC }, nil, "not for UC"},
		{"recv on an SRQ", recv, func(s *session.Snapshot) { onSRQ(s, 7); s.QPs[0].RecvPosted = 99 }, nil, ""},
		{"recv on a full SRQ", recv, func(s *session.Snapshot) { onSRQ(s, 8) }, nil, "no room: 8 of 8 RECVs are posted to srq (max_wr)"},
		{"no address", "RDMA_WRITE", nil, map[string]string{"remote_addr": ""}, "remote_addr and rkey are missing"},
	}
	for _, tt := range tests {
		_, sess, _, _ := start(t, theme.New("none", true))
		sess.Change(func(s *session.Snapshot) {
			s.QPs, s.MRs = slices.Clone(s.QPs), slices.Clone(s.MRs)
			if tt.change != nil {
				tt.change(s)
			}
		})
		snap := sess.Snapshot()
		r := newRequest(&snap)
		r.qp, r.op = "a", tt.op
		for k, v := range tt.typed {
			r.set(k, v)
		}
		var bad []string
		for _, c := range r.checks() {
			if c.answer == no {
				bad = append(bad, c.text)
			}
		}
		if tt.want == "" && len(bad) > 0 || tt.want != "" && (len(bad) != 1 || !strings.Contains(bad[0], tt.want)) {
			t.Errorf("%s: %q, want %q", tt.name, bad, tt.want)
		}
	}
}

// Memory is read when something happened, not more often than the period, and
// only the bytes in the window.
func TestReads(t *testing.T) {
	d, sess, s, now := start(t, theme.New("none", true))
	settled(d, now, 80, 24)
	base := sess.Calls()
	for range 20 {
		*now = now.Add(quiet / 10)
		if d.Frame() {
			t.Fatal("nothing changed, but the screen says so")
		}
		d.Settle()
		d.View(80, 24)
	}
	if n := sess.Calls() - base; n != 2*2 { // a peer's WRITE is not told by anything
		t.Errorf("%d reads of two regions in 2 s in which nothing happened", n)
	}
	base = sess.Calls()
	for range 20 { // under load every frame has something new
		*now = now.Add(20 * time.Millisecond)
		sess.Poke("dst", 0, "x")
		d.Frame()
		d.Settle()
	}
	if n := sess.Calls() - base; n > 2*3 {
		t.Errorf("%d reads of two regions in 0.4 s", n)
	}
	if w := s.near.window(); w.to-w.from > 64 {
		t.Errorf("window %+v is more than is visible in 80x24", w)
	}
}

// Bytes that changed since the operation began are marked, others are not.
func TestMarks(t *testing.T) {
	th := theme.New("dark", true)
	d, sess, _, now := start(t, th)
	settled(d, now, 120, 40)
	d.Keys("enter")
	sess.Poke("dst", 3, "AB")
	settled(d, now, 120, 40)
	changed := func(s *Screen, m *memory) (n int) {
		for i := range m.data {
			if m.was[i] != m.data[i] {
				n++
			}
		}
		return n
	}
	s := d.Screen.(*Screen)
	if near, far := changed(s, s.near), changed(s, s.far); near != 5 || far != 2 {
		t.Errorf("%d and %d bytes are marked, want 5 and 2", near, far)
	}
	d.Keys("enter")
	settled(d, now, 120, 40)
	if near, far := changed(s, s.near), changed(s, s.far); near != 0 || far != 0 {
		t.Errorf("%d and %d bytes are still marked", near, far)
	}
}

// What the request is about is in sight, also at 80 columns, before it is posted
// and after; and a scrolled dump is left alone as long as nothing is posted.
func TestBytesInSight(t *testing.T) {
	tests := []struct {
		name      string
		keys      []string
		near, far string // rows that must show
	}{
		{"SEND", nil, "0000", "0000"},
		{"WRITE_WITH_IMM", []string{"o", "o", "o"}, "0000", "0000"},
		{"READ", []string{"o", "o", "o", "o"}, "0020", "0000"},
		{"offset", []string{"down", "down", "down", "e", "ctrl+u", "s", "r", "c", ":", "1", "0", "2", "4", ":", "5", "enter"}, "0400", "0000"},
		{"back", []string{"o", "o", "o", "o", "o", "o"}, "0000", "0000"},
	}
	for _, tt := range tests {
		d, _, s, now := start(t, theme.New("none", true))
		settled(d, now, 80, 17)
		d.Keys(tt.keys...)
		for _, after := range []string{"before", "after"} {
			for i, m := range []*memory{s.near, s.far} {
				at := "│ " + []string{tt.near, tt.far}[i] + "  "
				v := settled(d, now, 80, 17)
				if !strings.Contains(v[strings.Index(v, " "+m.mr.Name+" · "):], at) {
					t.Errorf("%s, %s: no row %s of %s:\n%s", tt.name, after, at, m.mr.Name, v)
				}
			}
			s.Focus = paneNear
			d.Keys("end")
			if v := settled(d, now, 80, 17); !strings.Contains(v, "│ 0ff0  ") {
				t.Errorf("%s, %s: the end cannot be scrolled to:\n%s", tt.name, after, v)
			}
			s.Focus = paneForm
			d.Keys("enter")
		}
	}
}

// A SEND is looked for where the RECV puts it.
func TestLandingInSight(t *testing.T) {
	d, _, s, now := start(t, theme.New("none", true))
	settled(d, now, 80, 17)
	d.Keys("u", "r", "down", "down", "e", "ctrl+u")
	d.Type("dst:2048:64")
	d.Keys("enter", "enter", "u", "o")
	if v := settled(d, now, 80, 17); !strings.Contains(v, "│ 0800  ") {
		t.Errorf("what the RECV takes is out of sight (%+v):\n%s", s.recvs, v)
	}
}

// The completion of the request that was posted is shown, and no other.
func TestCompletion(t *testing.T) {
	d, sess, _, now := start(t, theme.New("none", true))
	d.Keys("enter")
	wc := timeline.Completion{CQ: "cq", QP: "a", Matched: true, Latency: 18 * time.Microsecond, WC: verbs.WC{WRID: 9}}
	sess.Timeline().AppendBatch([]timeline.Completion{wc})
	if v := settled(d, now, 120, 40); strings.Contains(v, "wr_id 9") {
		t.Errorf("the completion of another request is shown:\n%s", v)
	}
	wc.WC.WRID, wc.WC.Status = 1, verbs.WCRemAccessErr
	sess.Timeline().AppendBatch([]timeline.Completion{wc})
	if v := settled(d, now, 120, 40); !strings.Contains(v, "wr_id 1 REM_ACCESS_ERR · 18 µs") {
		t.Errorf("the completion is not shown:\n%s", v)
	}
}

func TestHostile(t *testing.T) {
	const evil = "\x1b]0;x\x07\u202e"
	d, sess, _, now := start(t, theme.New("none", true))
	sess.Change(func(s *session.Snapshot) {
		s.QPs, s.MRs = slices.Clone(s.QPs), slices.Clone(s.MRs)
		s.QPs[0].Name, s.QPs[1].PeerName = "a"+evil, "a"+evil
		s.MRs[0].Name, s.MRs[1].Name = "src"+evil, "dst"+evil
	})
	sess.Poke("src", 0, evil)
	for _, size := range sizes {
		settled(d, now, size[0], size[1])
	}
	d.Keys("enter")
	for _, size := range sizes {
		settled(d, now, size[0], size[1])
	}
}

// No size, however odd, breaks a line.
func TestAnySize(t *testing.T) {
	d, _, _, _ := start(t, theme.New("none", true))
	for w := 1; w < 180; w += 7 {
		for h := 1; h < 45; h += 4 {
			d.View(w, h)
		}
	}
}

// Without a queue pair the screen says where to go.
func TestNothing(t *testing.T) {
	env, sess := steptest.NewEnv(t, theme.New("none", true))
	s := New(env)
	d := uitest.NewScreen(t, env, s)
	d.Keys("enter", "R", "u", "o", "+", "-", ".", "p")
	wantLines(t, sess)
	d.Shows(80, 24, "2 goes to Bring-up")
	d.Shows(40, 10, "2 goes to")
}

// What came of a post while another screen is in front is shown afterwards.
func TestAway(t *testing.T) {
	d, sess, s, now := start(t, theme.New("none", true))
	d.Away = true
	d.Keys("enter")
	d.Back()
	*now = now.Add(time.Second)
	d.Frame()
	d.Settle()
	d.Shows(120, 40, "ibv_post_send(…)", "wr_id      2")
	if s.runner.Busy() || s.reader.Busy() {
		t.Error("something is waited for that has come already")
	}
	sess.Lines()
	d.Keys("enter")
	wantLines(t, sess, `write_mem src "hello"`, "post_send a SEND wr_id=2 sge=src:0:5 send_flags=SIGNALED")
}
