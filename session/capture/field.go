package capture

import (
	"fmt"
	"net"

	"rdmatui/verbs"
)

// Field is a field of the headers that carry a RoCE packet: Ethernet, IP or the GRH of RoCE v1, and UDP.
// [wire.HeaderTable] has those that follow.
type Field struct {
	Layer string // of the header
	Name  string // in snake case; unlike the name of any field that follows
	Doc   string
	Has   func(*Frame) bool
	Of    func(*Frame) uint64 // nil for an address
	Text  func(*Frame) string // the address, or what the value means; nil for a plain number
}

// Fields lists the fields in the order of the headers.
func Fields() []Field { return fields }

var fields = []Field{
	{"Ethernet", "dst_mac", "Ethernet destination address", hasMAC, nil, func(f *Frame) string {
		return macText(f.MAC.Dst)
	}},
	{"Ethernet", "src_mac", "Ethernet source address", hasMAC, nil, func(f *Frame) string {
		return macText(f.MAC.Src)
	}},
	{"Ethernet", "vlan", "VLAN identifier, 0 without a tag", tagged, func(f *Frame) uint64 {
		return uint64(f.VLAN)
	}, nil},
	{"Ethernet", "pcp", "priority in the VLAN tag (802.1p)", tagged, func(f *Frame) uint64 {
		return uint64(f.PCP)
	}, nil},
	{"LRH", "slid", "source LID of an InfiniBand packet", isIB, func(f *Frame) uint64 {
		return uint64(f.LRH.SLID)
	}, nil},
	{"LRH", "dlid", "destination LID of an InfiniBand packet", isIB, func(f *Frame) uint64 {
		return uint64(f.LRH.DLID)
	}, nil},
	{"LRH", "sl", "service level of an InfiniBand packet", isIB, func(f *Frame) uint64 {
		return uint64(f.LRH.SL)
	}, nil},
	{"LRH", "vl", "virtual lane of an InfiniBand packet", isIB, func(f *Frame) uint64 {
		return uint64(f.LRH.VL)
	}, nil},
	{"IP", "dscp", "differentiated services code point of the IP header",
		hasIP, func(f *Frame) uint64 { return uint64(f.IP.TrafficClass >> 2) },
		func(f *Frame) string { return dscpName(f.IP.TrafficClass >> 2) }},
	{"IP", "ecn", "congestion bits of the IP header", hasIP,
		func(f *Frame) uint64 { return uint64(f.IP.TrafficClass & 3) },
		func(f *Frame) string { return ecnNames[f.IP.TrafficClass&3] }},
	{"IP", "ttl", "time to live or hop limit", hasIP, func(f *Frame) uint64 { return uint64(f.IP.HopLimit) }, nil},
	{"IP", "ip_id", "identification of the IPv4 header", isIPv4, func(f *Frame) uint64 { return uint64(f.ID) }, nil},
	{"IP", "df", "\"don't fragment\" of the IPv4 header", isIPv4, func(f *Frame) uint64 { return flag(f.DF) }, nil},
	{"IP", "flow_label", "flow label of the IPv6 header or the GRH", isIPv6, func(f *Frame) uint64 {
		return uint64(f.IP.FlowLabel)
	}, nil},
	{"UDP", "port", "UDP source port", func(f *Frame) bool { return !f.V1 && !f.IB },
		func(f *Frame) uint64 { return uint64(f.Src.Port()) }, nil},
}

func macText(a [6]byte) string { return net.HardwareAddr(a[:]).String() }

func hasMAC(f *Frame) bool { return f.MAC != MAC{} }
func tagged(f *Frame) bool { return f.VLAN != 0 || f.PCP != 0 }
func hasIP(f *Frame) bool  { return f.IP != verbs.IPHeader{} } // a packet of a device may come without
func isIB(f *Frame) bool   { return f.IB }
func isIPv4(f *Frame) bool { return f.Src.Addr().Is4() }
func isIPv6(f *Frame) bool { return hasIP(f) && !isIPv4(f) }

func flag(set bool) uint64 {
	if set {
		return 1
	}
	return 0
}

// ecnNames are the code points of RFC 3168.
var ecnNames = [...]string{"Not-ECT", "ECT(1)", "ECT(0)", "CE"}

// dscpName returns the name of a code point: class selectors (RFC 2474), assured (RFC 2597) and expedited forwarding
// (RFC 3246).
func dscpName(d uint8) string {
	class, drop := d>>3, d>>1&3
	switch {
	case d == 0: // the default
		return ""
	case d == 46:
		return "EF"
	case d&7 == 0:
		return fmt.Sprintf("CS%d", class)
	case d&1 == 0 && class >= 1 && class <= 4:
		return fmt.Sprintf("AF%d%d", class, drop)
	}
	return ""
}
