package verbs

import "context"

// CQSpec asks for a completion queue; ibv_create_cq(3).
type CQSpec struct {
	CQE        int         // minimum number of entries
	Channel    CompChannel // nil: polling only
	CompVector int         // 0 .. num_comp_vectors-1
	WCFlags    CQWCFlags   // non-zero: use ibv_create_cq_ex(3); the fields of ibv_poll_cq are always present
}

// CQ is a completion queue.
type CQ interface {
	// CQE returns the number of entries that the provider allocated.
	CQE() int
	// Poll fills wcs with completions and returns their number, which may be 0. It never blocks.
	// With an error, that number was taken before it; they will not be returned again.
	Poll(wcs []WC) (int, error)
	// ReqNotify requests one event on the channel for the next completion, or for the next solicited
	// or failed one; ibv_req_notify_cq(3).
	ReqNotify(solicitedOnly bool) error
	// AckEvents acknowledges n events that GetCQEvent returned. Close acknowledges the rest, so that
	// it cannot block.
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

// Call returns the name of the C function that creates such a queue.
func (s *CQSpec) Call() string {
	if s.WCFlags != 0 {
		return "ibv_create_cq_ex"
	}
	return "ibv_create_cq"
}

// CQWCFlags select the completion fields beyond status and wr_id; ibv_create_cq_ex(3).
type CQWCFlags uint64

// Fields that ibv_poll_cq does not return, and those that it does; the values are those of enum
// ibv_create_cq_wc_flags.
const (
	CQWithTimestamp CQWCFlags = 1 << 7  // completion_ts, in ticks of hca_core_clock
	CQWithWallclock CQWCFlags = 1 << 11 // completion_wallclock_ns, since 1970
	CQStandard      CQWCFlags = 1<<7 - 1
)

// CQWCFlagNames names the completion fields.
var CQWCFlagNames = Flags[CQWCFlags]{"wc_flags", "IBV_WC_EX_WITH_", map[int]string{
	0: "BYTE_LEN", 1: "IMM", 2: "QP_NUM", 3: "SRC_QP", 4: "SLID", 5: "SL", 6: "DLID_PATH_BITS",
	7: "COMPLETION_TIMESTAMP", 8: "CVLAN", 9: "FLOW_TAG", 10: "TM_INFO", 11: "COMPLETION_TIMESTAMP_WALLCLOCK",
}}

// String returns the names of the set flags joined by "|", without the C
// prefix; "0" if none is set. Bits without a name appear in hexadecimal.
func (f CQWCFlags) String() string { return CQWCFlagNames.Name(f) }

// CQResizer is implemented by completion queues whose size can change.
type CQResizer interface {
	// Resize changes the queue to at least cqe entries and keeps its completions; ibv_resize_cq(3).
	// CQE returns the new size. Resize fails with EINVAL if cqe is below 1, exceeds max_cqe, or is too
	// small for the completions in the queue. An error that matches ErrUnsupported means that the
	// library or the driver has no such call. After a failure the queue is unchanged.
	Resize(cqe int) error
}

// CQModeration delays the events of a completion queue; struct ibv_moderate_cq.
type CQModeration struct {
	Count  uint16 // completions until the event; 0 and 1: the first raises it
	Period uint16 // µs after the first completion until the event; 0: the first raises it
}

// CQModerator is implemented by completion queues whose events can be moderated.
type CQModerator interface {
	// Moderate makes an armed queue raise its event after a number of completions or a time, whichever comes
	// first; ibv_modify_cq(3) with IBV_CQ_ATTR_MODERATE. An error that matches ErrUnsupported means that the
	// library, the driver or the device has no moderation.
	Moderate(CQModeration) error
}

// FillTeller is implemented by completion queues that report how full they are. libibverbs has no
// such call.
type FillTeller interface {
	// Fill returns how many entries hold a completion that has not been polled, and the highest such
	// number since the queue was created.
	Fill() (now, peak int)
}

// CQWaker is implemented by completion queues that can wake a poller without a channel. libibverbs
// has no such call: a queue without a channel must be polled.
type CQWaker interface {
	// WakeNext sends once to wake, without blocking, when the next completion arrives. If a completion
	// is already there it returns false and does nothing.
	WakeNext(wake chan<- struct{}) bool
}
