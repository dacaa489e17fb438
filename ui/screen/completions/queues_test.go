package completions

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"rdmatui/session"
	"rdmatui/session/timeline"
	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/verbs"
)

// overrunBench has a queue that was taken in each way and ran over, and one that is
// armed.
func overrunBench(t *testing.T, th *theme.Theme) *bench {
	x := newBench(t, th, 64)
	x.f.fill = 3
	x.st.Session.QPs = []session.QPView{{Name: "a", SendCQ: "cq", RecvCQ: "cq", Cap: verbs.QPCap{MaxSendWR: 100, MaxRecvWR: 28}}}
	cqs := x.st.Session.CQs
	cqs[0].Overruns = 1
	cqs[0].Stats[session.ByHand] = session.CQStats{FirstFull: 1, FirstEmpty: 3, Completions: 2}
	cqs[0].Stats[session.Resting] = session.CQStats{FirstFull: 1200, FirstEmpty: 90, Completions: 1_250_000, CPU: time.Second / 4, Wall: 8 * time.Second, Measured: true}
	cqs[1].SolicitedOnly = true
	cqs[1].Stats[session.Busy] = session.CQStats{FirstFull: 12, FirstEmpty: 4_000_000, Completions: 12, CPU: 3 * time.Second, Wall: 3 * time.Second, Measured: true}
	cqs[1].Stats[session.Blocking] = session.CQStats{FirstFull: 2, FirstEmpty: 41, SecondFull: 38, SecondEmpty: 2, Events: 40, Acked: 40, Completions: 40,
		CPU: 640 * time.Microsecond, Wall: 5 * time.Second, Measured: true}
	cqs[1].Stats[session.Nonblocking] = session.CQStats{FirstEmpty: 7, EmptyReads: 1000, Wall: time.Second}
	x.journey()
	return x
}

func TestQueuesGolden(t *testing.T) {
	for name, size := range bodies {
		for _, uni := range []bool{true, false} {
			x := overrunBench(t, theme.New("none", uni))
			x.keys("end", "]", "]")
			uitest.Golden(t, fmt.Sprintf("overrun-%s-%v", name, uni), x.view(size[0], size[1]))
			x.keys("down")
			uitest.Golden(t, fmt.Sprintf("queues-%s-%v", name, uni), x.view(size[0], size[1]))
		}
	}
}

func TestChooseTheWay(t *testing.T) {
	x := newBench(t, theme.New("none", true), 64)
	x.refresh()
	x.keys("w") // cq, which has no channel
	x.keys("o")
	x.keys("]", "]", "down", "w", "o") // events
	want := "cq_mode cq mode=busy,cq_mode events mode=nonblocking,cq_mode events mode=blocking solicited_only=1"
	if got := strings.Join(x.f.lines, ","); got != want {
		t.Errorf("ran %q", got)
	}
	x.f.lines = nil
	for _, tt := range []struct {
		mode session.CQMode
		want string
	}{{session.ByHand, "poll"}, {session.Resting, "busy"}, {session.Busy, "blocking solicited_only=1"},
		{session.Blocking, "nonblocking solicited_only=1"}, {session.Nonblocking, "poll"}} {
		x.st.Session.CQs[1].Mode, x.st.Session.CQs[1].SolicitedOnly = tt.mode, true
		x.st.Session.Version++
		x.refresh()
		x.keys("w")
		if got := x.f.lines[len(x.f.lines)-1]; got != "cq_mode events mode="+tt.want {
			t.Errorf("after %v: %q", tt.mode, got)
		}
	}
	x.st.Session.CQs = nil
	x.st.Session.Version++
	x.refresh()
	for _, key := range []string{"w", "o"} {
		if msg, ok := x.keys(key).(screen.FlashMsg); !ok || msg.Level != timeline.LevelWarn {
			t.Errorf("%s without a queue: %v", key, msg)
		}
	}
}

// What a key changes in a queue is said, since the queues are not in sight in 80
// columns; a line that failed is left to root, and one that was typed, too.
func TestKeysSayWhatTheyDid(t *testing.T) {
	for _, tt := range []struct {
		keys []string
		want string
	}{
		{[]string{"w"}, "the result"}, {[]string{"]", "]", "down", "w"}, "the result"}, {[]string{"m"}, "the result"},
		{[]string{"]", "]", "down", "o"}, "events: only completions that are solicited or failed raise an event"}, {[]string{"a"}, "events: armed"},
	} {
		x := newBench(t, theme.New("none", true), 64)
		x.refresh()
		done, ok := x.keys(tt.keys...).(screen.DoneMsg)
		if !ok {
			t.Fatalf("%q ran nothing", tt.keys)
		}
		if x.s.Update(screen.DoneMsg{Line: "query_qp a", Typed: true, Done: timeline.CommandDone{Result: "RTS"}}) != nil {
			t.Errorf("%q: what another ran is told", tt.keys)
		}
		done.Done.Result = "the result"
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
	if got, ok := x.keys("o").(screen.FlashMsg); !ok || got.Text != noChannelText {
		t.Errorf("o on a queue without a channel: %v", got)
	}
	done := x.keys("w").(screen.DoneMsg)
	done.Err, done.Done.Result = errors.New("no"), "x"
	if x.s.Update(done) != nil {
		t.Error("a failure is told twice")
	}
}

// The queue of the completion under the cursor is the one that is told about, until
// another is chosen.
func TestQueueFollowsTheCursor(t *testing.T) {
	x := overrunBench(t, theme.New("none", true))
	other := recvDone(99)
	other.CQ = "events"
	x.f.log.AppendBatch([]timeline.Completion{other})
	x.refresh()
	x.keys("end")
	x.st.Session.Version++
	x.refresh()
	if got := x.s.queues.selected().name; got != "events" {
		t.Errorf("%s is told about", got)
	}
	x.wants("blocking", "16.0 µs", "250.0 ms", "2/41", "38/2", "40/40", "solicited only")
	x.keys("]", "]", "up")
	x.st.Session.Version++
	x.refresh()
	if got := x.s.queues.selected().name; got != "cq" {
		t.Errorf("%s is told about after up", got)
	}
	x.wants("OVERRUN: CQ_ERR came once", "cqe=128 or more", "3 of 64 entries in use, 14 at most", "200 ns", "3.1%")
}

// How full a queue is shows at once, though no event tells of it.
func TestFillIsAskedFor(t *testing.T) {
	x := newBench(t, theme.New("none", true), 64)
	x.refresh()
	if x.refresh() {
		t.Error("nothing changed, yet it is drawn again")
	}
	x.f.fill = 64
	if !x.refresh() {
		t.Error("a queue filled up, and it is not drawn")
	}
	x.wants("64 of 64 entries in use")
}

func TestFew(t *testing.T) {
	for n, want := range map[uint64]string{0: "0", 999: "999", 1000: "1.0k", 9999: "9.9k", 10_000: "10k", 999_999: "999k", 1_250_000: "1.2M", 1<<64 - 1: "18E"} {
		if got := few(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
