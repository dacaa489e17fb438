package bench

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/session/queue"
	"rdmatui/verbs"
)

// stepped is a queue pair that records the steps of its requests.
type stepped struct {
	pair
	records []bool
}

func (s *stepped) RecordSteps(on bool)         { s.records = append(s.records, on) }
func (s *stepped) Steps() []verbs.RequestSteps { return nil }

// TestRunLoop: while a loop runs, its queues are kept from other pollers and no steps are recorded. The loop's events
// are acknowledged and everything is as before when it has ended, whatever its error is.
func TestRunLoop(t *testing.T) {
	errWork := errors.New("work")
	for _, want := range []error{nil, errWork} {
		l, _ := newTestLoop(t, params(Send, false, func(p *Params) { p.Host = "h" }))
		q := &stepped{}
		l.lanes[0].q.QP, l.link = q, &ordered{}
		before := queue.RunningLoops.Load()
		claims := func() (list []bool) {
			for _, cq := range l.Queues {
				list = append(list, cq.Claimed)
			}
			return list
		}
		err := l.run(t.Context(), func() error {
			if got := claims(); !slices.Equal(got, []bool{true, true}) || queue.RunningLoops.Load() != before+1 ||
				!slices.Equal(q.records, []bool{false}) || l.Idle(0) != nil {
				t.Errorf("running: claimed %v, %d loops, steps %v", got, queue.RunningLoops.Load()-before, q.records)
			}
			l.Got[l.sendCQ], l.Got[l.recvCQ] = 3, 2
			return want
		})
		if got := claims(); err != want || !slices.Equal(got, []bool{false, false}) ||
			queue.RunningLoops.Load() != before ||
			!slices.Equal(q.records, []bool{false, true}) || l.Idle(0) == nil {
			t.Errorf("%v: claimed %v, %d loops, steps %v", err, got, queue.RunningLoops.Load()-before, q.records)
		}
		if send, recv := l.sendCQ.CQ.(*completions).acked, l.recvCQ.CQ.(*completions).acked; send != 3 || recv != 2 {
			t.Errorf("%d and %d events acknowledged", send, recv)
		}
	}
}

// TestRunStops: a loop that polls, and one that sleeps until an event, end for the reason of the supervisor.
func TestRunStops(t *testing.T) {
	errStop := errors.New("stop")
	for _, events := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			l, pairs := newTestLoop(t, params(Send, false, func(p *Params) {
				p.Host, p.Events, p.Iters = "h", events, 10
			}))
			pairs[0].mute, l.link = true, &ordered{}
			pairs[0].send.idle = func(int) { time.Sleep(time.Millisecond) }
			made(&l.sendCQ.Channel).Ch = &eventChannel{}
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(time.Second, func() { cancel(errStop) })
			if err := l.run(ctx, l.stream); err != errStop {
				t.Errorf("events %v: %v", events, err)
			}
		})
	}
}

// TestStalled: a test of given duration fails if nothing completed in the second half of what is measured, unless that
// is so short that the machine may have been busy.
func TestStalled(t *testing.T) {
	for _, tt := range []struct {
		duration time.Duration
		until    time.Duration // messages complete until then
		want     string
	}{
		{10 * time.Second, 4 * time.Second, "3 messages completed in the first half of -D 10 and none in the second"},
		{10 * time.Second, time.Hour, ""}, {10 * time.Second, 6 * time.Second, ""},
		{4500 * time.Millisecond, time.Second, ""}, // a quarter of a second is measured, twice
		{4510 * time.Millisecond, time.Second, "0 messages completed in the first half of -D 4.51"},
	} {
		synctest.Test(t, func(t *testing.T) {
			l, _ := newTestLoop(t, params(Write, false, func(p *Params) {
				p.Host, p.Duration, p.Margin = "h", tt.duration, 2*time.Second
			}))
			l.link = &ordered{}
			err := l.run(t.Context(), func() error {
				l.begin()
				time.Sleep(500 * time.Millisecond)
				for l.phase.Load() != over {
					time.Sleep(time.Second)
					if l.now() < tt.until {
						l.done(1)
					}
				}
				return nil
			})
			if (err == nil) != (tt.want == "") || err != nil && !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("%s, messages until %s: %v, want %q", tt.duration, tt.until, err, tt.want)
			}
		})
	}
}

