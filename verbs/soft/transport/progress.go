package transport

import "rdmatui/verbs"

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
	if p.WRID = w.wrID; p.Sent == 0 || isLocal(w.op) {
		return p
	}
	p.First, p.Packets = verbs.PSN(w.first), w.last.Sub(w.first)+1
	p.Out = min(max(r.top.Sub(w.first), 0), p.Packets)
	p.Acked = min(max(q.comp.una.Sub(w.first), 0), p.Out)
	return p
}
