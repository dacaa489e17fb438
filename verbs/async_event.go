package verbs

// EventType is the kind of an asynchronous event; ibv_get_async_event(3), IBA 11.6.3.
type EventType uint32

// Asynchronous events; the values are those of enum ibv_event_type.
const (
	EventCQErr             EventType = 0
	EventQPFatal           EventType = 1
	EventQPReqErr          EventType = 2
	EventQPAccessErr       EventType = 3
	EventCommEst           EventType = 4
	EventSQDrained         EventType = 5
	EventPathMig           EventType = 6
	EventPathMigErr        EventType = 7
	EventDeviceFatal       EventType = 8
	EventPortActive        EventType = 9
	EventPortErr           EventType = 10
	EventLIDChange         EventType = 11
	EventPKeyChange        EventType = 12
	EventSMChange          EventType = 13
	EventSRQErr            EventType = 14
	EventSRQLimitReached   EventType = 15
	EventQPLastWQEReached  EventType = 16
	EventClientReregister  EventType = 17
	EventGIDChange         EventType = 18
	EventWQFatal           EventType = 19
	EventDeviceSpeedChange EventType = 20
)

// EventTypes names the asynchronous events.
var EventTypes = Enum[EventType]{"event_type", "IBV_EVENT_", map[EventType]string{
	EventCQErr: "CQ_ERR", EventQPFatal: "QP_FATAL", EventQPReqErr: "QP_REQ_ERR",
	EventQPAccessErr: "QP_ACCESS_ERR", EventCommEst: "COMM_EST", EventSQDrained: "SQ_DRAINED",
	EventPathMig: "PATH_MIG", EventPathMigErr: "PATH_MIG_ERR", EventDeviceFatal: "DEVICE_FATAL",
	EventPortActive: "PORT_ACTIVE", EventPortErr: "PORT_ERR", EventLIDChange: "LID_CHANGE",
	EventPKeyChange: "PKEY_CHANGE", EventSMChange: "SM_CHANGE", EventSRQErr: "SRQ_ERR",
	EventSRQLimitReached: "SRQ_LIMIT_REACHED", EventQPLastWQEReached: "QP_LAST_WQE_REACHED",
	EventClientReregister: "CLIENT_REREGISTER", EventGIDChange: "GID_CHANGE",
	EventWQFatal: "WQ_FATAL", EventDeviceSpeedChange: "DEVICE_SPEED_CHANGE",
}}

// String returns the C name without its prefix; "unknown(n)" if it has no name.
func (t EventType) String() string { return EventTypes.Name(t) }

// MarshalText is String, for JSON.
func (t EventType) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// EventElement is the kind of object that an asynchronous event concerns.
type EventElement uint8

// Elements of events.
const (
	ElementDevice EventElement = iota
	ElementPort
	ElementQP
	ElementCQ
	ElementSRQ
	ElementWQ
)

var eventElements = map[EventType]EventElement{
	EventCQErr: ElementCQ, EventQPFatal: ElementQP, EventQPReqErr: ElementQP,
	EventQPAccessErr: ElementQP, EventCommEst: ElementQP, EventSQDrained: ElementQP,
	EventPathMig: ElementQP, EventPathMigErr: ElementQP, EventPortActive: ElementPort,
	EventPortErr: ElementPort, EventLIDChange: ElementPort, EventPKeyChange: ElementPort,
	EventSMChange: ElementPort, EventSRQErr: ElementSRQ, EventSRQLimitReached: ElementSRQ,
	EventQPLastWQEReached: ElementQP, EventClientReregister: ElementPort,
	EventGIDChange: ElementPort, EventWQFatal: ElementWQ,
}

// Element returns the kind of object that the event concerns; ElementDevice for device
// events and for unknown types.
func (t EventType) Element() EventElement { return eventElements[t] }

// AsyncEvent is one asynchronous event, already acknowledged. QP, CQ or SRQ is the
// object concerned; it is nil if the type concerns another element, or if the object
// has been destroyed.
type AsyncEvent struct {
	Type    EventType
	PortNum uint8 // port events only
	QP      QP
	CQ      CQ
	SRQ     SRQ
}
