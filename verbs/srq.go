package verbs

// SRQSpec asks for a shared receive queue; ibv_create_srq(3).
type SRQSpec struct {
	MaxWR  uint32 // receive requests at least
	MaxSGE uint32 // elements of each
}

// SRQAttrMask says which fields of an [SRQAttr] count.
type SRQAttrMask uint32

// Fields of SRQAttr; the values are those of enum ibv_srq_attr_mask.
const (
	SRQMaxWR SRQAttrMask = 1 << 0 // resize; needs the device flag SRQ_RESIZE
	SRQLimit SRQAttrMask = 1 << 1
)

// SRQAttr is struct ibv_srq_attr.
type SRQAttr struct {
	Mask   SRQAttrMask
	MaxWR  uint32
	MaxSGE uint32 // cannot be modified
	// Limit arms the queue for one SRQ_LIMIT_REACHED event, raised when fewer
	// requests than this are left; 0 is disarmed. IBA 10.2.9.1.
	Limit uint32
}

// SRQ is a receive queue that several queue pairs of one protection domain take
// their receive requests from. IBA 10.2.9.
type SRQ interface {
	// Modify arms the limit or resizes; ibv_modify_srq(3).
	Modify(SRQAttr) error
	// Query reads the attributes; ibv_query_srq(3). Limit is 0 once the event
	// has been raised.
	Query() (SRQAttr, error)
	// PostRecv posts receive requests; as QP.PostRecv.
	PostRecv(wrs ...RecvWR) (posted int, err error)
	// Close fails while queue pairs use the queue.
	Close() error
}
