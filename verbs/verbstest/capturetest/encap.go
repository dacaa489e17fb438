package capturetest

import (
	"encoding/binary"
	"slices"

	"rdmatui/verbs/wire"
)

// Encapsulation is one way to carry a frame.
type Encapsulation struct {
	Name   string
	Link   uint32   // type of the link: 1 for Ethernet
	Outer  string   // the outer headers, as a report names them; "": what is added is no tunnel
	Bare   bool     // the Ethernet header of the frame does not survive
	Tshark bool     // tshark decodes it
	As     []string // arguments that tell tshark to
	Wrap   func(frame []byte) []byte
}

// EthernetLen is the length of the Ethernet header of a frame.
const EthernetLen = 14

const (
	ipv4 = 0x0800
	ipv6 = 0x86dd

	ends4   = "192.0.2.1 -> 192.0.2.2"
	ends6   = "2001:db8::1 -> 2001:db8::2"
	macs    = "02:00:00:00:00:0a -> 02:00:00:00:00:0b"
	srcPort = 50001
)

// Headers of several fields.
var (
	nsh          = join([]byte{0x0f, 0xc6, 1, 3, 0, 0, 66, 255}, make([]byte, 16))
	pptp         = join([]byte{0x30, 0x81, 0x88, 0x0b}, be32(70<<16), be32(1), be32(2)) // GRE, version 1
	erspan3      = join([]byte{0x10, 0, 0x22, 0xeb}, be32(1), []byte{0x20, 9, 0, 33}, be32(12345))
	gtpExtension = []byte{0, 0, 0, 0x85, 1, 0, 1, 0}
)

func join(parts ...[]byte) []byte { return slices.Concat(parts...) }

func be16(v int) []byte { return binary.BigEndian.AppendUint16(nil, uint16(v)) }
func be32(v int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(v)) }

// eth adds an Ethernet header.
func eth(kind int, b []byte) []byte {
	return join([]byte{2, 0, 0, 0, 0, 0xb, 2, 0, 0, 0, 0, 0xa}, be16(kind), b)
}

// ip4 adds Ethernet and IPv4 headers.
func ip4(proto byte, b []byte) []byte {
	head := join([]byte{0x45, 0}, be16(20+len(b)), []byte{0, 7, 0, 0, 64, proto, 0, 0, 192, 0, 2, 1, 192, 0, 2, 2})
	binary.BigEndian.PutUint16(head[10:], wire.IPChecksum(head))
	return eth(ipv4, join(head, b))
}

// head6 is an IPv6 header.
func head6(next byte, n int) []byte {
	src, dst := [16]byte{0x20, 1, 0xd, 0xb8, 15: 1}, [16]byte{0x20, 1, 0xd, 0xb8, 15: 2}
	return join([]byte{0x60, 0, 0, 0}, be16(n), []byte{next, 64}, src[:], dst[:])
}

// ip6 adds Ethernet and IPv6 headers.
func ip6(next byte, b []byte) []byte { return eth(ipv6, join(head6(next, len(b)), b)) }

// datagram adds a UDP header without a checksum.
func datagram(port int, b []byte) []byte {
	return join(be16(srcPort), be16(port), be16(8+len(b)), []byte{0, 0}, b)
}

// udp4 adds Ethernet, IPv4 and UDP headers.
func udp4(port int, parts ...[]byte) []byte { return ip4(17, datagram(port, join(parts...))) }

// udp6 adds Ethernet, IPv6 and UDP headers.
func udp6(port int, parts ...[]byte) []byte { return ip6(17, datagram(port, join(parts...))) }

// packet is a frame without its Ethernet header.
func packet(frame []byte) []byte { return frame[EthernetLen:] }

// version is the protocol number of an IP packet within another.
func version(frame []byte) byte {
	if packet(frame)[0]>>4 == 6 {
		return 41
	}
	return 4
}

// etherType is what the Ethernet header of a frame names.
func etherType(frame []byte) []byte { return frame[12:14] }

// ppp is the protocol number of PPP for a frame's packet.
func ppp(frame []byte) []byte {
	if version(frame) == 41 {
		return []byte{0, 0x57}
	}
	return []byte{0, 0x21}
}

// pppoe is the header of a session for a frame's packet.
func pppoe(frame []byte) []byte {
	return join([]byte{0x11, 0, 0, 9}, be16(2+len(packet(frame))), ppp(frame), packet(frame))
}

// gpe is the protocol number of VXLAN-GPE and NSH for a frame's packet.
func gpe(frame []byte) byte {
	if version(frame) == 41 {
		return 2
	}
	return 1
}

// srh is a header of segment routing with one segment, of which none is left.
func srh(next byte) []byte {
	last := [16]byte{0x20, 1, 0xd, 0xb8, 15: 2}
	return join([]byte{next, 2, 4, 0, 0, 0, 0, 0}, last[:])
}

// erf is the header of an ERF record.
func erf(kind byte, ext []byte, b []byte) []byte {
	n := 16 + len(ext) + len(b)
	return join(make([]byte, 8), []byte{kind, 4}, be16(n), []byte{0, 0}, be16(len(b)), ext, b)
}

func ports(ends string, port string) string {
	if ends == ends6 {
		return "[2001:db8::1]:50001 -> [2001:db8::2]:" + port
	}
	return "192.0.2.1:50001 -> 192.0.2.2:" + port
}
