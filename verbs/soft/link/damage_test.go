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
// ICRC covers. A burst and scattered bits take each of the 32 steps of a pattern after the first in about half of the
// packets.
func TestDamageShapes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	shapes := map[string]int{}
	steps := map[string]*[32]int{"bit": {}, "burst": {}, "strewn": {}}
	for range 10_000 {
		n := wire.BTHLen + wire.ICRCLen + r.IntN(wire.MaxLen-wire.BTHLen-wire.ICRCLen+1)
		d, data := newDamage(n, r.Uint64()), make([]byte, n)
		d.turn(data)
		if countBits(data) != bits.OnesCount32(d.pattern) || data[maskedByte] != 0 {
			t.Fatalf("%+v flipped %d bits of %d bytes, %#x in the masked byte", d, countBits(data), n, data[maskedByte])
		}
		shape := "strewn"
		switch {
		case d.pattern == 1:
			shape = "bit"
		case d.step == 1:
			shape = "burst"
		}
		shapes[shape]++
		for i := range steps[shape] {
			steps[shape][i] += int(d.pattern >> i & 1)
		}
	}
	for shape, least := range map[string]int{"bit": 4500, "burst": 2200, "strewn": 2200} {
		if shapes[shape] < least {
			t.Errorf("%d of 10,000 were of the shape %q", shapes[shape], shape)
		}
		for i, n := range steps[shape] {
			if share := float64(n) / float64(shapes[shape]); i > 0 && shape != "bit" && (share < 0.4 || share > 0.6) ||
				i == 0 && share != 1 {
				t.Errorf("%.2f of the packets of the shape %q had bit %d flipped", share, shape, i)
			}
		}
	}
}
