package wire

import "encoding/binary"

// AETHLen is the length of an AETH in bytes.
const AETHLen = 4

// AETH is the acknowledge extended transport header (IBA vol 1, 9.3). Acknowledgements have one, and so does every
// packet of a READ response except the middle ones.
//
//	 0                   1                   2                   3
//	 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//	+---------------+-----------------------------------------------+
//	|    syndrome   |                      MSN                      |
//	+---------------+-----------------------------------------------+
type AETH struct {
	// Syndrome is the kind of acknowledgement: ACK, RNR NAK or NAK, with its value.
	Syndrome Syndrome
	// MSN is the message sequence number: how many messages the responder has completed, modulo 2^24.
	MSN uint32
}

// Decode reads h from the start of p.
func (h *AETH) Decode(p []byte) error {
	if len(p) < AETHLen {
		return errShortAETH
	}
	word := binary.BigEndian.Uint32(p)
	*h = AETH{Syndrome: Syndrome(word >> 24), MSN: word & low24}
	return nil
}

// Append appends the AETHLen bytes of h to dst. Bits that do not fit their field are dropped.
func (h *AETH) Append(dst []byte) []byte {
	return binary.BigEndian.AppendUint32(dst, uint32(h.Syndrome)<<24|h.MSN&low24)
}
