package wire

import "encoding/binary"

// ImmDtLen is the length of an ImmDt in bytes.
const ImmDtLen = 4

// ImmDt is the immediate data that the receiver gets in its work completion (IBA vol 1, 9.3). Only the last or only
// packet of a message has one.
//
//	 0                   1                   2                   3
//	 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//	+---------------------------------------------------------------+
//	|                         immediate data                        |
//	+---------------------------------------------------------------+
type ImmDt struct {
	// Data is the value of the four bytes in network order; verbs passes them unswapped.
	Data uint32
}

// Decode reads h from the start of p.
func (h *ImmDt) Decode(p []byte) error {
	if len(p) < ImmDtLen {
		return errShortImmDt
	}
	*h = ImmDt{Data: binary.BigEndian.Uint32(p)}
	return nil
}

// Append appends the ImmDtLen bytes of h to dst.
func (h *ImmDt) Append(dst []byte) []byte { return binary.BigEndian.AppendUint32(dst, h.Data) }
