package verbs

import (
	"context"
	"net/netip"
	"time"
)

// CMProvider is implemented by providers that have a connection manager;
// rdma_cm(7).
type CMProvider interface {
	// CreateEventChannel opens a channel, which identifiers are made on;
	// rdma_create_event_channel(3).
	CreateEventChannel() (CMEventChannel, error)
	// GetAddrInfo translates a node, a host name or address, and a service, a name
	// or number of a port, into what ResolveAddr and BindAddr take. Either may be
	// "", as NULL in C. The best comes first; there is at least one. An error that
	// matches [AddrInfoError] is the resolver's. It returns ctx's error when ctx
	// ends first. rdma_getaddrinfo(3).
	GetAddrInfo(ctx context.Context, node, service string, hints AddrInfoHints) ([]AddrInfo, error)
}

// CMEventChannel delivers the events of its identifiers.
type CMEventChannel interface {
	// CreateID makes an identifier; rdma_create_id(3).
	CreateID(CMPortSpace) (CMID, error)
	// GetEvent waits for the next event and returns a copy of it, acknowledged
	// already: nothing that was returned keeps an identifier from being closed.
	// It returns ctx's error when ctx ends first. One caller at a time.
	// rdma_get_cm_event(3), rdma_ack_cm_event(3).
	GetEvent(ctx context.Context) (CMEvent, error)
	// Close fails while identifiers are on the channel.
	Close() error
}

// CMID is a communication identifier, the connection manager's socket;
// rdma_create_id(3). No call waits for the peer: what comes of it is told by an
// event.
type CMID interface {
	// PortSpace returns the port space that the identifier was created in.
	PortSpace() CMPortSpace
	// Device is the open device that the identifier is bound to, nil until it is:
	// by BindAddr to an address that is not the wildcard, ADDR_RESOLVED or
	// CONNECT_REQUEST. Objects for the identifier's queue pair are made on it. It
	// belongs to the connection manager: Close leaves it open, though it fails
	// while there are objects. It may be gone once no identifier is bound to it and
	// no object made from it is left.
	Device() Device
	// PortNum is the device's port, 0 until the identifier is bound.
	PortNum() uint8
	// LocalAddr and PeerAddr are the addresses as far as they are known; the zero
	// value otherwise. rdma_get_local_addr(3), rdma_get_peer_addr(3).
	LocalAddr() netip.AddrPort
	PeerAddr() netip.AddrPort
	// QP is the queue pair on the identifier, nil without one.
	QP() QP

	// BindAddr takes a local address; port 0 lets one be chosen, the unspecified
	// address stands for all devices. rdma_bind_addr(3).
	BindAddr(src netip.AddrPort) error
	// ResolveAddr finds device, address and neighbour on the way to dst; src may be
	// the zero value. ADDR_RESOLVED or ADDR_ERROR follows, unless there is no route
	// at all: then the call itself fails, with ENETUNREACH. rdma_resolve_addr(3).
	ResolveAddr(src, dst netip.AddrPort, timeout time.Duration) error
	// ResolveRoute finds the path; ROUTE_RESOLVED or ROUTE_ERROR follows.
	// rdma_resolve_route(3).
	ResolveRoute(timeout time.Duration) error
	// Listen lets requests in: each is a CONNECT_REQUEST with an identifier of its
	// own. rdma_listen(3).
	Listen(backlog int) error
	// Connect sends a connection request, for datagrams a service resolution.
	// rdma_connect(3).
	Connect(CMConnParam) error
	// Accept answers a request; rdma_accept(3).
	Accept(CMConnParam) error
	// Reject refuses a request; rdma_reject(3).
	Reject(privateData []byte) error
	// Disconnect ends a connection and moves its queue pair to ERR;
	// rdma_disconnect(3).
	Disconnect() error
	// Establish goes on where the peer does not tell that it is ready, as for an
	// identifier without a queue pair after CONNECT_RESPONSE; rdma_establish(3).
	Establish() error
	// Notify tells the manager of an asynchronous event of a queue pair that it
	// does not own: COMM_EST; rdma_notify(3).
	Notify(EventType) error
	// SetOption sets one option; rdma_set_option(3).
	SetOption(option CMOption, value uint64) error

	// InitQPAttr returns what the manager would set to bring a queue pair to the
	// state, INIT, RTR or RTS; rdma_init_qp_attr(3).
	InitQPAttr(QPState) (QPAttr, error)
	// CreateQP makes a queue pair on the identifier, moved through the states by
	// the manager; rdma_create_qp(3). Its Close is rdma_destroy_qp(3), and fails
	// with EBUSY while it is in a group that the identifier joined.
	CreateQP(pd PD, spec QPSpec) (QP, error)

	// JoinMulticast joins a group and attaches the identifier's queue pair, if
	// there is one; MULTICAST_JOIN or MULTICAST_ERROR follows.
	// rdma_join_multicast(3).
	JoinMulticast(group netip.Addr) error
	// LeaveMulticast leaves it; rdma_leave_multicast(3).
	LeaveMulticast(group netip.Addr) error

	// Migrate moves the identifier to another channel of the same provider;
	// rdma_migrate_id(3).
	Migrate(CMEventChannel) error
	// Close destroys the identifier, and with it a connection; a request that was
	// not answered is rejected. It fails while it has a queue pair.
	// rdma_destroy_id(3).
	Close() error
}

