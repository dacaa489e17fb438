package verbs

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

func (p CMPortSpace) String() string { return CMPortSpaces.Name(p) }

// MarshalText is String, for JSON.
func (p CMPortSpace) MarshalText() ([]byte, error) { return []byte(p.String()), nil }
