package completions

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session"
	"rdmatui/session/timeline"
	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
)

// title returns the note in the frame of the completions.
func (x *bench) title() string {
	first, _, _ := strings.Cut(x.view(200, 50), "\n")
	first, _, _ = strings.Cut(first, "─╮")
	return strings.TrimSpace(first[strings.LastIndex(first, "──")+len("──"):])
}

// filter types a filter.
func (x *bench) filter(text string) {
	x.keys("/")
	x.s.Update(tea.PasteMsg{Content: text})
	x.keys("enter")
}

// TestNotes: the frame of the completions says what is shown, and the empty list why it is empty. The journey has 12
// completions, of which 4 failed.
func TestNotes(t *testing.T) {
	for _, tt := range []struct {
		journey bool
		keys    string
		text    string
		want    string
		none    string
	}{
		{true, "", "", "", ""},
		{true, "up", "", "end follows", ""}, {true, "up down", "", "", ""},
		{true, "p", "", "paused", ""}, {true, "up p", "", "paused", ""}, {true, "p p", "", "", ""},
		{true, "F", "", "failed only", ""}, {true, "F F", "", "", ""},
		{true, "F up", "", "end follows, failed only", ""},
		{true, "", "recv", "/recv, 8 rows of 12", ""}, {true, "", "FLUSH", "/FLUSH, 3 rows of 12", ""},
		{true, "", "wr_id=4711 ", "/wr_id=4711 , 1 row of 12", ""},
		{true, "F", "wr_id=4711 ", "failed only, /wr_id=4711 , 1 row of 4", ""},
		{true, "", "nosuch", "/nosuch, 0 rows of 12", "No completion matches the filter. esC clears it."},
		{true, "F", "recv", "failed only, /recv, 0 rows of 4", "No completion matches the filter. esC clears it."},
		{true, "C", "", "0 rows of 12", "Cleared: 12 rows. u brings them back."},
		{true, "C F", "", "failed only, 0 rows of 4", "Nothing has failed since the clear. u brings back 4 rows."},
		{true, "C u", "", "", ""}, {true, "C C u", "", "0 rows of 12", "Cleared: 12 rows. u brings them back."},
		{true, "C C u u", "", "", ""}, {true, "C F u", "", "failed only", ""},
		{true, "C u", "recv", "/recv, 8 rows of 12", ""}, {true, "F C u F", "FLUSH", "/FLUSH, 3 rows of 12", ""},
		{false, "", "", "", "No completions yet. Post a request (3)."},
		{false, "F", "", "failed only", "Nothing has failed."},
		{false, "", "x", "/x", "No completions yet. Post a request (3)."},
	} {
		x := newBench(t, theme.New("none", true), 64)
		if tt.journey {
			x.journey()
		}
		if x.keys(strings.Fields(tt.keys)...); tt.text != "" {
			x.filter(tt.text)
		}
		x.refresh()
		if got := x.title(); got != strings.TrimSpace(tt.want) {
			t.Errorf("%s %q: %q, want %q", tt.keys, tt.text, got, tt.want)
		}
		if view := x.view(200, 50); !strings.Contains(view, tt.none) || (x.s.list().Len() == 0) != (tt.none != "") {
			t.Errorf("%s %q: no %q\n%s", tt.keys, tt.text, tt.none, view)
		}
		for range 3 {
			x.keys("esc")
		}
		if x.s.filter != "" || x.s.failedOnly {
			t.Errorf("%s %q: esc leaves %q, failed only: %v", tt.keys, tt.text, x.s.filter, x.s.failedOnly)
		}
	}
	one := newBench(t, theme.New("none", true), 64)
	one.sess.Timeline().AppendBatch([]timeline.Completion{recvDone(1)})
	one.refresh()
	one.filter("nosuch")
	if got := one.title(); got != "/nosuch, 0 rows of 1" || !strings.Contains(one.view(200, 50), "esC clears it") {
		t.Errorf("of one: %s\n%s", got, one.view(200, 50))
	}
}

