package queue

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"rdmatui/session/core"
)

// taking is how completions are taken from a queue, with statistics for each mode.
type taking struct {
	mu        sync.Mutex  // held briefly; no other lock is taken under it
	mode      core.CQMode // one of CQModes; Resting at first
	solicited bool        // in event mode: only solicited or failed completions raise events
	ackEvery  int         // events acknowledged per call
	stats     core.CQStatsByMode
	second    atomic.Bool   // by hand: an event came, so the next poll is a second poll
	empty     atomic.Uint64 // by hand, beside stats: empty first polls, counted without the lock
	overruns  uint64        // CQ_ERR events
	looked    time.Time     // when time was last counted; zero while no live reader runs
	events    waiter
}

// Now returns a copy of the statistics, including the time until now.
func (t *taking) Now() core.CQStatsByMode {
	t.mu.Lock()
	defer t.mu.Unlock()
	stats := t.stats
	stats[core.ByHand].FirstEmpty += t.empty.Load()
	if !t.looked.IsZero() {
		stats[t.mode].Wall += time.Since(t.looked)
	}
	return stats
}

// way returns how a live session takes the completions.
func (t *taking) way() (mode core.CQMode, solicited bool, ackEvery int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.mode, t.solicited, max(t.ackEvery, 1)
}

func (t *taking) overrunsNow() uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.overruns
}

// count changes the statistics of one mode.
func (t *taking) count(mode core.CQMode, change func(*core.CQStats)) {
	t.mu.Lock()
	change(&t.stats[mode])
	t.mu.Unlock()
}

// polledByHand counts a poll_cq. The user's own get_cq_event decides which poll is a
// second poll.
func (t *taking) polledByHand(n int) {
	if n == 0 && !t.second.Load() {
		t.empty.Add(1)
		return
	}
	t.mu.Lock()
	t.stats[core.ByHand].Polled(t.second.Swap(false), n)
	t.mu.Unlock()
}

func (t *taking) eventByHand() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stats[core.ByHand].Events++
	t.second.Store(true)
}

// reset clears the statistics.
func (t *taking) reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stats = core.CQStatsByMode{}
	t.empty.Store(0)
	if !t.looked.IsZero() {
		t.looked = time.Now()
	}
}

// ackedByHand counts n events that a line acknowledged.
func (t *taking) ackedByHand(n int) {
	t.count(core.ByHand, func(c *core.CQStats) { c.Acked += uint64(n) })
}

// waiter is a queue's part in waiting for events of its channel: whichever reader
// gets an event of another queue on the channel passes it on.
type waiter struct {
	mu     sync.Mutex
	passed int                // events that other readers got for this queue
	cancel context.CancelFunc // cancels the last wait; nil before the first
}

// begin starts a wait unless an event was already passed on.
func (w *waiter) begin(cancel context.CancelFunc) (have bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.passed > 0 {
		w.passed--
		return true
	}
	w.cancel = cancel
	return false
}

// pass passes an event on. It cancels the current wait, or does nothing to one that is over.
func (w *waiter) pass() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.passed++
	if w.cancel != nil {
		w.cancel()
	}
}
