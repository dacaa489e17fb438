package completions

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session"
	"rdmatui/session/timeline"
	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
)

// bench is a screen over a session whose clock advances by 1.5 ms per event. The queue events has a channel.
type bench struct {
	t    testing.TB
	sess *uitest.Session
	s    *Screen
	st   screen.State // the state of the next frame
}

// benchLines post 9 RECVs that complete in cq, and 17 that complete in events.
var benchLines = []string{
	"open_device soft0", "alloc_pd pd", "reg_mr src length=4096 access=LOCAL_WRITE|REMOTE_WRITE",
	"create_comp_channel ch",
	"create_cq cq cqe=64", "create_cq events channel=ch cqe=16",
	"create_qp a send_cq=cq recv_cq=cq max_send_wr=100 max_recv_wr=28",
	"create_qp b send_cq=events recv_cq=events max_send_wr=28 max_recv_wr=28",
	"connect_qps a b rnr_retry=3", "cq_mode events mode=blocking", "post_recv a sge=src:0:8 count=9",
	"post_recv b sge=src:0:8 count=17",
}

func newBench(t testing.TB, th *theme.Theme, capacity int) *bench {
	return newBenchOf(t, th, capacity, false, benchLines...)
}

func newBenchOf(t testing.TB, th *theme.Theme, capacity int, live bool, lines ...string) *bench {
	var at atomic.Int64
	sess := uitest.NewSession(t, session.Options{Live: live, Log: timeline.New(capacity, func() time.Duration {
		return time.Duration(at.Add(int64(1500 * time.Microsecond)))
	})}, lines...)
	at.Store(int64(12 * time.Second))
	x := &bench{t: t, sess: sess, s: New(sess.Env(th))}
	x.s.queues.rate.now = func() time.Time { return time.Unix(0, at.Load()) }
	x.follow()
	return x
}

// follow copies the session into the next frame's state and marks it live. How often a
// session that really is live polls would vary.
func (x *bench) follow() {
	x.st.Session = x.sess.Snapshot()
	x.st.Session.Live = true
}

func (x *bench) refresh() bool {
	x.st.Counts = x.sess.Timeline().Counts()
	changed, _ := x.s.Refresh(&x.st)
	return changed
}

