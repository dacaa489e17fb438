package ui

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session/timeline"
	"rdmatui/ui/keymap"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
)

// used are the lines of a session in which a request has completed.
var used = append(append([]string{}, uitest.BenchLines...), "connect_qps a b", "post_recv b sge=dst:0:64",
	"post_send a SEND sge=src:0:8 send_flags=SIGNALED")

// Every pane of every screen takes the focus, zooms, and scrolls by key and wheel; it
// has something to copy or says that it has nothing.
func TestEveryPane(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}} {
		g := newGuided(t, size[0], size[1], "first-write", used...)
		for id := range 9 {
			g.Keys(fmt.Sprint(id))
			for range 5 {
				g.Keys("tab", "z", "end", "y")
				if g.app.current().Context().Name == keymap.PickOpen.Name {
					g.Keys("enter")
				}
				if !g.Until(func() bool { return g.app.flash.Text != "" }) {
					t.Errorf("screen %d, %v: y says nothing:\n%s", id, size, g.View())
				}
				g.Send(tea.MouseWheelMsg{X: size[0] / 3, Y: size[1] / 2, Button: tea.MouseWheelDown})
				g.Keys("z")
			}
		}
	}
}

// A click on a hint does something: a key that would only say why it does nothing is
// not shown.
func TestEveryHint(t *testing.T) {
	uitest.KeepUsualPort(t)
	const w, h = 120, 40
	g := newGuided(t, w, h, "first-write", used...)
	for id := range 9 {
		back := []string{"esc", "esc", fmt.Sprint(id)}
		g.Keys(back...)
		columns := map[string]int{}
		for x := w - 1; x >= 0; x-- {
			if name, ok := widget.HintAt(g.app.context(), "", w-2, x-1); ok && name != "q" {
				columns[name] = x
			}
		}
		if len(columns) < 3 {
			t.Errorf("screen %d: only %v can be clicked", id, columns)
		}
		for _, name := range slices.SortedFunc(maps.Keys(columns), func(a, b string) int {
			return columns[a] - columns[b]
		}) {
			x := columns[name]
			if now, _ := widget.HintAt(g.app.context(), "", w-2, x-1); now != name {
				continue // an earlier click changed what can be done
			}
			hint := g.View()
			g.Click(x, h-1)
			if g.app.flash.Level == timeline.LevelWarn {
				t.Errorf("screen %d: a click on %s says %q:\n%s", id, name, g.app.flash.Text, hint)
			}
			g.Keys(back...)
		}
	}
}

// A key of the program acts also while a screen offers a choice.
func TestKeyInsteadOfAChoice(t *testing.T) {
	g := newGuided(t, 120, 40, "first-write", used...)
	for key, shown := range map[string]string{"7": "error lab", ":": "esc", "?": "Everywhere"} {
		g.Keys("4", "y")
		if g.app.current().Context().Name != keymap.PickOpen.Name {
			t.Fatalf("y offers no choice:\n%s", g.View())
		}
		if g.Keys(key); g.app.current().Typing() || !strings.Contains(g.View(), shown) {
			t.Errorf("%s does not act:\n%s", key, g.View())
		}
		g.Keys("esc")
	}
}
