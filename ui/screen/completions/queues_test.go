package completions

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/session"
	"rdmatui/session/timeline"
	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
)

// overrunBench has a queue that was polled in each way and overflowed, and one that
// is armed. The counts are set, because timing makes them vary.
func overrunBench(t *testing.T, th *theme.Theme) *bench {
	x := newBench(t, th, 64)
	cqs := slices.Clone(x.st.Session.CQs)
	x.st.Session.CQs = cqs
	cqs[0].Overruns = 1
	cqs[0].Stats[session.ByHand] = session.CQStats{FirstFull: 1, FirstEmpty: 3, Completions: 2}
	cqs[0].Stats[session.Resting] = session.CQStats{
		FirstFull: 1200, FirstEmpty: 90, Completions: 1_250_000, CPU: time.Second / 4,
		Wall: 8 * time.Second, Measured: true,
	}
	cqs[1].SolicitedOnly = true
	cqs[1].Stats[session.Busy] = session.CQStats{
		FirstFull: 12, FirstEmpty: 4_000_000, Completions: 12, CPU: 3 * time.Second,
		Wall: 3 * time.Second, Measured: true,
	}
	cqs[1].Stats[session.Blocking] = session.CQStats{FirstFull: 2, FirstEmpty: 41, SecondFull: 38, SecondEmpty: 2,
		Events: 40, Acked: 40, Completions: 40,
		CPU: 640 * time.Microsecond, Wall: 5 * time.Second, Measured: true}
	cqs[1].Stats[session.Nonblocking] = session.CQStats{FirstEmpty: 7, EmptyReads: 1000, Wall: time.Second}
	x.journey()
	return x
}

func TestQueuesGolden(t *testing.T) {
	for name, size := range bodies {
		for _, uni := range []bool{true, false} {
			x := overrunBench(t, theme.New("none", uni))
			x.keys("end", ".")
			uitest.Golden(t, fmt.Sprintf("overrun-%s-%v", name, uni), x.view(size[0], size[1]))
			x.keys("down")
			uitest.Golden(t, fmt.Sprintf("queues-%s-%v", name, uni), x.view(size[0], size[1]))
		}
	}
}

// TestFolded: without "." a queue has one row, unless completions were lost. "." goes to the queues, and back.
func TestFolded(t *testing.T) {
	x := overrunBench(t, theme.New("none", true))
	for i, tt := range []struct {
		key                  string
		entries, polls, lost bool
		focus                screen.Pane
	}{{"", false, false, true, paneTable}, {".", true, true, true, paneQueues}, {"down", true, true, false, paneQueues},
		{".", false, false, false, paneTable}} {
		if tt.key != "" {
			x.keys(tt.key)
		}
		v := x.view(200, 60)
		got := []bool{strings.Contains(v, "entries in use"), strings.Contains(v, "2nd poll"),
			strings.Contains(v, "completions are lost")}
		if want := []bool{tt.entries, tt.polls, tt.lost}; !slices.Equal(got, want) || x.s.Focus != tt.focus {
			t.Errorf("%d %q: %v with the focus on %d, want %v and %d", i, tt.key, got, x.s.Focus, want, tt.focus)
		}
	}
}

func TestChooseTheWay(t *testing.T) {
	x := newBenchOf(t, theme.New("none", true), 64, true, benchLines...)
	x.refresh()
	x.keys("m") // cq has no channel
	x.keys("s")
	x.keys("]", "]", "down", "m", "s") // events
	x.sess.WantLines("cq_mode cq mode=busy", "cq_mode events mode=nonblocking",
		"cq_mode events mode=blocking solicited_only=1")
	for _, tt := range [][2]string{{"cq_mode events mode=poll", "busy"}, {"cq_mode events mode=busy", "blocking"},
		{"cq_mode events mode=blocking solicited_only=1", "nonblocking solicited_only=1"},
		{"cq_mode events mode=nonblocking", "poll"}} {
		x.sess.Do(tt[0])
		x.follow()
		x.refresh()
		x.keys("m")
		x.sess.WantLines("cq_mode events mode=" + tt[1])
	}
	x = newBenchOf(t, theme.New("none", true), 64, true)
	x.refresh()
	for _, key := range []string{"m", "s"} {
		if msg, ok := x.keys(key).(screen.FlashMsg); !ok || msg.Level != timeline.LevelWarn {
			t.Errorf("%s without a queue: %v", key, msg)
		}
	}
}

