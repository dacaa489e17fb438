package post

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/session"
	"rdmatui/session/preflight"
	"rdmatui/session/timeline"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/verbs"
)

var sizes = [][2]int{{80, 24}, {80, 17}, {120, 30}, {120, 40}, {200, 60}, {40, 10}}

// start shows the screen over a connected bench, or over other lines; time passes only on request.
func start(t *testing.T, th *theme.Theme, lines ...string) (*uitest.ScreenDriver,
	*uitest.Session, *Screen, *time.Time) {
	if lines == nil {
		lines = benchWith()
	}
	return startOn(uitest.NewSession(t, session.Options{}, lines...), th, t)
}

func startOn(sess *uitest.Session, th *theme.Theme, t *testing.T) (*uitest.ScreenDriver,
	*uitest.Session, *Screen, *time.Time) {
	env := sess.Env(th)
	s := New(env)
	now := time.Unix(1000, 0)
	s.now = func() time.Time { return now }
	return uitest.NewScreen(t, env, s), sess, s, &now
}

// benchWith returns the lines of a connected bench, some replaced by lines with the same beginning.
func benchWith(instead ...string) []string {
	lines := append(slices.Clone(uitest.BenchLines), "connect_qps a b")
	for _, l := range instead {
		words := strings.Fields(l)
		i := slices.IndexFunc(lines, func(old string) bool { return strings.HasPrefix(old, words[0]+" "+words[1]+" ") })
		lines[i] = l
	}
	return lines
}

// settled draws twice: the visible bytes are known, and read, only after the first frame.
func settled(d *uitest.ScreenDriver, now *time.Time, w, h int) string {
	d.View(w, h)
	*now = now.Add(time.Second)
	d.Frame()
	d.Settle()
	return d.View(w, h)
}

