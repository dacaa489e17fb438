package wire

import "cmp"

// PSN is a packet sequence number: 24 bits, 0 to 0xffffff, counting modulo 2^24 (IBA vol 1, 9.7.1). Bits above the 24th
// are ignored by every method.
type PSN uint32

const (
	psnBits = 24
	// PSNMask covers the bits of a PSN.
	PSNMask PSN = 1<<psnBits - 1
)

// Add returns the PSN n packets after p, or before it if n is negative.
func (p PSN) Add(n int) PSN { return (p + PSN(n)) & PSNMask }

// Sub returns how many packets p is after q, from -2^23 to 2^23-1: the shorter way round.
func (p PSN) Sub(q PSN) int {
	const shift = 32 - psnBits
	return int(int32((p-q)<<shift) >> shift)
}

// Compare returns -1 if p is before q, 0 if they are equal and +1 if p is after q. It orders PSNs less than 2^23 apart,
// which the transport guarantees for packets in flight; it is not a total order.
func (p PSN) Compare(q PSN) int { return cmp.Compare(p.Sub(q), 0) }

// String returns the PSN as six hexadecimal digits.
func (p PSN) String() string { return string(appendHex(nil, uint64(p&PSNMask), 6)) }
