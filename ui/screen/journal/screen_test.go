package journal

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session"
	"rdmatui/session/ccall"
	"rdmatui/session/timeline"
	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
)

// bench is a screen over a session whose clock advances by 1.5 ms per event.
type bench struct {
	t    testing.TB
	sess *uitest.Session
	s    *Screen
}

func newBench(t testing.TB, th *theme.Theme, capacity int) *bench {
	at := 12 * time.Second
	sess := uitest.NewSession(t, session.Options{Log: timeline.New(capacity, func() time.Duration {
		at += 1500 * time.Microsecond
		return at
	})})
	return &bench{t, sess, New(sess.Env(th))}
}

func (x *bench) refresh() bool { changed, _ := x.s.Refresh(&screen.State{}); return changed }

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

func (x *bench) command(c timeline.CommandDone) {
	x.sess.Timeline().Append(timeline.Event{Kind: timeline.KindCommand, Command: &c})
}

func sendDone(id uint64, s verbs.WCStatus) timeline.Completion {
	return timeline.Completion{CQ: "cq", QP: "a", Matched: true, Opcode: verbs.WRSend, Latency: 18 * time.Microsecond,
		WC: verbs.WC{WRID: id, Status: s, QPNum: 17}}
}

func (x *bench) journey() {
	x.command(timeline.CommandDone{Line: "alloc_pd pd", C: ccall.Text("ibv_alloc_pd(ctx)"), Result: "handle 1",
		Created: []string{"pd"}, Took: 12 * time.Microsecond})
	x.command(timeline.CommandDone{
		Line: "modify_qp a RTS", Resolved: "modify_qp a RTS sq_psn=0x111",
		Check: "missing timeout, retry_cnt, rnr_retry, max_rd_atomic",
		C:     ccall.Text("ibv_modify_qp(a, &(struct ibv_qp_attr){.qp_state = IBV_QPS_RTS, .sq_psn = 0x111}, IBV_QP_STATE|IBV_QP_SQ_PSN|IBV_QP_TIMEOUT|IBV_QP_RETRY_CNT|IBV_QP_RNR_RETRY|IBV_QP_MAX_QP_RD_ATOMIC)"),
		Err:   "ibv_modify_qp: invalid argument (EINVAL)", Errno: "EINVAL",
		Hint: "give the missing attributes; connect_qps gives them all", Took: 345 * time.Microsecond})
	x.sess.Timeline().AppendBatch([]timeline.Completion{sendDone(1, verbs.WCSuccess), sendDone(2, verbs.WCRetryExcErr)})
	x.sess.Timeline().Append(timeline.Event{Kind: timeline.KindState,
		State: &timeline.StateChange{QP: "a", From: verbs.QPRTS, To: verbs.QPErr, Cause: "completion RETRY_EXC_ERR"}})
	x.sess.Timeline().Append(timeline.Event{Kind: timeline.KindAsync,
		Async: &timeline.AsyncEvent{Type: verbs.EventPortErr, Device: "rxe0", PortNum: 1}})
	x.sess.Timeline().
		Append(timeline.Event{Kind: timeline.KindNote, Note: &timeline.Note{Text: "now the peer is started"}})
	x.refresh()
}

// bodies are the sizes that terminals of the named size leave for the screen.
var bodies = map[string][2]int{"80x24": {80, 17}, "120x40": {120, 30}, "200x60": {200, 50}, "40x10": {40, 7}}

func TestGolden(t *testing.T) {
	for name, size := range bodies {
		for _, uni := range []bool{true, false} {
			x := newBench(t, theme.New("none", uni), 64)
			x.journey()
			x.keys("home", "down")
			uitest.Golden(t, fmt.Sprintf("command-%s-%v", name, uni), x.view(size[0], size[1]))
			x.keys("]")
			uitest.Golden(t, fmt.Sprintf("detail-%s-%v", name, uni), x.view(size[0], size[1]))
			x.keys("[", "end")
			uitest.Golden(t, fmt.Sprintf("note-%s-%v", name, uni), x.view(size[0], size[1]))
		}
		uitest.Golden(t, "empty-"+name, newBench(t, theme.New("none", true), 8).view(size[0], size[1]))
	}
}

func TestSweep(t *testing.T) {
	x := newBench(t, theme.New("16", true), 64)
	x.journey()
	x.keys("home", "down")
	for w := 1; w < 150; w += 7 {
		for h := 1; h < 40; h += 3 {
			uitest.Exact(t, widget.Render(x.s.th, x.s, w, h), w, h)
		}
	}
}

func TestKinds(t *testing.T) {
	x := newBench(t, theme.New("none", true), 64)
	x.journey()
	for i, want := range []int{2, 2, 2, 1, 0, 5, 7} {
		x.keys("t")
		if got := x.s.entries.Len(); got != want {
			t.Errorf("choice %d: %d rows, want %d", i+1, got, want)
		}
	}
	x.keys("F")
	if got := x.s.entries.Len(); got != 3 {
		t.Errorf("%d failed", got)
	}
	x.keys("F", "/", "s", "q", "_", "p", "s", "n", "enter")
	if got := x.s.entries.Len(); got != 1 || x.s.Typing() {
		t.Errorf("%d rows with sq_psn", got)
	}
	x.keys("esc")
	if got := x.s.entries.Len(); got != 7 {
		t.Errorf("%d rows after esc", got)
	}
}

