package verbs

import (
	"fmt"
	"net/netip"
)

// AddrInfoFlags modify GetAddrInfo; rdma_getaddrinfo(3).
type AddrInfoFlags uint32

// Flags; the values are those of the C constants.
const (
	AddrInfoPassive     AddrInfoFlags = 1 << 0 // a local address, to listen on
	AddrInfoNumericHost AddrInfoFlags = 1 << 1 // the node is an address: do not look up a name
	AddrInfoNoRoute     AddrInfoFlags = 1 << 2 // do not look up a path to the node
	AddrInfoFamily      AddrInfoFlags = 1 << 3 // the family also applies to a numeric node; FamilyIB needs this
)

// AddrInfoFlagNames names the flags.
var AddrInfoFlagNames = Flags[AddrInfoFlags]{"ai_flags", "RAI_", map[int]string{
	0: "PASSIVE", 1: "NUMERICHOST", 2: "NOROUTE", 3: "FAMILY",
}}

// String returns the names of the set flags joined by "|", without the C
// prefix; "0" if none is set. Bits without a name appear in hexadecimal.
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

// String returns the C name without its prefix; "unknown(n)" if it has no name.
func (f AddrFamily) String() string { return AddrFamilies.Name(f) }

// MarshalText is String, for JSON.
func (f AddrFamily) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// AddrInfoHints restrict the results of GetAddrInfo; the zero value does not. The
// fields are those of struct rdma_addrinfo that a caller may set.
type AddrInfoHints struct {
	Flags     AddrInfoFlags
	Family    AddrFamily     // FamilyUnspec for any
	QPType    QPType         // 0 for any
	PortSpace CMPortSpace    // 0 for any
	Src       netip.AddrPort // used as the result's source if that has none; the zero value means none
}

// AddrInfo is one address to connect to or to listen on; struct rdma_addrinfo.
type AddrInfo struct {
	Flags     AddrInfoFlags // only AddrInfoPassive, and only if a node or service was given
	Family    AddrFamily
	QPType    QPType
	PortSpace CMPortSpace
	// Src is for BindAddr and ResolveAddr, Dst for ResolveAddr; the zero value means none.
	// For FamilyIB they hold a GID and the port of the service ID.
	Src, Dst                   netip.AddrPort
	SrcCanonName, DstCanonName string
	RouteLen                   int // bytes of path records that a resolver on the host added
	ConnectLen                 int // bytes that the resolver adds before the private data of a request
}

// AddrInfoError is the reason why a name could not be resolved: a code of
// getaddrinfo(3), with glibc's numbers.
type AddrInfoError int32

// Codes; the values are those of netdb.h.
const (
	AddrInfoBadFlags   AddrInfoError = -1
	AddrInfoNoName     AddrInfoError = -2
	AddrInfoAgain      AddrInfoError = -3
	AddrInfoFail       AddrInfoError = -4
	AddrInfoNoData     AddrInfoError = -5
	AddrInfoBadFamily  AddrInfoError = -6
	AddrInfoSockType   AddrInfoError = -7
	AddrInfoService    AddrInfoError = -8
	AddrInfoAddrFamily AddrInfoError = -9
	AddrInfoMemory     AddrInfoError = -10
	AddrInfoSystem     AddrInfoError = -11
	AddrInfoOverflow   AddrInfoError = -12
)

// AddrInfoErrors names the codes.
var AddrInfoErrors = Enum[AddrInfoError]{"gai_error", "EAI_", map[AddrInfoError]string{
	AddrInfoBadFlags: "BADFLAGS", AddrInfoNoName: "NONAME", AddrInfoAgain: "AGAIN", AddrInfoFail: "FAIL",
	AddrInfoNoData: "NODATA", AddrInfoBadFamily: "FAMILY", AddrInfoSockType: "SOCKTYPE", AddrInfoService: "SERVICE",
	AddrInfoAddrFamily: "ADDRFAMILY", AddrInfoMemory: "MEMORY", AddrInfoSystem: "SYSTEM", AddrInfoOverflow: "OVERFLOW",
}}

// addrInfoTexts are the texts of gai_strerror(3).
var addrInfoTexts = map[AddrInfoError]string{
	AddrInfoBadFlags:   "Bad value for ai_flags",
	AddrInfoNoName:     "Name or service not known",
	AddrInfoAgain:      "Temporary failure in name resolution",
	AddrInfoFail:       "Non-recoverable failure in name resolution",
	AddrInfoNoData:     "No address associated with hostname",
	AddrInfoBadFamily:  "ai_family not supported",
	AddrInfoSockType:   "ai_socktype not supported",
	AddrInfoService:    "Servname not supported for ai_socktype",
	AddrInfoAddrFamily: "Address family for hostname not supported",
	AddrInfoMemory:     "Memory allocation failure",
	AddrInfoSystem:     "System error",
}

// Error returns the text of gai_strerror(3).
func (e AddrInfoError) Error() string {
	if text := addrInfoTexts[e]; text != "" {
		return text
	}
	return fmt.Sprintf("error %d of name resolution", int32(e))
}