// TestAheadOfTime: a peer that says it has ended is too early if this end has messages left and hears nothing for a
// while, or if its own time is not nearly over.
func TestAheadOfTime(t *testing.T) {
	for _, tt := range []struct {
		duration time.Duration
		since    time.Duration
		quiet    time.Duration
		early    bool
		want     bool
	}{
		{0, time.Second, 10 * time.Second, true, true}, {0, time.Second, 10*time.Second - 1, true, false},
		{0, time.Second, 20 * time.Second, false, false},
		{5 * time.Second, 4 * time.Second, 0, true, true}, {5 * time.Second, 4 * time.Second, 0, false, false},
		{5 * time.Second, 4500 * time.Millisecond, 0, true, false},
		{5 * time.Second, 4500*time.Millisecond - 1, 0, true, true}, {5 * time.Second, 6 * time.Second, 0, true, false},
	} {
		l, _ := newTestLoop(t, params(Write, false, func(p *Params) {
			p.Host, p.Duration, p.Margin = "h", tt.duration, 0
		}))
		l.link.(*quiet).early = tt.early
		began := time.Unix(1000, 0)
		l.Run.progress.since.Store(began.UnixNano())
		if got := l.aheadOfTime(began.Add(tt.since), tt.quiet); got != tt.want {
			t.Errorf("%+v: %v", tt, got)
		}
	}
}

// TestSuperviseTells: what a supervisor says of the peer has the number of messages and the flag that sets the length.
func TestSuperviseTells(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := newTestLoop(t, params(Write, false, func(p *Params) {
			p.Host, p.Duration = "h", 10*time.Second
		}))
		l.link.(*quiet).early = true
		l.progress.messages.Store(1500)
		want := "the peer ended its test after 1,500 messages of 8 bytes, this end has -D 10: give both ends the same"
		if err := l.supervise(t.Context(), nil); err == nil || err.Error() != want {
			t.Errorf("%v, want %q", err, want)
		}
		l.link.(*quiet).early = false
		l.silence = 200 * time.Millisecond
		want = "no message completed for 200 ms, after 1,500 messages of 8 bytes"
		if err := l.supervise(t.Context(), nil); err == nil || err.Error() != want {
			t.Errorf("%v, want %q", err, want)
		}
	})
}

// TestRecvs: a loop begins with as many RECVs as the queue has, shared among the queue pairs, but no more than
// messages.
func TestRecvs(t *testing.T) {
	for _, tt := range []struct {
		depth, qps int
		iters      uint64
		duration   time.Duration
		shared     bool
		want       uint64
	}{
		{8, 1, 10, 0, false, 8}, {100, 1, 10, 0, false, 10}, {100, 2, 10, 0, false, 10}, {8, 2, 10, 0, true, 4},
		{100, 2, 10, 0, true, 5}, {100, 1, 10, time.Second, false, 100}, {8, 4, 10, time.Second, true, 2},
	} {
		l, _ := newTestLoop(t, params(Send, false, func(p *Params) {
			p.RXDepth, p.QPs, p.Iters, p.Duration = tt.depth, tt.qps, tt.iters, tt.duration
		}))
		if tt.shared {
			l.srq = &queue.SRQ{}
		}
		if got := l.recvs(); got != tt.want {
			t.Errorf("%+v: %d", tt, got)
		}
	}
}

// sharedQueue is a shared receive queue.
type sharedQueue struct {
	verbs.SRQ
	posted int
}

