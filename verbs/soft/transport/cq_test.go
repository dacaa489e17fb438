package transport

import (
	"errors"
	"runtime"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/link"
)

// TestWakeNext: a queue wakes its waiter at the next completion, once. It refuses the request if a completion is queued
// already: the waiter would sleep through it.
func TestWakeNext(t *testing.T) {
	q := &CQ{ring: make([]verbs.WC, 4)}
	wake := make(chan struct{}, 1)
	woken := func() (n int) {
		for ; len(wake) > 0; n++ {
			<-wake
		}
		return n
	}
	if !q.WakeNext(wake) || woken() != 0 {
		t.Fatal("an empty queue did not take the request, or woke at once")
	}
	for i, want := range []int{1, 0} {
		if q.push(&verbs.WC{}, false); woken() != want {
			t.Errorf("completion %d did not wake %d times", i, want)
		}
	}
	if q.WakeNext(wake) {
		t.Error("a queue with completions takes the request")
	}
	if n, err := q.take(make([]verbs.WC, 4)); n != 2 || err != nil || !q.WakeNext(wake) {
		t.Errorf("%d, %v, or the emptied queue does not take the request", n, err)
	}
	wake <- struct{}{} // of a post
	if q.push(&verbs.WC{}, false); woken() != 1 {
		t.Error("the wakeup blocked on a full channel, or emptied it")
	}
}

// TestPollCountsMisses: polls without a result are counted up to the next result or failure.
func TestPollCountsMisses(t *testing.T) {
	a, _ := connect(t, verbs.RC)
	poll := func(n int) {
		for range n {
			a.cq.Poll(make([]verbs.WC, 2))
		}
	}
	want := func(what string, n uint32) {
		t.Helper()
		if got := a.cq.misses.Load(); got != n {
			t.Errorf("%s: %d misses, want %d", what, got, n)
		}
	}
	poll(3)
	want("empty", 3)
	a.cq.push(&verbs.WC{}, false)
	poll(1)
	want("a completion", 0)
	poll(2)
	want("empty again", 2)
	ok(t, a.q.Close())
	ok(t, a.cq.Close())
	poll(1)
	want("closed", 0)
}

// TestPollRunsARound: a poll that finds nothing runs a round of the engine, unless its program is about to wait. The
// round's acknowledgements are delayed only for a program that gets a completion.
func TestPollRunsARound(t *testing.T) {
	for _, tt := range []struct {
		name                           string
		queued, armed, closed, arrives bool
		n, asked, sent                 int
	}{
		{"nothing", false, false, false, false, 0, 1, 1},
		{"a queued completion", true, false, false, false, 1, 0, 0},
		{"a completion arrives", false, false, false, true, 1, 1, 0},
		{"armed", false, true, false, false, 0, 0, 0},
		{"closed", false, false, true, false, 0, 0, 0},
	} {
		l := &idleLink{}
		e := &Engine{link: l, assists: true, tx: make([]*link.Packet, 1), acks: 1}
		e.rest.init()
		e.standby.Store(1)
		e.asleep.Store(true)
		q := &CQ{eng: e, ring: make([]verbs.WC, 4), channel: &compChannel{}, dead: tt.closed}
		if tt.queued {
			q.push(&verbs.WC{}, false)
		}
		if tt.armed {
			ok(t, q.ReqNotify(true))
		}
		if tt.arrives {
			l.arrive = func() { q.push(&verbs.WC{}, false) }
		}
		n, err := q.Poll(make([]verbs.WC, 4))
		if n != tt.n || errors.Is(err, verbs.ErrClosed) != tt.closed || l.asked != tt.asked || l.n != tt.sent {
			t.Errorf("%s: %d completions, %v, %d rounds, %d packets sent", tt.name, n, err, l.asked, l.n)
		}
	}
}

// TestFill: the maximum stays when the queue is emptied.
func TestFill(t *testing.T) {
	q := &CQ{ring: make([]verbs.WC, 4)}
	for i, tt := range []struct{ push, take, now, peak int }{{0, 0, 0, 0}, {2, 0, 2, 2}, {0, 1, 1, 2}, {1, 0, 2, 2},
		{1, 0, 3, 3}, {0, 4, 0, 3}} {
		for range tt.push {
			q.push(&verbs.WC{}, false)
		}
		_, err := q.take(make([]verbs.WC, tt.take))
		ok(t, err)
		if now, peak := q.Fill(); now != tt.now || peak != tt.peak {
			t.Errorf("step %d: %d of at most %d", i, now, peak)
		}
	}
}

// TestReqNotify: a queue can be armed only while it is open, and only for a channel.
func TestReqNotify(t *testing.T) {
	for _, tt := range []struct {
		channel *compChannel
		dead    bool
		want    error
		arm     arming
	}{{nil, false, nil, disarmed}, {&compChannel{}, false, nil, armNext},
		{&compChannel{}, true, verbs.ErrClosed, disarmed}} {
		q := &CQ{channel: tt.channel, dead: tt.dead}
		if err := q.ReqNotify(false); !errors.Is(err, tt.want) || q.arm != tt.arm || q.armed() != (q.arm != disarmed) {
			t.Errorf("channel %v, closed %v: %v, armed for %d", tt.channel != nil, tt.dead, err, q.arm)
		}
	}
}

