package wire

import "encoding/binary"

// AtomicAckETHLen is the length of an AtomicAckETH in bytes.
const AtomicAckETHLen = 8

// AtomicAckETH is the atomic acknowledge extended transport header; it follows the AETH in the response to an atomic
// (IBA vol 1, 9.3).
//
//	 0                   1                   2                   3
//	 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//	+---------------------------------------------------------------+
//	|                  original remote data (63:32)                 |
//	+---------------------------------------------------------------+
//	|                  original remote data (31:0)                  |
//	+---------------------------------------------------------------+
type AtomicAckETH struct {
	// Orig is the word's value before the operation.
	Orig uint64
}

// Decode reads h from the start of p.
func (h *AtomicAckETH) Decode(p []byte) error {
	if len(p) < AtomicAckETHLen {
		return errShortAtomicAckETH
	}
	*h = AtomicAckETH{Orig: binary.BigEndian.Uint64(p)}
	return nil
}

// Append appends the AtomicAckETHLen bytes of h to dst.
func (h *AtomicAckETH) Append(dst []byte) []byte { return binary.BigEndian.AppendUint64(dst, h.Orig) }
