package core

import "math/bits"

// SwappedText says what Swapped has found, after a number and the right one.
const SwappedText = "the same bytes in the wrong order: convert it between host and network order once (ntohl, be64toh)"

// Swapped reports whether a number is the right one with its bytes in reverse order, as a number of 24, 32 or 64 bits.
func Swapped(given, right uint64) bool {
	if given == right || given < 0x100 && right < 0x100 {
		return false
	}
	swap32 := uint64(bits.ReverseBytes32(uint32(right)))
	switch {
	case given>>32 == 0 && right>>32 == 0 && given == swap32:
		return true
	case given>>24 == 0 && right>>24 == 0 && given == swap32>>8: // the packet carries three bytes
		return true
	}
	return given == bits.ReverseBytes64(right)
}
