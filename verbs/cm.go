package verbs

import (
	"context"
	"net/netip"
	"time"
)

// CMProvider is implemented by providers that have a connection manager;
// rdma_cm(7).
type CMProvider interface {
	// CreateEventChannel opens an event channel for identifiers;
	// rdma_create_event_channel(3).
	CreateEventChannel() (CMEventChannel, error)
	// GetAddrInfo translates a node (host name or address) and a service (port name or
	// number) into addresses for ResolveAddr and BindAddr. Either may be "", like NULL in
	// C. Results are ordered best first; there is at least one. An error that matches
	// [AddrInfoError] comes from the resolver. If ctx ends first, GetAddrInfo returns its
	// error. rdma_getaddrinfo(3).
	GetAddrInfo(ctx context.Context, node, service string, hints AddrInfoHints) ([]AddrInfo, error)
}

// CMEventChannel delivers the events of its identifiers.
type CMEventChannel interface {
	// CreateID creates an identifier on the channel; rdma_create_id(3).
	CreateID(CMPortSpace) (CMID, error)
	// GetEvent waits for the next event and returns a copy, already acknowledged, so that
	// no returned event blocks the closing of an identifier. If ctx ends first, GetEvent
	// returns its error. Only one goroutine may call it at a time. rdma_get_cm_event(3),
	// rdma_ack_cm_event(3).
	GetEvent(ctx context.Context) (CMEvent, error)
	// Close closes the channel; rdma_destroy_event_channel(3). It fails while the channel
	// has identifiers.
	Close() error
}

// CMID is a communication identifier, the connection manager's equivalent of a socket;
// rdma_create_id(3). No call waits for the peer: the result arrives as an event.
type CMID interface {
	// PortSpace returns the port space that the identifier was created in.
	PortSpace() CMPortSpace
	// Device returns the open device that the identifier is bound to, nil before binding.
	// Binding happens by BindAddr to a specific address, by ADDR_RESOLVED or by
	// CONNECT_REQUEST. Create the objects for the identifier's queue pair on this device.
	// The connection manager owns it: Close does not close it, but fails while it has
	// objects. It may be closed once no identifier is bound to it and all its objects are
	// gone.
	Device() Device
	// PortNum returns the device's port, 0 until the identifier is bound.
	PortNum() uint8
	// LocalAddr and PeerAddr return the addresses, or the zero value while unknown.
	// rdma_get_local_addr(3), rdma_get_peer_addr(3).
	LocalAddr() netip.AddrPort
	PeerAddr() netip.AddrPort
	// QP returns the identifier's queue pair, nil if it has none.
	QP() QP

	// BindAddr binds to a local address. Port 0 lets the provider choose one; the
	// unspecified address means all devices. rdma_bind_addr(3).
	BindAddr(src netip.AddrPort) error
	// ResolveAddr resolves dst to a device, a source address and a neighbor; src may be
	// the zero value. ADDR_RESOLVED or ADDR_ERROR follows. If there is no route at all,
	// the call itself fails with ENETUNREACH. rdma_resolve_addr(3).
	ResolveAddr(src, dst netip.AddrPort, timeout time.Duration) error
	// ResolveRoute resolves the path to dst; ROUTE_RESOLVED or ROUTE_ERROR follows.
	// rdma_resolve_route(3).
	ResolveRoute(timeout time.Duration) error
	// Listen accepts incoming requests: each arrives as a CONNECT_REQUEST with a new
	// identifier. rdma_listen(3).
	Listen(backlog int) error
	// Connect sends a connection request, or a service ID resolution request (SIDR_REQ)
	// for datagrams. rdma_connect(3).
	Connect(CMConnParam) error
	// Accept accepts a request; rdma_accept(3).
	Accept(CMConnParam) error
	// Reject refuses a request; rdma_reject(3).
	Reject(privateData []byte) error
	// Disconnect ends a connection and moves its queue pair to ERR;
	// rdma_disconnect(3).
	Disconnect() error
	// Establish completes a connection when the peer does not confirm it: after
	// CONNECT_RESPONSE on an identifier without a queue pair. rdma_establish(3).
	Establish() error
	// Notify reports an asynchronous event (COMM_EST) of a queue pair that the manager
	// does not own; rdma_notify(3).
	Notify(EventType) error
	// SetOption sets one option; rdma_set_option(3).
	SetOption(option CMOption, value uint64) error

	// InitQPAttr returns the attributes that the manager would set to move a queue pair to
	// INIT, RTR or RTS; rdma_init_qp_attr(3).
	InitQPAttr(QPState) (QPAttr, error)
	// CreateQP creates a queue pair on the identifier; the manager moves it through its
	// states. rdma_create_qp(3). The queue pair's Close is rdma_destroy_qp(3) and fails
	// with EBUSY while it is in a group that the identifier joined.
	CreateQP(pd PD, spec QPSpec) (QP, error)

	// JoinMulticast joins a group and attaches the identifier's queue pair, if
	// there is one; MULTICAST_JOIN or MULTICAST_ERROR follows.
	// rdma_join_multicast(3).
	JoinMulticast(group netip.Addr) error
	// LeaveMulticast leaves a group; rdma_leave_multicast(3).
	LeaveMulticast(group netip.Addr) error

	// Migrate moves the identifier to another channel of the same provider;
	// rdma_migrate_id(3).
	Migrate(CMEventChannel) error
	// Close destroys the identifier and ends its connection; an unanswered request is
	// rejected. Close fails while the identifier has a queue pair. rdma_destroy_id(3).
	Close() error
}

