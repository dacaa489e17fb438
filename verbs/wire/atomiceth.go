package wire

import "encoding/binary"

// AtomicETHLen is the length of an AtomicETH in bytes.
const AtomicETHLen = 28

// AtomicETH is the atomic extended transport header, of CmpSwap and FetchAdd requests (IBA vol 1, 9.3).
//
//	 0                   1                   2                   3
//	 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//	+---------------------------------------------------------------+
//	|                     virtual address (63:32)                   |
//	+---------------------------------------------------------------+
//	|                     virtual address (31:0)                    |
//	+---------------------------------------------------------------+
//	|                             R_Key                             |
//	+---------------------------------------------------------------+
//	|                    swap or add data (63:32)                   |
//	+---------------------------------------------------------------+
//	|                    swap or add data (31:0)                    |
//	+---------------------------------------------------------------+
//	|                      compare data (63:32)                     |
//	+---------------------------------------------------------------+
//	|                      compare data (31:0)                      |
//	+---------------------------------------------------------------+
type AtomicETH struct {
	// VA is the address of the 64-bit word, which must be a multiple of 8.
	VA uint64
	// RKey is the remote key that grants the access.
	RKey uint32
	// SwapAdd is the new value of a CmpSwap, the addend of a FetchAdd.
	SwapAdd uint64
	// Compare is the value a CmpSwap expects; a FetchAdd ignores it.
	Compare uint64
}

// Decode reads h from the start of p.
func (h *AtomicETH) Decode(p []byte) error {
	if len(p) < AtomicETHLen {
		return errShortAtomicETH
	}
	*h = AtomicETH{
		VA:      binary.BigEndian.Uint64(p),
		RKey:    binary.BigEndian.Uint32(p[8:]),
		SwapAdd: binary.BigEndian.Uint64(p[12:]),
		Compare: binary.BigEndian.Uint64(p[20:]),
	}
	return nil
}

// Append appends the AtomicETHLen bytes of h to dst.
func (h *AtomicETH) Append(dst []byte) []byte {
	dst = binary.BigEndian.AppendUint64(dst, h.VA)
	dst = binary.BigEndian.AppendUint32(dst, h.RKey)
	dst = binary.BigEndian.AppendUint64(dst, h.SwapAdd)
	return binary.BigEndian.AppendUint64(dst, h.Compare)
}
