package transport

import (
	"cmp"
	"slices"

	"rdmatui/verbs"
)

var _ verbs.ProgressTeller = (*QP)(nil)

// Progress implements [verbs.ProgressTeller].
func (q *QP) Progress() verbs.Progress {
	q.mu.Lock()
	defer q.mu.Unlock()
	head, tail, r := q.sq.head.Load(), q.sq.tail.Load(), &q.req
	p := verbs.Progress{
		Queued: int(tail - r.started), Sent: int(r.started - head),
		RNRWait: q.comp.rnr.waiting, Expected: verbs.PSN(q.resp.epsn),
	}
	if head == tail {
		return p
	}
	w := q.sq.at(head)
	if p.WRID = w.wrID; p.Sent == 0 || w.op.Traits().Local() {
		return p
	}
	p.First, p.Packets = verbs.PSN(w.first), w.last.Sub(w.first)+1
	p.Out = min(max(r.top.Sub(w.first), 0), p.Packets)
	p.Acked = min(max(q.comp.una.Sub(w.first), 0), p.Out)
	return p
}

var _ verbs.TryTeller = (*QP)(nil)

// Tries implements [verbs.TryTeller].
func (q *QP) Tries() verbs.Tries {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.comp.tries.Tries
}

var _ verbs.StepRecorder = (*QP)(nil)

// RecordSteps implements [verbs.StepRecorder].
func (q *QP) RecordSteps(on bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case !on:
		q.steps = nil
	case q.steps == nil:
		q.steps = new(stepLog)
	}
}

// Steps implements [verbs.StepRecorder].
func (q *QP) Steps() (requests []verbs.RequestSteps) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.steps == nil {
		return nil
	}
	at := q.eng.moment
	for i := range q.steps.sends {
		if s := &q.steps.sends[i]; s.fetched > 0 {
			requests = append(requests, verbs.RequestSteps{
				WRID: s.wrID, First: verbs.PSN(s.first), Last: verbs.PSN(s.last), Peer: s.to, PeerQP: s.toQP,
				Resent: max(s.builds-1, 0), Fetched: at(s.fetched), Built: at(s.built), Sent: at(s.sent),
				Answered: at(s.answered), Placed: at(s.placed), Completed: at(s.completed),
			})
		}
	}
	slices.SortFunc(requests, func(a, b verbs.RequestSteps) int {
		return cmp.Compare(a.Fetched.UnixNano(), b.Fetched.UnixNano())
	})
	return requests
}

// Served returns what was recorded of the peer's latest requests, oldest first; recorded is false if nothing is
// recorded.
func (q *QP) Served() (served []verbs.ServedRequest, recorded bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.steps == nil {
		return nil, false
	}
	for i := range q.steps.served.Len() {
		s := q.steps.served.At(i)
		served = append(served, verbs.ServedRequest{
			Last: verbs.PSN(s.last), From: verbs.QPN(s.from), At: q.eng.moment(s.at),
		})
	}
	return served, true
}
