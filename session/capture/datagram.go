package capture

import (
	"cmp"
	"encoding/binary"
	"net/netip"

	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

// Header lengths in bytes, and header values.
const (
	ipv4Len = 20
	ipv6Len = 40
	udpLen  = 8

	protocolUDP = 17
	dontFrag    = 0x4000
	hopLimit    = 64 // of a packet with an unknown hop limit
)

// appendDatagram puts IP and UDP headers in front of a packet whose own headers the
// socket does not deliver. The ICRC covers addresses, ports, lengths, "don't
// fragment" and the IPv4 identification; the identification is recovered from the
// ICRC, so that a reader finds the ICRC valid, unless the packet is cropped.
func appendDatagram(b []byte, p *timeline.Packet) []byte {
	src, dst := p.Src.Addr().Unmap(), p.Dst.Addr().Unmap()
	at := len(b)
	ip, n := p.IP, len(p.Data)+p.Cropped
	ip.HopLimit = cmp.Or(ip.HopLimit, hopLimit)
	if src.Is4() && dst.Is4() {
		b = appendIPv4(b, src, dst, ip, identification(p), n)
	} else {
		b = appendIPv6(b, src, dst, ip, n)
	}
	udp := len(b)
	b = binary.BigEndian.AppendUint16(b, p.Src.Port())
	b = binary.BigEndian.AppendUint16(b, p.Dst.Port())
	b = binary.BigEndian.AppendUint16(b, uint16(udpLen+n))
	b = append(append(b, 0, 0), p.Data...)
	if p.Cropped > 0 {
		return b // the checksum would cover what is missing; 0 means that there is none
	}
	putUDPSum(b[at:udp], b[udp:], src.Is4() && dst.Is4())
	return b
}

// putUDPSum writes the checksum of a datagram from its UDP header on, below an IP header
// without options.
func putUDPSum(ip, udp []byte, v4 bool) {
	clear(udp[6:8])
	c := fold(addWords(pseudoSum(ip, v4, len(udp)), udp))
	if c == 0 {
		c = 0xffff // 0 would mean no checksum
	}
	binary.BigEndian.PutUint16(udp[6:], c)
}

func appendIPv4(b []byte, src, dst netip.Addr, ip verbs.IPHeader, id uint16, n int) []byte {
	at := len(b)
	b = append(b, 0x45, ip.TrafficClass)
	b = binary.BigEndian.AppendUint16(b, uint16(ipv4Len+udpLen+n))
	b = binary.BigEndian.AppendUint16(b, id)
	b = binary.BigEndian.AppendUint16(b, dontFrag)
	b = append(b, ip.HopLimit, protocolUDP, 0, 0)
	s, d := src.As4(), dst.As4()
	b = append(append(b, s[:]...), d[:]...)
	binary.BigEndian.PutUint16(b[at+10:], fold(addWords(0, b[at:])))
	return b
}

func appendIPv6(b []byte, src, dst netip.Addr, ip verbs.IPHeader, n int) []byte {
	b = binary.BigEndian.AppendUint32(b, 6<<28|uint32(ip.TrafficClass)<<20|ip.FlowLabel&0xfffff)
	b = binary.BigEndian.AppendUint16(b, uint16(udpLen+n))
	b = append(b, protocolUDP, ip.HopLimit)
	s, d := src.As16(), dst.As16()
	return append(append(b, s[:]...), d[:]...)
}

// identification returns the IPv4 identification for which the ICRC is valid, 0 if
// there is none.
func identification(p *timeline.Packet) uint16 {
	if p.Cropped > 0 {
		return 0
	}
	icrc, err := wire.NewICRC(wire.Path{Src: p.Src, Dst: p.Dst, DF: true})
	if err != nil {
		return 0
	}
	id, _ := icrc.RecoverID(0, p.Data)
	return id
}

// pseudoSum sums the UDP pseudo-header: the addresses at the end of the IP header,
// the protocol and the length.
func pseudoSum(ip []byte, v4 bool, n int) uint32 {
	addrs := ip[ipv6Len-32:]
	if v4 {
		addrs = ip[ipv4Len-8:]
	}
	return addWords(uint32(protocolUDP)+uint32(n), addrs)
}

// addWords adds big-endian 16-bit words; the last one is padded with zero.
func addWords(sum uint32, b []byte) uint32 {
	for ; len(b) >= 2; b = b[2:] {
		sum += uint32(b[0])<<8 | uint32(b[1])
	}
	if len(b) == 1 {
		sum += uint32(b[0]) << 8
	}
	return sum
}

// fold folds a sum into a ones' complement checksum.
func fold(sum uint32) uint16 {
	for sum > 0xffff {
		sum = sum>>16 + sum&0xffff
	}
	return ^uint16(sum)
}
