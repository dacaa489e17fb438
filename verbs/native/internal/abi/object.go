package abi

// PD mirrors struct ibv_pd: a protection domain.
type PD struct {
	Context uintptr `c:"context"`
	Handle  uint32  `c:"handle"`
}

// MR mirrors struct ibv_mr: a memory region.
type MR struct {
	Context uintptr `c:"context"`
	PD      uintptr `c:"pd"`
	Addr    uintptr `c:"addr"`
	Length  uint64  `c:"length"`
	Handle  uint32  `c:"handle"`
	LKey    uint32  `c:"lkey"`
	RKey    uint32  `c:"rkey"`
}

// MW mirrors struct ibv_mw: a memory window. The code that binds it updates RKey.
type MW struct {
	Context uintptr `c:"context"`
	PD      uintptr `c:"pd"`
	RKey    uint32  `c:"rkey"`
	Handle  uint32  `c:"handle"`
	Type    uint32  `c:"type"`
}

// DM mirrors struct ibv_dm: device memory, with the functions that the headers call through it.
type DM struct {
	Context      uintptr `c:"context"`
	MemcpyToDM   uintptr `c:"memcpy_to_dm"`
	MemcpyFromDM uintptr `c:"memcpy_from_dm"`
	CompMask     uint32  `c:"comp_mask"`
	Handle       uint32  `c:"handle"`
}

// AllocDMAttr mirrors struct ibv_alloc_dm_attr.
type AllocDMAttr struct {
	Length      uintptr `c:"length"`
	LogAlignReq uint32  `c:"log_align_req"`
	CompMask    uint32  `c:"comp_mask"`
}

// ValuesMaskRawClock is IBV_VALUES_MASK_RAW_CLOCK.
const ValuesMaskRawClock = 1 << 0

// ValuesEx mirrors struct ibv_values_ex; RawClock is a struct timespec.
type ValuesEx struct {
	CompMask uint32   `c:"comp_mask"`
	RawClock [2]int64 `c:"raw_clock"`
}

// CompChannel mirrors struct ibv_comp_channel: FD becomes readable when a CQ event
// is waiting.
type CompChannel struct {
	Context uintptr `c:"context"`
	FD      int32   `c:"fd"`
	Refcnt  int32   `c:"refcnt"`
}

// CQ mirrors struct ibv_cq: a completion queue; CQE is the granted size, not the requested one.
type CQ struct {
	Context              uintptr      `c:"context"`
	Channel              uintptr      `c:"channel"`
	CQContext            uintptr      `c:"cq_context"`
	Handle               uint32       `c:"handle"`
	CQE                  int32        `c:"cqe"`
	_                    pthreadMutex `c:"mutex"`
	_                    pthreadCond  `c:"cond"`
	CompEventsCompleted  uint32       `c:"comp_events_completed"`
	AsyncEventsCompleted uint32       `c:"async_events_completed"`
}

// SRQ mirrors struct ibv_srq: a shared receive queue.
type SRQ struct {
	Context         uintptr      `c:"context"`
	SRQContext      uintptr      `c:"srq_context"`
	PD              uintptr      `c:"pd"`
	Handle          uint32       `c:"handle"`
	_               pthreadMutex `c:"mutex"`
	_               pthreadCond  `c:"cond"`
	EventsCompleted uint32       `c:"events_completed"`
}

// QP mirrors struct ibv_qp: a queue pair. State is the state that the library last set, not the
// device's.
type QP struct {
	Context         uintptr      `c:"context"`
	QPContext       uintptr      `c:"qp_context"`
	PD              uintptr      `c:"pd"`
	SendCQ          uintptr      `c:"send_cq"`
	RecvCQ          uintptr      `c:"recv_cq"`
	SRQ             uintptr      `c:"srq"`
	Handle          uint32       `c:"handle"`
	QPNum           uint32       `c:"qp_num"`
	State           uint32       `c:"state"`
	QPType          uint32       `c:"qp_type"`
	_               pthreadMutex `c:"mutex"`
	_               pthreadCond  `c:"cond"`
	EventsCompleted uint32       `c:"events_completed"`
}

// AH mirrors struct ibv_ah: an address handle.
type AH struct {
	Context uintptr `c:"context"`
	PD      uintptr `c:"pd"`
	Handle  uint32  `c:"handle"`
}
