package verbs

import "context"

// CQSpec asks for a completion queue; ibv_create_cq(3).
type CQSpec struct {
	CQE        int         // entries at least
	Channel    CompChannel // nil: polling only
	CompVector int         // 0 .. num_comp_vectors-1
	WCFlags    CQWCFlags   // not 0: ibv_create_cq_ex(3); the fields of ibv_poll_cq come in any case
}

// CQ is a completion queue.
type CQ interface {
	// CQE is the number of entries that it really has.
	CQE() int
	// Poll fills wcs with what has completed and returns how many; 0 is no
	// error. It never waits.
	Poll(wcs []WC) (int, error)
	// ReqNotify asks for one event on the channel at the next completion, or
	// the next solicited or failed one; ibv_req_notify_cq(3).
	ReqNotify(solicitedOnly bool) error
	// AckEvents acknowledges n events that GetCQEvent returned. Close
	// acknowledges what is left, so that it cannot block.
	AckEvents(n int)
	// Close destroys the queue; ibv_destroy_cq(3).
	Close() error
}

// CompChannel delivers completion events; ibv_create_comp_channel(3).
type CompChannel interface {
	// GetCQEvent waits for the next event and returns its queue. It returns
	// ctx's error when ctx ends first.
	GetCQEvent(ctx context.Context) (CQ, error)
	// Close destroys the channel; ibv_destroy_comp_channel(3). It fails while queues use it.
	Close() error
}

// Call is the C function that makes such a queue.
func (s *CQSpec) Call() string {
	if s.WCFlags != 0 {
		return "ibv_create_cq_ex"
	}
	return "ibv_create_cq"
}

// CQWCFlags are the fields that the completions of a queue are to have beyond
// status and wr_id; ibv_create_cq_ex(3).
type CQWCFlags uint64

// The fields that ibv_poll_cq does not give, and those that it does give; the
// values are those of enum ibv_create_cq_wc_flags.
const (
	CQWithTimestamp CQWCFlags = 1 << 7  // completion_ts, in ticks of hca_core_clock
	CQWithWallclock CQWCFlags = 1 << 11 // completion_wallclock_ns, since 1970
	CQStandard      CQWCFlags = 1<<7 - 1
)

// CQWCFlagNames names them.
var CQWCFlagNames = Flags[CQWCFlags]{"wc_flags", "IBV_WC_EX_WITH_", map[int]string{
	0: "BYTE_LEN", 1: "IMM", 2: "QP_NUM", 3: "SRC_QP", 4: "SLID", 5: "SL", 6: "DLID_PATH_BITS", 7: "COMPLETION_TIMESTAMP",
	8: "CVLAN", 9: "FLOW_TAG", 10: "TM_INFO", 11: "COMPLETION_TIMESTAMP_WALLCLOCK",
}}

// String returns the names of the set flags joined by "|", without the C prefix.
func (f CQWCFlags) String() string { return CQWCFlagNames.Name(f) }

// CQResizer is implemented by completion queues whose size can change.
type CQResizer interface {
	// Resize gives the queue cqe entries at least and keeps what is in it;
	// ibv_resize_cq(3). CQE tells how many it has then. It fails with EINVAL below 1,
	// beyond max_cqe, and where more completions wait than would fit. An error that
	// matches ErrUnsupported means that library or driver have no such call. Of a
	// failed call the queue stays as it was.
	Resize(cqe int) error
}

// FillTeller is implemented by completion queues that can tell how full they are.
// No call of libibverbs does.
type FillTeller interface {
	// Fill returns how many entries hold a completion that was not polled yet, and
	// how many did at most since the queue was made.
	Fill() (now, peak int)
}

// CQWaker is implemented by completion queues that can wake who polls them, without a
// channel. No call of libibverbs does: there, a queue without a channel has to be asked.
type CQWaker interface {
	// WakeNext leaves a value in wake when the next completion comes, once, unless there
	// is no room. It returns false, and does nothing, where one is there already.
	WakeNext(wake chan<- struct{}) bool
}
