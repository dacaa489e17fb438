package wire

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"net/netip"
)

// ICRCLen is the length of the invariant CRC in bytes.
const ICRCLen = 4

// Path is what the invariant CRC covers outside the UDP payload: the addresses in the packet. If they are rewritten on
// the way (NAT), the CRC no longer matches.
type Path struct {
	// Src and Dst are of the same family; IPv4-mapped IPv6 addresses count as IPv4, zones are ignored.
	Src, Dst netip.AddrPort
	// DF is the "don't fragment" flag of IPv4. IPv6 has none.
	DF bool
	// GRH means RoCE v1: a GRH stands in place of the IP and UDP headers. Src and Dst are its GIDs, also if they map
	// IPv4 addresses; their ports are ignored.
	GRH bool
}

// ErrPath means that a [Path] lacks an address, or mixes two families.
var ErrPath = errors.New("wire: path needs two addresses of one family")

// ICRC makes and checks the invariant CRC of the packets of one path (IBA vol 1, 7.8.1; for RoCEv2 annex A17.3.3).
//
// It is the CRC-32 of IEEE 802.3 over 8 bytes of ones in place of a local route header, then the IP header, the UDP
// header and the packet up to and with its pad. What routers may change counts as ones: type of service, time to live
// and header checksum of IPv4; traffic class, flow label and hop limit of IPv6; the UDP checksum; byte 4 of the BTH. It
// follows the pad, low byte first. RoCE v1 (annex A16) has a GRH in place of IP and UDP, masked like an IPv6 header.
//
// The prefix is computed once. A packet's length and IPv4 identification are folded in by table, as the CRC is linear,
// so that each packet costs one call of crc32.Update and the caller's bytes are only read. An ICRC is a small value
// without shared state: copy it and use it from any goroutine.
type ICRC struct {
	prefix uint32 // register after the prefix with zero lengths and identification
	over   network
}

// network is what carries the packets of a path.
type network uint8

const (
	overIPv4 network = iota
	overIPv6
	overGRH
)

// The prefix of masked bytes and the headers in it, in bytes.
const (
	maskedLRH = 8
	ipv4Len   = 20
	ipv6Len   = 40
	udpLen    = 8

	prefix4Len = maskedLRH + ipv4Len + udpLen
	prefix6Len = maskedLRH + ipv6Len + udpLen

	protocolUDP = 17
	nextBTH     = 0x1b // next header of a GRH (IBA vol 1, 8.3.5)
	dontFrag    = 0x4000
)

// NewICRC prepares the CRC for a path.
func NewICRC(path Path) (ICRC, error) {
	src, dst := path.Src.Addr(), path.Dst.Addr()
	if !path.GRH {
		src, dst = src.Unmap(), dst.Unmap()
	}
	if !src.IsValid() || src.BitLen() != dst.BitLen() || path.GRH && src.Is4() {
		return ICRC{}, ErrPath
	}
	var buf [prefix6Len]byte
	p := append(buf[:0], 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)
	over := overIPv4
	switch {
	case path.GRH:
		p = appendIPv6(p, src, dst, nextBTH)
		return ICRC{prefix: ^crc32.ChecksumIEEE(p), over: overGRH}, nil
	case src.Is4():
		p = appendIPv4(p, src, dst, path.DF)
	default:
		p, over = appendIPv6(p, src, dst, protocolUDP), overIPv6
	}
	p = binary.BigEndian.AppendUint16(p, path.Src.Port())
	p = binary.BigEndian.AppendUint16(p, path.Dst.Port())
	p = append(p, 0, 0, 0xff, 0xff) // length, checksum
	return ICRC{prefix: ^crc32.ChecksumIEEE(p), over: over}, nil
}

// appendIPv4 appends the IPv4 header as the CRC sees it, with total length and identification zero.
func appendIPv4(p []byte, src, dst netip.Addr, df bool) []byte {
	p = append(p, 0x45, 0xff, 0, 0, 0, 0)
	p = binary.BigEndian.AppendUint16(p, uint16(flag(df, dontFrag)))
	p = append(p, 0xff, protocolUDP, 0xff, 0xff)
	s, d := src.As4(), dst.As4()
	return append(append(p, s[:]...), d[:]...)
}

// appendIPv6 appends the IPv6 header, or the GRH, as the CRC sees it, with payload length zero.
func appendIPv6(p []byte, src, dst netip.Addr, next byte) []byte {
	p = append(p, 0x6f, 0xff, 0xff, 0xff, 0, 0, next, 0xff)
	s, d := src.As16(), dst.As16()
	return append(append(p, s[:]...), d[:]...)
}

// Sum returns the CRC of b, a packet from BTH to pad. id is the identification of its IPv4 header; otherwise it is not
// read. The packet must be a whole BTH at least, and with ICRC no longer than [MaxLen].
func (c ICRC) Sum(id uint16, b []byte) uint32 {
	crc := c.prefix ^ c.variable(id, uint16(len(b)+ICRCLen))
	for _, x := range b[:bthMasked] {
		crc = crcStep(crc, x)
	}
	crc = crcStep(crc, 0xff)
	return crc32.Update(^crc, crc32.IEEETable, b[bthMasked+1:])
}

// bthMasked is the byte of the BTH that counts as ones: FECN, BECN and reserved bits.
const bthMasked = 4

// variable returns what the identification and the length of a packet contribute to the register after the prefix.
func (c ICRC) variable(id, n uint16) uint32 {
	switch c.over {
	case overIPv4:
		return fields4.totalLen.of(n+udpLen+ipv4Len) ^ fields4.id.of(id) ^ fields4.udpLen.of(n+udpLen)
	case overIPv6:
		return fields6.payloadLen.of(n+udpLen) ^ fields6.udpLen.of(n+udpLen)
	}
	return fieldGRH.of(n)
}

// Append appends the CRC of b to it. For id see [ICRC.Sum].
func (c ICRC) Append(id uint16, b []byte) []byte {
	return binary.LittleEndian.AppendUint32(b, c.Sum(id, b))
}

// Verify reports whether b, from BTH to ICRC, ends with the right CRC. For id see [ICRC.Sum].
func (c ICRC) Verify(id uint16, b []byte) bool {
	if len(b) < BTHLen+ICRCLen || len(b) > MaxLen {
		return false
	}
	return c.Sum(id, b[:len(b)-ICRCLen]) == trailer(b)
}

// trailer returns the CRC at the end of b, which must hold one.
func trailer(b []byte) uint32 { return binary.LittleEndian.Uint32(b[len(b)-ICRCLen:]) }

// crcStep moves the register over one byte.
func crcStep(crc uint32, x byte) uint32 { return crc32.IEEETable[byte(crc)^x] ^ crc>>8 }
