package verbs

import "fmt"

// Trait is something that every InfiniBand and RoCE device has and another transport may lack.
type Trait int

// Traits.
const (
	ByHand         Trait = iota // queue pairs that modify_qp connects, without the connection manager
	Datagrams                   // UD queue pairs, and with them address handles and multicast groups
	UnreliableConn              // UC queue pairs
	ImmediateData               // SEND_WITH_IMM and RDMA_WRITE_WITH_IMM
)

// lacks are the traits that a transport does not have: what it has instead, and what
// to use. For iWARP RFC 5040 and RFC 5044. What a device itself tells, such as
// atomic_cap and max_mw, is not here.
var lacks = map[string]map[Trait]struct{ instead, use string }{
	iWARP: {
		ByHand:         {"connects queue pairs through the connection manager only", "use rdma_create_id and rdma_create_qp, or a scenario such as hello or rping"},
		Datagrams:      {"has no datagrams, address handles or multicast groups", "use an RC queue pair of rdma_create_qp"},
		UnreliableConn: {"has no unreliable connections", "use an RC queue pair of rdma_create_qp"},
		ImmediateData:  {"has no immediate data", "send the value in a message of its own"},
	},
}

// Names of transports in DeviceInfo.
const (
	iWARP      = "iWARP"
	infiniBand = "InfiniBand"
)

// rnic is the node type of iWARP's devices.
const rnic = "RNIC"

// LackError says what a device's transport lacks. It matches ErrUnsupported.
type LackError struct {
	Device, Transport string
	Instead, Use      string // what the transport does instead, and what to use
}

// Error says what the transport lacks and what to use instead.
func (e *LackError) Error() string {
	return fmt.Sprintf("%s is an %s: %s %s; %s", e.Device, rnic, e.Transport, e.Instead, e.Use)
}

// Is makes errors.Is(err, ErrUnsupported) true.
func (e *LackError) Is(target error) bool { return target == ErrUnsupported }

// Lack returns a *LackError where the device's transport does not have a trait, nil where it has.
func (i *DeviceInfo) Lack(t Trait) error {
	transport := i.transport()
	l, missing := lacks[transport][t]
	if !missing {
		return nil
	}
	return &LackError{i.Name, transport, l.instead, l.use}
}

// transport is the transport's name, which follows from the node type where the
// library names another.
func (i *DeviceInfo) transport() string {
	if i.NodeType == rnic {
		return iWARP
	}
	return i.Transport
}

// TransportOver names the transport of a port with the given link layer: RoCE for
// InfiniBand's over Ethernet, otherwise as ibv_devinfo does. It is the link layer's
// name where the transport is not known.
func (i *DeviceInfo) TransportOver(link LinkLayer) string {
	switch transport := i.transport(); {
	case transport == "":
		return link.String()
	case transport == infiniBand && link == LinkEthernet:
		return "RoCE"
	default:
		return transport
	}
}

// ConnectsByAddress reports whether the device knows its peers by IP address alone,
// so that its GIDs say nothing.
func (i *DeviceInfo) ConnectsByAddress() bool { return i.Lack(ByHand) != nil }
