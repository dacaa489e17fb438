package queue

import (
	"rdmatui/session/core"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// StateAt is the state of a queue pair as last seen, and which sighting it was. Commands and the readers of events and
// completions see states at the same time, and the last to store need not be the last that the device told. So each
// takes the StateAt before its call: if another has stored a state since, it is unknown whose is newer.
type StateAt uint64 // bits 0 to 31: the state; 32 to 63: how many were seen before, modulo 2^32

// State returns the state.
func (a StateAt) State() verbs.QPState { return verbs.QPState(uint32(a)) }

// next returns what follows if the state is then seen.
func (a StateAt) next(s verbs.QPState) StateAt { return (a>>32+1)<<32 | StateAt(s) }

// StateAt returns the last state seen, for a call that reads or sets it.
func (q *QP) StateAt() StateAt { return StateAt(q.state.Load()) }

// StateNow returns the last state seen.
func (q *QP) StateNow() verbs.QPState { return q.StateAt().State() }

// ReadState queries the state of a queue pair and records a change.
func ReadState(s *core.Session, q *QP, cause string) {
	before := q.StateAt()
	attr, _, err := q.QP.Query(verbs.AttrState)
	if err != nil {
		return // it is being destroyed
	}
	SetState(s, q, before, attr.QPState, cause)
}

// SetState stores the state that a call has read, and records a change. If another state was stored since before, which
// was taken before the call, it reads the state again.
func SetState(s *core.Session, q *QP, before StateAt, to verbs.QPState, cause string) {
	e, ok := q.moveTo(before, to, cause)
	switch {
	case !ok:
		ReadState(s, q, cause)
	case e.State != nil:
		s.Emit(e)
	}
}

// moveTo stores the state of a queue pair, unless another was stored since before. It returns the event of a change, or
// an empty one.
func (q *QP) moveTo(before StateAt, to verbs.QPState, cause string) (e timeline.Event, ok bool) {
	if !q.state.CompareAndSwap(uint64(before), uint64(before.next(to))) {
		return e, false
	}
	if from := before.State(); from != to {
		e = timeline.Event{Kind: timeline.KindState,
			State: &timeline.StateChange{QP: q.Name, From: from, To: to, Cause: cause}}
	}
	return e, true
}
