package link

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"rdmatui/verbs/wire"
)

// TestDamageReaches checks all bits that can be flipped, in the shortest packet and in a longer one.
func TestDamageReaches(t *testing.T) {
	for _, n := range []int{wire.BTHLen + wire.ICRCLen, 100} {
		seen := map[int]bool{}
		for i := range uint64(8 * n) {
			data := make([]byte, n)
			newDamage(n, i).turn(data)
			at := -1
			for j, b := range data {
				if b != 0 {
					at = 8*j + bits.TrailingZeros8(b)
				}
			}
			if countBits(data) != 1 || at/8 == maskedByte {
				t.Fatalf("%x of %d bytes", data, n)
			}
			seen[at] = true
		}
		if len(seen) != 8*(n-1) {
			t.Errorf("%d of %d bits of %d bytes", len(seen), 8*(n-1), n)
		}
	}
}

func countBits(data []byte) (n int) {
	for _, b := range data {
		n += bits.OnesCount8(b)
	}
	return n
}

// TestDamageShapes: each shape occurs and flips as many bits as its pattern says, none twice, and only bits that the
// ICRC covers.
func TestDamageShapes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	shapes := map[string]int{}
	for range 10_000 {
		n := wire.BTHLen + wire.ICRCLen + r.IntN(wire.MaxLen-wire.BTHLen-wire.ICRCLen+1)
		d, data := newDamage(n, r.Uint64()), make([]byte, n)
		d.turn(data)
		if countBits(data) != bits.OnesCount32(d.pattern) || data[maskedByte] != 0 {
			t.Fatalf("%+v flipped %d bits of %d bytes, %#x in the masked byte", d, countBits(data), n, data[maskedByte])
		}
		switch {
		case d.pattern == 1:
			shapes["bit"]++
		case d.step == 1:
			shapes["burst"]++
		default:
			shapes["strewn"]++
		}
	}
	for shape, least := range map[string]int{"bit": 4500, "burst": 2200, "strewn": 2200} {
		if shapes[shape] < least {
			t.Errorf("%d of 10,000 were of the shape %q", shapes[shape], shape)
		}
	}
}
