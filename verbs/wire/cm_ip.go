package wire

import (
	"encoding/binary"
	"net/netip"
)

// CMIPLen is the length of the IP addressing header, in bytes.
const CMIPLen = 36

// CMIP is the header at the start of the private data of a REQ or SIDR_REQ between IP ports (IBA vol 1, annex A11): the
// addresses of the sender and the recipient.
//
//	 0                   1                   2                   3
//	 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//	+-------+-------+-------+-------+-------------------------------+
//	| MajV  | MinV  | IPVer |  rsvd |          source port          |
//	+-------+-------+-------+-------+-------------------------------+
//	|                   source IP address (128 bits)                |
//	|                destination IP address (128 bits)              |
//	+---------------------------------------------------------------+
//
// An IPv4 address is in the last four bytes of its field. Reserved bits, and the bytes before an IPv4 address, are sent
// as zero and ignored on receipt. The destination's port is in the service ID.
type CMIP struct {
	// Src is the source address; its port is where a request in the other direction would go.
	Src netip.AddrPort
	// Dst is the destination address, of the same family.
	Dst netip.Addr
}

// Decode reads h from the start of p. It fails with [ErrCMIP] if the version is not 0, or the addresses are neither
// IPv4 nor IPv6.
func (h *CMIP) Decode(p []byte) error {
	if len(p) < CMIPLen {
		return errShortCMIP
	}
	*h = CMIP{}
	port := binary.BigEndian.Uint16(p[2:])
	var src, dst netip.Addr
	switch {
	case p[0] != 0:
		return ErrCMIP
	case p[1]>>4 == 4:
		src, dst = netip.AddrFrom4([4]byte(p[16:])), netip.AddrFrom4([4]byte(p[32:]))
	case p[1]>>4 == 6:
		src, dst = netip.AddrFrom16([16]byte(p[4:])), netip.AddrFrom16([16]byte(p[20:]))
	default:
		return ErrCMIP
	}
	*h = CMIP{netip.AddrPortFrom(src, port), dst}
	return nil
}

// Append appends the CMIPLen bytes of h to dst. It writes both addresses in the family of Src.
func (h *CMIP) Append(dst []byte) []byte {
	var room [CMIPLen]byte
	src := h.Src.Addr()
	binary.BigEndian.PutUint16(room[2:], h.Src.Port())
	from, to := src.As16(), h.Dst.As16()
	if src.Is4() {
		room[1] = 4 << 4
		copy(room[16:], from[12:])
		copy(room[32:], to[12:])
	} else {
		room[1] = 6 << 4
		copy(room[4:], from[:])
		copy(room[20:], to[:])
	}
	return append(dst, room[:]...)
}