func TestLines(t *testing.T) {
	x := newBench(t, theme.New("none", true), 64)
	x.journey()
	if msg, ok := x.keys("r").(screen.FlashMsg); !ok {
		t.Errorf("a note ran: %v", msg)
	}
	x.keys("home")
	x.sess.Lines()
	if msg, ok := x.keys("r").(screen.DoneMsg); !ok || msg.Line != "alloc_pd pd" {
		t.Errorf("r: %v", msg)
	}
	x.sess.WantLines("alloc_pd pd")
	if msg := x.keys("down", "e"); msg != (screen.EditMsg{Line: "modify_qp a RTS"}) {
		t.Errorf("e: %v", msg)
	}
	if msg, ok := x.keys("w", "3").(screen.EditMsg); !ok || !strings.HasPrefix(msg.Line, "save ") {
		t.Errorf("w: %v", msg)
	}
}

// A flood leaves the commands in place, shows the number of completions, and does not
// move the reader's position.
func TestFlood(t *testing.T) {
	x := newBench(t, theme.New("none", true), 64)
	x.journey()
	x.keys("home")
	flood := make([]timeline.Completion, 5000)
	for i := range flood {
		flood[i] = sendDone(uint64(i), verbs.WCSuccess)
	}
	flood[4000].WC.Status = verbs.WCRNRRetryExcErr
	for range 3 {
		x.sess.Timeline().AppendBatch(flood)
		x.refresh()
	}
	var gaps []uint64
	for _, r := range x.s.entries.view {
		if r.event < 0 {
			gaps = append(gaps, r.gap)
		}
	}
	if !slices.Equal(gaps, []uint64{3968, 4999, 4999, 999}) {
		t.Errorf("gaps of %v", gaps)
	}
	x.keys("z")
	view := x.view(120, 60)
	for _, want := range []string{"▸   12.001500  command  alloc_pd pd", "RNR_RETRY_EXC_ERR",
		"… 3,968 more completions or packets", "… 999 more completions or packets", "15,007 events", "end follows"} {
		if !strings.Contains(view, want) {
			t.Errorf("%q is not in\n%s", want, view)
		}
	}
	x.command(timeline.CommandDone{Line: "after"})
	x.refresh()
	x.keys("end")
	if x.s.line() != "after" || x.s.entries.view[len(x.s.entries.view)-2].gap != 999 {
		t.Errorf("the last is %q after %+v", x.s.line(), x.s.entries.view[len(x.s.entries.view)-2])
	}
}

// When there are more events than are kept, the oldest are dropped and the cursor
// stays on its entry.
func TestBounded(t *testing.T) {
	x := newBench(t, theme.New("none", true), 64)
	for i := range keepEvents {
		x.command(timeline.CommandDone{Line: fmt.Sprint("line ", i)})
	}
	x.refresh()
	x.view(80, 20)
	x.keys("up", "up")
	was := x.s.line()
	for range 1000 {
		x.command(timeline.CommandDone{Line: "more"})
	}
	x.refresh()
	x.view(80, 20)
	if x.s.entries.Len() != keepEvents || x.s.line() != was {
		t.Errorf("%d rows, on %q, was on %q", x.s.entries.Len(), x.s.line(), was)
	}
}

func TestNothingChanged(t *testing.T) {
	x := newBench(t, theme.New("none", true), 64)
	x.journey()
	if x.refresh() {
		t.Error("nothing changed, yet it is drawn again")
	}
}

func TestHostile(t *testing.T) {
	x := newBench(t, theme.New("none", true), 64)
	bad := "\x1b]0;x\a\u202e\r\n" + strings.Repeat("界|", 300) + "\xff"
	x.command(timeline.CommandDone{Line: bad, Resolved: bad + "x", C: ccall.Text(bad), Check: bad, Err: bad, Errno: bad,
		Hint: bad, Result: bad, Created: []string{bad}})
	x.sess.Timeline().Append(timeline.Event{Kind: timeline.KindNote, Note: &timeline.Note{Level: 99, Text: bad}})
	x.sess.Timeline().Append(timeline.Event{Kind: 250})
	x.sess.Timeline().Append(timeline.Event{Kind: timeline.KindCommand})
	x.refresh()
	for range 4 {
		for _, size := range bodies {
			x.view(size[0], size[1])
		}
		x.keys("up")
	}
	x.keys("/")
	x.s.Update(tea.PasteMsg{Content: bad})
	x.view(80, 17)
}

// BenchmarkFlood draws a frame during a flood of completions.
func BenchmarkFlood(b *testing.B) {
	x := newBench(b, theme.New("dark", true), 0)
	x.journey()
	flood := make([]timeline.Completion, 16384)
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
}
