package verbs

// SGE is one scatter/gather element: a piece of registered memory.
type SGE struct {
	Addr   uint64 `json:"addr"`
	Length uint32 `json:"length"` // bytes; 0 is legal (some devices read it as 2³¹)
	LKey   uint32 `json:"lkey"`
}

// TotalLength returns how many bytes a list has, which may exceed 32 bits.
func TotalLength(list []SGE) (n uint64) {
	for i := range list {
		n += uint64(list[i].Length)
	}
	return n
}

// SendWR is one request for the send queue; struct ibv_send_wr. [WROpcode.Traits] says
// which fields apply.
type SendWR struct {
	WRID          uint64
	SGList        []SGE
	Opcode        WROpcode
	SendFlags     SendFlags
	ImmData       uint32 // in host order; in network order on the wire and in C
	InvalidateKey uint32 // invalidate_rkey
	RemoteAddr    uint64
	RKey          uint32
	CompareAdd    uint64 // compare value, or the addend of FETCH_AND_ADD
	Swap          uint64
	Flush         FlushWR // FLUSH only
	Bind          *BindWR // BIND_MW only
	AH            AH      // UD only
	RemoteQPN     QPN     // UD only
	RemoteQKey    uint32
}

// RemoteRight returns the access right that the request needs from the region or window that it accesses, and from the
// peer's queue pair.
func (wr *SendWR) RemoteRight() Access {
	t := wr.Opcode.Traits()
	if t.Flush {
		return wr.Flush.Type.Access()
	}
	return t.Right
}

// RecvWR is one request for a receive queue; struct ibv_recv_wr.
type RecvWR struct {
	WRID   uint64
	SGList []SGE
}

// Sizes of the buffers of work requests, in bytes.
const (
	// GRHLen is the space before the message in a RECV of a UD queue pair; IBA 11.4.1.2.
	GRHLen = 40
	// AtomicLen is the operand size of an atomic operation or ATOMIC_WRITE. The address
	// must be a multiple of it. IBA 9.4.5.
	AtomicLen = 8
)

// FlushWR holds the fields of a FLUSH; ibv_wr_flush(3). Its range starts at
// remote_addr.
type FlushWR struct {
	Length uint32 // bytes; ignored with FlushMR
	Type   FlushType
	Level  FlushLevel
}

// FlushType is how far the peer's earlier data must have been placed before it
// responds; IBA annex A19.
type FlushType uint8

// Placement types; the values are those of enum ibv_placement_type.
const (
	FlushToAll        FlushType = 1 << 0 // visible to all readers of the memory
	FlushToPersistent FlushType = 1 << 1 // in persistent memory
)

// FlushTypes names the placement types.
var FlushTypes = Flags[FlushType]{"type", "IBV_FLUSH_", map[int]string{0: "GLOBAL", 1: "PERSISTENT"}}

// String returns the names of the set flags joined by "|", without the C
// prefix; "0" if none is set. Bits without a name appear in hexadecimal.
func (t FlushType) String() string { return FlushTypes.Name(t) }

// Access returns the right that the type requires from the peer's region and queue
// pair.
func (t FlushType) Access() (need Access) {
	if t&FlushToAll != 0 {
		need |= FlushGlobal
	}
	if t&FlushToPersistent != 0 {
		need |= FlushPersistent
	}
	return need
}

// FlushLevel is the range of a FLUSH; IBA annex A19.
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
