package wire

import "encoding/binary"

// RETHLen is the length of a RETH in bytes.
const RETHLen = 16

// RETH is the RDMA extended transport header: the remote memory of a WRITE or READ (IBA vol 1, 9.3.3). In a WRITE of
// several packets only the first has one, and it covers the whole message.
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
//	|                           DMA length                          |
//	+---------------------------------------------------------------+
type RETH struct {
	// VA is the first byte, as an address of the responder.
	VA uint64
	// RKey is the remote key that grants the access.
	RKey uint32
	// DMALen is the length of the message in bytes, 0 to 2^31.
	DMALen uint32
}

// Decode reads h from the start of p.
func (h *RETH) Decode(p []byte) error {
	if len(p) < RETHLen {
		return errShortRETH
	}
	*h = RETH{
		VA:     binary.BigEndian.Uint64(p),
		RKey:   binary.BigEndian.Uint32(p[8:]),
		DMALen: binary.BigEndian.Uint32(p[12:]),
	}
	return nil
}

// Append appends the RETHLen bytes of h to dst.
func (h *RETH) Append(dst []byte) []byte {
	dst = binary.BigEndian.AppendUint64(dst, h.VA)
	dst = binary.BigEndian.AppendUint32(dst, h.RKey)
	return binary.BigEndian.AppendUint32(dst, h.DMALen)
}
