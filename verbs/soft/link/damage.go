package link

// damage is the bits that are turned over in one packet: each set bit of pattern stands for one, step bits further on than the one
// before it. Bits are numbered in the order in which the CRC takes them, and those that no ICRC covers are left out. The zero value
// does nothing.
type damage struct {
	pattern uint32
	first   int
	step    int
}

// maskedByte of a packet is in no ICRC: FECN, BECN and reserved bits of the BTH.
const maskedByte = 4

// newDamage draws the damage to a packet of n bytes with its ICRC. Half of it is a single bit, which is what faulty memory does; the
// rest is a burst of up to 32 bits in a row, as on a bad line, and bits strewn over the packet, as where a buffer was mixed up.
func newDamage(n int, by uint64) damage {
	covered := 8 * (n - 1)
	d := damage{pattern: 1, first: int(by % uint64(covered)), step: 1}
	switch shape := by >> 62; {
	case shape == 2:
		d.pattern |= uint32(by >> 16)
	case shape == 3:
		d.pattern |= uint32(by >> 16)
		d.step = max(1, covered/32) // 32 of them are all different
	}
	return d
}

// turn does the damage. A packet may be shorter than the one it was drawn for, but not than a BTH.
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
