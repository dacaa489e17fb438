package queue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/core/coretest"
	"rdmatui/session/device"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// eventQueue is a queue of a channel. It counts how often it is armed and how many events are acknowledged.
type eventQueue struct {
	verbs.CQ
	calls map[string]int
	fail  string // the call that fails, once
	full  int    // how many polls return completions
	acked int
}

var errQueue = errors.New("the device is gone")

func (q *eventQueue) ReqNotify(bool) error { return q.call("arm") }

func (q *eventQueue) Poll(wcs []verbs.WC) (int, error) {
	if q.full > 0 {
		q.full--
		return len(wcs), nil
	}
	return 0, q.call("poll")
}

func (*eventQueue) CQE() int { return PollBatch }

func (q *eventQueue) AckEvents(n int) { q.acked += n }

// call counts a call, and fails if it is the one that fails.
func (q *eventQueue) call(name string) error {
	if q.calls[name]++; fmt.Sprint(name, q.calls[name]) == q.fail {
		return errQueue
	}
	return nil
}

// events is a completion channel.
type events struct {
	verbs.CompChannel
	of  chan verbs.CQ
	err error
}

func (e *events) GetCQEvent(ctx context.Context) (verbs.CQ, error) {
	if e.err != nil {
		return nil, e.err
	}
	select {
	case cq := <-e.of:
		return cq, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// onChannel adds a queue of the channel to a session.
func onChannel(s *core.Session, name string, mode core.CQMode, ch *channel) (*CQ, *eventQueue) {
	cq := &eventQueue{calls: map[string]int{}}
	dev := &device.Device{Node: &core.Node{Name: "soft0"}}
	q := &CQ{CQ: cq, dev: dev, Channel: ch, Wake: make(chan struct{}, 1)}
	q.taking.mode = mode
	q.Node = &core.Node{Name: name, Kind: command.KindCQ, Body: q}
	s.Graph.Add(q.Node)
	return q, cq
}

// TestPassOn: an event of another queue goes to its live reader, and is otherwise acknowledged and counted.
func TestPassOn(t *testing.T) {
	for _, tt := range []struct {
		name   string
		mode   core.CQMode
		live   bool
		passed int
	}{
		{"its reader takes events", core.Blocking, true, 1},
		{"its reader polls the channel", core.Nonblocking, true, 1},
		{"its reader polls the queue", core.Busy, true, 0},
		{"nobody reads it", core.Blocking, false, 0},
	} {
		s := &core.Session{}
		s.Live.Store(tt.live)
		q, cq := onChannel(s, "cq", tt.mode, &channel{})
		passOn(s, cq)
		want := core.CQStats{Events: uint64(1 - tt.passed), Acked: uint64(1 - tt.passed)}
		if got := q.taking.Now()[core.ByHand]; got != want || cq.acked != 1-tt.passed ||
			q.taking.events.passed != tt.passed {
			t.Errorf("%s: %d passed on, %d acknowledged, %+v", tt.name, q.taking.events.passed, cq.acked, got)
		}
	}
	lost := &eventQueue{}
	if passOn(&core.Session{}, lost); lost.acked != 1 {
		t.Errorf("of a queue that the session does not have: %d acknowledged", lost.acked)
	}
}

// TestAwait: a live reader arms its queue again after each event, polls it, passes others' events on, and has
// acknowledged all of its own when it stops.
func TestAwait(t *testing.T) {
	for _, tt := range []struct {
		mode       core.CQMode
		ackEvery   int
		events     int
		acked      int // before it stops
		emptyReads uint64
	}{
		{core.Blocking, 1, 5, 5, 0}, {core.Blocking, 4, 5, 4, 0}, {core.Blocking, 9, 5, 0, 0},
		{core.Nonblocking, 1, 2, 2, 30}, {core.Blocking, 1, 0, 0, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			s, ch := &core.Session{}, &events{of: make(chan verbs.CQ)}
			s.Live.Store(true)
			q, cq := onChannel(s, "cq", tt.mode, &channel{Ch: ch})
			other, _ := onChannel(s, "other", core.Blocking, q.Channel)
			reader := &taker{s: s, q: q, mode: tt.mode, ackEvery: tt.ackEvery, told: time.Now()}
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error)
			go func() { ended <- reader.await(ctx) }()
			for range tt.events {
				ch.of <- cq
				synctest.Wait()
			}
			ch.of <- other.CQ
			time.Sleep(30*core.PollPatience + core.PollPatience/2)
			synctest.Wait()
			if other.taking.events.passed != 1 {
				t.Errorf("%+v: %d events of the other queue passed on", tt, other.taking.events.passed)
			}
			if cq.calls["arm"] != 1+tt.events || cq.acked != tt.acked {
				t.Errorf("%+v: armed %d times, %d acknowledged", tt, cq.calls["arm"], cq.acked)
			}
			cancel()
			if err := <-ended; err != nil {
				t.Errorf("%+v: %v", tt, err)
			}
			n := uint64(tt.events)
			want := core.CQStats{Events: n, Acked: n, SecondEmpty: n, FirstEmpty: n + 1, EmptyReads: tt.emptyReads}
			got := q.taking.Now()[tt.mode]
			if got.Wall, got.CPU = 0, 0; got != want || cq.acked != tt.events {
				t.Errorf("%+v: %+v, %d acknowledged", tt, got, cq.acked)
			}
		})
	}
}