// TestBack: esc undoes one thing at a time.
func TestBack(t *testing.T) {
	x := newBench(t, theme.New("none", true), 64)
	x.journey()
	x.keys("F")
	x.filter("flush")
	x.keys("tab", "z")
	for _, want := range []string{"true 1 flush true", "false 1 flush true", "false 0 flush true", "false 0  true",
		"false 0  false", "false 0  false"} {
		if got := fmt.Sprint(x.s.Zoom, " ", x.s.Focus, " ", x.s.filter, " ", x.s.failedOnly); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		x.keys("esc")
	}
}

// TestOffered: the bottom line has the keys that do something now.
func TestOffered(t *testing.T) {
	x := newBench(t, theme.New("none", true), 64)
	offered := func() (keys string) {
		own, _ := x.s.Context().Short()
		for _, name := range strings.Fields("enter p f F v m w a s L C u E") {
			for _, b := range own {
				if b.Keys()[0] == name {
					keys += " " + name
				}
			}
		}
		return strings.TrimSpace(keys)
	}
	want := func(when, want string) {
		t.Helper()
		if got := offered(); got != want {
			t.Errorf("%s: %s, want %s", when, got, want)
		}
	}
	want("before the first frame", "p F v L")
	x.refresh()
	want("no completion, and the first queue has no channel", "p F v m L")
	x.keys("]", "]", "down")
	want("a queue with a channel", "p F v m L")
	x.keys(".", "down")
	want("with its statistics", "p F v m a s L")
	x.keys(".")
	x.keys("up", "esc")
	x.journey()
	want("a completion that failed", "enter p F v m w L C E")
	x.keys("home")
	want("one that succeeded", "p F v m w L C E")
	x.keys("/")
	if x.s.Context().Name == "Completions" {
		t.Error("a filter is typed, and the keys of the list are offered")
	}
}

// TestArm: a requests an event from the selected queue, that of the completion which the user has chosen, or says why
// it does not.
func TestArm(t *testing.T) {
	for _, tt := range []struct {
		cq   string // of a completion that has come, "" for none
		keys []string
		want string
		ran  []string
	}{
		{"", nil, noChannelText, nil},
		{"", []string{"]", "]", "down"}, "events: armed", []string{"req_notify_cq events"}},
		{"events", nil, noChannelText, nil},
		{"events", []string{"end"}, "events: armed", []string{"req_notify_cq events"}},
		{"cq", []string{"end"}, noChannelText, nil}, {"gone", []string{"end"}, noChannelText, nil},
	} {
		x := newBenchOf(t, theme.New("none", true), 64, true, benchLines...)
		if tt.cq != "" {
			c := recvDone(1)
			c.CQ = tt.cq
			x.sess.Timeline().AppendBatch([]timeline.Completion{c})
		}
		x.refresh()
		x.sess.Lines()
		msg := x.keys(append(tt.keys, "a")...)
		if done, ok := msg.(screen.DoneMsg); ok {
			msg = x.s.Update(done)()
		}
		if flash, _ := msg.(screen.FlashMsg); flash.Text != tt.want {
			t.Errorf("%q %q: %v, want %q", tt.cq, tt.keys, msg, tt.want)
		}
		if got := x.sess.Lines(); !slices.Equal(got, tt.ran) {
			t.Errorf("%q %q: ran %q", tt.cq, tt.keys, got)
		}
	}
}

