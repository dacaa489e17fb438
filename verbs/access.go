package verbs

// Access is a set of access rights: of a memory region, or of the peer on a queue pair.
// ibv_reg_mr(3), ibv_modify_qp(3).
type Access uint32

// Access rights; the values are those of enum ibv_access_flags.
const (
	LocalWrite      Access = 1 << 0 // the local side may write: needed for RECV, READ and atomic results
	RemoteWrite     Access = 1 << 1 // the peer may WRITE; a region needs LocalWrite too
	RemoteRead      Access = 1 << 2 // the peer may READ
	RemoteAtomic    Access = 1 << 3 // the peer may do atomics; a region needs LocalWrite too
	MWBind          Access = 1 << 4 // memory windows may be bound to the region
	ZeroBased       Access = 1 << 5 // remote addresses count from the region's start
	OnDemand        Access = 1 << 6 // pages are faulted in on access instead of pinned
	HugeTLB         Access = 1 << 7 // the region consists of huge pages
	FlushGlobal     Access = 1 << 8 // the peer may FLUSH with global visibility
	FlushPersistent Access = 1 << 9 // the peer may FLUSH to persistence; the region must be persistent memory
	RelaxedOrdering Access = 1 << 20
)

// AccessFlags names the access rights.
var AccessFlags = Flags[Access]{"access", "IBV_ACCESS_", map[int]string{
	0: "LOCAL_WRITE", 1: "REMOTE_WRITE", 2: "REMOTE_READ", 3: "REMOTE_ATOMIC", 4: "MW_BIND",
	5: "ZERO_BASED", 6: "ON_DEMAND", 7: "HUGETLB", 8: "FLUSH_GLOBAL", 9: "FLUSH_PERSISTENT",
	20: "RELAXED_ORDERING",
}}

// String returns the names of the set flags joined by "|", without the C
// prefix; "0" if none is set. Bits without a name appear in hexadecimal.
func (a Access) String() string { return AccessFlags.Name(a) }

// MarshalText is String, for JSON.
func (a Access) MarshalText() ([]byte, error) { return []byte(a.String()), nil }
