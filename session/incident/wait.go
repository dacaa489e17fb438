package incident

import (
	"slices"
	"time"

	"rdmatui/session/core"
	"rdmatui/session/queue"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// WhyInVain says why what a command waited for did not come, and what to do about it; "" if nothing is known to be
// wrong. Like an incident it only reads.
func WhyInVain(s *core.Session, a *core.Awaited) string {
	if a.Kind == core.AwaitedNothing {
		return ""
	}
	x := waitFacts(core.Part[book](s, nil), a)
	found := x.cause()
	if found == nil {
		return ""
	}
	return found.line()
}

// line formats a finding on one line: the cause, and the first thing to do.
func (f *finding) line() string {
	if len(f.advice) == 0 {
		return f.text
	}
	return f.text + ": " + f.advice[0]
}

// waitFacts gathers the facts of a wait that was in vain.
func waitFacts(b *book, a *core.Awaited) *facts {
	s := b.s
	for _, q := range queuesOf(s, a) {
		queue.Look(s, q)
	}
	snap := s.Snapshot()
	x := &facts{
		c: &timeline.Completion{}, wait: a, snap: &snap, gone: s.Departed(), history: b.before(),
		now: time.Since(s.Start), failure: b.failureOf,
		oldest:     func(qp string, recv bool) (queue.Request, bool) { return oldest(s, nil, qp, recv) },
		otherCause: (*facts).cause,
		filled: func(cq string) int {
			if n, _, ok := queue.Fill(s, cq); ok {
				return n
			}
			return -1
		},
		triesOf: func(qp string) *verbs.Tries {
			if q := core.ObjectOf[*queue.QP](s, qp); q != nil {
				if t, ok := q.QP.(verbs.TryTeller); ok {
					tries := t.Tries()
					return &tries
				}
			}
			return nil
		},
	}
	x.request.At = int64(x.now)
	if w, ok := s.Waiting(); ok {
		x.request.At = int64(w.Since.Sub(s.Start))
	}
	if !a.Since.IsZero() {
		x.request.At = int64(a.Since.Sub(s.Start))
	}
	x.waiting = x.waitingQPs()
	if len(x.waiting) > 0 {
		x.own = x.waiting[0]
		x.peer = x.snap.Receiver(x.own)
		x.since()
		x.moves = x.counterMoves(b)
	}
	return x
}

// queuesOf returns the queue pairs that a wait for completions is about, as objects.
func queuesOf(s *core.Session, a *core.Awaited) (qps []*queue.QP) {
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	for _, n := range s.Graph.Nodes {
		q, ok := n.Body.(*queue.QP)
		if !ok {
			continue
		}
		switch a.Kind {
		case core.AwaitedWC, core.AwaitedCQEvent, core.AwaitedMessage:
			qps = append(qps, q)
		}
	}
	return qps
}

// since sets the moment from which counters count: when the oldest outstanding request was posted, or else when the
// wait began.
func (x *facts) since() {
	for _, q := range x.waiting {
		for _, recv := range []bool{false, true} {
			if r, ok := x.oldest(q.Name, recv); ok && r.At < x.request.At {
				x.request.At = r.At
			}
		}
	}
}

// awaitedCQs are the completion queues that a wait is about.
func (x *facts) awaitedCQs() (list []*core.CQView) {
	for i := range x.snap.CQs {
		c := &x.snap.CQs[i]
		switch x.wait.Kind {
		case core.AwaitedWC:
			if c.Name == x.wait.Of() {
				list = append(list, c)
			}
		case core.AwaitedCQEvent:
			if c.Channel == x.wait.Of() {
				list = append(list, c)
			}
		}
	}
	return list
}

// waitingQPs are the queue pairs that a wait is about: those that complete in its queues, or those it names.
func (x *facts) waitingQPs() (list []*core.QPView) {
	cqs := x.awaitedCQs()
	for i := range x.snap.QPs {
		q := &x.snap.QPs[i]
		completes := func(c *core.CQView) bool { return c.Name == q.SendCQ || c.Name == q.RecvCQ }
		if slices.ContainsFunc(cqs, completes) || slices.Contains(x.wait.Objects, q.Name) {
			list = append(list, q)
		}
	}
	return list
}

// about returns the facts of a queue pair's oldest send request, as if it had failed with a status.
func (x *facts) about(q *core.QPView, status verbs.WCStatus) *facts {
	y := *x
	y.wait, y.own, y.peer, y.tries = nil, q, x.snap.Receiver(q), x.triesOf(q.Name)
	y.c = &timeline.Completion{QP: q.Name, WC: verbs.WC{Status: status}}
	if y.request, y.known = x.oldest(q.Name, false); y.known {
		y.c.WC.WRID, y.c.Opcode, y.c.Matched = y.request.WRID, y.request.Opcode, true
		if by := y.request.Posted; by != nil {
			y.wr = by.WR
		}
	}
	return &y
}

// id returns the identifier that a wait is about; nil if it is about any.
func (x *facts) id() *core.IDView {
	for i := range x.snap.IDs {
		if slices.Contains(x.wait.Objects, x.snap.IDs[i].Name) {
			return &x.snap.IDs[i]
		}
	}
	return nil
}

// idOf returns the identifier of a queue pair; nil if it has none.
func (x *facts) idOf(q *core.QPView) *core.IDView {
	for i := range x.snap.IDs {
		if x.snap.IDs[i].QP == q.Name {
			return &x.snap.IDs[i]
		}
	}
	return nil
}

// event returns an identifier's newest event of a type; nil if none is remembered.
func (x *facts) event(id string, t verbs.CMEventType) *moment {
	for i := len(x.history) - 1; i >= 0; i-- {
		if m := &x.history[i]; m.cm != nil && m.cm.ID == id && m.cm.Type == t {
			return m
		}
	}
	return nil
}