// TestSolicited: s switches between events for solicited completions and for all, and says which.
func TestSolicited(t *testing.T) {
	x := newBenchOf(t, theme.New("none", true), 64, true, benchLines...)
	x.refresh()
	x.keys("]", "]", "down")
	for _, want := range []struct{ line, said string }{
		{"cq_mode events mode=blocking solicited_only=1", "events: only solicited or failed completions raise an " +
			"event"},
		{"cq_mode events mode=blocking", "events: every completion raises an event"},
	} {
		x.sess.Lines()
		done, _ := x.keys("s").(screen.DoneMsg)
		if flash, _ := x.s.Update(done)().(screen.FlashMsg); flash.Text != want.said {
			t.Errorf("said %q, want %q", flash.Text, want.said)
		}
		x.sess.WantLines(want.line)
		x.follow()
		x.refresh()
	}
	x.keys("m") // nonblocking
	x.keys("m") // poll
	x.follow()
	x.refresh()
	x.sess.Lines()
	x.keys("m")
	x.follow()
	x.refresh()
	if flash, _ := x.keys("s").(screen.FlashMsg); !strings.Contains(flash.Text, "is polled and requests no events") {
		t.Errorf("said %q of a queue that is polled", flash.Text)
	}
}

// TestQueueList: at most five queues are listed around the selected one. A row names the queue, counts its completions
// and says how they are taken; the least important part goes first.
func TestQueueList(t *testing.T) {
	th := &theme.Theme{Glyphs: theme.New("none", true).Glyphs}
	q := &queues{th: th, rate: rate{now: time.Now}, live: true, focused: true}
	for i := range 8 {
		q.list = append(q.list, queue{name: fmt.Sprint("cq", i), cqe: 16, inFlight: 8})
	}
	drawn := func(w int) (out []string) {
		q.SetSize(w, len(q.rows))
		for y := range q.rows {
			b := line.New(th)
			b.Begin(w)
			q.DrawLine(b, y)
			out = append(out, strings.TrimRight(b.String(), " "))
		}
		return out
	}
	q.arrange()
	for _, tt := range []struct{ by, at, first int }{{-1, 0, 0}, {1, 1, 0}, {3, 4, 0}, {1, 5, 1}, {1, 6, 2}, {1, 7, 3},
		{1, 7, 3}, {-1, 6, 2}, {-2, 4, 0}, {-1, 3, 0}, {-9, 0, 0}} {
		q.move(tt.by)
		rows := drawn(100)
		if q.at != tt.at || len(rows) != 6 || q.rowsWanted() != 6 {
			t.Errorf("by %d: on %d, %d rows", tt.by, q.at, len(rows))
		}
		for i, l := range rows[1:] {
			mark := map[bool]string{true: th.Glyphs.Pointer, false: " "}[tt.first+i == tt.at]
			if want := fmt.Sprintf("%scq%d ", mark, tt.first+i); !strings.HasPrefix(l, want) {
				t.Errorf("by %d: row %d is %q, want %q", tt.by, i, l, want)
			}
		}
		if q.selected().name != fmt.Sprint("cq", tt.at) {
			t.Errorf("by %d: selected %s", tt.by, q.selected().name)
		}
	}
	q.choose("cq6")
	q.choose("nosuch")
	q.list = q.list[:3]
	if q.selected() != nil {
		t.Error("a queue is selected that is gone")
	}
	if q.arrange(); q.at != 2 {
		t.Errorf("on %d of 3", q.at)
	}
	q.list = []queue{{name: "a", channel: "ch", cqe: 16, inFlight: 8, mode: session.Blocking, solicited: true,
		counts: timeline.CQCounts{OK: 1234, Failed: 2}}}
	q.arrange()
	gauge := "████░░░░"
	for w, want := range map[int]string{
		100: "▸a     1,234 ok  2 failed  " + gauge + " 8/16 in flight  blocking  solicited only  channel ch",
		84:  "▸a     1,234 ok  2 failed  " + gauge + " 8/16 in flight  blocking  solicited only",
		70:  "▸a     1,234 ok  2 failed  " + gauge + " 8/16 in flight  blocking",
		56:  "▸a     1,234 ok  2 failed 8/16 in flight  blocking", 44: "▸a     1,234 ok  2 failed  blocking",
		30: "▸a     1,234 ok  2 failed",
	} {
		if got := drawn(w)[1]; got != want {
			t.Errorf("%d cells: %q, want %q", w, got, want)
		}
	}
	for h, want := range map[int]string{1: "1,234 ok", 2: "0/s"} {
		q.SetSize(100, h)
		b := line.New(th)
		b.Begin(100)
		if q.DrawLine(b, 0); !strings.Contains(b.String(), want) || strings.Contains(b.String(), "ok") != (h == 1) {
			t.Errorf("the first of %d rows: %q", h, b.String())
		}
	}
	q.list, q.at = nil, 0
	q.arrange()
	if rows := drawn(80); len(rows) != 2 || rows[1] != " no completion queue" || q.selected() != nil {
		t.Errorf("no queue: %q", rows)
	}
	q.SetSize(80, 1)
	b := line.New(th)
	b.Begin(80)
	if q.DrawLine(b, 0); strings.TrimSpace(b.String()) != "0/s" || q.Below() != 0 {
		t.Errorf("no queue in one row: %q", b.String())
	}
}

