package queue

import (
	"rdmatui/session/core"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// StateAt is the last known state of a queue pair with a version number. Commands and the readers of events and
// completions query states concurrently, and the last one to store its result may not have the newest state. So each
// takes the StateAt before its call. If another has stored a state meanwhile, the result may be stale, and the state is
// queried again.
type StateAt uint64 // bits 0 to 31: the state; 32 to 63: the version

// State returns the state.
func (a StateAt) State() verbs.QPState { return verbs.QPState(uint32(a)) }

// next returns the next version, with state s.
func (a StateAt) next(s verbs.QPState) StateAt { return (a>>32+1)<<32 | StateAt(s) }

// StateAt returns the last known state, for a call that reads or sets it.
func (q *QP) StateAt() StateAt { return StateAt(q.state.Load()) }

// StateNow returns the last known state.
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

// SetState stores the state that a call has read, and records a change. before is the StateAt from before the call; if
// another state has been stored since, SetState reads the state again.
func SetState(s *core.Session, q *QP, before StateAt, to verbs.QPState, cause string) {
	e, ok := q.moveTo(before, to, cause)
	switch {
	case !ok:
		ReadState(s, q, cause)
	case e.State != nil:
		s.Emit(e)
	}
}

// moveTo stores the state of a queue pair and returns the event of a change, an empty one if the state is the same. It
// stores nothing and returns false if another state has been stored since before.
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
