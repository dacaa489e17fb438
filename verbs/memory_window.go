package verbs

// MWType is the kind of a memory window; ibv_alloc_mw(3), IBA 10.6.7.2.
type MWType uint32

// Kinds of memory windows; the values are those of enum ibv_mw_type.
const (
	// MWType1 windows are bound by [QP.BindMW] (ibv_bind_mw), which creates the
	// new rkey.
	MWType1 MWType = 1
	// MWType2 windows are bound by a BIND_MW request. The consumer chooses the low
	// eight bits of the new rkey. The window then belongs to that queue pair and
	// can be invalidated: locally by LOCAL_INV, by the peer with SEND_WITH_INV.
	MWType2 MWType = 2
)

// MWTypes names the kinds.
var MWTypes = Enum[MWType]{"mw_type", "IBV_MW_", map[MWType]string{MWType1: "TYPE_1", MWType2: "TYPE_2"}}

// String returns the C name without its prefix; "unknown(n)" if it has no name.
func (t MWType) String() string { return MWTypes.Name(t) }

// MarshalText is String, for JSON.
func (t MWType) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// MWBinding is the range that a window is bound to; struct ibv_mw_bind_info.
type MWBinding struct {
	MR     MR     // registered with MW_BIND; may be nil only if Length is 0
	Addr   uint64 // first byte, as an address in MR
	Length uint64 // bytes; 0 unbinds a type 1 window
	Access Access // REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC, ZERO_BASED
}

// BindWR holds the fields of a BIND_MW request; struct ibv_send_wr.bind_mw.
type BindWR struct {
	MW   MW     // a type 2 window
	RKey uint32 // the window's new key: [NextRKey] of its current one
	MWBinding
}

// MW is a memory window: a part of a region that the peer accesses with an rkey
// of its own, and that can be revoked without deregistering the region.
type MW interface {
	// Type returns TYPE_1 or TYPE_2.
	Type() MWType
	// RKey returns the key of the binding posted last, or the key from
	// ibv_alloc_mw if none was posted.
	RKey() uint32
	// Close deallocates the window, bound or not; ibv_dealloc_mw(3).
	Close() error
}

// NextRKey returns rkey with its low eight bits, the consumer's part,
// incremented: the key for the next binding of a type 2 window;
// ibv_inc_rkey(3).
func NextRKey(rkey uint32) uint32 { return rkey&^0xff | (rkey+1)&0xff }
