package world

import (
	"time"

	"rdmatui/verbs/verbstest/sim"
	"rdmatui/verbs/verbstest/wirecheck"
)

// world is one run of one seed. One goroutine owns it and makes every call, except where noted.
type world struct {
	*sim.World
	plan plan

	hosts    []*host
	ends     []*end // queue pairs that are not closed
	secrets  secrets
	ledgers  map[address]*ledger
	spread   [len(groups)][]*request // datagrams that were sent to groups
	asks     map[string]int          // how often a message of a connection manager was sent, by its tag
	recent   []*packet               // the packets sent last, for replays
	rnr      map[uint32]rnrCount     // by the queue pair that they were sent to
	attacker *attacker
	// checks each packet; nil if there is an insider, whose packets are answered like a peer's
	checker   *wirecheck.Checker
	requests  map[uint64]*request // requests without a completion, by wr_id
	lastID    uint64
	unchecked bool // the checker is no longer used
	steps     int
	ending    bool // no new work is started
	spoilt    bool // a connection was spoiled at some time
	perfect   bool // nothing was done so far that may make a request fail
}

// play runs a world from beginning to end.
func play(s *sim.World) []sim.Count {
	w := &world{
		World: s, requests: map[uint64]*request{}, ledgers: map[address]*ledger{}, asks: map[string]int{},
		rnr: map[uint32]rnrCount{},
	}
	w.Rest, w.Net.Sent, w.Net.Given = w.rest, w.sent, w.given
	w.plan = draw(w.Rng)
	w.Net.Conditions = w.plan.net
	w.plan.placement = drawPlacement(w.Seed)
	w.perfect = w.faultless()
	w.Tracef("plan %+v", w.plan)
	if !w.insecure() {
		w.checker = wirecheck.New()
	}
	w.build()
	w.playSteps()
	w.finish()
	w.closeAll()
	return []sim.Count{{What: "steps", N: w.steps}, {What: "requests", N: int(w.lastID)}}
}

// faultless reports whether exactly the sent packets arrive, unchanged.
func (w *world) faultless() bool { return w.plan.net.Faultless() && w.plan.hostile == peaceful }

// rest takes the results; it reports whether there were any.
func (w *world) rest(sent int) (again bool) {
	again = w.collect() > 0
	if sent == 0 && !again {
		w.checkDuplicates()
	}
	return again
}

// playSteps performs the steps of the plan.
func (w *world) playSteps() {
	left := w.plan.steps
	var step func()
	step = func() {
		if left--; left < 0 || w.Failed() {
			return
		}
		w.step()
		w.After(w.Gap(w.plan.pace), step)
	}
	w.After(w.Gap(w.plan.pace), step)
	w.Run(time.Hour, func() bool { return left < 0 })
}
