package bringup

import (
	"rdmatui/assets/explain"
	"rdmatui/verbs"
)

// goesOn is a hint about this program, shown after the meaning of a state.
var goesOn = map[verbs.QPState]string{verbs.QPRTS: " 3 goes on to Post."}

// meaning says what a state accepts and what it drops.
func meaning(q verbs.QPState) string {
	e, _ := explain.Find("qp_state", q.String())
	return e.Means + goesOn[q]
}

// onward is the next state of bring-up after each state.
var onward = map[verbs.QPState]verbs.QPState{
	verbs.QPReset: verbs.QPInit, verbs.QPInit: verbs.QPRTR, verbs.QPRTR: verbs.QPRTS, verbs.QPRTS: verbs.QPRTS,
	verbs.QPSQD: verbs.QPRTS, verbs.QPSQE: verbs.QPRTS, verbs.QPErr: verbs.QPReset, verbs.QPUnknown: verbs.QPReset,
}

// around returns the state dir steps away in the order of the enum. Unreachable
// states are included: trying them shows how the provider refuses.
func around(s verbs.QPState, dir int) verbs.QPState {
	n := int(verbs.QPErr) + 1
	return verbs.QPState(((int(s)+dir)%n + n) % n)
}
