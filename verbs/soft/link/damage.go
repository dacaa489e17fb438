package link

// damage selects the bits to flip in one packet: each set bit of pattern stands for one flipped bit, step bits after
// the previous one. Bits are numbered in the order in which the CRC processes them; bits that the ICRC does not cover
// are skipped. The zero value flips nothing.
type damage struct {
	pattern uint32
	first   int
	step    int
}

// maskedByte is the byte of a packet that no ICRC covers: FECN, BECN and reserved bits of the BTH.
const maskedByte = 4

// newDamage draws the damage for a packet of n bytes including the ICRC. Half of the damages are a single bit, as from
// faulty memory; the rest are a burst of up to 32 consecutive bits, as from a bad line, or scattered bits, as from
// mixed-up buffers.
func newDamage(n int, by uint64) damage {
	covered := 8 * (n - 1)
	d := damage{pattern: 1, first: int(by % uint64(covered)), step: 1}
	switch shape := by >> 62; {
	case shape == 2:
		d.pattern |= uint32(by >> 16)
	case shape == 3:
		d.pattern |= uint32(by >> 16)
		d.step = max(1, covered/32) // 32 steps reach different bits
	}
	return d
}

// turn flips the bits. The packet may be shorter than the one that the damage was drawn for, but not shorter than a
// BTH.
func (d damage) turn(data []byte) {
	covered := 8 * (len(data) - 1)
	for bit := d.first; d.pattern != 0; bit, d.pattern = bit+d.step, d.pattern>>1 {
		if d.pattern&1 != 0 {
			at := bit % covered
			if at >= 8*maskedByte {
				at += 8
			}
			data[at/8] ^= 1 << (at % 8)
		}
	}
}
