package verbs

// CMEventType is the kind of a connection manager event; rdma_get_cm_event(3).
type CMEventType uint32

// Events; the values are those of enum rdma_cm_event_type.
const (
	CMAddrResolved     CMEventType = 0
	CMAddrError        CMEventType = 1
	CMRouteResolved    CMEventType = 2
	CMRouteError       CMEventType = 3
	CMConnectRequest   CMEventType = 4
	CMConnectResponse  CMEventType = 5
	CMConnectError     CMEventType = 6
	CMUnreachable      CMEventType = 7
	CMRejected         CMEventType = 8
	CMEstablished      CMEventType = 9
	CMDisconnected     CMEventType = 10
	CMDeviceRemoval    CMEventType = 11
	CMMulticastJoin    CMEventType = 12
	CMMulticastError   CMEventType = 13
	CMAddrChange       CMEventType = 14
	CMTimewaitExit     CMEventType = 15
	CMAddrInfoResolved CMEventType = 16
	CMAddrInfoError    CMEventType = 17
	CMUser             CMEventType = 18
	CMInternal         CMEventType = 19
)

// CMEventTypes names the events.
var CMEventTypes = Enum[CMEventType]{"cm_event", "RDMA_CM_EVENT_", map[CMEventType]string{
	CMAddrResolved: "ADDR_RESOLVED", CMAddrError: "ADDR_ERROR", CMRouteResolved: "ROUTE_RESOLVED",
	CMRouteError: "ROUTE_ERROR", CMConnectRequest: "CONNECT_REQUEST", CMConnectResponse: "CONNECT_RESPONSE",
	CMConnectError: "CONNECT_ERROR", CMUnreachable: "UNREACHABLE", CMRejected: "REJECTED",
	CMEstablished: "ESTABLISHED", CMDisconnected: "DISCONNECTED", CMDeviceRemoval: "DEVICE_REMOVAL",
	CMMulticastJoin: "MULTICAST_JOIN", CMMulticastError: "MULTICAST_ERROR", CMAddrChange: "ADDR_CHANGE",
	CMTimewaitExit: "TIMEWAIT_EXIT", CMAddrInfoResolved: "ADDRINFO_RESOLVED",
	CMAddrInfoError: "ADDRINFO_ERROR", CMUser: "USER", CMInternal: "INTERNAL",
}}

// String returns the C name without its prefix; "unknown(n)" if it has no name.
func (t CMEventType) String() string { return CMEventTypes.Name(t) }

// MarshalText is String, for JSON.
func (t CMEventType) MarshalText() ([]byte, error) { return []byte(t.String()), nil }
