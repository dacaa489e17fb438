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

// taking is how a queue's completions are taken, and what that came to.
type taking struct {
	mu        sync.Mutex  // held briefly, with no other lock taken under it
	mode      core.CQMode // one of CQModes; Resting from the start
	solicited bool        // with events: only solicited or failed completions count
	ackEvery  int         // events that are acknowledged in one call
	stats     core.CQStatsByMode
	second    bool      // by hand: an event came, and the next poll is the one after it
	overruns  uint64    // CQ_ERR events
	looked    time.Time // when the time was last counted; zero while no live reader is at work
	events    waiter
}

// Now is a copy of the counts, with the time up to now.
func (t *taking) Now() core.CQStatsByMode {
	t.mu.Lock()
	defer t.mu.Unlock()
	stats := t.stats
	if !t.looked.IsZero() {
		stats[t.mode].Wall += time.Since(t.looked)
	}
	return stats
}

// way is how a live session takes the completions.
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

// count changes the counts of one way.
func (t *taking) count(mode core.CQMode, change func(*core.CQStats)) {
	t.mu.Lock()
	change(&t.stats[mode])
	t.mu.Unlock()
}

// polledByHand counts a poll_cq; events are the user's own, then.
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

// reset begins to count anew.
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

// Fill is how many entries are in use, and were at most; ok is false where the
// device does not tell, and verbs has no call to ask for it.
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

// errNeedsChannel refuses events for a queue that can have none.
var errNeedsChannel = errors.New("the queue has no completion channel, so no event can come: create another with create_cq channel=…")

// CQMode chooses how a live session takes a queue's completions.
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

// Fill tells how many entries of a completion queue are in use, and were at most;
// ok is false where there is no such queue or its device does not tell.
func Fill(s *core.Session, name string) (now, peak int, ok bool) {
	s.Mu.RLock()
	n, err := s.Graph.Find(name, command.KindCQ)
	s.Mu.RUnlock()
	if err != nil {
		return 0, 0, false
	}
	return n.Body.(*CQ).Fill()
}
