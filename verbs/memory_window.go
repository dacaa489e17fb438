package verbs

// MWType is the kind of a memory window; ibv_alloc_mw(3), IBA 10.6.7.2.
type MWType uint32

// Kinds of memory windows; the values are those of enum ibv_mw_type.
const (
	// MWType1 is bound by [QP.BindMW] (ibv_bind_mw), which makes the new rkey.
	MWType1 MWType = 1
	// MWType2 is bound by a BIND_MW request whose low eight bits of the new
	// rkey the consumer chooses, belongs then to that queue pair, and can be
	// invalidated: by LOCAL_INV here, by SEND_WITH_INV from the peer.
	MWType2 MWType = 2
)

// MWTypes names the kinds.
var MWTypes = Enum[MWType]{"mw_type", "IBV_MW_", map[MWType]string{MWType1: "TYPE_1", MWType2: "TYPE_2"}}

// String returns the C name without its prefix; "unknown(n)" if it has no name.
func (t MWType) String() string { return MWTypes.Name(t) }

// MarshalText is String, for JSON.
func (t MWType) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// MWBinding says what a window shows; struct ibv_mw_bind_info.
type MWBinding struct {
	MR     MR     // registered with MW_BIND; may be nil only if Length is 0
	Addr   uint64 // first byte, as an address of MR
	Length uint64 // bytes; 0 takes a type 1 window's binding away
	Access Access // REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC, ZERO_BASED
}

// BindWR is what a BIND_MW request carries; struct ibv_send_wr.bind_mw.
type BindWR struct {
	MW   MW     // a type 2 window
	RKey uint32 // that it gets: [NextRKey] of the one it has
	MWBinding
}

// MW is a memory window: a piece of a region, shown to the peer under an rkey
// of its own, that can be taken away again without registering anew.
type MW interface {
	// Type returns TYPE_1 or TYPE_2.
	Type() MWType
	// RKey is the key of the last binding that was posted; after ibv_alloc_mw
	// that of the window without one.
	RKey() uint32
	// Close deallocates the window, bound or not; ibv_dealloc_mw(3).
	Close() error
}

// NextRKey is rkey with its low eight bits, the consumer's part, counted up:
// what a type 2 window is bound to next; ibv_inc_rkey(3).
func NextRKey(rkey uint32) uint32 { return rkey&^0xff | (rkey+1)&0xff }