// TestQueueStyles: failures, too many requests in flight and an overrun are errors.
func TestQueueStyles(t *testing.T) {
	q := &queues{th: uitest.Tokens(), live: true}
	for _, tt := range []struct {
		c    queue
		want string
	}{
		{queue{name: "a", cqe: 8, inFlight: 8}, " ‹Value› a     0‹Dim› ok  ‹Value›0‹Dim› failed  " +
			"‹Fill›████████‹Value› 8‹Dim›/" +
			"‹Value›8‹Dim› in flight  by commands\n"},
		{queue{name: "a", cqe: 8, inFlight: 9, counts: timeline.CQCounts{Failed: 1}},
			" ‹Value› a     0‹Dim› ok  ‹Err›1 failed  ████████ ‹Value›9‹Dim›/‹Value›8‹Dim› in flight  by commands\n"},
		{queue{name: "a", cqe: 8, overruns: 1}, " ‹Value› a     0‹Dim› ok  ‹Value›0‹Dim› failed  " +
			"‹Track›░░░░░░░░‹Value› 0‹Dim›/" +
			"‹Value›8‹Dim› in flight  ‹Err›OVERRUN\n"},
	} {
		q.list = []queue{tt.c}
		b := line.New(q.th)
		b.Begin(100)
		q.drawQueue(b, 0)
		b.Finish()
		if got := uitest.Marked(t, b.String(), "ok"); strings.ReplaceAll(got, " ", "") !=
			strings.ReplaceAll(tt.want, " ", "") {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

// TestExportedRows: a line of CSV has the opcode of the request and its latency in µs, and nothing in fields that are
// undefined.
func TestExportedRows(t *testing.T) {
	unknown := recvDone(3)
	unknown.Matched = false
	x := newBench(t, theme.New("none", true), 64)
	x.sess.Timeline().AppendBatch([]timeline.Completion{recvDone(1), writeFailed(2, verbs.WCRemAccessErr), unknown})
	x.refresh()
	path := filepath.Join(t.TempDir(), "x.CSV")
	x.s.export(path)()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	head := strings.Split(lines[0], ",")
	for i, want := range []map[string]string{
		{"cq": "cq", "qp": "b", "wr_opcode": "RECV", "latency_us": "18.000", "wr_id": "1", "status": "SUCCESS",
			"byte_len": "5",
			"data":     ""},
		{"cq": "cq", "qp": "a", "wr_opcode": "RDMA_WRITE", "latency_us": "1300.000", "wr_id": "2",
			"status": "REM_ACCESS_ERR", "byte_len": "", "opcode": ""},
		{"wr_opcode": "", "latency_us": "", "wr_id": "3", "opcode": "RECV"},
	} {
		cells := strings.Split(lines[i+1], ",")
		for name, value := range want {
			if at := slices.Index(head, name); at < 0 || cells[at] != value {
				t.Errorf("line %d: %s is %q, want %q", i, name, lines[i+1], value)
			}
		}
	}
}
