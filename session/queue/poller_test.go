package queue

import (
	"context"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/session/core"
	"rdmatui/verbs"
)

// silent is a queue that stays empty; it counts its polls.
type silent struct {
	verbs.CQ
	polls int
}

func (s *silent) Poll([]verbs.WC) (int, error) { s.polls++; return 0, nil }

// waking is a silent queue that can wake its poller.
type waking struct{ silent }

func (w *waking) WakeNext(chan<- struct{}) bool { return true }

// TestPollerOfASilentQueue: a poller stops polling a silent queue that can wake it or that another reader polls;
// otherwise it polls once a frame. A post triggers a poll immediately.
func TestPollerOfASilentQueue(t *testing.T) {
	const hour, quick = time.Hour, 20 // polls before it sleeps
	for _, c := range []struct {
		name     string
		cq       verbs.CQ
		polls    func(verbs.CQ) int
		claimed  bool
		min, max int // in an hour
	}{
		{"wakes", &waking{}, func(q verbs.CQ) int { return q.(*waking).polls }, false, 2, quick},
		{"claimed", &silent{}, func(q verbs.CQ) int { return q.(*silent).polls }, true, 0, 0},
		{"cannot wake its poller", &silent{}, func(q verbs.CQ) int { return q.(*silent).polls }, false,
			int(hour / restIdle), int(hour/restIdle) + patience + quick},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				q := &CQ{CQ: c.cq, Wake: make(chan struct{}, 1)}
				q.Claimed = c.claimed
				taker := &taker{s: &core.Session{}, q: q, mode: core.Resting, told: time.Now()}
				ended := make(chan error)
				go func() { ended <- taker.rest(ctx) }()
				time.Sleep(hour)
				synctest.Wait()
				before := c.polls(c.cq)
				if before < c.min || before > c.max {
					t.Errorf("%d polls in an hour, want %d to %d", before, c.min, c.max)
				}
				q.Posted()
				synctest.Wait()
				if n := c.polls(c.cq); n == before && !c.claimed {
					t.Error("a post triggers no poll")
				}
				cancel()
				if err := <-ended; err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// TestMeasuredReaders: as many live readers as have room get a thread of their own, whose CPU time is measured; one
// that ends makes room.
func TestMeasuredReaders(t *testing.T) {
	if _, ok := threadTime(); !ok {
		t.Skip("this system does not measure threads")
	}
	s := &core.Session{}
	var ends []func()
	for i := range maxMeasured + 3 {
		r := &taker{s: s, q: &CQ{}, told: time.Now()}
		ends = append(ends, r.begin())
		if r.measured != (i < maxMeasured) {
			t.Errorf("reader %d: measured %v", i, r.measured)
		}
	}
	for _, end := range ends[:4] {
		end()
	}
	r := &taker{s: s, q: &CQ{}, told: time.Now()}
	if ends = append(ends[4:], r.begin()); !r.measured {
		t.Error("there is room again")
	}
	if r.q.taking.looked.IsZero() {
		t.Error("its time is not counted")
	}
	for _, end := range ends {
		end()
	}
	if n := core.Part[measuredReaders](s, nil).n.Load(); n != 0 || !r.q.taking.looked.IsZero() {
		t.Errorf("%d readers left", n)
	}
}

// breaks is a silent queue whose first polls fail.
type breaks struct {
	silent
	fails int
}

func (b *breaks) Poll(wcs []verbs.WC) (int, error) {
	if b.fails--; b.fails >= 0 {
		return 0, syscall.EIO
	}
	return b.silent.Poll(wcs)
}

// TestPollerStartsAgain: live on restarts a poller that has ended with an error.
func TestPollerStartsAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := core.New(core.Options{Live: true}, core.Wiring{
			Record: func(*core.Session) core.Recorder { return nil },
			Close:  func(*core.Session) error { return nil },
		})
		cq := &breaks{fails: 1}
		q := &CQ{Node: &core.Node{Name: "cq"}, CQ: cq, Wake: make(chan struct{}, 1)}
		q.FollowLive(s)
		synctest.Wait()
		if cq.polls != 0 || cq.fails != 0 {
			t.Fatalf("%d polls, %d failures left", cq.polls, cq.fails)
		}
		q.FollowLive(s)
		synctest.Wait()
		if cq.polls == 0 {
			t.Error("the queue is not polled after live on")
		}
		q.stopPolling()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}
