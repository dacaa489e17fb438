//go:build !race

// One goroutine runs these tests: the race detector would find nothing and take 40 times as long.

package link

import "testing"

// TestIdentificationsAccepted counts for how many identifications, of all 65,536, a packet of a steady sender is
// accepted once damage explains those that differ: each has a share of 2^-32 of the random CRCs. Every trial begins
// with the same state, with and without an identification that a refused packet holds for confirmation.
func TestIdentificationsAccepted(t *testing.T) {
	for _, p := range []struct {
		name string
		id   func(i int) uint16
		want int // for a sender that has never needed more
	}{
		{"constant", func(int) uint16 { return 0x1234 }, 1},
		{"0", func(int) uint16 { return 0 }, 1},
		{"counter", func(i int) uint16 { return uint16(i) }, 3},
		{"segments", func(i int) uint16 { return uint16(i % 4) }, 2*3 + 1},
	} {
		t.Run(p.name, func(t *testing.T) {
			s := newIDStream(t)
			for i := range 4 * steadyAfter {
				s.put(port(0), p.id(i))
			}
			source := s.peers.sourceOf(addrA)
			source.bad, source.leaps = 100*suspectAfter, 1
			for _, holding := range []bool{false, true} {
				source.holding, source.held = holding, 40000
				before, peer := *source, *s.peers.last
				passed := 0
				for id := range 1 << 16 {
					if s.put(port(0), uint16(id)) == accepted {
						passed++
					}
					*source, *s.peers.last = before, peer
				}
				want := p.want
				if holding {
					want += max(p.want, 3) // one that confirms the held one
				}
				if passed > want {
					t.Errorf("holding %v: %d identifications are accepted, want at most %d", holding, passed, want)
				}
				if passed == 0 {
					t.Errorf("holding %v: the sender's own identification is refused", holding)
				}
			}
		})
	}
}

// TestIdentificationPatternsWithDamage sends the good packets of each pattern among as many damaged ones: at most one
// in a hundred is refused.
func TestIdentificationPatternsWithDamage(t *testing.T) {
	for _, p := range idPatterns {
		t.Run(p.name, func(t *testing.T) {
			s := newIDStream(t)
			next, lost := p.next(s.r), 0
			const packets = 20_000
			for i := range packets {
				from, id, pause := next(i)
				s.peers.now = s.peers.now.Add(pause)
				if s.put(from, id) != accepted {
					lost++
				}
				s.spoil(from, id)
			}
			t.Logf("%d of %d refused", lost, packets)
			if lost > packets/100 {
				t.Errorf("%d of %d good packets refused", lost, packets)
			}
		})
	}
}