// keys presses keys and returns the message of the last one.
func (x *bench) keys(names ...string) (msg tea.Msg) {
	for _, n := range names {
		if cmd := x.s.Update(uitest.Key(n)); cmd != nil {
			msg = cmd()
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

func (x *bench) wants(texts ...string) {
	x.t.Helper()
	view := x.view(200, 50)
	for _, text := range texts {
		if !strings.Contains(view, text) {
			x.t.Errorf("%q is not in\n%s", text, view)
		}
	}
}

func recvDone(id uint64) timeline.Completion {
	return timeline.Completion{CQ: "cq", QP: "b", Recv: true, Matched: true, Posted: 12 * time.Second,
		Latency: 18 * time.Microsecond,
		WC: verbs.WC{WRID: id, Opcode: verbs.WCRecv, ByteLen: 5, QPNum: 18, WCFlags: verbs.WCWithImm,
			ImmData: 0x11223344}}
}

func writeFailed(id uint64, s verbs.WCStatus) timeline.Completion {
	return timeline.Completion{CQ: "cq", QP: "a", Matched: true, Opcode: verbs.WRRDMAWrite, Posted: 12 * time.Second,
		Latency: 1300 * time.Microsecond,
		WC:      verbs.WC{WRID: id, Status: s, VendorErr: 0x88, QPNum: 17, ByteLen: 99, Opcode: verbs.WCRecv}}
}

// journey adds eight successful completions, a failed WRITE, and the requests it flushed.
func (x *bench) journey() {
	for i := range 8 {
		x.sess.Timeline().AppendBatch([]timeline.Completion{recvDone(uint64(i))})
	}
	text := "post_send a RDMA_WRITE wr_id=4711 sge=src:0:5 remote_addr=0x7f0000001000 rkey=0x1234 send_flags=SIGNALED"
	x.sess.Timeline().Append(timeline.Event{Kind: timeline.KindCommand,
		Command: &timeline.CommandDone{Number: 1001, Line: "post_send a RDMA_WRITE sge=src:0:5", Resolved: text}})
	failed := writeFailed(4711, verbs.WCRemAccessErr)
	failed.Command = 1001
	x.sess.Timeline().AppendBatch([]timeline.Completion{failed})
	for i := range 3 {
		x.sess.Timeline().AppendBatch([]timeline.Completion{writeFailed(4712+uint64(i), verbs.WCWRFlushErr)})
	}
	x.refresh()
}

// bodies are the sizes that terminals of the named size leave for the screen.
var bodies = map[string][2]int{"80x24": {80, 17}, "120x40": {120, 30}, "200x60": {200, 50}, "40x10": {40, 7}}

func TestGolden(t *testing.T) {
	for name, size := range bodies {
		for _, uni := range []bool{true, false} {
			x := newBench(t, theme.New("none", uni), 64)
			x.journey()
			x.keys("up", "up", "up")
			uitest.Golden(t, fmt.Sprintf("failed-%s-%v", name, uni), x.view(size[0], size[1]))
			x.keys("]")
			uitest.Golden(t, fmt.Sprintf("detail-%s-%v", name, uni), x.view(size[0], size[1]))
			x.keys("[", "home")
			uitest.Golden(t, fmt.Sprintf("ok-%s-%v", name, uni), x.view(size[0], size[1]))
		}
		x := newBench(t, theme.New("none", true), 64)
		x.refresh()
		uitest.Golden(t, "empty-"+name, x.view(size[0], size[1]))
	}
}

// In the table, no status is cut from 80 columns on: the time gives way.
func TestStatusIsWhole(t *testing.T) {
	for _, size := range [][2]int{{80, 17}, {100, 23}, {120, 30}} {
		for _, status := range verbs.WCStatuses.Values() {
			x := newBench(t, theme.New("none", true), 64)
			c := writeFailed(4711, status)
			c.Opcode = verbs.WRAtomicFetchAndAdd
			x.sess.Timeline().AppendBatch([]timeline.Completion{c})
			x.refresh()
			row := regexp.MustCompile(`(?m)\b12\.\d{3,} +4711  ` + status.String() + ` +(ATOMIC_|RECV)`)
			if view := x.view(size[0], size[1]); !row.MatchString(view) {
				t.Errorf("%v: no row matches %s in\n%s", size, row, view)
			}
		}
	}
}

// Every size is drawn within its bounds, whatever is open.
func TestSweep(t *testing.T) {
	x := newBench(t, theme.New("16", true), 64)
	x.journey()
	for w := 1; w < 130; w += 7 {
		for h := 1; h < 40; h += 3 {
			uitest.Exact(t, widget.Render(x.s.th, x.s, w, h), w, h)
		}
	}
}

func TestFailedFirst(t *testing.T) {
	x := newBench(t, theme.New("none", true), 256)
	x.journey()
	x.wants("8 ok", "4 failed", "an earlier request of this queue pair failed")
	x.keys("F", "home")
	x.wants("failed only", "Packets before the refused one", "wrong or outdated rkey", "rkey=0x1234",
		"vendor_err       0x88", "byte_len         –")
	if got := x.s.list().Len(); got != 4 {
		t.Errorf("%d failed", got)
	}
	x.keys("esc")
	if x.s.failedOnly {
		t.Error("esc did not show all again")
	}
}

func TestFilter(t *testing.T) {
	for _, tt := range []struct {
		text string
		want int
	}{{"flush", 3}, {"wr_id=3 ", 1}, {"REM_ACC", 1}, {"recv", 8}, {"0x000011", 4}, {"nothing", 0}} {
		x := newBench(t, theme.New("none", true), 256)
		x.journey()
		x.keys("/")
		if !x.s.Typing() {
			t.Fatal("/ types nothing")
		}
		for _, r := range tt.text {
			x.keys(strings.ReplaceAll(string(r), " ", "space"))
		}
		if got := x.s.list().Len(); got != tt.want {
			t.Errorf("%q: %d rows, want %d", tt.text, got, tt.want)
		}
		x.keys("enter")
		x.sess.Timeline().AppendBatch([]timeline.Completion{recvDone(3)})
		x.refresh()
		if more := map[bool]int{true: 1}[tt.text == "recv" || tt.text == "wr_id=3 "]; x.s.list().Len() != tt.want+more {
			t.Errorf("%q: %d rows after one more", tt.text, x.s.list().Len())
		}
		x.keys("esc")
		if x.s.list().Len() != 13 {
			t.Errorf("%q: %d rows after esc", tt.text, x.s.list().Len())
		}
	}
}

func TestPauseCountsOn(t *testing.T) {
	x := newBench(t, theme.New("none", true), 256)
	x.journey()
	x.keys("p")
	x.sess.Timeline().AppendBatch([]timeline.Completion{recvDone(1), recvDone(2)})
	if !x.refresh() || x.s.list().Len() != 12 {
		t.Errorf("%d rows while paused", x.s.list().Len())
	}
	x.wants("10 ok", "paused", "12 rows of 14")
	x.keys("p")
	x.refresh()
	if x.s.list().Len() != 14 {
		t.Errorf("%d rows afterwards", x.s.list().Len())
	}
	x.keys("p")
	x.sess.Timeline().AppendBatch([]timeline.Completion{recvDone(3)})
	x.keys("C", "p")
	x.refresh()
	x.wants("11 ok", "Cleared: 15 rows")
	x.sess.Timeline().AppendBatch([]timeline.Completion{recvDone(4)})
	x.refresh()
	x.wants("12 ok", "15 cleared, 1 row of 16")
	x.keys("u")
	if x.refresh(); x.s.list().Len() != 16 {
		t.Errorf("%d rows after the clear was undone", x.s.list().Len())
	}
}

// A reader who has scrolled back keeps his place, however much arrives; end goes to
// the newest; the failed completion is found in the flood.
func TestFlood(t *testing.T) {
	x := newBench(t, theme.New("none", true), 1<<12)
	x.journey()
	x.keys("home")
	flood := make([]timeline.Completion, 16384)
	for i := range flood {
		flood[i] = recvDone(uint64(10000 + i))
	}
	flood[77] = writeFailed(555, verbs.WCRetryExcErr)
	for range 20 {
		x.sess.Timeline().AppendBatch(flood)
		x.refresh()
	}
	if got := x.s.selected().WC.WRID; got != 0 {
		t.Errorf("the row under the cursor is now wr_id %d", got)
	}
	x.wants("327,668 ok", "24 failed", "end follows")
	x.keys("end")
	x.refresh()
	x.wants("wr 26383")
	x.keys("F")
	x.wants("wr 555", "dest_qp_num, dgid or sgid_index is wrong")
	if got := x.s.list().Len(); got != 24 {
		t.Errorf("%d failed rows", got)
	}
}

func TestNothingChanged(t *testing.T) {
	x := newBench(t, theme.New("none", true), 64)
	x.journey()
	for range 3 {
		if x.refresh() {
			t.Error("nothing changed, yet it is drawn again")
		}
	}
}

func TestRate(t *testing.T) {
	at := time.Unix(100, 0)
	r := rate{now: func() time.Time { return at }}
	r.sample(10)
	for _, tt := range []struct {
		after time.Duration
		count uint64
		last  uint64
		n     int
		tells bool
	}{{time.Second, 10, 0, 1, false}, {time.Second, 510, 500, 2, true}, {time.Second / 2, 600, 500, 2, false},
		{5 * time.Second / 2, 1110, 200, 5, true}} {
		at = at.Add(tt.after)
		if tells := r.sample(tt.count); tells != tt.tells || r.last() != tt.last || len(r.values) != tt.n {
			t.Errorf("%+v: %v, %d, %v", tt, tells, r.last(), r.values)
		}
	}
	at = at.Add(time.Hour)
	if r.sample(1110); len(r.values) != ratePoints {
		t.Errorf("%d points", len(r.values))
	}
}

func TestCommands(t *testing.T) {
	x := newBenchOf(t, theme.New("none", true), 64, true, benchLines...)
	x.refresh()
	x.keys("L", "]", "]", "down", "a")
	x.sess.WantLines("live off", "req_notify_cq events")
	x = newBenchOf(t, theme.New("none", true), 64, true)
	x.refresh()
	if msg, ok := x.keys("a").(screen.FlashMsg); !ok || msg.Level != timeline.LevelWarn {
		t.Errorf("no queue to arm: %v", msg)
	}
}

func TestExport(t *testing.T) {
	x := newBench(t, theme.New("none", true), 64)
	x.journey()
	x.keys("F")
	dir := t.TempDir()
	export := func(name string) screen.FlashMsg {
		x.keys("w", "enter", "ctrl+u")
		x.s.Update(tea.PasteMsg{Content: filepath.Join(dir, name)})
		return x.keys("enter").(screen.FlashMsg)
	}
	if m := export("a.jsonl"); m.Level != timeline.LevelInfo || !strings.HasPrefix(m.Text, "4 completions") {
		t.Errorf("%+v", m)
	}
	data, err := os.ReadFile(filepath.Join(dir, "a.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var first struct {
		Status string `json:"status"`
		WRID   int    `json:"wr_id"`
	}
	if err := json.Unmarshal([]byte(strings.SplitN(string(data), "\n", 2)[0]), &first); err != nil ||
		first.Status != "REM_ACCESS_ERR" || first.WRID != 4711 {
		t.Errorf("%+v, %v", first, err)
	}
	if m := export("a.jsonl"); m.Level != timeline.LevelError || !strings.Contains(m.Text, "already exists") {
		t.Errorf("%+v", m)
	}
	export("b.CSV")
	f, err := os.Open(filepath.Join(dir, "b.CSV"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	recs, err := csv.NewReader(f).ReadAll()
	if err != nil || len(recs) != 5 || recs[0][6] != "wr_id" || recs[1][6] != "4711" || recs[1][10] != "" {
		t.Errorf("%q, %v", recs, err)
	}
}

func TestHostile(t *testing.T) {
	x := newBench(t, theme.New("none", true), 64)
	bad := "\x1b]0;x\a\u202e" + strings.Repeat("界", 300)
	c := recvDone(1<<64 - 1)
	c.QP, c.CQ = bad, bad
	c.WC.Status = 12345
	x.sess.Timeline().AppendBatch([]timeline.Completion{c})
	x.st.Session.CQs = slices.Clone(x.st.Session.CQs)
	x.st.Session.CQs[0].Name = bad
	x.refresh()
	x.keys("/")
	x.s.Update(tea.PasteMsg{Content: "unknown\x1b"})
	for _, size := range bodies {
		x.view(size[0], size[1])
		uitest.Fits(t, widget.Render(x.s.th, x.s, size[0], size[1]), size[0], size[1])
	}
}

// The explanation has what is known of the queue pair, its peer and the request: the timeout, the key.
func TestLiveValues(t *testing.T) {
	x := newBench(t, theme.New("none", true), 64)
	x.sess.Do("modify_qp a RTS min_rnr_timer=1", "modify_qp a ERR")
	x.follow()
	a, b := x.st.Session.QPs[0], x.st.Session.QPs[1]
	for status, want := range map[verbs.WCStatus][]string{
		verbs.WCRetryExcErr: {"sent to " + b.Num.String() + " at ::ffff:127.0.0.1 and resent 7 times",
			"timeout=14 a device waits at least 67.1 ms", "here 537 ms or more"},
		verbs.WCRNRRetryExcErr: {"rnr_retry=3 allows", "min_rnr_timer sets a wait of 640 µs"},
		verbs.WCRemAccessErr:   {"rkey 0x1234, address 0x7f0000001000, 5 bytes"},
		verbs.WCLocProtErr:     {fmt.Sprintf("with lkey %#x", x.st.Session.MRs[0].LKey)},
		verbs.WCWRFlushErr:     {"a is in ERR"},
		verbs.WCRemInvReqErr:   {"to RDMA_WRITE"},
	} {
		text := "post_send a RDMA_WRITE wr_id=9 sge=src:0:5 remote_addr=0x7f0000001000 rkey=0x1234"
		x.sess.Timeline().Append(timeline.Event{Kind: timeline.KindCommand,
			Command: &timeline.CommandDone{Number: 1000 + uint64(status), Line: text}})
		failed := writeFailed(9, status)
		failed.Command, failed.WC.QPNum = 1000+uint64(status), a.Num
		x.sess.Timeline().AppendBatch([]timeline.Completion{failed})
		x.refresh()
		x.keys("end")
		x.view(200, 50)
		var words []string
		for _, l := range x.s.detail.words {
			words = append(words, strings.Fields(l.text)...)
		}
		shown := strings.Join(words, " ")
		for _, w := range want {
			if !strings.Contains(shown, w) {
				t.Errorf("%v: %q is not in %s", status, w, shown)
			}
		}
	}
}

// BenchmarkFlood draws a frame of 200 by 60 during a flood of completions.
func BenchmarkFlood(b *testing.B) {
	for _, filter := range []string{"", "recv"} {
		b.Run("filter="+filter, func(b *testing.B) {
			x := newBench(b, theme.New("dark", true), 0)
			x.s.setFilter(filter)
			flood := make([]timeline.Completion, 16384)
			for i := range flood {
				flood[i] = recvDone(uint64(i))
			}
			buf := line.New(x.s.th)
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				x.sess.Timeline().AppendBatch(flood)
				b.StartTimer()
				x.refresh()
				buf.Reset()
				widget.Draw(buf, x.s, 200, 50)
			}
		})
	}
}
