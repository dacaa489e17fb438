package queue

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/verbs"
)

// taking is how completions are taken from a queue, with statistics for each mode.
type taking struct {
	mu        sync.Mutex  // held briefly; no other lock is taken under it
	mode      core.CQMode // one of CQModes; Resting at first
	solicited bool        // in event mode: only solicited or failed completions raise events
	ackEvery  int         // events acknowledged per call
	stats     core.CQStatsByMode
	second    bool      // by hand: an event came, so the next poll is a second poll
	overruns  uint64    // CQ_ERR events
	looked    time.Time // when time was last counted; zero while no live reader runs
	events    waiter
}

// Now returns a copy of the statistics, including the time until now.
func (t *taking) Now() core.CQStatsByMode {
	t.mu.Lock()
	defer t.mu.Unlock()
	stats := t.stats
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
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stats[core.ByHand].Polled(t.second, n)
	t.second = false
}

func (t *taking) eventByHand() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stats[core.ByHand].Events++
	t.second = true
}

// reset clears the statistics.
func (t *taking) reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stats = core.CQStatsByMode{}
	if !t.looked.IsZero() {
		t.looked = time.Now()
	}
}

// ackedByHand counts n events that a line acknowledged.
func (t *taking) ackedByHand(n int) {
	t.count(core.ByHand, func(c *core.CQStats) { c.Acked += uint64(n) })
}

// Fill returns how many entries are in use, and the maximum so far; ok is false if
// the device does not report it: verbs has no such query.
func (q *CQ) Fill() (now, peak int, ok bool) {
	from, ok := q.CQ.(verbs.FillTeller)
	if !ok {
		return 0, 0, false
	}
	now, peak = from.Fill()
	return now, peak, true
}

func (q *CQ) overran() {
	q.taking.mu.Lock()
	q.taking.overruns++
	q.taking.mu.Unlock()
}

// errNeedsChannel refuses event modes for a queue without a completion channel.
var errNeedsChannel = errors.New("the queue has no completion channel, so no event can come: create another with create_cq channel=…")

// CQMode carries out cq_mode, which sets how a live session takes a queue's
// completions.
func CQMode(c *core.Call) error {
	q, err := core.ArgAs[*CQ](c, "cq", nil)
	if err != nil {
		return err
	}
	mode := core.Resting
	for _, m := range core.CQModes {
		if m.String() == c.Cmd.String("mode") {
			mode = m
		}
	}
	if mode.WithEvents() && q.Channel == nil {
		return errNeedsChannel
	}
	solicited := c.Cmd.Bool("solicited_only")
	if solicited && !mode.WithEvents() {
		return errors.New("solicited_only needs mode=blocking or nonblocking, because it selects the completions that raise an event")
	}
	every := c.Cmd.Int("ack_every")
	if every < 1 {
		return errors.New("ack_every must be at least 1: it is the number of events that one call acknowledges")
	}
	q.stopPolling()
	t := &q.taking
	was, wasSolicited, _ := t.way()
	t.mu.Lock()
	t.mode, t.solicited, t.ackEvery = mode, solicited, every
	t.mu.Unlock()
	c.Done.Result = fmt.Sprintf("%s: %s", q.Name, wayInWords(mode, solicited))
	if solicited && was.WithEvents() && !wasSolicited {
		c.Done.Result += "; one event of any completion is still armed"
	}
	if c.S.Live.Load() {
		startPolling(c.S, q)
	} else {
		c.Done.Result += "; takes effect with live on"
	}
	return nil
}

var modeWords = [core.NumCQModes]string{
	core.Resting: "polling, with pauses while idle", core.Busy: "busy polling: uses one full core",
	core.Blocking: "blocking: sleeps until a completion event", core.Nonblocking: "nonblocking: asks the channel for events repeatedly",
}

func wayInWords(mode core.CQMode, solicited bool) string {
	if solicited {
		return modeWords[mode] + ", only for solicited or failed completions"
	}
	return modeWords[mode]
}

// Fill returns how many entries of a completion queue are in use, and the maximum so
// far; ok is false if there is no such queue or its device does not report it.
func Fill(s *core.Session, name string) (now, peak int, ok bool) {
	s.Mu.RLock()
	n, err := s.Graph.Find(name, command.KindCQ)
	s.Mu.RUnlock()
	if err != nil {
		return 0, 0, false
	}
	return n.Body.(*CQ).Fill()
}
