package transport

import (
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/ring"
	"rdmatui/verbs/wire"
)

// maxSteps is how many requests of each direction a queue pair records.
const maxSteps = 16

// stepLog records the steps of a queue pair's latest requests; QP.mu guards it. A queue pair without one pays one
// comparison per step. Times are read separately for each step, since the steps of a request often take less than a
// round of the engine.
type stepLog struct {
	sends  [maxSteps]sendSteps // by position in the send queue
	served ring.Ring[servedStep]
	heard  time.Duration // when the current response arrived; 0: none is being processed
}

// sendSteps are the steps of the request at a position. Times are those of the engine's clock; 0: not yet.
type sendSteps struct {
	pos                                               uint32
	wrID                                              uint64
	first, last                                       wire.PSN
	to                                                verbs.GID
	toQP                                              verbs.QPN
	builds                                            int // of its first packet
	fetched, built, sent, answered, placed, completed time.Duration
}

type servedStep struct {
	last wire.PSN
	from uint32
	at   time.Duration
}

// at returns the record of a position, nil if it was overwritten. The record is void, with fetched 0, if the request
// was not recorded.
func (l *stepLog) at(pos uint32) *sendSteps {
	if l == nil {
		return nil
	}
	if s := &l.sends[pos%maxSteps]; s.pos == pos {
		return s
	}
	return nil
}

// fetch begins the record of the request at a position, which has got its PSNs.
func (q *QP) fetch(pos uint32, w *sendWQE) {
	if q.steps == nil {
		return
	}
	path, num := q.path, q.attr.DestQPNum
	if q.typ == verbs.UD {
		path, num = w.path, verbs.QPN(w.destQP)
	}
	q.steps.sends[pos%maxSteps] = sendSteps{
		pos: pos, wrID: w.wrID, first: w.first, last: w.last, to: verbs.GIDFromAddr(path.Dst.Addr()),
		toQP: num, fetched: q.eng.read(),
	}
}

// built records that a packet of the request at a position is complete.
func (q *QP) built(pos uint32, psn wire.PSN) {
	s := q.steps.at(pos)
	if s == nil || psn != s.first {
		return
	}
	if s.builds++; s.builds == 1 {
		s.built = q.eng.read()
		q.eng.unsent = append(q.eng.unsent, unsent{q, pos})
	}
}

// placed records that the response to the oldest request is in local memory.
func (q *QP) placed() {
	if s := q.steps.at(q.sq.head.Load()); s != nil {
		s.placed = q.eng.read()
	}
}

// ended records the end of the oldest request; signalled says that it adds a completion.
func (q *QP) ended(signalled bool) {
	s := q.steps.at(q.sq.head.Load())
	if s == nil {
		return
	}
	if s.answered = q.steps.heard; signalled {
		s.completed = q.eng.read()
	}
}

// serve records that a request of the peer was executed.
func (l *stepLog) serve(e *Engine, last wire.PSN, from uint32) {
	if l != nil {
		*l.served.Keep(maxSteps) = servedStep{last, from, e.read()}
	}
}
