package capture

import (
	"encoding/binary"
	"errors"
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
	Len  int    // bytes from BTH to ICRC as sent; Data is shorter if the capture cut the packet
	MAC  MAC    // zero: the capture has no Ethernet header
	VLAN uint16 // identifier of the inner tag, 0 without one
	PCP  uint8  // priority of the inner tag (IEEE 802.1Q)
	V1   bool   // RoCE v1: a GRH instead of IP and UDP; Src and Dst have port 0
	IB   bool   // InfiniBand: an LRH instead of Ethernet; Src and Dst are those of the GRH, or LIDs ([wire.LID])
	LRH  wire.LRH
	ID   uint16  // identification of the IPv4 header
	DF   bool    // "don't fragment" of the IPv4 header
	ICRC Verdict // whether its ICRC is right

	Comments []string // of a pcapng file, from whoever wrote it

	Outer *Outer // what the packet is encapsulated in; nil: nothing

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
	ip    int  // where the innermost IP header or the GRH begins
	bth   int  // where the BTH begins
	part  bool // the frame is one packet of a longer datagram
}

// Cut reports whether the capture holds only the beginning of the packet.
func (f *Frame) Cut() bool { return len(f.Data) < f.Len }

// ErrCut means that the capture holds less of a packet than its BTH, so that nothing is known of it.
var ErrCut = errors.New("truncated by the capture before the end of the BTH")

// DecodeCut fills in Wire and Err from the beginning of a packet. Wire has the headers that the capture holds whole;
// its payload has the length that the opcode and the length of the packet leave for it, and zeros where bytes are
// missing. It refers to room, which is grown and returned.
func (f *Frame) DecodeCut(room []byte) []byte {
	room = slices.Grow(room[:0], f.Len)[:f.Len]
	clear(room[copy(room, f.Data):])
	f.Err = f.Wire.DecodeHead(room, len(f.Data))
	if f.Cut() && f.Len >= wire.BTHLen && errors.Is(f.Err, wire.ErrTruncated) {
		f.Err = ErrCut
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

// global reads the GRH of RoCE v1 or of InfiniBand.
func (f *Frame) global(b []byte) {
	first := binary.BigEndian.Uint32(b)
	f.IP = verbs.IPHeader{TrafficClass: uint8(first >> 20), HopLimit: b[7], FlowLabel: first & 0xfffff}
	f.Src = netip.AddrPortFrom(netip.AddrFrom16([16]byte(b[8:])), 0)
	f.Dst = netip.AddrPortFrom(netip.AddrFrom16([16]byte(b[24:])), 0)
}