// CMConnParam holds what Connect and Accept offer the peer; struct rdma_conn_param.
type CMConnParam struct {
	PrivateData        []byte // at most 56 bytes in Connect and 196 in Accept for TCP; 180 and 136 for UDP
	ResponderResources uint8  // READs and atomics from the peer that may be outstanding; 255 means the device's maximum
	InitiatorDepth     uint8  // READs and atomics to the peer; as above
	FlowControl        bool
	RetryCount         uint8 // 0..7; Connect only
	RNRRetryCount      uint8 // 0..7, 7 means infinite
	SRQ                bool
	QPNum              QPN // of a queue pair that is not the identifier's own; ignored if the identifier has one
}

// CMUDParam is the answer of a datagram peer; struct rdma_ud_param.
type CMUDParam struct {
	PrivateData []byte
	AH          AHAttr
	QPNum       QPN
	QKey        uint32
}

// CMEvent is one event of the connection manager, copied and acknowledged; struct
// rdma_cm_event. Its private data fills the message's whole field: the message does not
// carry the length that the peer sent, and the rest is zero.
type CMEvent struct {
	Type CMEventType
	ID   CMID // the identifier concerned: for CONNECT_REQUEST the new one; nil if it has been destroyed
	// ListenID is the listening identifier that received a CONNECT_REQUEST.
	ListenID CMID
	// Status is 0, a negative errno, or a positive code from the peer: the
	// [CMRejectReason] if Type is CMRejected; the status of the SIDR_REP if Type is
	// CMUnreachable, for example 1 (no such service) or 2 (rejected); IBA 12.11.2.
	Status int
	Conn   CMConnParam // of connected port spaces
	UD     CMUDParam   // of datagrams and multicast
}

// CMPortSpace is the kind of service of an identifier; rdma_create_id(3).
type CMPortSpace uint32

// Port spaces; the values are those of enum rdma_port_space.
const (
	PortSpaceIPoIB CMPortSpace = 0x0002
	PortSpaceTCP   CMPortSpace = 0x0106 // reliable connections
	PortSpaceUDP   CMPortSpace = 0x0111 // datagrams
	PortSpaceIB    CMPortSpace = 0x013f // any service, by service ID
)

// IsDatagram reports whether a port space is for datagrams.
func (p CMPortSpace) IsDatagram() bool { return p == PortSpaceUDP || p == PortSpaceIPoIB }

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
