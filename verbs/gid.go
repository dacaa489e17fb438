package verbs

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net/netip"
	"strings"
)

// GID is a 128-bit global identifier; its bytes are in network order. On RoCE
// it is the port's IP address: an IPv4 address is mapped to ::ffff:a.b.c.d.
// IBA 4.1.1; RoCEv2 annex A17.
type GID [16]byte

// ParseGID reads an IPv6 or IPv4 address, or 32 hexadecimal digits (the format of the
// pingpong programs).
func ParseGID(s string) (GID, error) {
	if len(s) == 32 && !strings.Contains(s, ":") {
		var g GID
		if _, err := hex.Decode(g[:], []byte(s)); err == nil {
			return g, nil
		}
	}
	a, err := netip.ParseAddr(s)
	if err != nil || a.Zone() != "" {
		return GID{}, fmt.Errorf("%q is not a GID; give an IPv6 or IPv4 address, such as fe80::1 or ::ffff:10.0.0.1", s)
	}
	return GID(a.As16()), nil
}

// GIDFromAddr returns the GID of an IP address on RoCE.
func GIDFromAddr(a netip.Addr) GID { return GID(a.As16()) }

// Addr returns the GID as an address; IPv4-mapped ones as IPv4.
func (g GID) Addr() netip.Addr { return netip.AddrFrom16(g).Unmap() }

// String renders the GID as an IPv6 address, IPv4-mapped ones as ::ffff:a.b.c.d.
func (g GID) String() string { return netip.AddrFrom16(g).String() }

// MarshalText is String, for JSON.
func (g GID) MarshalText() ([]byte, error) { return []byte(g.String()), nil }

// UnmarshalText is ParseGID, for JSON.
func (g *GID) UnmarshalText(b []byte) (err error) {
	*g, err = ParseGID(string(b))
	return err
}

// IsZero reports whether the GID is unset; a zero entry of a GID table is unused.
func (g GID) IsZero() bool { return g == GID{} }

// IsIPv4 reports whether the GID is an IPv4-mapped address.
func (g GID) IsIPv4() bool { return netip.AddrFrom16(g).Is4In6() }

// IsMulticast reports whether it is a multicast group of IPv6, InfiniBand or IPv4.
func (g GID) IsMulticast() bool {
	if g.IsIPv4() {
		return g[12]&0xf0 == 0xe0
	}
	return g[0] == 0xff
}

// IsLinkLocal reports whether the GID is a link-local address (fe80::/10),
// which does not cross a router.
func (g GID) IsLinkLocal() bool { return netip.AddrFrom16(g).IsLinkLocalUnicast() }

// SubnetPrefix returns the first 8 bytes as a number, as gid.global.subnet_prefix.
func (g GID) SubnetPrefix() uint64 { return binary.BigEndian.Uint64(g[:8]) }

// InterfaceID returns the last 8 bytes as a number, as gid.global.interface_id.
func (g GID) InterfaceID() uint64 { return binary.BigEndian.Uint64(g[8:]) }

// GIDType is the encapsulation of packets to and from a GID.
type GIDType uint32

// GID types; the values are those of enum ibv_gid_type.
const (
	GIDTypeIB     GIDType = 0 // InfiniBand
	GIDTypeRoCEv1 GIDType = 1 // Ethernet type 0x8915, not routable
	GIDTypeRoCEv2 GIDType = 2 // UDP port 4791, routable
)

// GIDTypes names the GID types.
var GIDTypes = Enum[GIDType]{"gid_type", "IBV_GID_TYPE_", map[GIDType]string{
	GIDTypeIB: "IB", GIDTypeRoCEv1: "ROCE_V1", GIDTypeRoCEv2: "ROCE_V2",
}}

// String returns the C name without its prefix; "unknown(n)" if it has no name.
func (t GIDType) String() string { return GIDTypes.Name(t) }

// MarshalText is String, for JSON.
func (t GIDType) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// GIDEntry is one used row of a device's GID table; ibv_query_gid_table(3).
type GIDEntry struct {
	PortNum uint8   `json:"port_num"`
	Index   int     `json:"index"`
	GID     GID     `json:"gid"`
	Type    GIDType `json:"type"`
	Netdev  string  `json:"netdev,omitempty"` // the network interface that carries it, "" on InfiniBand
}

// GUID is a 64-bit EUI-64 identifier in network order.
type GUID [8]byte

// String renders the GUID as four groups of four digits, as ibv_devinfo does.
func (g GUID) String() string {
	return fmt.Sprintf("%02x%02x:%02x%02x:%02x%02x:%02x%02x", g[0], g[1], g[2], g[3], g[4], g[5], g[6], g[7])
}

// MarshalText is String, for JSON.
func (g GUID) MarshalText() ([]byte, error) { return []byte(g.String()), nil }

// SameKind reports whether both GIDs are IPv4-mapped, both link-local, or neither; GIDs
// of different kinds cannot reach each other.
func (g GID) SameKind(o GID) bool {
	return g.IsIPv4() == o.IsIPv4() && g.IsLinkLocal() == o.IsLinkLocal()
}
