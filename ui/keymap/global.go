package keymap

import "fmt"

// Global works on every screen, unless a widget has taken the keyboard; ctrl+c
// works always.
var Global = struct {
	Screen, Next, Prev, Console, Help, Quit, Interrupt binding
}{
	Screen:    bind("1-8", "screen", "1", "2", "3", "4", "5", "6", "7", "8"),
	Next:      bind("tab", "next screen", "tab"),
	Prev:      bind("shift+tab", "previous screen", "shift+tab"),
	Console:   bind(":", "command", ":"),
	Help:      bind("?", "keys", "?"),
	Quit:      bind("q", "quit", "q"),
	Interrupt: bind("ctrl+c", "leave at once", "ctrl+c"),
}

// Waiting works while the foot tells of a command that waits.
var Waiting = struct{ Stop binding }{Stop: bind("esc", "stops it", "esc")}

// Pane moves among the panes of a screen.
var Pane = struct{ Copy, Zoom, Next, Prev binding }{
	Next: bind("]", "next pane", "]"),
	Prev: bind("[", "previous pane", "["),
	Copy: as(Verb.Copy, "copy"),
	Zoom: as(Verb.Zoom, "zoom"),
}

var (
	globalGroup = group("Everywhere", Global)
	paneGroup   = group("Panes", Pane)
	alwaysGroup = Group{Name: "Always", Keys: []binding{Global.Interrupt}}
)

// ScreenIndex says which screen a number key names, from 0.
func ScreenIndex(k fmt.Stringer) (int, bool) {
	if !Matches(k, Global.Screen) {
		return 0, false
	}
	return int(k.String()[0] - '1'), true
}
