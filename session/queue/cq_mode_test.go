package queue_test

import (
	"context"
	"strings"
	"syscall"
	"testing"
	"time"

	"rdmatui/session"
	"rdmatui/session/core"
	"rdmatui/session/queue"
	"rdmatui/session/sessiontest"
	"rdmatui/verbs"
	"rdmatui/verbs/soft"
)

// pairOnSoft makes a session with a queue pair connected to itself, whose CQ has a
// channel.
func pairOnSoft(t *testing.T, live bool, cqe string) *session.Session {
	t.Helper()
	s := session.New(core.Options{Providers: []verbs.Provider{soft.New(soft.Options{})}, Live: live})
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, line := range []string{"open_device soft0", "alloc_pd", "reg_mr mr length=4096 access=LOCAL_WRITE",
		"create_comp_channel ch",
		"create_cq cq channel=ch cqe=" + cqe, "create_qp a", "connect_qps a a"} {
		sessiontest.Execute(t, s, line)
	}
	return s
}

// awaitStats waits until another goroutine has made a condition true.
func awaitStats(t *testing.T, s *session.Session, what string, holds func(core.CQView) bool) core.CQView {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		s.Core().Changed() // the reader publishes counts without completions only once a second
		v := s.Snapshot().CQs[0]
		if holds(v) {
			return v
		}
		if time.Now().After(end) {
			now, peak, _ := s.CQFill("cq")
			t.Fatalf("%s: %+v, fill %d, peak %d", what, v, now, peak)
		}
	}
}

func exchangeOne(t *testing.T, s *session.Session, flags string) {
	t.Helper()
	sessiontest.Execute(t, s, "post_recv a sge=mr:2048:64")
	sessiontest.Execute(t, s, "post_send a SEND sge=mr:0:5 send_flags="+flags)
}

// TestCQModes: in each mode all completions are taken, and counted under that mode.
func TestCQModes(t *testing.T) {
	for _, mode := range core.CQModes {
		t.Run(mode.String(), func(t *testing.T) {
			s := pairOnSoft(t, true, "64")
			sessiontest.Execute(t, s, "cq_mode cq mode="+mode.String())
			const rounds = 5
			for range rounds {
				exchangeOne(t, s, "SIGNALED")
			}
			v := awaitStats(t, s, "all completions", func(v core.CQView) bool {
				return v.Stats[mode].Completions == 2*rounds && v.Completed >= 2*rounds // counted one after the other
			})
			st := &v.Stats[mode]
			if v.Mode != mode || v.Completed != 2*rounds || v.Failed != 0 {
				t.Errorf("%+v", v)
			}
			if st.FirstFull+st.SecondFull == 0 || !mode.WithEvents() &&
				st.Events+st.SecondFull+st.SecondEmpty+st.EmptyReads > 0 {
				t.Errorf("%+v", st)
			}
			if mode.WithEvents() {
				if st.FirstEmpty > st.Events+1 {
					t.Errorf("polled without an event: %+v", st)
				}
				sessiontest.Execute(t, s, "cq_mode cq mode=poll") // acknowledges the rest
				st = &s.Snapshot().CQs[0].Stats[mode]
				if st.Acked != st.Events || st.SecondFull+st.SecondEmpty != st.Events {
					t.Errorf("%+v", st)
				}
			}
			sessiontest.Execute(t, s, "live off")
			sessiontest.Execute(t, s, "poll_cq cq n=16") // completions taken live are still available
			if text := sessiontest.Execute(t, s, "cq_stats cq").Result; !strings.Contains(text,
				mode.String()+": completions=10 ") || !strings.Contains(text, "0 of 64 entries in use") {
				t.Error(text)
			}
			sessiontest.Execute(t, s, "cq_stats cq reset=1")
			if text := sessiontest.Execute(t, s, "cq_stats cq").Result; strings.Contains(text, "completions=") {
				t.Error(text)
			}
		})
	}
}

// TestSolicitedOnlyLive: when only solicited completions raise events, others stay in
// the queue until one does.
func TestSolicitedOnlyLive(t *testing.T) {
	s := pairOnSoft(t, true, "64")
	sessiontest.Execute(t, s, "cq_mode cq mode=blocking solicited_only=1 ack_every=4")
	awaitStats(t, s, "the reader waits", func(v core.CQView) bool { return v.Stats[core.Blocking].FirstEmpty > 0 })
	exchangeOne(t, s, "SIGNALED")
	awaitStats(t, s, "two completions in the queue", func(core.CQView) bool {
		now, _, _ := s.CQFill("cq")
		return now == 2
	})
	if v := s.Snapshot().CQs[0]; v.Stats[core.Blocking].Completions != 0 || !v.SolicitedOnly {
		t.Errorf("%+v", v)
	}
	exchangeOne(t, s, "SIGNALED|SOLICITED")
	v := awaitStats(t, s, "all are taken", func(v core.CQView) bool { return v.Stats[core.Blocking].Completions >= 3 })
	if st := v.Stats[core.Blocking]; st.Events != 1 || st.Acked != 0 || st.SecondFull != 1 {
		t.Errorf("%+v", st)
	}
	sessiontest.Execute(t, s, "live off")
	if st := s.Snapshot().CQs[0].Stats[core.Blocking]; st.Acked != 1 {
		t.Errorf("the rest was not acknowledged: %+v", st)
	}
}

