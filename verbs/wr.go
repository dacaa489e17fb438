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