// A key's change to a queue is reported, since the queues are out of sight in 80
// columns; root reports failed lines and typed ones.
func TestKeysSayWhatTheyDid(t *testing.T) {
	for _, tt := range []struct {
		keys []string
		want string
	}{
		{[]string{"m"}, ""}, {[]string{"]", "]", "down", "m"}, ""}, {[]string{"L"}, ""},
		{[]string{"]", "]", "down", "s"}, "events: only solicited or failed completions raise an event"},
		{[]string{"]", "]", "down", "a"}, "events: armed"},
	} {
		x := newBenchOf(t, theme.New("none", true), 64, true, benchLines...)
		x.refresh()
		done, ok := x.keys(tt.keys...).(screen.DoneMsg)
		if !ok {
			t.Fatalf("%q ran nothing", tt.keys)
		}
		if x.s.Update(screen.DoneMsg{Line: "query_qp a", Typed: true,
			Done: timeline.CommandDone{Result: "RTS"}}) != nil {
			t.Errorf("%q: what another ran is told", tt.keys)
		}
		if tt.want == "" {
			tt.want = done.Done.Result
		}
		cmd := x.s.Update(done)
		if cmd == nil {
			t.Errorf("%q says nothing", tt.keys)
			continue
		}
		if got := cmd().(screen.FlashMsg); got.Text != tt.want {
			t.Errorf("%q says %q, want %q", tt.keys, got.Text, tt.want)
		}
		if x.s.Update(done) != nil {
			t.Errorf("%q is told twice", tt.keys)
		}
	}
	x := newBench(t, theme.New("none", true), 64)
	x.refresh()
	if got, ok := x.keys("s").(screen.FlashMsg); !ok || got.Text != noChannelText {
		t.Errorf("s on a queue without a channel: %v", got)
	}
	done := x.keys("m").(screen.DoneMsg)
	done.Err, done.Done.Result = errors.New("no"), "x"
	if x.s.Update(done) != nil {
		t.Error("a failure is told twice")
	}
}

// The queue of the completion under the cursor is described, until another is chosen.
func TestQueueFollowsTheCursor(t *testing.T) {
	x := overrunBench(t, theme.New("none", true))
	other := recvDone(99)
	other.CQ = "events"
	x.sess.Timeline().AppendBatch([]timeline.Completion{other})
	x.refresh()
	x.keys(".", "esc", "end")
	x.st.Session.Version++
	x.refresh()
	if got := x.s.queues.selected().name; got != "events" {
		t.Errorf("%s is told about", got)
	}
	x.wants("blocking", "16 µs", "250 ms", "2/41", "38/2", "40/40", "solicited only")
	x.keys("]", "]", "up")
	x.st.Session.Version++
	x.refresh()
	if got := x.s.queues.selected().name; got != "cq" {
		t.Errorf("%s is told about after up", got)
	}
	x.wants("OVERRUN: CQ_ERR once", "cqe=128 or more", "0 of 64 entries in use", "200 ns", "3.1%")
}

// A queue's fill shows at once, though no event reports it.
func TestFillIsAskedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newBenchOf(t, theme.New("none", true), 64, false, benchLines...)
		x.refresh()
		x.keys(".")
		if x.refresh() {
			t.Error("nothing changed, yet it is drawn again")
		}
		st := x.st // without the requests
		x.sess.Do(slices.Repeat([]string{"post_send a RDMA_WRITE sge=src:0:8 remote_addr=src.addr rkey=src.rkey"},
			64)...)
		time.Sleep(time.Second)
		if x.st.Session = st.Session; !x.refresh() {
			t.Error("a queue filled up, and it is not drawn")
		}
		x.wants("64 of 64 entries in use")
		x.sess.Do("poll_cq cq n=61")
		x.refresh()
		x.wants("3 of 64 entries in use, 64 at most")
	})
}

func TestFew(t *testing.T) {
	for n, want := range map[uint64]string{0: "0", 999: "999", 1000: "1.0k", 9999: "9.9k", 10_000: "10k",
		999_999: "999k", 1_250_000: "1.2M", 1<<64 - 1: "18E"} {
		if got := few(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
