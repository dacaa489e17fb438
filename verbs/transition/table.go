package transition

import "rdmatui/verbs"

// Short names for the table below: each is one attribute bit, or a set that a
// row repeats.
const (
	tPK  = verbs.AttrPKeyIndex
	tPO  = verbs.AttrPort
	tQK  = verbs.AttrQKey
	tAC  = verbs.AttrAccessFlags
	tAV  = verbs.AttrAV
	tMTU = verbs.AttrPathMTU
	tDQ  = verbs.AttrDestQPN
	tRP  = verbs.AttrRQPSN
	tSP  = verbs.AttrSQPSN
	tDRA = verbs.AttrMaxDestRDAtomic
	tQRA = verbs.AttrMaxQPRDAtomic
	tRNT = verbs.AttrMinRNRTimer
	tTO  = verbs.AttrTimeout
	tRC  = verbs.AttrRetryCnt
	tRR  = verbs.AttrRNRRetry
	tALT = verbs.AttrAltPath
	tPMS = verbs.AttrPathMigState
	tCUR = verbs.AttrCurState
	tSQN = verbs.AttrEnSQDAsyncNotify
)

type stateEdge struct{ from, to verbs.QPState }

type typeMasks map[verbs.QPType]Move

// transitions is the queue pair state machine as the kernel checks it: the
// attributes that each transition requires and those that it also allows
// (ib_modify_qp_is_ok in the kernel; IBA table 91). qp_state itself is implied.
// Transitions to RESET and ERR, which take no attributes, are in
// transitionAnywhere.
var transitions = map[stateEdge]typeMasks{
	{verbs.QPReset, verbs.QPReset}: {verbs.RC: {}, verbs.UC: {}, verbs.UD: {}},
	{verbs.QPReset, verbs.QPInit}: {
		verbs.RC: {Required: tPK | tPO | tAC},
		verbs.UC: {Required: tPK | tPO | tAC},
		verbs.UD: {Required: tPK | tPO | tQK},
	},
	{verbs.QPInit, verbs.QPInit}: {
		verbs.RC: {Optional: tPK | tPO | tAC},
		verbs.UC: {Optional: tPK | tPO | tAC},
		verbs.UD: {Optional: tPK | tPO | tQK},
	},
	{verbs.QPInit, verbs.QPRTR}: {
		verbs.RC: {Required: tAV | tMTU | tDQ | tRP | tDRA | tRNT, Optional: tALT | tAC | tPK},
		verbs.UC: {Required: tAV | tMTU | tDQ | tRP, Optional: tALT | tAC | tPK},
		verbs.UD: {Optional: tPK | tQK},
	},
	{verbs.QPRTR, verbs.QPRTS}: {
		verbs.RC: {Required: tTO | tRC | tRR | tSP | tQRA, Optional: tCUR | tALT | tAC | tRNT | tPMS},
		verbs.UC: {Required: tSP, Optional: tCUR | tALT | tAC | tPMS},
		verbs.UD: {Required: tSP, Optional: tCUR | tQK},
	},
	{verbs.QPRTS, verbs.QPRTS}: {
		verbs.RC: {Optional: tCUR | tAC | tALT | tPMS | tRNT},
		verbs.UC: {Optional: tCUR | tAC | tALT | tPMS},
		verbs.UD: {Optional: tCUR | tQK},
	},
	{verbs.QPRTS, verbs.QPSQD}: {
		verbs.RC: {Optional: tSQN},
		verbs.UC: {Optional: tSQN},
		verbs.UD: {Optional: tSQN},
	},
	{verbs.QPSQD, verbs.QPRTS}: {
		verbs.RC: {Optional: tCUR | tALT | tAC | tRNT | tPMS},
		verbs.UC: {Optional: tCUR | tALT | tAC | tPMS},
		verbs.UD: {Optional: tCUR | tQK},
	},
	{verbs.QPSQD, verbs.QPSQD}: {
		verbs.RC: {Optional: tPO | tAV | tTO | tRC | tRR | tQRA | tDRA | tALT | tAC | tPK | tRNT | tPMS},
		verbs.UC: {Optional: tAV | tALT | tAC | tPK | tPMS},
		verbs.UD: {Optional: tPK | tQK},
	},
	{verbs.QPSQE, verbs.QPRTS}: {
		verbs.RC: {},
		verbs.UC: {Optional: tCUR | tAC},
		verbs.UD: {Optional: tCUR | tQK},
	},
}

// transitionAnywhere lists the states from which RESET and ERR can be reached.
var transitionAnywhere = []verbs.QPState{verbs.QPInit, verbs.QPRTR, verbs.QPRTS, verbs.QPSQD, verbs.QPSQE, verbs.QPErr}