// CMConnParam is what Connect and Accept offer the peer; struct rdma_conn_param.
type CMConnParam struct {
	PrivateData        []byte // limit: 56 bytes in Connect of TCP, 196 in Accept of it; 180 and 136 of UDP
	ResponderResources uint8  // READs and atomics from the peer that may be open at a time; 255 is the device's most
	InitiatorDepth     uint8  // READs and atomics to the peer; as above
	FlowControl        bool
	RetryCount         uint8 // 0..7; Connect only
	RNRRetryCount      uint8 // 0..7, 7 is for ever
	SRQ                bool
	QPNum              QPN // of a queue pair that is not the identifier's own; ignored where it has one
}

// CMUDParam is what a datagram peer's answer tells; struct rdma_ud_param.
type CMUDParam struct {
	PrivateData []byte
	AH          AHAttr
	QPNum       QPN
	QKey        uint32
}

// CMEvent is one event of the connection manager, copied and acknowledged;
// struct rdma_cm_event. Its private data is as long as its message has room
// for: how much of it the peer has sent is not said, the rest is zero.
type CMEvent struct {
	Type CMEventType
	ID   CMID // whom it concerns: for CONNECT_REQUEST the new identifier; nil where it is gone
	// ListenID is the listening identifier that a CONNECT_REQUEST came in on.
	ListenID CMID
	// Status is 0, a negative errno, or positive what the peer gave: where Type is
	// CMRejected the reason, a [CMRejectReason]; where it is CMUnreachable the
	// status of a SIDR_REP, as 1, no such service, and 2, rejected (IBA 12.11.2).
	Status int
	Conn   CMConnParam // of connected port spaces
	UD     CMUDParam   // of datagrams and multicast
}

// CMPortSpace is what kind of service an identifier is for; rdma_create_id(3).
type CMPortSpace uint32

// Port spaces; the values are those of enum rdma_port_space.
const (
	PortSpaceIPoIB CMPortSpace = 0x0002
	PortSpaceTCP   CMPortSpace = 0x0106 // reliable connections
	PortSpaceUDP   CMPortSpace = 0x0111 // datagrams
	PortSpaceIB    CMPortSpace = 0x013f // any service, by service ID
)

// CMPortSpaces names the port spaces.
var CMPortSpaces = Enum[CMPortSpace]{"port_space", "RDMA_PS_", map[CMPortSpace]string{
	PortSpaceIPoIB: "IPOIB", PortSpaceTCP: "TCP", PortSpaceUDP: "UDP", PortSpaceIB: "IB",
}}

// String returns the C name without its prefix; "unknown(n)" if it has no name.
func (p CMPortSpace) String() string { return CMPortSpaces.Name(p) }

// MarshalText is String, for JSON.
func (p CMPortSpace) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// CMOption is one option of an identifier; rdma_set_option(3).
type CMOption uint32

// Options of level RDMA_OPTION_ID; the values are those of the C constants.
const (
	CMOptTOS        CMOption = 0 // type of service, 0..255
	CMOptReuseAddr  CMOption = 1 // 0 or 1
	CMOptAFOnly     CMOption = 2 // IPv6 only, 0 or 1
	CMOptACKTimeout CMOption = 3 // 4.096 µs·2ⁿ, n 0..31
)

// CMOptions names the options.
var CMOptions = Enum[CMOption]{"cm_option", "RDMA_OPTION_ID_", map[CMOption]string{
	CMOptTOS: "TOS", CMOptReuseAddr: "REUSEADDR", CMOptAFOnly: "AFONLY", CMOptACKTimeout: "ACK_TIMEOUT",
}}

// String returns the C name without its prefix; "unknown(n)" if it has no name.
func (o CMOption) String() string { return CMOptions.Name(o) }

// MarshalText is String, for JSON.
func (o CMOption) MarshalText() ([]byte, error) { return []byte(o.String()), nil }