// TestTwoQueuesOfAChannel: queues that share a channel pass each other's events on.
func TestTwoQueuesOfAChannel(t *testing.T) {
	s := pairOnSoft(t, true, "64")
	sessiontest.Execute(t, s, "create_cq other channel=ch")
	sessiontest.Execute(t, s, "create_qp b send_cq=other recv_cq=other")
	sessiontest.Execute(t, s, "connect_qps b b")
	sessiontest.Execute(t, s, "cq_mode cq mode=blocking")
	sessiontest.Execute(t, s, "cq_mode other mode=blocking")
	for n := uint64(1); n <= 20; n++ {
		exchangeOne(t, s, "SIGNALED")
		sessiontest.Execute(t, s, "post_recv b sge=mr:2048:64")
		sessiontest.Execute(t, s, "post_send b SEND sge=mr:0:5")
		awaitStats(t, s, "both queues", func(core.CQView) bool {
			v := s.Snapshot().CQs
			return v[0].Completed == 2*n && v[1].Completed == 2*n
		})
	}
}

// TestSolicitedAfterAny: an earlier request for any event stays in force.
func TestSolicitedAfterAny(t *testing.T) {
	s := pairOnSoft(t, true, "64")
	const still = "one event of any completion is still armed"
	if text := sessiontest.Execute(t, s, "cq_mode cq mode=blocking").Result; strings.Contains(text, still) {
		t.Error(text)
	}
	awaitStats(t, s, "the queue is armed", func(v core.CQView) bool { return v.Stats[core.Blocking].FirstEmpty > 0 })
	if text := sessiontest.Execute(t, s, "cq_mode cq mode=blocking solicited_only=1").Result; !strings.Contains(text,
		still) {
		t.Error(text)
	}
	exchangeOne(t, s, "SIGNALED")
	awaitStats(t, s, "what came unsolicited", func(v core.CQView) bool { return v.Stats[core.Blocking].Events == 1 })
	if text := sessiontest.Execute(t, s, "cq_mode cq mode=blocking solicited_only=1").Result; strings.Contains(text,
		still) {
		t.Error(text)
	}
}

