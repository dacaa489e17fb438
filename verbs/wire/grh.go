package wire

import (
	"encoding/binary"
	"errors"
	"net/netip"
	"strconv"
	"strings"
)

// GRHLen is the length of a GRH in bytes.
const GRHLen = 40

// grhIPv4At is the offset of the IPv4 header in the 40 bytes before a datagram.
const grhIPv4At = GRHLen - ipv4HeaderLen

const ipv4HeaderLen = 20

var errNoGRH = errors.New("neither an IPv6 nor an IPv4 header")

// GRH is the global route header that the receiver of a datagram gets before the data (IBA vol 1, 8.3 and 11.4.1.2).
// For RoCE v2 it is the packet's IP header: an IPv6 header has the same fields in the same places; an IPv4 header is in
// the last 20 bytes, after bytes without a meaning (annex A17).
//
//	 0                   1                   2                   3
//	 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//	+-------+---------------+---------------------------------------+
//	| IPVer | traffic class |               flow label              |
//	+-------+---------------+-------+---------------+---------------+
//	|        payload length         |  next header  |   hop limit   |
//	+-------------------------------+---------------+---------------+
//	|                          source GID                           |
//	+---------------------------------------------------------------+
//	|                        destination GID                        |
//	+---------------------------------------------------------------+
type GRH struct {
	Version      uint8  // 6; 4 for an IPv4 header, whose fields then have the corresponding meanings
	TrafficClass uint8  // IPv4: type of service
	FlowLabel    uint32 // 20 bits; 0 for IPv4, which has none
	Length       uint16 // bytes after the header; IPv4: of the whole packet
	NextHeader   uint8  // 0x1b: BTH, 17: UDP; IPv4: protocol
	HopLimit     uint8  // IPv4: time to live
	SGID, DGID   netip.Addr
	ChecksumOK   bool // IPv4 only
}

// Decode reads h from the start of p. If both headers are possible, an IPv4 header with a right checksum wins.
func (h *GRH) Decode(p []byte) error {
	if len(p) < GRHLen {
		return errShortGRH
	}
	ip := p[grhIPv4At:GRHLen]
	is4, is6 := ip[0] == 4<<4|ipv4HeaderLen/4, p[0]>>4 == 6
	switch ok := is4 && IPChecksum(ip) == 0; {
	case ok || is4 && !is6:
		*h = GRH{
			Version: 4, TrafficClass: ip[1], Length: binary.BigEndian.Uint16(ip[2:]),
			NextHeader: ip[9], HopLimit: ip[8], SGID: netip.AddrFrom4([4]byte(ip[12:16])),
			DGID: netip.AddrFrom4([4]byte(ip[16:20])), ChecksumOK: ok,
		}
	case is6:
		first := binary.BigEndian.Uint32(p)
		*h = GRH{
			Version: 6, TrafficClass: uint8(first >> 20), FlowLabel: first & (1<<20 - 1),
			Length: binary.BigEndian.Uint16(p[4:]), NextHeader: p[6], HopLimit: p[7],
			SGID: netip.AddrFrom16([16]byte(p[8:24])), DGID: netip.AddrFrom16([16]byte(p[24:40])),
		}
	default:
		return errNoGRH
	}
	return nil
}

// IPChecksum is the internet checksum of a header of even length: 0 if the checksum in it is right.
func IPChecksum(p []byte) uint16 {
	var sum uint32
	for i := 0; i < len(p); i += 2 {
		sum += uint32(binary.BigEndian.Uint16(p[i:]))
	}
	for sum > 0xffff {
		sum = sum>>16 + sum&0xffff
	}
	return ^uint16(sum)
}

// LRHLen is the length of an LRH in bytes.
const LRHLen = 8

// LRH is the local route header, with which a packet begins on an InfiniBand link (IBA vol 1, 7.7).
//
//	 0                   1                   2                   3
//	 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//	+-------+-------+-------+---+---+-------------------------------+
//	|  VL   | LVer  |  SL   |rsv|LNH|        destination LID        |
//	+-------+-+-----+-------+---+---+-------------------------------+
//	|reserved |    packet length    |          source LID           |
//	+---------+---------------------+-------------------------------+
type LRH struct {
	VL, SL     uint8
	Next       uint8 // of LNH: what follows
	DLID, SLID uint16
	Len        int // bytes from the LRH to the ICRC
}

// The values of LNH for packets of the InfiniBand transport.
const (
	NextBTH = 2 // local: the BTH follows
	NextGRH = 3 // global: a GRH comes before it
)

// Decode reads h from the start of p.
func (h *LRH) Decode(p []byte) error {
	if len(p) < LRHLen {
		return errShortLRH
	}
	const lengthMask = 1<<11 - 1
	*h = LRH{
		VL: p[0] >> 4, SL: p[1] >> 4, Next: p[1] & 3, DLID: binary.BigEndian.Uint16(p[2:]),
		Len: 4 * int(binary.BigEndian.Uint16(p[4:])&lengthMask), SLID: binary.BigEndian.Uint16(p[6:]),
	}
	return nil
}

// zoneLID begins the zone of an address that stands for a LID.
const zoneLID = "lid"

// LID returns an address that stands for a local identifier, which packets without a GRH have in place of one.
// [AddrText] prints it.
func LID(lid uint16) netip.Addr {
	return netip.IPv6Unspecified().WithZone(zoneLID + strconv.Itoa(int(lid)))
}

// AddrText returns an address as text: "LID 3" for what [LID] returns.
func AddrText(a netip.Addr) string {
	if zone := a.Zone(); strings.HasPrefix(zone, zoneLID) && a.WithZone("").IsUnspecified() {
		return "LID " + zone[len(zoneLID):]
	}
	return a.String()
}
