package wire

import (
	"math/bits"
	"sync"
)

// RecoverID checks the CRC of an IPv4 packet whose identification is unknown, as on an ordinary UDP socket, and returns
// the identification for which it is right. b runs from BTH to ICRC. guess is the likely identification; any value
// gives the same result, the right one sooner.
//
// The difference between the received CRC and the one for the guessed identification is the difference of the two
// identifications, moved on by the bytes after them. Moved back by as many bytes, it must fit in 16 bits. So a random
// error passes with a probability of 2^-16 instead of 2^-32; a caller regains bits by requiring that the
// identifications of one sender are close together. On a path without IPv4, where Verify is exact, ok is always false.
func (c ICRC) RecoverID(guess uint16, b []byte) (id uint16, ok bool) {
	if c.over != overIPv4 || len(b) < BTHLen+ICRCLen || len(b) > MaxLen {
		return 0, false
	}
	body := b[:len(b)-ICRCLen]
	diff := c.Sum(guess, body) ^ trailer(b)
	if diff == 0 {
		return guess, true
	}
	id32 := mulX(diff, backSteps()[len(body)])
	if id32>>16 != 0 {
		return 0, false
	}
	return guess ^ bits.ReverseBytes16(uint16(id32)), true
}

// polyOne is the polynomial 1 in the register's bit order, where x^0 is the highest bit; poly is that of IEEE 802.3
// without x^32.
const (
	polyOne = 1 << 31
	poly    = 0xedb88320
)

// backSteps returns, by length of a packet without ICRC, the power of 1/x that moves the register from the packet's end
// back to before the identification in its IPv4 header.
var backSteps = sync.OnceValue(func() *[MaxLen + 1]uint32 {
	t := new([MaxLen + 1]uint32)
	power := uint32(polyOne)
	for range behind4(ipv4IDAt) + 2 {
		power = byteBack(power)
	}
	for n := range t {
		t[n] = power
		power = byteBack(power)
	}
	return t
})

// byteBack divides a polynomial by x^8.
func byteBack(p uint32) uint32 {
	for range 8 {
		if p&polyOne != 0 {
			p = (p^poly)<<1 | 1
		} else {
			p <<= 1
		}
	}
	return p
}

// mulX multiplies two polynomials modulo that of the CRC.
func mulX(a, b uint32) uint32 {
	var product uint32
	for ; a != 0; a <<= 1 {
		product ^= b & uint32(int32(a)>>31)
		b = b>>1 ^ poly&-(b&1)
	}
	return product
}