func TestGolden(t *testing.T) {
	cases := []struct {
		name string
		keys []string
	}{
		{"send", nil},
		{"sent", []string{"R", "enter"}},
		{"write", []string{"t", "t"}},
		{"read", []string{"t", "t", "t", "t"}},
		{"atomic", slices.Repeat([]string{"t"}, 5)},
		{"recv", []string{"o", "v"}},
		{"pieces", []string{"+", "+", "+", "+"}},
		{"flags", []string{"down", "down", "down", "down", "e"}},
		{"memory", []string{"R", "enter", "m"}},
		{"chain", []string{"a", "t", "a", "a"}},
		{"repeat", []string{".", "end", "e", "8", "enter", "down", "e", "4", "enter"}},
		{"jump", []string{"m", "@", "6", "4"}},
	}
	for _, c := range cases {
		for _, size := range sizes {
			synctest.Test(t, func(t *testing.T) { // where calls take no time
				d, _, _, now := startOn(uitest.NewSession(t, session.Options{Live: true}, benchWith()...),
					theme.New("none", true), t)
				settled(d, now, size[0], size[1])
				d.Keys(c.keys...)
				time.Sleep(time.Second) // the device has carried out the requests
				uitest.Golden(t, fmt.Sprintf("%s-%dx%d", c.name, size[0], size[1]), settled(d, now, size[0], size[1]))
			})
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
	sess.WantLines("post_recv b wr_id=1 sge=dst:0:4096")
	d.Keys("enter")
	sess.WantLines(`write_mem src "hello"`, "post_send a SEND wr_id=2 sge=src:0:5 send_flags=SIGNALED")
	d.Keys("t", "t", "enter")
	sess.WantLines(`write_mem src "written"`,
		"post_send a RDMA_WRITE wr_id=3 sge=src:0:7 remote_addr=dst.addr rkey=dst.rkey send_flags=SIGNALED")
	d.Keys("t", "t", "enter")
	sess.WantLines("post_send a RDMA_READ wr_id=4 sge=src:32:16 remote_addr=dst.addr rkey=dst.rkey send_flags=SIGNALED")
	d.Keys("r")
	sess.WantLines("post_send a RDMA_READ wr_id=4 sge=src:32:16 remote_addr=dst.addr rkey=dst.rkey send_flags=SIGNALED")
	d.Keys("o", "v", "enter")
	sess.WantLines("post_recv b wr_id=5 sge=dst:0:4096")
}

func TestLines(t *testing.T) {
	tests := []struct {
		name string
		keys []string
		text string // typed after the keys, followed by enter twice
		want []string
	}{
		{"payload", []string{"P", "ctrl+u"}, `say "hi"`,
			[]string{`write_mem src "say \"hi\""`, "post_send a SEND wr_id=1 sge=src:0:8 send_flags=SIGNALED"}},
		{"quoted payload", []string{"P", "ctrl+u"}, `"hi"`,
			[]string{`write_mem src "hi"`, "post_send a SEND wr_id=1 sge=src:0:2 send_flags=SIGNALED"}},
		{"hex", []string{"P", "ctrl+u"}, "0x010203",
			[]string{"write_mem src 0x010203", "post_send a SEND wr_id=1 sge=src:0:3 send_flags=SIGNALED"}},
		{"pattern", []string{"P", "ctrl+u"}, "pattern:100",
			[]string{"write_mem src pattern:100", "post_send a SEND wr_id=1 sge=src:0:100 send_flags=SIGNALED"}},
		{"not hex", []string{"P", "ctrl+u"}, "0xyz",
			[]string{`write_mem src "0xyz"`, "post_send a SEND wr_id=1 sge=src:0:4 send_flags=SIGNALED"}},
		{"no payload", []string{"P", "ctrl+u"}, "",
			[]string{"post_send a SEND wr_id=1 sge=src:0:16 send_flags=SIGNALED"}},
		{"offset", []string{"down", "down", "down", "e", "ctrl+u"}, "src:64:5",
			[]string{`write_mem src "hello" offset=64`, "post_send a SEND wr_id=1 sge=src:64:5 send_flags=SIGNALED"}},
		{"two pieces", []string{"+", "e", "ctrl+u"}, "dst:0:1",
			[]string{`write_mem src "hello"`, "post_send a SEND wr_id=1 sge=src:0:5,dst:0:1 send_flags=SIGNALED"}},
		{"no flags", []string{"down", "down", "down", "down", "delete", ".", "e"}, "",
			[]string{`write_mem src "hello"`, "post_send a SEND wr_id=1 sge=src:0:5 send_flags=0"}},
		{"imm", []string{"t", "P", "ctrl+u"}, "x", []string{`write_mem src "x"`,
			"post_send a SEND_WITH_IMM wr_id=1 sge=src:0:1 imm_data=0x12345678 send_flags=SIGNALED"}},
		{"hostile", []string{"down", "down", "down", "e", "ctrl+u"}, `s" x`, nil},
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

// Atomics and SEND_WITH_INV with their default values.
func TestOpcodesOfMoreFields(t *testing.T) {
	for n, want := range map[int][]string{
		5: {"post_send a ATOMIC_CMP_AND_SWP wr_id=1 sge=src:32:8 remote_addr=dst.addr rkey=dst.rkey compare_add=0 swap=1 send_flags=SIGNALED"},
		6: {"post_send a ATOMIC_FETCH_AND_ADD wr_id=1 sge=src:32:8 remote_addr=dst.addr rkey=dst.rkey compare_add=1 send_flags=SIGNALED"},
		7: {`write_mem src "hello and forget"`,
			"post_send a SEND_WITH_INV wr_id=1 sge=src:0:16 invalidate_rkey=dst.rkey send_flags=SIGNALED"},
	} {
		d, sess, _, _ := start(t, theme.New("none", true))
		d.Keys(slices.Repeat([]string{"t"}, n)...)
		d.Keys("enter")
		sess.WantLines(want...)
	}
}

// If the payload cannot be written nothing is sent; the error is shown.
func TestStops(t *testing.T) {
	d, sess, _, _ := start(t, theme.New("none", true))
	d.Keys("down", "down", "down", "e", "ctrl+u")
	d.Type("src:5000:5")
	d.Keys("enter", "enter")
	const line = `write_mem src "hello" offset=5000`
	sess.WantLines(line)
	d.Shows(80, 24, "it said EFAULT: 5 bytes at offset 5000 of src, which has 4,096")
	d.Keys("enter") // the same number again: nothing was posted
	sess.WantLines(line)
	d.Shows(120, 40, "SEND wr_id=1 ")
}

// A RECV for a queue pair on a shared receive queue is posted there.
func TestRecvGoesToTheSRQ(t *testing.T) {
	for line, lines := range map[string][]string{"post_recv b wr_id=1 sge=dst:0:4096": benchWith(),
		"post_srq_recv srq wr_id=1 sge=dst:0:4096": onSRQ} {
		d, sess, _, _ := start(t, theme.New("none", true), lines...)
		d.Keys("o", "v", "enter")
		sess.WantLines(line)
	}
}

const cas = "ATOMIC_CMP_AND_SWP"

// Lines that replace the usual ones for a check: rights for atomics, and queue pairs on a shared receive queue of 8
// requests.
var (
	withAtomic = benchWith("reg_mr dst pd=pd length=4096 access=LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ|REMOTE_ATOMIC",
		"connect_qps a b qp_access_flags=REMOTE_WRITE|REMOTE_READ|REMOTE_ATOMIC")
	onSRQ = slices.Insert(benchWith("create_qp a pd=pd send_cq=cq recv_cq=cq srq=srq max_send_wr=16",
		"create_qp b pd=pd send_cq=cq recv_cq=cq srq=srq max_send_wr=16"),
		2, "create_srq srq pd=pd max_wr=8 max_sge=1")
)

// Each check fails for its reason, and only then.
func TestChecks(t *testing.T) {
	bench := benchWith()
	then := func(lines ...string) []string { return slices.Concat(bench, lines) }
	write := "post_send a RDMA_WRITE sge=src:0:1 remote_addr=dst.addr rkey=dst.rkey"
	tests := []struct {
		name  string
		op    string
		lines []string
		typed map[string]string
		want  string // the text of the failed check; "" for none
	}{
		{"all well", "RDMA_WRITE", bench, nil, ""},
		{"recv", recv, bench, nil, ""},
		{"state", "RDMA_WRITE", then("modify_qp a RESET", "modify_qp a INIT pkey_index=0 port_num=1 qp_access_flags=0"),
			nil, "a is INIT: SENDs need RTS"},
		{"recv in RESET", recv, uitest.BenchLines, nil, "a RECV needs INIT"},
		{"far state", "RDMA_WRITE",
			then("modify_qp b RESET", "modify_qp b INIT pkey_index=0 port_num=1 qp_access_flags=REMOTE_WRITE"), nil,
			"b is INIT: it drops packets"},
		{"no RECV", "SEND", bench, nil, "b has no RECV posted"},
		{"a RECV", "SEND", then("post_recv b sge=dst:0:5"), nil, ""},
		{"a RECV too small", "SEND", then("post_recv b sge=dst:0:4"), nil, "room for 4 bytes, the message has 5"},
		{"queue full", "RDMA_WRITE", then(slices.Repeat([]string{write}, 16)...), map[string]string{"payload": "",
			"sge": "src:0:1"}, "no room: 16 of 16 requests are outstanding (max_send_wr)"},
		{"past the end", "RDMA_WRITE", bench, map[string]string{"sge": "src:4090:7"},
			"7 bytes at 4090 are not inside src, which has 4,096"},
		{"remote past the end", "RDMA_WRITE", bench, map[string]string{"remote_addr": "dst.addr+4090"},
			"not inside dst"},
		{"dead rkey", "RDMA_WRITE", bench, map[string]string{"rkey": "0x999"},
			"rkey 0x999 belongs to no region or window of b"},
		{"live rkey by number", "RDMA_WRITE", bench, nil, ""},
		{"no right", "RDMA_WRITE", bench, map[string]string{"rkey": "src.rkey", "remote_addr": "src.addr"},
			"src lacks REMOTE_WRITE"},
		{"no right of the QP", "RDMA_READ", benchWith("connect_qps a b qp_access_flags=REMOTE_WRITE"), nil,
			"the qp_access_flags of b lack REMOTE_READ"},
		{"no READ depth", "RDMA_READ", benchWith("connect_qps a b max_rd_atomic=0"), nil, "max_rd_atomic 0"},
		{"no LOCAL_WRITE", "RDMA_READ", benchWith("reg_mr src pd=pd length=4096 access=0"), nil,
			"src lacks LOCAL_WRITE"},
		{"inline", "RDMA_WRITE", bench, map[string]string{"send_flags": "INLINE|SIGNALED"}, "max_inline_data is 0"},
		{"another domain", "RDMA_WRITE", then("alloc_pd pd2", "reg_mr far pd=pd2 length=64"),
			map[string]string{"sge": "far:0:7"}, "far is in pd2"},
		{"atomic", cas, withAtomic, nil, ""},
		{"atomic right", cas, slices.Concat(withAtomic, []string{"rereg_mr dst access=LOCAL_WRITE|REMOTE_WRITE"}), nil,
			"dst lacks REMOTE_ATOMIC"},
		{"atomic across", cas, withAtomic, map[string]string{"remote_addr": "dst.addr+4"}, "is not a multiple of 8"},
		{"atomic of 16", cas, withAtomic, map[string]string{"sge": "src:0:16"},
			"an atomic fetches 8 bytes, the SGEs have 16"},
		{"atomic on UC", cas, benchWith("create_qp a pd=pd send_cq=cq recv_cq=cq qp_type=UC",
			"create_qp b pd=pd send_cq=cq recv_cq=cq qp_type=UC",
			"reg_mr dst pd=pd length=4096 access=LOCAL_WRITE|REMOTE_WRITE|REMOTE_ATOMIC",
			"connect_qps a b qp_access_flags=REMOTE_WRITE|REMOTE_ATOMIC"), nil, "not for UC"},
		{"recv on an SRQ", recv, slices.Concat(onSRQ, slices.Repeat([]string{"post_srq_recv srq sge=dst:0:8"}, 7)), nil,
			""},
		{"recv on a full SRQ", recv, slices.Concat(onSRQ, slices.Repeat([]string{"post_srq_recv srq sge=dst:0:8"}, 8)),
			nil, "no room: 8 of 8 RECVs are posted to srq (max_wr)"},
		{"no address", "RDMA_WRITE", bench, map[string]string{"remote_addr": ""}, "remote_addr and rkey are missing"},
	}
	for _, tt := range tests {
		snap := uitest.NewSession(t, session.Options{}, tt.lines...).Snapshot()
		r := newRequest(&snap)
		r.qp, r.op = "a", tt.op
		if tt.name == "live rkey by number" {
			dst := snap.MR("dst")
			tt.typed = map[string]string{"rkey": fmt.Sprint(dst.RKey), "remote_addr": fmt.Sprint(dst.Addr)}
		}
		for k, v := range tt.typed {
			r.set(k, v)
		}
		var bad []string
		for _, c := range r.checks() {
			if c.Verdict == preflight.Missing {
				bad = append(bad, c.Text)
			}
		}
		if tt.want == "" && len(bad) > 0 || tt.want != "" && (len(bad) != 1 || !strings.Contains(bad[0], tt.want)) {
			t.Errorf("%s: %q, want %q", tt.name, bad, tt.want)
		}
	}
}

// Memory is read after events, not more often than the period, and only the visible
// bytes.
func TestReads(t *testing.T) {
	d, sess, s, now := start(t, theme.New("none", true))
	settled(d, now, 80, 24)
	base := d.Started
	for range 20 {
		*now = now.Add(quiet / 10)
		if d.Frame() {
			t.Fatal("nothing changed, but the screen says so")
		}
		d.Settle()
		d.View(80, 24)
	}
	if n := d.Started - base; n != 2 { // no event reports a peer's WRITE
		t.Errorf("%d times the regions were read in 2 s in which nothing happened", n)
	}
	base = d.Started
	for range 20 { // under load every frame has new events
		*now = now.Add(20 * time.Millisecond)
		sess.Do(`write_mem dst "x"`)
		d.Frame()
		d.Settle()
	}
	if n := d.Started - base; n > 3 {
		t.Errorf("%d times the regions were read in 0.4 s", n)
	}
	if w := s.near.window(); w.to-w.from > 64 {
		t.Errorf("window %+v is more than is visible in 80x24", w)
	}
}

// Bytes changed since the operation began are marked, others are not.
func TestMarks(t *testing.T) {
	th := theme.New("dark", true)
	d, sess, _, now := start(t, th)
	settled(d, now, 120, 40)
	d.Keys("enter")
	sess.Do(`write_mem dst "AB" offset=3`)
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

// The request's bytes are visible, also at 80 columns, before and after it is posted;
// a scrolled dump stays until something is posted.
func TestBytesInSight(t *testing.T) {
	tests := []struct {
		name      string
		keys      []string
		near, far string // rows that must show
	}{
		{"SEND", nil, "0000", "0000"},
		{"WRITE_WITH_IMM", []string{"t", "t", "t"}, "0000", "0000"},
		{"READ", []string{"t", "t", "t", "t"}, "0020", "0000"},
		{"offset", []string{"down", "down", "down", "e", "ctrl+u", "s", "r", "c", ":", "1", "0", "2", "4", ":", "5",
			"enter"}, "0400", "0000"},
		{"back", []string{"t", "t", "t", "t", "t", "t"}, "0000", "0000"},
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

// A SEND's bytes are shown where the RECV puts them.
func TestLandingInSight(t *testing.T) {
	d, _, s, now := start(t, theme.New("none", true))
	settled(d, now, 80, 17)
	d.Keys("o", "v", "down", "down", "e", "ctrl+u")
	d.Type("dst:2048:64")
	d.Keys("enter", "enter", "o", "t")
	if v := settled(d, now, 80, 17); !strings.Contains(v, "│ 0800  ") {
		t.Errorf("what the RECV takes is out of sight (%+v):\n%s", s.recvs, v)
	}
}

// The completion of the posted request is shown, and no other.
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
	d, sess, _, now := start(t, theme.New("none", true))
	sess.Do(`write_mem src "\x1b]0;x\x07\xe2\x80\xae"`)
	for _, size := range sizes {
		settled(d, now, size[0], size[1])
	}
	d.Keys("enter")
	for _, size := range sizes {
		settled(d, now, size[0], size[1])
	}
}

// Every size is drawn without a broken line.
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
	d, sess, _, _ := startOn(uitest.NewSession(t, session.Options{}), theme.New("none", true), t)
	d.Keys("enter", "R", "o", "t", "+", "-", "r", "P")
	sess.WantLines()
	d.Shows(80, 24, "c on Bring-up (2)")
	d.Shows(40, 10, "No queue pair yet")
}

// The outcome of a post while another screen is in front is shown afterwards.
func TestAway(t *testing.T) {
	d, sess, s, now := start(t, theme.New("none", true))
	d.Away = true
	d.Keys("enter")
	d.Back()
	*now = now.Add(time.Second)
	d.Frame()
	d.Settle()
	d.Shows(120, 40, "ibv_post_send(a", "SEND wr_id=2 ")
	if s.runner.Busy() || s.reader.Busy() {
		t.Error("something is waited for that has come already")
	}
	sess.Lines()
	d.Keys("enter")
	sess.WantLines(`write_mem src "hello"`, "post_send a SEND wr_id=2 sge=src:0:5 send_flags=SIGNALED")
}