// TestAwaitPassed: an event that another reader passed on ends the wait, now or later.
func TestAwaitPassed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &core.Session{}
		q, cq := onChannel(s, "cq", core.Blocking, &channel{Ch: &events{of: make(chan verbs.CQ)}})
		reader := &taker{s: s, q: q, mode: core.Blocking, ackEvery: 1, told: time.Now()}
		q.taking.events.pass()
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- reader.await(ctx) }()
		synctest.Wait()
		if cq.acked != 1 {
			t.Errorf("%d acknowledged", cq.acked)
		}
		q.taking.events.pass()
		synctest.Wait()
		if cq.acked != 2 || q.taking.Now()[core.Blocking].Events != 2 {
			t.Errorf("%d acknowledged, %+v", cq.acked, q.taking.Now()[core.Blocking])
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// TestAwaitFails: a reader ends with the error of its queue or its channel.
func TestAwaitFails(t *testing.T) {
	for _, tt := range []struct {
		fail string
		read error
	}{
		{"arm1", nil}, {"poll1", nil}, {"", errQueue},
		{"arm2", nil}, {"poll2", nil}, // after the event
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			defer cancel()
			s, ch := &core.Session{}, &events{of: make(chan verbs.CQ, 1), err: tt.read}
			q, cq := onChannel(s, "cq", core.Blocking, &channel{Ch: ch})
			cq.fail = tt.fail
			ch.of <- cq
			reader := &taker{s: s, q: q, mode: core.Blocking, ackEvery: 1, told: time.Now()}
			if err := reader.await(ctx); err != errQueue {
				t.Errorf("%+v: %v", tt, err)
			}
		})
	}
}

