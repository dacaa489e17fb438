package verbs

// QPState is the state of a queue pair; IBA 10.3.1.
type QPState uint32

// Queue pair states; the values are those of enum ibv_qp_state.
const (
	QPReset   QPState = 0
	QPInit    QPState = 1
	QPRTR     QPState = 2 // ready to receive
	QPRTS     QPState = 3 // ready to send
	QPSQD     QPState = 4 // send queue drained
	QPSQE     QPState = 5 // send queue error (UC, UD)
	QPErr     QPState = 6
	QPUnknown QPState = 7
)

// QPStates names the states.
var QPStates = Enum[QPState]{"qp_state", "IBV_QPS_", map[QPState]string{
	QPReset: "RESET", QPInit: "INIT", QPRTR: "RTR", QPRTS: "RTS", QPSQD: "SQD", QPSQE: "SQE",
	QPErr: "ERR", QPUnknown: "UNKNOWN",
}}

// String returns the C name without its prefix; "unknown(n)" if it has no name.
func (s QPState) String() string { return QPStates.Name(s) }

// MarshalText is String, for JSON.
func (s QPState) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// QPType is the transport service of a queue pair; IBA 9.1.
type QPType uint32

// Queue pair types; the values are those of enum ibv_qp_type.
const (
	RC        QPType = 2 // reliable connection
	UC        QPType = 3 // unreliable connection
	UD        QPType = 4 // unreliable datagram
	RawPacket QPType = 8
	XRCSend   QPType = 9
	XRCRecv   QPType = 10
	Driver    QPType = 255
)

// QPTypes names the types.
var QPTypes = Enum[QPType]{"qp_type", "IBV_QPT_", map[QPType]string{
	RC: "RC", UC: "UC", UD: "UD", RawPacket: "RAW_PACKET", XRCSend: "XRC_SEND", XRCRecv: "XRC_RECV", Driver: "DRIVER",
}}

// String returns the C name without its prefix; "unknown(n)" if it has no name.
func (t QPType) String() string { return QPTypes.Name(t) }

// MarshalText is String, for JSON.
func (t QPType) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// MigState is the state of automatic path migration; IBA 17.2.8.
type MigState uint32

// MigStates names the path migration states of enum ibv_mig_state.
var MigStates = Enum[MigState]{"path_mig_state", "IBV_MIG_", map[MigState]string{0: "MIGRATED", 1: "REARM", 2: "ARMED"}}

// String returns the C name without its prefix; "unknown(n)" if it has no name.
func (s MigState) String() string { return MigStates.Name(s) }

// MarshalText is String, for JSON.
func (s MigState) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
