package wire

import "encoding/binary"

// IETHLen is the length of an IETH in bytes.
const IETHLen = 4

// IETH is the invalidate extended transport header, of a SEND with invalidate (IBA vol 1, 9.3).
//
//	 0                   1                   2                   3
//	 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//	+---------------------------------------------------------------+
//	|                             R_Key                             |
//	+---------------------------------------------------------------+
type IETH struct {
	// RKey is the responder's key to invalidate.
	RKey uint32
}

// Decode reads h from the start of p.
func (h *IETH) Decode(p []byte) error {
	if len(p) < IETHLen {
		return errShortIETH
	}
	*h = IETH{RKey: binary.BigEndian.Uint32(p)}
	return nil
}

// Append appends the IETHLen bytes of h to dst.
func (h *IETH) Append(dst []byte) []byte { return binary.BigEndian.AppendUint32(dst, h.RKey) }
