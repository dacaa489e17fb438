package verbstest

import "rdmatui/verbs"

// Quirk is a known difference from the specification, with the reason in words.
type Quirk string

// Known quirks.
const (
	// NoCommEst: the device never raises IBV_EVENT_COMM_EST.
	NoCommEst Quirk = "no COMM_EST event"
	// NoErrorEvents: a responder that refuses a request goes to ERR without
	// QP_ACCESS_ERR or QP_REQ_ERR.
	NoErrorEvents Quirk = "no affiliated error events"
	// ShortRecvIsQPErr: a message longer than the RECV ends it with LOC_QP_OP_ERR,
	// and the requester's with REM_OP_ERR, where IBA 9.9.3 (class C, NAK "invalid
	// request") leads to LOC_LEN_ERR and REM_INV_REQ_ERR.
	ShortRecvIsQPErr Quirk = "a RECV that is too small is a QP operation error"
	// BadLKeyIsQPErr: a request with an lkey of no region ends with LOC_QP_OP_ERR;
	// IBA 11.6.2 has LOC_PROT_ERR for it.
	BadLKeyIsQPErr Quirk = "a bad lkey is a QP operation error"
	// RequesterErrorIsFlush: a request that fails before it is sent, for its SGEs, its opcode or what it binds, ends with WR_FLUSH_ERR: the
	// status that IBA 11.6.2 has for it is lost.
	RequesterErrorIsFlush Quirk = "a request's own fault is told as a flush"
	// LateRecvFlush: a RECV that is posted in ERR stays until the queue pair is
	// next moved to ERR; IBA 10.3.1.6 has it complete as flushed at once.
	LateRecvFlush Quirk = "a RECV posted in ERR is not flushed by itself"
	// NoDestRDAtomicLimit: max_dest_rd_atomic is taken whatever the device's
	// max_qp_rd_atom.
	NoDestRDAtomicLimit Quirk = "max_dest_rd_atomic has no limit"
	// NoRDAtomicHangs: with max_rd_atomic 0 a READ or atomic waits for ever, where
	// nothing can ever let it go; it must end with an error.
	NoRDAtomicHangs Quirk = "a READ that may never be sent waits for ever"
	// AtomicAlignAtPost: the post of an atomic whose address is no multiple of 8 is
	// refused, so that the responder is never asked.
	AtomicAlignAtPost Quirk = "an unaligned atomic is refused at the post"
	// NoLastWQE: a queue pair on a shared receive queue goes to ERR without
	// QP_LAST_WQE_REACHED.
	NoLastWQE Quirk = "no QP_LAST_WQE_REACHED event"
	// NoSQE: a UC or UD queue pair whose request fails goes to ERR, not to SQE.
	NoSQE Quirk = "no state SQE"
	// UnaskedSQDrained: SQ_DRAINED is raised with en_sqd_async_notify 0, too.
	UnaskedSQDrained Quirk = "SQ_DRAINED without being asked for"
	// SQDStopsRetries: in SQD a request that is under way is not sent again, as if it
	// had never been; SQ_DRAINED comes while it waits.
	SQDStopsRetries Quirk = "SQD stops requests that are under way"
	// LateResume: what was posted in SQD is sent after the move to RTS only when
	// something else is posted.
	LateResume Quirk = "RTS does not wake the send queue"
	// NoCurState: a query always says RESET for cur_qp_state.
	NoCurState Quirk = "cur_qp_state is not kept"
	// LongDatagramFails: a datagram longer than the port's MTU ends with LOC_LEN_ERR,
	// where IBA C10-93.1.1 has it vanish without an error.
	LongDatagramFails Quirk = "a datagram longer than the MTU is an error"
	// NoOwnQKey: a request's Q_Key is sent as it is, though its highest bit asks for
	// the queue pair's own; IBA 10.2.5.
	NoOwnQKey Quirk = "a Q_Key never stands for the own"
	// HopLimitOfRoute: packets bear the hop limit of the host's route, whatever the
	// address handle asks for.
	HopLimitOfRoute Quirk = "the hop limit is the route's"
	// SilentFailedSend: a queue that is armed for solicited completions does not tell
	// of a send request that failed; IBA 11.4.2.2.
	SilentFailedSend Quirk = "a failed SEND raises no solicited event"
	// SilentFlushedRecv: a queue that is armed for solicited completions does not tell of
	// a RECV that is flushed; IBA 11.4.2.2.
	SilentFlushedRecv Quirk = "a flushed RECV raises no solicited event"
	// LongDatagramBreaksRecv: a datagram longer than the RECV fails that RECV with
	// LOC_QP_OP_ERR, where it is to vanish; IBA 9.8.2.2.1.
	LongDatagramBreaksRecv Quirk = "a datagram that is too long fails the RECV"
	// OverrunSparesQP: a completion that finds its queue full is told of by CQ_ERR
	// alone: its queue pair gets no QP_FATAL.
	OverrunSparesQP Quirk = "no QP_FATAL over a CQ overrun"
	// WindowShowsRegion: of a request through a memory window only the region's
	// bounds are looked at, not the window's.
	WindowShowsRegion Quirk = "a window shows all of its region"
	// BoundIsEINVAL: a region to which windows are bound is kept with EINVAL.
	BoundIsEINVAL Quirk = "EINVAL for a region with windows"
	// BadLocalInvIsQPErr: a LOCAL_INV of what cannot be invalidated ends with
	// LOC_QP_OP_ERR; IBA 11.6.2 has the memory management error, MW_BIND_ERR.
	BadLocalInvIsQPErr Quirk = "a bad LOCAL_INV is a QP operation error"
	// InvIsCsumOK: the RECV of a SEND_WITH_INV has IP_CSUM_OK in place of WITH_INV, so
	// that it does not tell which key was invalidated.
	InvIsCsumOK Quirk = "WITH_INV looks like IP_CSUM_OK"
	// InvalidateTwiceCrashes: the device's driver does not survive that a type 2
	// window is invalidated that is not bound, so that it is not tried.
	InvalidateTwiceCrashes Quirk = "a window may be invalidated only once"
	// WindowHoldsQP: a queue pair cannot be destroyed while a type 2 window is bound
	// on it, and its reset leaves the window as it is, so that it is not tried.
	WindowHoldsQP Quirk = "a type 2 window outlives its queue pair"
	// NoRereg: regions cannot be changed.
	NoRereg Quirk = "no ibv_rereg_mr"
	// PinsForWriting: a shared mapping that cannot be written cannot be registered, whatever the rights.
	PinsForWriting Quirk = "all memory is pinned for writing"
	// SGEsAsTheFirst: ibv_wr_set_sge_list takes each element to be as long as the first.
	SGEsAsTheFirst Quirk = "all SGEs count as long as the first"
	// NoMulticast: no queue pair can be attached to a group.
	NoMulticast Quirk = "no multicast"
)

func (e Env) has(q Quirk) bool {
	for _, have := range e.Quirks {
		if have == q {
			return true
		}
	}
	return false
}

// requesterStatus returns the status of a request that fails before it is sent.
func requesterStatus(e Env, specified verbs.WCStatus) verbs.WCStatus {
	return expect(e, RequesterErrorIsFlush, specified, verbs.WCWRFlushErr)
}

// expect returns the behaviour that the specification requires, or that of a device with the
// quirk.
func expect[T any](e Env, q Quirk, specified, quirky T) T {
	if e.has(q) {
		return quirky
	}
	return specified
}