// TestAwaitFull: a reader polls again, without an event, while there are completions.
func TestAwaitFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := coretest.New(core.Options{}, nil)
		q, cq := onChannel(s, "cq", core.Blocking, &channel{Ch: &events{of: make(chan verbs.CQ)}})
		cq.full = 3
		q.look = func([]verbs.SGE, *verbs.WC) *timeline.Arrived { return nil }
		reader := &taker{s: s, q: q, mode: core.Blocking, ackEvery: 1, told: time.Now()}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- reader.await(ctx) }()
		synctest.Wait()
		got, want := q.taking.Now()[core.Blocking], uint64(7*firstBatch) // each poll has more room
		if got.FirstFull != 3 || got.Completions != want || cq.full != 0 {
			t.Errorf("%+v, %d polls left", got, cq.full)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// TestAwaitTells: a reader that waits for long tells once a second what it has spent.
func TestAwaitTells(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &core.Session{}
		q, _ := onChannel(s, "cq", core.Nonblocking,
			&channel{Node: &core.Node{Name: "ch"}, Ch: &events{of: make(chan verbs.CQ)}})
		q.taking.looked = time.Now()
		reader := &taker{s: s, q: q, mode: core.Nonblocking, ackEvery: 1, told: time.Now()}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- reader.await(ctx) }()
		time.Sleep(10*tellEvery + time.Millisecond)
		synctest.Wait()
		if n := s.Snapshot().Version; n != 10 {
			t.Errorf("told %d times in 10 s", n)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// TestOwn: the live readers of a channel's events end, and only those, and the queues are claimed, until they are given
// back.
func TestOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		s := &core.Session{Ctx: ctx, Log: timeline.New(8, func() time.Duration { return 0 })}
		s.Live.Store(true)
		ch, far := &channel{Ch: &events{of: make(chan verbs.CQ)}}, &channel{Ch: &events{of: make(chan verbs.CQ)}}
		var all []*CQ
		for _, x := range []struct {
			name string
			mode core.CQMode
			on   *channel
		}{{"one", core.Blocking, ch}, {"two", core.Nonblocking, ch}, {"busy", core.Busy, ch},
			{"far", core.Blocking, far}, {"none", core.Resting, nil}} {
			q, _ := onChannel(s, x.name, x.mode, x.on)
			all = append(all, q)
			if x.mode != core.Busy { // it would not let the others run
				startPolling(s, q)
			}
		}
		running := func() (names []string) {
			for _, q := range all {
				if q.poller.Running() {
					names = append(names, q.Name)
				}
			}
			return names
		}
		everyone := running()
		release := Own(s, []*CQ{all[0], all[0], all[4]}, nil)
		if got := running(); !slices.Equal(got, []string{"far", "none"}) || !all[0].Claimed || all[1].Claimed ||
			!all[4].Claimed {
			t.Errorf("still read: %v", got)
		}
		release()
		if got := running(); !slices.Equal(got, everyone) || all[0].Claimed || all[4].Claimed {
			t.Errorf("read again: %v", got)
		}
		s.Live.Store(false)
		Own(s, all, nil)
		if got := running(); !slices.Equal(got, everyone) {
			t.Errorf("without live readers, still read: %v", got)
		}
		cancel()
		for _, q := range all {
			q.stopPolling()
		}
	})
}

// TestTakeAtMost: poll_cq gets as many completions as it asked for, those taken live first.
func TestTakeAtMost(t *testing.T) {
	s := coretest.New(core.Options{}, nil)
	q, cq := onChannel(s, "cq", core.Resting, nil)
	q.look = func([]verbs.SGE, *verbs.WC) *timeline.Arrived { return nil }
	for _, tt := range []struct{ live, limit, polled int }{{2, 5, 3}, {5, 5, 0}, {9, 5, 0}, {0, 5, 5}} {
		q.Inbox.Pop(nil, q.Inbox.Len())
		for i := range tt.live {
			q.Inbox.Push([]timeline.Completion{{WC: verbs.WC{WRID: uint64(i + 1)}}})
		}
		cq.full = 1
		got, err := take(s, q, make([]timeline.Completion, 3), tt.limit)
		polled := slices.IndexFunc(got[3:], func(c timeline.Completion) bool { return c.WC.WRID == 0 })
		if polled < 0 {
			polled = tt.limit
		}
		if err != nil || len(got) != 3+tt.limit || tt.limit-polled != tt.polled {
			t.Errorf("%+v: %d completions, %d polled: %v", tt, len(got)-3, tt.limit-polled, err)
		}
	}
}
