package verbs

import "net/netip"

// AddrInfoFlags are what GetAddrInfo is to heed; rdma_getaddrinfo(3).
type AddrInfoFlags uint32

// Flags; the values are those of the C constants.
const (
	AddrInfoPassive     AddrInfoFlags = 1 << 0 // the address is one's own, to listen on
	AddrInfoNumericHost AddrInfoFlags = 1 << 1 // the node is an address: no name is looked up
	AddrInfoNoRoute     AddrInfoFlags = 1 << 2 // no path to the node is looked up
	AddrInfoFamily      AddrInfoFlags = 1 << 3 // the family is meant for a numeric node, too, which FamilyIB needs
)

// AddrInfoFlagNames names the flags.
var AddrInfoFlagNames = Flags[AddrInfoFlags]{"ai_flags", "RAI_", map[int]string{
	0: "PASSIVE", 1: "NUMERICHOST", 2: "NOROUTE", 3: "FAMILY",
}}

func (f AddrInfoFlags) String() string { return AddrInfoFlagNames.Name(f) }

// MarshalText is String, for JSON.
func (f AddrInfoFlags) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// AddrFamily is the kind of an address.
type AddrFamily int32

// Families; the values are those of Linux.
const (
	FamilyUnspec AddrFamily = 0
	FamilyInet   AddrFamily = 2
	FamilyInet6  AddrFamily = 10
	FamilyIB     AddrFamily = 27 // a GID with a service ID
)

// AddrFamilies names the families.
var AddrFamilies = Enum[AddrFamily]{"ai_family", "AF_", map[AddrFamily]string{
	FamilyUnspec: "UNSPEC", FamilyInet: "INET", FamilyInet6: "INET6", FamilyIB: "IB",
}}

func (f AddrFamily) String() string { return AddrFamilies.Name(f) }

// MarshalText is String, for JSON.
func (f AddrFamily) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// AddrInfoHints narrow down what GetAddrInfo finds; the zero value does not. They
// are the fields of struct rdma_addrinfo that a caller may set.
type AddrInfoHints struct {
	Flags     AddrInfoFlags
	Family    AddrFamily     // FamilyUnspec for any
	QPType    QPType         // 0 for any
	PortSpace CMPortSpace    // 0 for any
	Src       netip.AddrPort // becomes the result's, where that has none; the zero value for none
}

// AddrInfo is one way to reach a node, or to be reached; struct rdma_addrinfo.
type AddrInfo struct {
	Flags     AddrInfoFlags // only AddrInfoPassive, where there was a node or service
	Family    AddrFamily
	QPType    QPType
	PortSpace CMPortSpace
	// Src is given to BindAddr and ResolveAddr, Dst to ResolveAddr. The zero value
	// is none. Of FamilyIB they are a GID and the port in the service ID.
	Src, Dst                   netip.AddrPort
	SrcCanonName, DstCanonName string
	RouteLen                   int // bytes of path records that a resolver on the host added
	ConnectLen                 int // bytes that it wants before the private data of a request
}
