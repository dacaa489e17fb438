package wire

import "encoding/binary"

// DETHLen is the length of a DETH in bytes.
const DETHLen = 8

// DETH is the datagram extended transport header, in every packet of a UD queue pair (IBA vol 1, 9.3.2).
//
//	 0                   1                   2                   3
//	 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//	+---------------------------------------------------------------+
//	|                             Q_Key                             |
//	+---------------+-----------------------------------------------+
//	|    reserved   |                   source QP                   |
//	+---------------+-----------------------------------------------+
type DETH struct {
	// QKey must equal the Q_Key of the receiving queue pair; 0x80010000 is that of queue pair 1.
	QKey uint32
	// SrcQP is the sending queue pair, 24 bits.
	SrcQP uint32
}

// Decode reads h from the start of p.
func (h *DETH) Decode(p []byte) error {
	if len(p) < DETHLen {
		return errShortDETH
	}
	*h = DETH{
		QKey:  binary.BigEndian.Uint32(p),
		SrcQP: binary.BigEndian.Uint32(p[4:]) & low24,
	}
	return nil
}

// Append appends the DETHLen bytes of h to dst. Bits that do not fit their field are dropped.
func (h *DETH) Append(dst []byte) []byte {
	dst = binary.BigEndian.AppendUint32(dst, h.QKey)
	return binary.BigEndian.AppendUint32(dst, h.SrcQP&low24)
}