// TestPollYields lets a program poll in vain on the only processor: the others run nevertheless.
func TestPollYields(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	a, _ := connect(t, verbs.RC)
	var ran atomic.Bool
	go ran.Store(true)
	for range 4 * patience { // the scheduler may prefer the program once
		a.cq.Poll(nil)
	}
	if !ran.Load() {
		t.Error("no other goroutine ran")
	}
}

// TestClosedQueueHasNoEvents: the event of a queue that is destroyed vanishes from its channel, and those of others
// stay.
func TestClosedQueueHasNoEvents(t *testing.T) {
	a, _ := connect(t, verbs.RC)
	channel, err := a.d.CreateCompChannel()
	ok(t, err)
	var queues [2]verbs.CQ
	for i := range queues {
		queues[i], err = a.d.CreateCQ(verbs.CQSpec{CQE: 1, Channel: channel})
		ok(t, err)
		ok(t, queues[i].ReqNotify(false))
		queues[i].(*CQ).push(&verbs.WC{}, false)
	}
	ok(t, queues[0].Close())
	events := &channel.(*compChannel).events
	if q, found := events.Poll(); !found || verbs.CQ(q) != queues[1] {
		t.Errorf("an event of %v", q)
	}
	if _, found := events.Poll(); found {
		t.Error("a second event")
	}
}

// TestModeration: an armed queue raises its event after a number of completions, or after a time since the first.
func TestModeration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, _ := connect(t, verbs.RC)
		channel, err := a.d.CreateCompChannel()
		ok(t, err)
		cq, err := a.d.CreateCQ(verbs.CQSpec{CQE: 64, Channel: channel})
		ok(t, err)
		q, events := cq.(*CQ), &channel.(*compChannel).events
		raised := func() bool {
			_, found := events.Poll()
			return found
		}
		for _, tt := range []struct {
			m     verbs.CQModeration
			push  int
			after time.Duration
			want  bool
		}{
			{verbs.CQModeration{}, 1, 0, true},
			{verbs.CQModeration{Count: 3, Period: 100}, 2, 99 * time.Microsecond, false},
			{verbs.CQModeration{Count: 3, Period: 100}, 2, 100 * time.Microsecond, true},
			{verbs.CQModeration{Count: 3, Period: 100}, 3, 0, true},
			{verbs.CQModeration{Count: 3}, 1, 0, true},
			{verbs.CQModeration{Count: 1, Period: 100}, 1, 0, true},
		} {
			ok(t, q.Moderate(tt.m))
			ok(t, q.ReqNotify(false))
			for range tt.push {
				q.push(&verbs.WC{}, false)
			}
			time.Sleep(tt.after)
			if synctest.Wait(); raised() != tt.want {
				t.Errorf("%+v, %d completions, after %v: not %v", tt.m, tt.push, tt.after, tt.want)
			}
			time.Sleep(time.Second)
			if raised() == tt.want {
				t.Errorf("%+v, %d completions: not one event in the end", tt.m, tt.push)
			}
		}
		ok(t, q.Moderate(verbs.CQModeration{Count: 9, Period: MaxModeratedPeriod}))
		ok(t, q.ReqNotify(false))
		q.push(&verbs.WC{}, false)
		if ok(t, q.Moderate(verbs.CQModeration{})); !raised() {
			t.Error("the event of before was not raised when moderation ended")
		}
		if err := q.Moderate(verbs.CQModeration{Period: MaxModeratedPeriod + 1}); !errors.Is(err, syscall.EINVAL) {
			t.Error(err)
		}
		ok(t, q.ReqNotify(false))
		ok(t, q.Moderate(verbs.CQModeration{Count: 9, Period: 1}))
		q.push(&verbs.WC{}, false)
		ok(t, q.Close())
		if time.Sleep(time.Second); raised() || !errors.Is(q.Moderate(verbs.CQModeration{}), verbs.ErrClosed) {
			t.Error("a closed queue raised an event, or can be moderated")
		}
	})
}

// TestClear: a cleared queue is empty and works, also after an overrun, and accepts as many completions as before.
func TestClear(t *testing.T) {
	q := &CQ{ring: make([]verbs.WC, 4)}
	for _, full := range []bool{false, true} {
		for i := range uint64(3) {
			q.push(&verbs.WC{WRID: i}, false)
		}
		q.overrun = full
		q.Clear()
		if n, err := q.take(make([]verbs.WC, 4)); n != 0 || err != nil {
			t.Errorf("overrun %t: %d completions, %v", full, n, err)
		}
		for i := range uint64(4) {
			q.push(&verbs.WC{WRID: 10 + i}, false)
		}
		wcs := make([]verbs.WC, 5)
		if n, err := q.take(wcs); n != 4 || err != nil || wcs[0].WRID != 10 || wcs[3].WRID != 13 {
			t.Errorf("overrun %t: %d completions, %v: %+v", full, n, err, wcs)
		}
	}
}
