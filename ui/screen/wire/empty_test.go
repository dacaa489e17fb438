package wire

import (
	"testing"

	"rdmatui/ui/theme"
)

// TestMovesWithoutAPacket checks that a pane whose packet is gone keeps nothing of it that a key could move in.
func TestMovesWithoutAPacket(t *testing.T) {
	for name, empty := range map[string][]string{"a filter": {"/", "n", "o", "n", "e", "enter"}, "a clear": {"C"}} {
		run(t, theme.New("none", true), func(x *bench) {
			x.journey()
			x.view(120, 40)
			x.keys(empty...)
			x.refresh()
			for range 4 {
				x.keys("tab", "G", "g", "up", "down", "pgup", "pgdown", "home", "end", "m", "E", "y", "enter")
				x.view(120, 40)
			}
			if x.s.list.Len() != 0 || len(x.s.ladder.hops) != 0 || len(x.s.ladder.lines) != 0 {
				t.Errorf("%s leaves %d rows, %d arrows, %d lines", name, x.s.list.Len(), len(x.s.ladder.hops),
					len(x.s.ladder.lines))
			}
		})
	}
}
