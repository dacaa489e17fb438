package verbs

import "fmt"

// QPSpec asks for a queue pair; ibv_create_qp(3).
type QPSpec struct {
	QPType   QPType
	SendCQ   CQ
	RecvCQ   CQ
	Cap      QPCap
	SQSigAll bool // every send request creates a completion
	SRQ      SRQ  // source of receive requests; nil means a queue of its own
	// SendOps are the operations to post with ibv_wr_* instead of ibv_post_send;
	// non-zero: ibv_create_qp_ex(3).
	SendOps SendOps
}

// QP is a queue pair.
type QP interface {
	// Num returns the queue pair number.
	Num() QPN
	// Type returns the transport service.
	Type() QPType
	// Cap returns the limits that the provider granted.
	Cap() QPCap
	// Modify sets the fields in attr.Mask; ibv_modify_qp(3). It does not check
	// them against the transition table; the provider does.
	Modify(attr QPAttr) error
	// Query reads the attributes; ibv_query_qp(3). The returned Mask holds the
	// fields asked for.
	Query(mask AttrMask) (QPAttr, QPInitAttr, error)
	// PostSend posts the requests in one call; ibv_post_send(3). On failure it
	// returns how many were posted: wrs[posted] is the bad one.
	PostSend(wrs ...SendWR) (posted int, err error)
	// PostRecv posts receive requests, like PostSend; ibv_post_recv(3).
	PostRecv(wrs ...RecvWR) (posted int, err error)
	// BindMW posts the binding of a type 1 window; ibv_bind_mw(3). The window has
	// its new rkey when BindMW returns; the binding takes effect when the request
	// completes.
	BindMW(mw MW, wrID uint64, flags SendFlags, bind MWBinding) error
	// AttachMcast lets a UD queue pair receive messages to a multicast group;
	// ibv_attach_mcast(3). lid is 0 on RoCE.
	AttachMcast(gid GID, lid uint16) error
	// DetachMcast detaches it again; ibv_detach_mcast(3).
	DetachMcast(gid GID, lid uint16) error
	// Close destroys the queue pair; ibv_destroy_qp(3).
	Close() error
}

// QPN is a queue pair number, 24 bits. 0 and 1 are the management QPs,
// 0xffffff means multicast. IBA 3.5.3.
type QPN uint32

// PSN is a packet sequence number, 24 bits; it wraps. IBA 9.7.1.
type PSN uint32

// MaxQPN and MaxPSN are the largest 24-bit values.
const (
	MaxQPN QPN = 1<<24 - 1
	MaxPSN PSN = 1<<24 - 1
)

// String returns the number as six hexadecimal digits: "0x000011".
func (n QPN) String() string { return fmt.Sprintf("0x%06x", uint32(n)) }

// String returns the number as six hexadecimal digits: "0x000011".
func (n PSN) String() string { return fmt.Sprintf("0x%06x", uint32(n)) }

// DataInOrderQuerier is implemented by queue pairs that tell in which order data reaches memory.
type DataInOrderQuerier interface {
	// QueryDataInOrder asks about SENDs and WRITEs of the peer, or READs of this queue pair;
	// ibv_query_qp_data_in_order(3). The answer is 0 for other operations, for flags that the provider does not know,
	// and where nothing is guaranteed. With InOrderReturnCaps it has all that is guaranteed, without it only
	// InOrderWholeMsg. An error that matches ErrUnsupported means that the library has no such call.
	QueryDataInOrder(op WROpcode, flags DataInOrderFlags) (DataInOrder, error)
}

// DataInOrderFlags say what a [DataInOrderQuerier] answers; enum ibv_query_qp_data_in_order_flags.
type DataInOrderFlags uint32

// Flags of the query. Libraries before rdma-core 47 know none of them, those before 61 not the second.
const (
	InOrderReturnCaps DataInOrderFlags = 1 << 0
	InOrderDeviceOnly DataInOrderFlags = 1 << 1 // whatever the host's processor guarantees
)

// DataInOrderFlagNames names the flags of the query.
var DataInOrderFlagNames = Flags[DataInOrderFlags]{"data_in_order", dataInOrderPrefix, map[int]string{
	0: "RETURN_CAPS", 1: "DEVICE_ONLY",
}}

// DataInOrder is what is guaranteed to a reader of the memory; enum ibv_query_qp_data_in_order_caps.
type DataInOrder uint32

// What is guaranteed of the bytes of one message. Nothing is said of several messages, nor of regions with
// RELAXED_ORDERING.
const (
	InOrderWholeMsg     DataInOrder = 1 << 0 // they are written in the order of their addresses
	InOrder128ByteParts DataInOrder = 1 << 1 // so are those of each aligned block of 128 bytes
)

// DataInOrderNames names what is guaranteed.
var DataInOrderNames = Flags[DataInOrder]{"data_in_order", dataInOrderPrefix, map[int]string{
	0: "WHOLE_MSG", 1: "ALIGNED_128_BYTES",
}}

const dataInOrderPrefix = "IBV_QUERY_QP_DATA_IN_ORDER_"

// String returns the names of the set flags joined by "|", without the C
// prefix; "0" if none is set. Bits without a name appear in hexadecimal.
func (d DataInOrder) String() string { return DataInOrderNames.Name(d) }
