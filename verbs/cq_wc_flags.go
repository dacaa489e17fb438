package verbs

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

func (f CQWCFlags) String() string { return CQWCFlagNames.Name(f) }

// Call is the C function that makes such a queue.
func (s *CQSpec) Call() string {
	if s.WCFlags != 0 {
		return "ibv_create_cq_ex"
	}
	return "ibv_create_cq"
}
