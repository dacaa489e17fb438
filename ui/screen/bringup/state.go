package bringup

import "rdmatui/verbs"

// meaning says what a state accepts and what it drops. IBA 10.3.1.
var meaning = map[verbs.QPState]string{
	verbs.QPReset:   "In RESET nothing can be posted, and packets that arrive are dropped.",
	verbs.QPInit:    "In INIT RECVs can be posted, SENDs not yet. Packets that arrive are dropped.",
	verbs.QPRTR:     "In RTR, ready to receive, RECVs complete and a peer's WRITEs and READs are served. SENDs cannot be posted yet.",
	verbs.QPRTS:     "In RTS, ready to send, both queues work: 3 goes on to Post.",
	verbs.QPSQD:     "In SQD, send queue drained, new SENDs wait; receiving goes on. Some attributes change only here.",
	verbs.QPSQE:     "In SQE, send queue error, a request failed and those behind it are flushed; receiving goes on.",
	verbs.QPErr:     "In ERR every request ends with WR_FLUSH_ERR, and packets are dropped. The way out is RESET.",
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
