package verbs

// SGE is one scatter/gather element: a piece of registered memory.
type SGE struct {
	Addr   uint64 `json:"addr"`
	Length uint32 `json:"length"` // bytes; 0 is legal (some devices take it as 2³¹)
	LKey   uint32 `json:"lkey"`
}

// SendWR is one request for the send queue; struct ibv_send_wr. Which fields
// count is told by [WROpcode.Traits].
type SendWR struct {
	WRID          uint64
	SGList        []SGE
	Opcode        WROpcode
	SendFlags     SendFlags
	ImmData       uint32 // in host order; on the wire, and in C, in network order
	InvalidateKey uint32 // invalidate_rkey
	RemoteAddr    uint64
	RKey          uint32
	CompareAdd    uint64 // compare value, or what FETCH_AND_ADD adds
	Swap          uint64
	Flush         FlushWR // FLUSH only
	Bind          *BindWR // BIND_MW only
	AH            AH      // UD only
	RemoteQPN     QPN     // UD only
	RemoteQKey    uint32
}

// RecvWR is one request for a receive queue; struct ibv_recv_wr.
type RecvWR struct {
	WRID   uint64
	SGList []SGE
}

// Sizes that a work request's buffers must have, in bytes.
const (
	// GRHLen is what a RECV of a UD queue pair has before the message; IBA 11.4.1.2.
	GRHLen = 40
	// AtomicLen is the operand of an atomic operation or ATOMIC_WRITE; its address
	// is a multiple of it. IBA 9.4.5.
	AtomicLen = 8
)

// FlushWR is what a FLUSH asks of the peer; ibv_wr_flush(3). Its range begins at
// remote_addr.
type FlushWR struct {
	Length uint32 // bytes; not looked at with FlushMR
	Type   FlushType
	Level  FlushLevel
}

// FlushType is how far the peer's earlier data must have come before it answers;
// IBA annex A19.
type FlushType uint8

// Placement types; the values are those of enum ibv_placement_type.
const (
	FlushToAll        FlushType = 1 << 0 // visible to all that read the memory
	FlushToPersistent FlushType = 1 << 1 // in persistent memory
)

// FlushTypes names the placement types.
var FlushTypes = Flags[FlushType]{"type", "IBV_FLUSH_", map[int]string{0: "GLOBAL", 1: "PERSISTENT"}}

// String returns the names of the set flags joined by "|", without the C prefix.
func (t FlushType) String() string { return FlushTypes.Name(t) }

// Access is the right that the type needs of the peer's region and queue pair.
func (t FlushType) Access() (need Access) {
	if t&FlushToAll != 0 {
		need |= FlushGlobal
	}
	if t&FlushToPersistent != 0 {
		need |= FlushPersistent
	}
	return need
}

// FlushLevel is how much a FLUSH is about; IBA annex A19.
type FlushLevel uint8

// Selectivity levels; the values are those of enum ibv_selectivity_level.
const (
	FlushRange FlushLevel = 0 // length bytes from remote_addr
	FlushMR    FlushLevel = 1 // the whole region of the rkey
)

// FlushLevels names the selectivity levels.
var FlushLevels = Enum[FlushLevel]{"level", "IBV_FLUSH_", map[FlushLevel]string{FlushRange: "RANGE", FlushMR: "MR"}}

// String returns the C name without its prefix; "unknown(n)" if it has no name.
func (l FlushLevel) String() string { return FlushLevels.Name(l) }
