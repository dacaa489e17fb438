package verbs

import "fmt"

// QPSpec asks for a queue pair; ibv_create_qp(3).
type QPSpec struct {
	QPType   QPType
	SendCQ   CQ
	RecvCQ   CQ
	Cap      QPCap
	SQSigAll bool // every send request makes a completion
	SRQ      SRQ  // where receive requests come from; nil is a queue of its own
	// SendOps are the operations to post by ibv_wr_* instead of ibv_post_send; not
	// 0: ibv_create_qp_ex(3).
	SendOps SendOps
}

// QP is a queue pair.
type QP interface {
	// Num returns the queue pair number.
	Num() QPN
	// Type returns the transport service.
	Type() QPType
	// Cap is what the provider granted.
	Cap() QPCap
	// Modify sets the fields that attr.Mask names, as they are: it does not
	// check them against the transition table, the provider does.
	Modify(attr QPAttr) error
	// Query reads the attributes; the returned Mask says which were asked for.
	Query(mask AttrMask) (QPAttr, QPInitAttr, error)
	// PostSend posts the requests in one call. On failure it returns how many
	// were taken: wrs[posted] is the bad one.
	PostSend(wrs ...SendWR) (posted int, err error)
	// PostRecv posts receive requests; as PostSend.
	PostRecv(wrs ...RecvWR) (posted int, err error)
	// BindMW posts the binding of a type 1 window; ibv_bind_mw(3). The window
	// has its new rkey when it returns, and shows the bytes once the request is
	// done.
	BindMW(mw MW, wrID uint64, flags SendFlags, bind MWBinding) error
	// AttachMcast lets a UD queue pair receive what is sent to a multicast
	// group; ibv_attach_mcast(3). lid is 0 on RoCE.
	AttachMcast(gid GID, lid uint16) error
	// DetachMcast takes it out again.
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

// String renders the number as six hexadecimal digits.
func (n QPN) String() string { return fmt.Sprintf("0x%06x", uint32(n)) }

// String renders the number as six hexadecimal digits.
func (n PSN) String() string { return fmt.Sprintf("0x%06x", uint32(n)) }
