package verbs

// Short forms for the table below; each is one attribute bit or the set that a
// row repeats.
const (
	tPK  = AttrPKeyIndex
	tPO  = AttrPort
	tQK  = AttrQKey
	tAC  = AttrAccessFlags
	tAV  = AttrAV
	tMTU = AttrPathMTU
	tDQ  = AttrDestQPN
	tRP  = AttrRQPSN
	tSP  = AttrSQPSN
	tDRA = AttrMaxDestRDAtomic
	tQRA = AttrMaxQPRDAtomic
	tRNT = AttrMinRNRTimer
	tTO  = AttrTimeout
	tRC  = AttrRetryCnt
	tRR  = AttrRNRRetry
	tALT = AttrAltPath
	tPMS = AttrPathMigState
	tCUR = AttrCurState
	tSQN = AttrEnSQDAsyncNotify
)

type stateEdge struct{ from, to QPState }

type typeMasks map[QPType]Transition

// transitions is the queue pair state machine as the kernel checks it: the
// attributes that each move requires and those that it allows besides
// (ib_modify_qp_is_ok in the kernel; IBA table 91). qp_state itself is implied.
// Moves to RESET and to ERR, which take nothing, are in transitionAnywhere.
var transitions = map[stateEdge]typeMasks{
	{QPReset, QPReset}: {RC: {}, UC: {}, UD: {}},
	{QPReset, QPInit}: {
		RC: {Required: tPK | tPO | tAC},
		UC: {Required: tPK | tPO | tAC},
		UD: {Required: tPK | tPO | tQK},
	},
	{QPInit, QPInit}: {
		RC: {Optional: tPK | tPO | tAC},
		UC: {Optional: tPK | tPO | tAC},
		UD: {Optional: tPK | tPO | tQK},
	},
	{QPInit, QPRTR}: {
		RC: {Required: tAV | tMTU | tDQ | tRP | tDRA | tRNT, Optional: tALT | tAC | tPK},
		UC: {Required: tAV | tMTU | tDQ | tRP, Optional: tALT | tAC | tPK},
		UD: {Optional: tPK | tQK},
	},
	{QPRTR, QPRTS}: {
		RC: {Required: tTO | tRC | tRR | tSP | tQRA, Optional: tCUR | tALT | tAC | tRNT | tPMS},
		UC: {Required: tSP, Optional: tCUR | tALT | tAC | tPMS},
		UD: {Required: tSP, Optional: tCUR | tQK},
	},
	{QPRTS, QPRTS}: {
		RC: {Optional: tCUR | tAC | tALT | tPMS | tRNT},
		UC: {Optional: tCUR | tAC | tALT | tPMS},
		UD: {Optional: tCUR | tQK},
	},
	{QPRTS, QPSQD}: {
		RC: {Optional: tSQN},
		UC: {Optional: tSQN},
		UD: {Optional: tSQN},
	},
	{QPSQD, QPRTS}: {
		RC: {Optional: tCUR | tALT | tAC | tRNT | tPMS},
		UC: {Optional: tCUR | tALT | tAC | tPMS},
		UD: {Optional: tCUR | tQK},
	},
	{QPSQD, QPSQD}: {
		RC: {Optional: tPO | tAV | tTO | tRC | tRR | tQRA | tDRA | tALT | tAC | tPK | tRNT | tPMS},
		UC: {Optional: tAV | tALT | tAC | tPK | tPMS},
		UD: {Optional: tPK | tQK},
	},
	{QPSQE, QPRTS}: {
		RC: {},
		UC: {Optional: tCUR | tAC},
		UD: {Optional: tCUR | tQK},
	},
}

// transitionAnywhere is what RESET and ERR can be reached from.
var transitionAnywhere = []QPState{QPInit, QPRTR, QPRTS, QPSQD, QPSQE, QPErr}
