package ui

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/keymap"
	"rdmatui/ui/widget"
)

// doubleTime is how soon after a click a second one makes a double click.
const doubleTime = 400 * time.Millisecond

// click is where and when the mouse was clicked.
type click struct {
	x, y int
	at   time.Time
}

// isDouble reports whether a click follows another on the same cell.
func isDouble(a *App, m widget.Mouse) bool {
	if m.Kind != widget.Click {
		return false
	}
	was, now := a.click, click{m.X, m.Y, a.now()}
	if was.x == now.x && was.y == now.y && now.at.Sub(was.at) < doubleTime {
		a.click = click{} // a third click begins anew
		return true
	}
	a.click = now
	return false
}

// opening are the words for what enter may do for a double click: nothing that runs a command.
var opening = []string{"open", "show", "go"}

// doubleClick opens what was clicked, as enter does, or edits the field.
func doubleClick(a *App) tea.Cmd {
	if a.current().Typing() {
		return nil
	}
	own, _ := a.current().Context().Short()
	for _, b := range own {
		does, _, _ := strings.Cut(b.Help().Desc, " ")
		if name := b.Keys()[0]; name == "enter" && slices.Contains(opening, does) || name == "e" {
			return a.key(keymap.Press(name))
		}
	}
	return nil
}
