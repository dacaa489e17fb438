package verbstest

import "rdmatui/verbs"

// Quirk is a known difference of a device from the specification, described in a few words.
type Quirk string

// Known quirks.
const (
	// NoCommEst: the device never raises IBV_EVENT_COMM_EST.
	NoCommEst Quirk = "no COMM_EST event"
	// NoAccessErr: a responder that refuses a request because of its rkey or range goes to
	// ERR without QP_ACCESS_ERR.
	NoAccessErr Quirk = "no QP_ACCESS_ERR event"
	// NoReqErr: a responder that refuses an operation goes to ERR without QP_REQ_ERR.
	NoReqErr Quirk = "no QP_REQ_ERR event"
	// ODPAtPageStart: in memory that is paged on demand, each packet's data is read from and
	// written to the start of a page, whatever the address; atomics are right.
	ODPAtPageStart Quirk = "on-demand paging ignores the place in a page"
	// ShortRecvIsQPErr: a message longer than its RECV completes the RECV with
	// LOC_QP_OP_ERR and the SEND with REM_OP_ERR. IBA 9.9.3 (class C, NAK "invalid
	// request") requires LOC_LEN_ERR and REM_INV_REQ_ERR.
	ShortRecvIsQPErr Quirk = "a RECV that is too small is a QP operation error"
	// BadLKeyIsQPErr: a request whose lkey belongs to no region ends with
	// LOC_QP_OP_ERR; IBA 11.6.2 requires LOC_PROT_ERR.
	BadLKeyIsQPErr Quirk = "a bad lkey is a QP operation error"
	// RequesterErrorIsFlush: a request that fails before it is sent, because of its
	// SGEs, its opcode or its binding, ends with WR_FLUSH_ERR instead of the status
	// that IBA 11.6.2 requires.
	RequesterErrorIsFlush Quirk = "an invalid request is reported as flushed"
	// LateRecvFlush: a RECV posted in ERR stays in the queue until the queue pair is
	// next moved to ERR; IBA 10.3.1.6 requires that it is flushed at once.
	LateRecvFlush Quirk = "a RECV posted in ERR is not flushed at once"
	// NoDestRDAtomicLimit: max_dest_rd_atomic may exceed the device's max_qp_rd_atom.
	NoDestRDAtomicLimit Quirk = "max_dest_rd_atomic has no limit"
	// NoRDAtomicHangs: with max_rd_atomic 0 a READ or atomic waits for ever instead of
	// ending with an error.
	NoRDAtomicHangs Quirk = "a READ with max_rd_atomic 0 waits for ever"
	// AtomicAlignAtPost: the post of an atomic fails if its address is not a multiple of
	// 8, so the responder never sees the request.
	AtomicAlignAtPost Quirk = "an unaligned atomic is refused at the post"
	// NoLastWQE: a queue pair on a shared receive queue goes to ERR without
	// QP_LAST_WQE_REACHED.
	NoLastWQE Quirk = "no QP_LAST_WQE_REACHED event"
	// SharedRecvInQPDomain: RECVs of a shared queue are checked in the protection domain of the
	// queue pair that takes them, not of the shared queue; IBA 10.2.9.
	SharedRecvInQPDomain Quirk = "RECVs of a shared queue are checked in the queue pair's domain"
	// BindsForeignRegion: a window of type 2 may be bound to a region of another protection domain.
	BindsForeignRegion Quirk = "a window can be bound to a region of another domain"
	// NoSQE: a UC or UD queue pair whose request fails goes to ERR, not to SQE.
	NoSQE Quirk = "no state SQE"
	// UnaskedSQDrained: SQ_DRAINED is raised even with en_sqd_async_notify 0.
	UnaskedSQDrained Quirk = "SQ_DRAINED without being requested"
	// SQDStopsRetries: in SQD a request that is under way is not retried, and
	// SQ_DRAINED is raised although the request is not complete.
	SQDStopsRetries Quirk = "SQD stops requests that are under way"
	// LateResume: requests posted in SQD are not sent after the move to RTS until
	// another request is posted.
	LateResume Quirk = "RTS does not wake the send queue"
	// NoCurState: a query always reports RESET as cur_qp_state.
	NoCurState Quirk = "cur_qp_state is not kept"
	// LongDatagramFails: a datagram longer than the port's MTU ends with LOC_LEN_ERR;
	// IBA C10-93.1.1 requires that it is dropped without an error.
	LongDatagramFails Quirk = "a datagram longer than the MTU is an error"
	// NoOwnQKey: a request's Q_Key is sent unchanged even if its highest bit selects
	// the queue pair's own Q_Key; IBA 10.2.5.
	NoOwnQKey Quirk = "the highest bit of a Q_Key has no effect"
	// HopLimitOfRoute: packets have the hop limit of the host's route, whatever the
	// address handle says.
	HopLimitOfRoute Quirk = "the hop limit is the route's"
	// SilentFailedSend: a completion queue armed for solicited completions raises no
	// event for a send request that failed; IBA 11.4.2.2.
	SilentFailedSend Quirk = "a failed SEND raises no solicited event"
	// SilentFlushedRecv: a completion queue armed for solicited completions raises no
	// event for a RECV that is flushed; IBA 11.4.2.2.
	SilentFlushedRecv Quirk = "a flushed RECV raises no solicited event"
	// LongDatagramBreaksRecv: a datagram longer than the RECV fails that RECV with
	// LOC_QP_OP_ERR; IBA 9.8.2.2.1 requires that it is dropped.
	LongDatagramBreaksRecv Quirk = "a datagram that is too long fails the RECV"
	// OverrunSparesQP: a CQ overrun raises only CQ_ERR; the queue pair gets no
	// QP_FATAL.
	OverrunSparesQP Quirk = "no QP_FATAL after a CQ overrun"
	// WindowShowsRegion: a request through a memory window is checked against the
	// bounds of the region, not those of the window.
	WindowShowsRegion Quirk = "a window exposes all of its region"
	// BoundIsEINVAL: closing a region with bound windows fails with EINVAL, not EBUSY.
	BoundIsEINVAL Quirk = "EINVAL for a region with windows"
	// BadLocalInvIsQPErr: a LOCAL_INV of a key that cannot be invalidated ends with
	// LOC_QP_OP_ERR; IBA 11.6.2 requires the memory management error, MW_BIND_ERR.
	BadLocalInvIsQPErr Quirk = "a bad LOCAL_INV is a QP operation error"
	// InvIsCsumOK: the completion of a SEND_WITH_INV's RECV has IP_CSUM_OK instead of
	// WITH_INV, so it does not show which key was invalidated.
	InvIsCsumOK Quirk = "WITH_INV looks like IP_CSUM_OK"
	// InvalidateTwiceCrashes: the driver crashes when a type 2 window is invalidated
	// that is not bound, so the suite does not try it.
	InvalidateTwiceCrashes Quirk = "a window may be invalidated only once"
	// WindowHoldsQP: a queue pair cannot be destroyed while a type 2 window is bound
	// on it, and its reset leaves the window bound, so the suite does not try either.
	WindowHoldsQP Quirk = "a type 2 window outlives its queue pair"
	// NoRereg: regions cannot be changed.
	NoRereg Quirk = "no ibv_rereg_mr"
	// PinsForWriting: a read-only shared mapping cannot be registered, whatever the rights.
	PinsForWriting Quirk = "all memory is pinned for writing"
	// SGEsAsTheFirst: ibv_wr_set_sge_list uses the length of the first element for all.
	SGEsAsTheFirst Quirk = "all SGEs have the length of the first"
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
