package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/screen"
)

// News leaves the most important keys in sight: behind it where they fit, else in a row of their own, and a click on
// one presses it.
func TestNewsKeepsKeys(t *testing.T) {
	short, long := "copied", "Not sent: "+strings.Repeat("RC RESET → RTR is not a valid transition; ", 3)
	for _, size := range [][2]int{{80, 24}, {120, 40}, {40, 10}} {
		for _, text := range []string{short, long} {
			r := newRig(t, size[0], size[1])
			r.app.say(screen.FlashMsg{Text: text})
			v := r.View()
			rows := strings.Split(strings.TrimRight(v, "\n"), "\n")
			last := rows[len(rows)-1]
			if !strings.Contains(v, strings.Fields(text)[0]) || !strings.Contains(last, "? help") ||
				!strings.Contains(last, "q quit") || len(rows) != size[1] {
				t.Errorf("%v %q:\n%s", size, text, v)
			}
			before, _, _ := strings.Cut(last, "? help")
			r.Send(tea.MouseClickMsg{X: len([]rune(before)), Y: size[1] - 1, Button: tea.MouseLeft})
			if r.app.help == nil {
				t.Errorf("%v %q: a click on ? does not open the help:\n%s", size, text, v)
			}
		}
	}
}
