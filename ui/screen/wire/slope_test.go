package wire

import (
	"fmt"
	"slices"
	"testing"

	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/verbs/wire"
)

// crossing is three WRITEs that are on the way together, and their ACKs: the last WRITE
// arrives when the first has been acknowledged.
func (x *bench) crossing() {
	fromA := func(psn wire.PSN) func(arrives bool) {
		p := request(wire.RCWriteOnly, psn, 8)
		p.BTH.DestQP = x.qpB
		data := append(p.Append(nil), 0, 0, 0, 0)
		return func(arrives bool) {
			if arrives {
				x.seen("soft1", false, addrA, addrB, data)
			} else {
				x.seen("soft0", true, addrA, addrB, data)
			}
		}
	}
	ack := func(psn wire.PSN) func(arrives bool) {
		p := answer(wire.ACKUnlimited, psn, uint32(psn))
		p.BTH.DestQP = x.qpA
		data := append(p.Append(nil), 0, 0, 0, 0)
		return func(arrives bool) {
			if arrives {
				x.seen("soft0", false, addrB, addrA, data)
			} else {
				x.seen("soft1", true, addrB, addrA, data)
			}
		}
	}
	for _, e := range []struct {
		of      func(bool)
		arrives bool
	}{
		{fromA(1), false}, {fromA(2), false}, {fromA(3), false}, {fromA(1), true}, {ack(1), false},
		{fromA(2), true}, {ack(2), false},
		{ack(1), true}, {fromA(3), true}, {ack(2), true}, {ack(3), false}, {ack(3), true},
	} {
		e.of(e.arrives)
	}
	x.refresh()
}

// An arrow goes down from the line where its packet was sent to the one where it arrived,
// if anything happened in between.
func TestSlopes(t *testing.T) {
	for name, size := range bodies {
		for _, uni := range []bool{true, false} {
			run(t, theme.New("none", uni), func(x *bench) {
				x.crossing()
				x.keys("[", "home")
				uitest.Golden(x.t, fmt.Sprintf("crossing-%s-%v", name, uni), x.view(size[0], size[1]))
				var lines []int
				for _, h := range x.s.ladder.hops {
					lines = append(lines, h.sent, h.arrived)
				}
				if want := []int{0, 3, 1, 5, 2, 8, 4, 7, 6, 9, 10, 10}; !slices.Equal(lines, want) {
					t.Errorf("lines %v, want %v", lines, want)
				}
			})
		}
	}
}

// Each line of an arrow continues where the one above ended, at any width.
func TestSlopeConnects(t *testing.T) {
	g := &theme.New("none", true).Glyphs
	for _, rightward := range []bool{true, false} {
		for room := 4; room < 90; room += 3 {
			for steps := 2; steps < 40; steps++ {
				s := slope{h: &hop{sent: 0, arrived: steps - 1, label: 20}, rightward: rightward}
				at := min(20, room-arrowMin) - 1 // the column that was reached
				for y := range steps {
					first, last := room, -1
					for x := range room {
						col := x
						if !rightward {
							col = room - 1 - x
						}
						if s.piece(g, y, col, room) != "" {
							first, last = min(first, x), max(last, x)
						}
					}
					if last < 0 && y == 0 {
						continue // it goes down at once
					}
					if y == 0 && first != at+1 || y > 0 && first != at {
						t.Fatalf("%d columns, %d lines: line %d begins at %d, the one above ended at %d", room, steps,
							y, first, at)
					}
					at = last
				}
				if at != room-1 {
					t.Errorf("%d columns, %d lines: ends at %d", room, steps, at)
				}
			}
		}
	}
}