func (s *sharedQueue) PostRecv(wrs ...verbs.RecvWR) (int, error) {
	s.posted += len(wrs)
	return len(wrs), nil
}

// TestPostRecvs: RECVs go to the shared queue if there is one, and their addresses begin again at the end of the cycle.
func TestPostRecvs(t *testing.T) {
	l, pairs := newTestLoop(t, params(Send, false, func(p *Params) { p.RXDepth, p.Iters = 200, 200 }))
	if err := l.postRecvs(&l.lanes[0], 0, 130); err != nil {
		t.Fatal(err)
	}
	for n, at := range pairs[0].posted {
		if want := memoryAt + l.area + uint64(n%64)*64; at != want {
			t.Errorf("RECV %d is at %#x, want %#x", n, at, want)
		}
	}
	shared := &sharedQueue{}
	l.srq = &queue.SRQ{SRQ: shared}
	if err := l.postRecvs(&l.lanes[0], 0, 3); err != nil || shared.posted != 3 || len(pairs[0].posted) != 130 ||
		l.lanes[0].recvsPosted != 133 {
		t.Errorf("%v, %d on the shared queue, %d on the other", err, shared.posted, len(pairs[0].posted))
	}
}

// TestBrokenQueue: a queue that cannot be polled ends each loop with its name.
func TestBrokenQueue(t *testing.T) {
	for _, tt := range []struct {
		verb          Verb
		latency, host bool
	}{
		{Write, false, true}, {Write, true, true}, {Send, false, false},
		{Send, true, false}, {Read, true, true},
	} {
		l, _ := newTestLoop(t, params(tt.verb, tt.latency, func(p *Params) {
			if tt.host {
				p.Host = "h"
			}
		}))
		l.sendCQ.CQ, l.recvCQ.CQ, l.sendCQ.Node = broken{}, broken{}, l.lanes[0].q.Node
		l.recvCQ.Node = l.sendCQ.Node
		work := l.work()
		if tt.latency {
			work = l.turns
		}
		if err := work(); !errors.Is(err, syscall.EIO) || !strings.HasPrefix(err.Error(), "poll_cq ") {
			t.Errorf("%+v: %v", tt, err)
		}
	}
}

// TestAsked: the loop tells its thread once for each time that it is asked, and the times between messages can be read
// from any number on.
func TestAsked(t *testing.T) {
	l, _ := newTestLoop(t, params(Read, true, func(p *Params) { p.Host = "h" }))
	idle := func() {
		t.Helper()
		if err := l.Idle(0); err != nil {
			t.Fatal(err)
		}
	}
	idle()
	if got := l.Run.Thread(); got != 0 {
		t.Errorf("thread %d before anybody has asked", got)
	}
	idle()
	if got := l.Run.Thread(); got < 0 || got == 0 && runtime.GOOS == "linux" {
		t.Errorf("thread %d", got)
	}
	if got := l.Run.Thread(); got != 0 {
		t.Errorf("thread %d again without an answer", got)
	}
	for i := range l.times {
		l.times[i] = time.Duration(i * i)
	}
	for posted, all := range map[int64][]time.Duration{0: nil, 1: nil, 2: {1}, 5: {1, 3, 5, 7},
		99: {1, 3, 5, 7, 9, 11, 13, 15, 17}} {
		l.progress.posted.Store(posted)
		for from := range len(all) + 2 {
			want := append([]time.Duration{42}, all[min(from, len(all)):]...)
			if got := l.Samples([]time.Duration{42}, from); !slices.Equal(got, want) {
				t.Errorf("%d posted, from %d: %v, want %v", posted, from, got, want)
			}
		}
		if got := l.Samples(nil, -5); !slices.Equal(got, all) {
			t.Errorf("%d posted, from -5: %v, want %v", posted, got, all)
		}
	}
	if got := (&Run{}).Samples(nil, 0); got != nil {
		t.Errorf("without a test: %v", got)
	}
}
