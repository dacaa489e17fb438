package bringup

import "rdmatui/verbs"

// meaning says what a state accepts and what it drops. IBA 10.3.1.
var meaning = map[verbs.QPState]string{
	verbs.QPReset:   "In RESET the queue pair is set up but idle: posting to either queue fails, and packets that arrive are dropped.",
	verbs.QPInit:    "In INIT the receive queue takes RECVs, which wait. Posting a SEND fails; packets that arrive are dropped.",
	verbs.QPRTR:     "In RTR (ready to receive) packets are taken: RECVs complete, a peer's WRITE and READ are served. Posting a SEND fails.",
	verbs.QPRTS:     "In RTS (ready to send) both queues work. Screen 3 posts requests.",
	verbs.QPSQD:     "In SQD (send queue drained) what was begun is finished and new requests wait; receiving goes on. Some attributes can be changed only here.",
	verbs.QPSQE:     "In SQE (send queue error) a send request of this UC or UD queue pair has failed and those behind it are flushed; receiving goes on.",
	verbs.QPErr:     "In ERR every request, also a new one, completes with WR_FLUSH_ERR, and packets are dropped. The way out is RESET.",
	verbs.QPUnknown: "The provider does not tell the state.",
}

// onward is where bring-up goes from a state.
var onward = map[verbs.QPState]verbs.QPState{
	verbs.QPReset: verbs.QPInit, verbs.QPInit: verbs.QPRTR, verbs.QPRTR: verbs.QPRTS, verbs.QPRTS: verbs.QPRTS,
	verbs.QPSQD: verbs.QPRTS, verbs.QPSQE: verbs.QPRTS, verbs.QPErr: verbs.QPReset, verbs.QPUnknown: verbs.QPReset,
}

// around is the state dir steps away in the order of the enum. States that cannot
// be reached are passed through too: seeing the provider refuse is worth it.
func around(s verbs.QPState, dir int) verbs.QPState {
	n := int(verbs.QPErr) + 1
	return verbs.QPState(((int(s)+dir)%n + n) % n)
}
