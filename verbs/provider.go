package verbs

import "context"

// DeviceInfo identifies a device before it is opened.
type DeviceInfo struct {
	Name      string `json:"name"`      // "mlx5_0", "rxe0", "soft0"
	Provider  string `json:"provider"`  // HostProvider or SoftProvider
	NodeGUID  GUID   `json:"node_guid"` //
	NodeType  string `json:"node_type"` // "CA", "RNIC", …
	Transport string `json:"transport"` // "InfiniBand", "iWARP", …
	DevName   string `json:"dev_name,omitempty"`
	DevPath   string `json:"dev_path,omitempty"`   // char device's class directory
	IBDevPath string `json:"ibdev_path,omitempty"` // device's class directory in sysfs
}

// Names of the providers, as --provider and [DeviceInfo] have them.
const (
	HostProvider = "ibverbs" // the host's libibverbs and librdmacm
	SoftProvider = "soft"    // the software device of this process
)

// Provider lists and opens devices. Its methods may be called from any
// goroutine.
type Provider interface {
	// Name is what --provider calls it: [HostProvider] or [SoftProvider].
	Name() string
	// Devices lists what can be opened, in the provider's order. An error that
	// matches ErrUnsupported means that the host has no such thing at all.
	Devices() ([]DeviceInfo, error)
	// Open opens the named device; ibv_open_device(3).
	Open(name string) (Device, error)
}

// Device is an open device (a verbs context). Its methods, and those of all
// objects made from it, may be called from any goroutine; one object's posts
// are taken in the order in which the calls are made.
//
// Close of every object is idempotent. Objects are closed before what they
// were made from: otherwise Close fails with a [BusyError] or EBUSY and the
// object stays.
type Device interface {
	Info() DeviceInfo
	// QueryDevice reads the 40 basic attributes; ibv_query_device(3).
	QueryDevice() (DeviceAttr, error)
	// QueryDeviceEx reads the extended ones. An error that matches
	// ErrUnsupported means that the library or driver has no such call.
	QueryDeviceEx() (DeviceAttrEx, error)
	// QueryPort reads one port, from 1; ibv_query_port(3).
	QueryPort(port uint8) (PortAttr, error)
	// QueryGIDTable lists the used rows of all ports' GID tables.
	QueryGIDTable() ([]GIDEntry, error)
	// QueryGID reads one row, used or not.
	QueryGID(port uint8, index int) (GIDEntry, error)
	// QueryPKey reads one row of a port's P_Key table, in host order.
	QueryPKey(port uint8, index int) (uint16, error)

	AllocPD() (PD, error)
	// AllocDM takes some of the device's own memory; ibv_alloc_dm(3). An error that
	// matches ErrUnsupported means that library or driver have no such call.
	AllocDM(DMSpec) (DM, error)
	CreateCompChannel() (CompChannel, error)
	CreateCQ(CQSpec) (CQ, error)

	// GetAsyncEvent waits for the next asynchronous event and acknowledges it.
	// It returns ctx's error when ctx ends first. One caller at a time.
	GetAsyncEvent(ctx context.Context) (AsyncEvent, error)

	Close() error
}

// PD is a protection domain: regions and queue pairs work together only inside
// one. IBA 10.2.3.
type PD interface {
	RegMR(MRSpec) (MR, error)
	CreateQP(QPSpec) (QP, error)
	CreateSRQ(SRQSpec) (SRQ, error)
	CreateAH(AHAttr) (AH, error)
	// AllocMW makes a memory window that shows nothing yet; ibv_alloc_mw(3).
	AllocMW(MWType) (MW, error)
	Close() error
}

// MRSpec asks for a memory region.
type MRSpec struct {
	Length  uint64 // bytes, at least 1; of a file, shared memory or a dma-buf that is there, or device memory 0 is all behind the offset
	Access  Access
	Backing Backing // the zero value is fresh zeroed memory of the provider's
}

// MR is a registered memory region; ibv_reg_mr(3). Its bytes are reached by
// copying only: a peer may write at any time.
type MR interface {
	// Spec, and the address and keys below, are those of now: Rereg changes them.
	Spec() MRSpec
	Addr() uint64 // what sge.addr and remote_addr count from
	LKey() uint32
	RKey() uint32
	// ReadAt and WriteAt copy from and to the region at a byte offset, as
	// io.ReaderAt and io.WriterAt do. They fail outside the region, after Close, and
	// where the memory cannot be reached: of a file that became shorter, for example. Of
	// device memory they fail with ErrDeviceMemory.
	ReadAt(p []byte, off int64) (int, error)
	WriteAt(p []byte, off int64) (int, error)
	// Rereg changes the region in place; ibv_rereg_mr(3). Its keys may change.
	// An error that matches ErrUnsupported leaves the region as it was.
	Rereg(MRChange) error
	// Close deregisters. It fails while memory windows are bound to the region.
	Close() error
}

// MRChange says what [MR.Rereg] changes.
type MRChange struct {
	Flags  ReregFlags
	PD     PD     // with ReregPD
	Length uint64 // with ReregTranslation: over fresh zeroed memory of that many bytes, whatever it was over
	Access Access // with ReregAccess
}

// ReregFlags says which fields of an [MRChange] count; the values are those of
// enum ibv_rereg_mr_flags.
type ReregFlags uint32

// Parts of a region that can be changed.
const (
	ReregTranslation ReregFlags = 1 << 0
	ReregPD          ReregFlags = 1 << 1
	ReregAccess      ReregFlags = 1 << 2
)

// ReregFlagNames names them.
var ReregFlagNames = Flags[ReregFlags]{"rereg_mr", "IBV_REREG_MR_", map[int]string{
	0: "CHANGE_TRANSLATION", 1: "CHANGE_PD", 2: "CHANGE_ACCESS",
}}

func (f ReregFlags) String() string { return ReregFlagNames.Name(f) }

// CQSpec asks for a completion queue; ibv_create_cq(3).
type CQSpec struct {
	CQE        int         // entries at least
	Channel    CompChannel // nil: polling only
	CompVector int         // 0 .. num_comp_vectors-1
	WCFlags    CQWCFlags   // not 0: ibv_create_cq_ex(3); the fields of ibv_poll_cq come in any case
}

// CQ is a completion queue.
type CQ interface {
	// CQE is the number of entries that it really has.
	CQE() int
	// Poll fills wcs with what has completed and returns how many; 0 is no
	// error. It never waits.
	Poll(wcs []WC) (int, error)
	// ReqNotify asks for one event on the channel at the next completion, or
	// the next solicited or failed one; ibv_req_notify_cq(3).
	ReqNotify(solicitedOnly bool) error
	// AckEvents acknowledges n events that GetCQEvent returned. Close
	// acknowledges what is left, so that it cannot block.
	AckEvents(n int)
	Close() error
}

// CompChannel delivers completion events; ibv_create_comp_channel(3).
type CompChannel interface {
	// GetCQEvent waits for the next event and returns its queue. It returns
	// ctx's error when ctx ends first.
	GetCQEvent(ctx context.Context) (CQ, error)
	Close() error
}

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
	Num() QPN
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
	Close() error
}

// AH is an address handle; ibv_create_ah(3).
type AH interface {
	Attr() AHAttr
	Close() error
}
