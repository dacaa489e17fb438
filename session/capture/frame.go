package capture

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

// Frame is a RoCE packet of a capture, with what carried it.
type Frame struct {
	timeline.Packet // Seq is its number in the capture, where every packet counts; Device is the interface

	Way  Way
	Len  int     // bytes from BTH to ICRC as sent; Data is shorter if the capture cut the packet
	MAC  MAC     // zero: the capture has no Ethernet header
	VLAN uint16  // identifier of the inner tag, 0 without one
	PCP  uint8   // priority of the inner tag (IEEE 802.1Q)
	V1   bool    // RoCE v1: a GRH instead of IP and UDP; Src and Dst have port 0
	ID   uint16  // identification of the IPv4 header
	DF   bool    // "don't fragment" of the IPv4 header
	ICRC Verdict // whether its ICRC is right

	Comments []string // of a pcapng file, from whoever wrote it

	Raw Raw // for [Writer.WriteFrame]; valid as long as Data

	options bool // the IP header has options
}

// MAC is the two addresses of an Ethernet header.
type MAC struct{ Src, Dst [6]byte }

// Raw is a packet as its capture holds it.
type Raw struct {
	on    iface
	bytes []byte
	n     int  // its length as sent
	ip    int  // where the IP header or the GRH begins
	bth   int  // where the BTH begins
	part  bool // the frame is one packet of a longer datagram
}

// Cut reports whether the capture holds only the beginning of the packet.
func (f *Frame) Cut() bool { return len(f.Data) < f.Len }

// DecodeCut fills in Wire and Err from the beginning of a packet; the bytes that are
// missing count as zeros. Wire refers to room, which is grown and returned.
func (f *Frame) DecodeCut(room []byte) []byte {
	room = slices.Grow(room[:0], f.Len)[:f.Len]
	clear(room[copy(room, f.Data):])
	if f.Err = f.Wire.Decode(room); f.Err != nil {
		return room
	}
	if head := wire.BTHLen + f.Wire.Headers.Len(); len(f.Data) < head {
		f.Err = fmt.Errorf("the capture holds %d bytes of %d of headers", len(f.Data), head)
	}
	return room
}

// Way is the direction of a packet, as far as the capture tells.
type Way uint8

// The ways, with the values that pcapng gives them.
const (
	Unknown Way = iota
	In
	Out
)

// Verdict is the outcome of a check.
type Verdict uint8

// The verdicts.
const (
	Unchecked Verdict = iota // the packet is cut, or has headers that the check does not know
	Right
	Wrong
)

// Values in the headers below the BTH.
const (
	roceV2Port = 4791

	etherIPv4   = 0x0800
	etherIPv6   = 0x86dd
	etherRoCEv1 = 0x8915

	ethernetLen   = 14
	tagLen        = 4
	maxTags       = 4
	vlanMask      = 0xfff
	priorityShift = 13
	maxExtensions = 8
	fragmentMask  = 0x3fff // "more fragments" and the offset
	nextBTH       = 0x1b   // of a GRH
)

// tagTypes are the Ethernet types of VLAN tags (IEEE 802.1Q).
var tagTypes = map[uint16]bool{0x8100: true, 0x88a8: true, 0x9100: true}

// extensions are the IPv6 extension headers that may stand before UDP (RFC 8200).
var extensions = map[byte]bool{0: true, 43: true, 60: true}

// errOther means that a packet is not RoCE.
var errOther = errors.New("not a RoCE packet")

// decode finds the RoCE packet in a captured packet; n is its length as sent. It
// fails with errOther if there is none.
func (f *Frame) decode(of link, b []byte, n int) error {
	f.Raw.bytes, f.Raw.n = b, n
	proto, b, err := of(f, b)
	if err != nil {
		return err
	}
	f.Raw.ip = len(f.Raw.bytes) - len(b)
	switch proto {
	case etherIPv4:
		b, err = f.ipv4(b)
	case etherIPv6:
		b, err = f.ipv6(b)
	case etherRoCEv1:
		b, err = f.grh(b)
	default:
		err = errOther
	}
	if err != nil {
		return err
	}
	f.Raw.bth = len(f.Raw.bytes) - len(b)
	f.Data = b[:min(len(b), f.Len)]
	return nil
}

// ipv4 reads an IPv4 and a UDP header.
func (f *Frame) ipv4(b []byte) ([]byte, error) {
	if len(b) < ipv4Len || b[0]>>4 != 4 {
		return nil, errOther
	}
	head, fragment := int(b[0]&0xf)*4, binary.BigEndian.Uint16(b[6:])
	if head < ipv4Len || len(b) < head || b[9] != protocolUDP || fragment&fragmentMask != 0 {
		return nil, errOther
	}
	f.IP = verbs.IPHeader{TrafficClass: b[1], HopLimit: b[8]}
	f.ID, f.DF, f.options = binary.BigEndian.Uint16(b[4:]), fragment&dontFrag != 0, head > ipv4Len
	return f.udp(netip.AddrFrom4([4]byte(b[12:])), netip.AddrFrom4([4]byte(b[16:])), b[head:])
}

// ipv6 reads an IPv6 header with its extensions, and a UDP header.
func (f *Frame) ipv6(b []byte) ([]byte, error) {
	if len(b) < ipv6Len || b[0]>>4 != 6 {
		return nil, errOther
	}
	first := binary.BigEndian.Uint32(b)
	f.IP = verbs.IPHeader{TrafficClass: uint8(first >> 20), HopLimit: b[7], FlowLabel: first & 0xfffff}
	src, dst, next := netip.AddrFrom16([16]byte(b[8:])), netip.AddrFrom16([16]byte(b[24:])), b[6]
	b = b[ipv6Len:]
	for i := 0; extensions[next] && i < maxExtensions; i++ {
		if len(b) < 8 || len(b) < 8+8*int(b[1]) {
			return nil, errOther
		}
		next, b, f.options = b[0], b[8+8*int(b[1]):], true
	}
	if next != protocolUDP {
		return nil, errOther
	}
	return f.udp(src, dst, b)
}

func (f *Frame) udp(src, dst netip.Addr, b []byte) ([]byte, error) {
	if len(b) < udpLen || binary.BigEndian.Uint16(b[2:]) != roceV2Port {
		return nil, errOther
	}
	f.Src = netip.AddrPortFrom(src, binary.BigEndian.Uint16(b))
	f.Dst = netip.AddrPortFrom(dst, roceV2Port)
	if f.Len = int(binary.BigEndian.Uint16(b[4:])) - udpLen; f.Len < 0 {
		return nil, errOther
	}
	return b[udpLen:], nil
}

// grh reads the GRH of RoCE v1.
func (f *Frame) grh(b []byte) ([]byte, error) {
	if len(b) < wire.GRHLen || b[0]>>4 != 6 || b[6] != nextBTH {
		return nil, errOther
	}
	first := binary.BigEndian.Uint32(b)
	f.IP = verbs.IPHeader{TrafficClass: uint8(first >> 20), HopLimit: b[7], FlowLabel: first & 0xfffff}
	f.Src = netip.AddrPortFrom(netip.AddrFrom16([16]byte(b[8:])), 0)
	f.Dst = netip.AddrPortFrom(netip.AddrFrom16([16]byte(b[24:])), 0)
	f.V1, f.Len = true, int(binary.BigEndian.Uint16(b[4:]))
	return b[wire.GRHLen:], nil
}
