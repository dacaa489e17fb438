package transport

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/verbs"
)

// TestClockWaitsForWhatIsToBeRead: a timer that expires while packets are unread waits until they are read, for at most
// three more periods.
func TestClockWaitsForWhatIsToBeRead(t *testing.T) {
	for _, tt := range []struct {
		took    int
		periods float64 // since the request was sent
		retries bool
	}{{rxBatch - 1, 1, true}, {rxBatch, 1, false}, {rxBatch, 3.9, false}, {rxBatch, 4, true},
		{rxBatch - 1, 0.9, false}} {
		t.Run(fmt.Sprintf("%d packets, %g periods", tt.took, tt.periods), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, b := connect(t, verbs.RC)
				ok(t, b.q.Close())
				a.send(1, verbs.WRRDMAWrite)
				synctest.Wait()
				q, e := a.q, a.e
				e.turn.Lock()
				q.mu.Lock()
				sent := q.comp.clock.deadline - q.comp.clock.period
				e.now, e.took = sent+time.Duration(tt.periods*float64(q.comp.clock.period)), tt.took
				q.comp.clock.fired.Store(true)
				q.comp.checkTimers(e)
				again, rung := q.comp.clock.fired.Swap(false), q.rung.Load()
				q.mu.Unlock()
				e.turn.Unlock()
				if got := a.a.Counts.Timeouts.Load() == 1; got != tt.retries {
					t.Errorf("timed out: %v", got)
				}
				if waits := tt.took == rxBatch && !tt.retries; again != waits || rung != waits {
					t.Errorf("looks again: %v, in the next round: %v", again, rung)
				}
			})
		})
	}
}

// TestStoppedTimers: nothing of a stopped timer is left that would make the next one expire early.
func TestStoppedTimers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, _ := connect(t, verbs.RC)
		synctest.Wait()
		c := &a.q.comp
		a.q.mu.Lock()
		c.clock.deadline, c.clock.set = 5, true
		c.clock.fired.Store(true)
		c.clock.timer.Reset(time.Second)
		c.rnr.start(time.Second)
		c.rnr.fired.Store(true)
		c.stopTimers()
		a.q.mu.Unlock()
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if c.clock.deadline != 0 || c.clock.set || c.clock.fired.Load() || c.rnr.waiting || c.rnr.fired.Load() {
			t.Errorf("%+v, %+v", &c.clock, &c.rnr)
		}
	})
}
