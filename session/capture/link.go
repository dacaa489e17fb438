package capture

import (
	"encoding/binary"
	"errors"
)

// link reads the link header of a packet. It returns the Ethernet type of what
// follows, and that.
type link func(f *Frame, b []byte) (proto uint16, rest []byte, err error)

// linkType is what the packets of an interface begin with
// (https://www.tcpdump.org/linktypes.html).
type linkType uint16

const linkEthernet, linkRaw linkType = 1, 101

// links are the link types that are decoded.
var links = map[linkType]link{
	linkEthernet: ethernet,
	linkRaw:      rawIP,
	12:           rawIP, // of BSD
	14:           rawIP, // of OpenBSD
	228:          rawIP, // IPv4
	229:          rawIP, // IPv6
	0:            loopback,
	108:          loopback, // of OpenBSD
	113:          cooked,
	276:          cooked2,
	9:            always(etherPPP),
	50:           hdlc,
	51:           always(etherPPPoE),
	104:          hdlc, // of Cisco
	197:          erf,
	219:          always(etherMPLS),
	247:          always(etherInfiniBand),
}

// errLink means that the link type of a packet is not decoded.
var errLink = errors.New("the link type is not supported")

// always returns a link without a header of its own: packets begin with what an Ethernet type names.
func always(proto uint16) link {
	return func(_ *Frame, b []byte) (uint16, []byte, error) { return proto, b, nil }
}

// hdlc is the link header of serial lines: PPP (RFC 1662), or an address, a control byte and an Ethernet type, as
// Cisco's.
func hdlc(f *Frame, b []byte) (uint16, []byte, error) {
	switch {
	case len(b) < 4:
		return 0, nil, errOther
	case b[0] == 0xff:
		return etherPPP, b, nil
	}
	return f.tags(word(b[2:]), b[4:])
}

func ethernet(f *Frame, b []byte) (uint16, []byte, error) {
	if len(b) < ethernetLen {
		return 0, nil, errOther
	}
	f.MAC = MAC{Dst: [6]byte(b), Src: [6]byte(b[6:])}
	proto, b, err := f.tags(binary.BigEndian.Uint16(b[ethernetLen-2:]), b[ethernetLen:])
	if proto >= minEtherType || err != nil {
		return proto, b, err
	}
	return f.snap(b)
}

// minEtherType is the lowest Ethernet type; what is less is a length (IEEE 802.3).
const minEtherType = 0x600

// snap reads the headers that follow a length: LLC, and SNAP with an Ethernet type.
func (f *Frame) snap(b []byte) (uint16, []byte, error) {
	const length = 8
	if len(b) < length || b[0] != 0xaa || b[1] != 0xaa || b[2] != 3 || triple(b[3:]) != 0 {
		return 0, nil, errOther
	}
	return f.tags(word(b[6:]), b[length:])
}

// tags skips VLAN tags.
func (f *Frame) tags(proto uint16, b []byte) (uint16, []byte, error) {
	for i := 0; tagTypes[proto] && i < maxTags; i++ {
		if len(b) < tagLen {
			return 0, nil, errOther
		}
		tag := binary.BigEndian.Uint16(b)
		f.VLAN, f.PCP = tag&vlanMask, uint8(tag>>priorityShift)
		proto, b = binary.BigEndian.Uint16(b[2:]), b[tagLen:]
	}
	return proto, b, nil
}

func rawIP(_ *Frame, b []byte) (uint16, []byte, error) {
	switch {
	case len(b) > 0 && b[0]>>4 == 4:
		return etherIPv4, b, nil
	case len(b) > 0 && b[0]>>4 == 6:
		return etherIPv6, b, nil
	}
	return 0, nil, errOther
}

// loopback is the link header of BSD's loopback: four bytes that name the family,
// which the IP header tells as well.
func loopback(f *Frame, b []byte) (uint16, []byte, error) {
	if len(b) < 4 {
		return 0, nil, errOther
	}
	return rawIP(f, b[4:])
}

// Packet types of Linux cooked captures.
const (
	cookedToUs   = 0
	cookedFromUs = 4
)

// cooked is the header of a Linux cooked capture, as of "any" in older versions of
// tcpdump:
//
//	 0  packet type (16)
//	 2  ARPHRD type (16)
//	 4  address length (16), address (64)
//	14  protocol (16)
func cooked(f *Frame, b []byte) (uint16, []byte, error) {
	const length = 16
	if len(b) < length {
		return 0, nil, errOther
	}
	f.cookedWay(binary.BigEndian.Uint16(b))
	return f.tags(binary.BigEndian.Uint16(b[14:]), b[length:])
}

// cooked2 is the header of version 2:
//
//	 0  protocol (16)
//	 4  interface index (32)
//	 8  ARPHRD type (16)
//	10  packet type (8)
//	11  address length (8), address (64)
func cooked2(f *Frame, b []byte) (uint16, []byte, error) {
	const length = 20
	if len(b) < length {
		return 0, nil, errOther
	}
	f.cookedWay(uint16(b[10]))
	return f.tags(binary.BigEndian.Uint16(b), b[length:])
}

func (f *Frame) cookedWay(kind uint16) {
	switch kind {
	case cookedToUs:
		f.Way = In
	case cookedFromUs:
		f.Way = Out
	}
}
