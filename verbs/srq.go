package verbs

// SRQSpec asks for a shared receive queue; ibv_create_srq(3).
type SRQSpec struct {
	MaxWR  uint32 // minimum number of receive requests
	MaxSGE uint32 // SGEs of each
}

// SRQAttrMask is the set of [SRQAttr] fields that apply.
type SRQAttrMask uint32

// Fields of SRQAttr; the values are those of enum ibv_srq_attr_mask.
const (
	SRQMaxWR SRQAttrMask = 1 << 0 // resize; needs the device flag SRQ_RESIZE
	SRQLimit SRQAttrMask = 1 << 1
)

// SRQAttr holds the attributes of a shared receive queue; struct ibv_srq_attr.
type SRQAttr struct {
	Mask   SRQAttrMask
	MaxWR  uint32
	MaxSGE uint32 // cannot be modified
	// Limit arms one SRQ_LIMIT_REACHED event, raised when the queue holds fewer
	// requests than this; 0 means disarmed. IBA 10.2.9.1.
	Limit uint32
}

// SRQ is a receive queue shared by queue pairs of one protection domain. IBA
// 10.2.9.
type SRQ interface {
	// Modify arms the limit or resizes the queue; ibv_modify_srq(3).
	Modify(SRQAttr) error
	// Query reads the attributes; ibv_query_srq(3). Limit is 0 after the event was
	// raised.
	Query() (SRQAttr, error)
	// PostRecv posts receive requests, like QP.PostRecv; ibv_post_srq_recv(3).
	PostRecv(wrs ...RecvWR) (posted int, err error)
	// Close destroys the queue; ibv_destroy_srq(3). It fails while queue pairs use
	// it.
	Close() error
}