func TestCQModeRefused(t *testing.T) {
	s := pairOnSoft(t, true, "64")
	sessiontest.Execute(t, s, "create_cq bare")
	sessiontest.Execute(t, s, "cq_mode cq mode=nonblocking")
	for line, want := range map[string]string{
		"cq_mode bare mode=blocking":              "no completion channel",
		"cq_mode cq mode=poll solicited_only=1":   "solicited_only needs",
		"cq_mode cq mode=blocking ack_every=0":    "at least 1",
		"get_cq_event ch timeout=1s":              "for cq: use",
		"cq_mode nobody mode=poll":                "nobody",
		"cq_mode cq mode=sideways":                "sideways",
		"cq_stats ch":                             "ch",
		"cq_mode cq mode=busy ack_every=70000":    "70000",
		"cq_mode cq mode=blocking solicited_only": "solicited_only",
	} {
		if _, err := s.Exec(t.Context(), line); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// TestByHand: completions taken by commands are counted like those of live readers.
func TestByHand(t *testing.T) {
	s := pairOnSoft(t, false, "64")
	sessiontest.Execute(t, s, "req_notify_cq cq")
	sessiontest.Execute(t, s, "poll_cq cq")
	exchangeOne(t, s, "SIGNALED")
	if of := sessiontest.Execute(t, s, "get_cq_event ch timeout=1m").EventOf; of != "cq" {
		t.Errorf("the event is of %q", of)
	}
	sessiontest.Execute(t, s, "ack_cq_events cq n=1")
	sessiontest.Execute(t, s, "poll_cq cq n=2 timeout=1m")
	st := s.Snapshot().CQs[0].Stats[core.ByHand]
	if st.FirstEmpty < 1 || st.SecondFull != 1 || st.SecondEmpty != 0 || st.Events != 1 ||
		st.Acked != 1 || st.Completions != 2 {
		t.Errorf("%+v", st)
	}
}

// TestOverrun: an overrun is recorded, and stays visible.
func TestOverrun(t *testing.T) {
	s := pairOnSoft(t, false, "1")
	exchangeOne(t, s, "SIGNALED")
	v := awaitStats(t, s, "CQ_ERR", func(v core.CQView) bool { return v.Overruns == 1 })
	if now, peak, ok := s.CQFill("cq"); !ok || now != 1 || peak != 1 {
		t.Errorf("fill %d, peak %d, %v", now, peak, ok)
	}
	if text := sessiontest.Execute(t, s, "cq_stats cq").Result; v.CQE != 1 || !strings.Contains(text,
		"OVERRUN 1 time") {
		t.Error(text)
	}
}

// TestPingpongBesideLiveEvents: a traffic runner reads the channel itself, and
// returns it.
func TestPingpongBesideLiveEvents(t *testing.T) {
	s := pairOnSoft(t, true, "64")
	sessiontest.Execute(t, s, "cq_mode cq mode=blocking")
	release := queue.Own(s.Core(), []*queue.CQ{sessiontest.QueueOfName(t, s, "cq")}, nil)
	before := s.Snapshot().CQs[0].Stats[core.Blocking].Polls()
	exchangeOne(t, s, "SIGNALED")
	if now := s.Snapshot().CQs[0].Stats[core.Blocking].Polls(); now != before {
		t.Errorf("the live reader polled %d times", now-before)
	}
	release()
	awaitStats(t, s, "both are taken", func(v core.CQView) bool { return v.Completed == 2 })
}

// TestPollingEndsWithANote: a queue that cannot be polled causes one note; a closed
// one causes none.
func TestPollingEndsWithANote(t *testing.T) {
	for _, fails := range []bool{true, false} {
		s, f := sessiontest.NewFaked(t, core.Options{Live: true})
		if fails {
			f.Fail["poll"] = syscall.EIO
		}
		sessiontest.RunScript(t, s, "open_device\nalloc_pd\ncreate_cq cq")
		notes := func() (n int) {
			for _, e := range s.Timeline().Snapshot() {
				if e.Note != nil && strings.Contains(e.Note.Text, "polling of cq ended") {
					n++
				}
			}
			return n
		}
		for end := time.Now().Add(time.Minute); fails && notes() == 0 && time.Now().Before(end); {
			time.Sleep(time.Millisecond)
		}
		sessiontest.Execute(t, s, "close cq")
		if n := notes(); (n == 1) != fails {
			t.Errorf("fails %v: %d notes", fails, n)
		}
	}
}

// TestEventsAreAcknowledged: every event from a channel is acknowledged, otherwise
// ibv_destroy_cq blocks.
func TestEventsAreAcknowledged(t *testing.T) {
	f := sessiontest.NewFake()
	s := session.New(core.Options{Providers: []verbs.Provider{f}})
	defer s.Close()
	sessiontest.RunScript(t, s, "live on\nopen_device fake0\ncreate_comp_channel ch\ncreate_cq cq channel=ch\ncq_mode cq mode=blocking ack_every=2\ncreate_cq other channel=ch")
	mine, other, gone := f.Cqs[0], f.Cqs[1], &sessiontest.FakeCQ{}
	for _, cq := range []*sessiontest.FakeCQ{mine, other, mine, gone, mine} {
		f.CqEvents <- cq
	}
	awaitStats(t, s, "three events", func(v core.CQView) bool { return v.Stats[core.Blocking].Events == 3 })
	if mine.Acked.Load() != 2 { // the third waits for a fourth
		t.Errorf("%d of 3 acknowledged", mine.Acked.Load())
	}
	sessiontest.Execute(t, s, "cq_mode cq mode=poll")
	for cq, want := range map[*sessiontest.FakeCQ]int64{mine: 3, other: 1, gone: 1} {
		if got := cq.Acked.Load(); got != want {
			t.Errorf("%d acknowledged, want %d", got, want)
		}
	}
}

// TestEventsOfALoopAreAcknowledged: a ping-pong loop acknowledges its events even if
// it is stopped.
func TestEventsOfALoopAreAcknowledged(t *testing.T) {
	s, f := sessiontest.NewFaked(t, core.Options{})
	sessiontest.RunScript(t, s, "open_device\nalloc_pd\nreg_mr m length=64\ncreate_comp_channel ch\ncreate_cq cq channel=ch\ncreate_qp a\nconnect_qps a a")
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := s.Exec(ctx, "pingpong a role=server n=1 size=8 mr=m event=1 timeout=1h")
		ended <- err
	}()
	for range 2 {
		f.CqEvents <- f.Cqs[0]
	}
	stop()
	if err := <-ended; err == nil {
		t.Error("it was not stopped")
	}
	if n := f.Cqs[0].Acked.Load(); n != 2 {
		t.Errorf("%d of 2 acknowledged", n)
	}
}

// TestPollsAreAdded: Polls counts all calls of ibv_poll_cq, empty or not.
func TestPollsAreAdded(t *testing.T) {
	st := core.CQStats{FirstFull: 1, FirstEmpty: 20, SecondFull: 300, SecondEmpty: 4000}
	if st.Polls() != 4321 {
		t.Errorf("%d polls", st.Polls())
	}
}
