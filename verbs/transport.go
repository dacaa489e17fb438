package verbs

import "fmt"

// Trait is a feature that every InfiniBand and RoCE device has and other transports may lack.
type Trait int

// Traits.
const (
	ByHand         Trait = iota // queue pairs connected with modify_qp, without the connection manager
	Datagrams                   // UD queue pairs, with address handles and multicast groups
	UnreliableConn              // UC queue pairs
	ImmediateData               // SEND_WITH_IMM and RDMA_WRITE_WITH_IMM
)

// lacks holds the traits that a transport lacks, what it does instead, and what to use. Sources for
// iWARP: RFC 5040 and RFC 5044. Features that the device itself reports, such as atomic_cap and
// max_mw, are not listed.
var lacks = map[string]map[Trait]struct{ instead, use string }{
	iWARP: {
		ByHand: {"connects queue pairs through the connection manager only",
			"use rdma_create_id and rdma_create_qp, or a scenario such as hello or rping"},
		Datagrams: {"has no datagrams, address handles or multicast groups",
			"use an RC queue pair of rdma_create_qp"},
		UnreliableConn: {"has no unreliable connections", "use an RC queue pair of rdma_create_qp"},
		ImmediateData:  {"has no immediate data", "send the value in a message of its own"},
	},
}

// Names of transports in DeviceInfo.
const (
	iWARP      = "iWARP"
	infiniBand = "InfiniBand"
)

// rnic is the node type of iWARP devices.
const rnic = "RNIC"

// LackError means that a device's transport lacks a trait. It matches ErrUnsupported.
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

// Lack returns a *LackError if the device's transport lacks the trait, nil if it has it.
func (i *DeviceInfo) Lack(t Trait) error {
	transport := i.transport()
	l, missing := lacks[transport][t]
	if !missing {
		return nil
	}
	return &LackError{i.Name, transport, l.instead, l.use}
}

// transport returns the transport's name. It is derived from the node type where the library
// reports another one.
func (i *DeviceInfo) transport() string {
	if i.NodeType == rnic {
		return iWARP
	}
	return i.Transport
}

// TransportOver returns the transport's name on a port with the given link layer: RoCE for
// InfiniBand over Ethernet, otherwise the name that ibv_devinfo prints. If the transport is unknown
// it is the link layer's name.
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

// ConnectsByAddress reports whether the device identifies peers by IP address only, so that its
// GIDs have no meaning.
func (i *DeviceInfo) ConnectsByAddress() bool { return i.Lack(ByHand) != nil }
