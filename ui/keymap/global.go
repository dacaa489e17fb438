package keymap

import "fmt"

// Global works on every screen, unless a widget has the keyboard. Interrupt always
// works: it stops a wait, or leaves what has the keyboard, or else quits.
var Global = struct {
	Screen, Console, Palette, NextQP, PrevQP, Map, Strip, Help, Quit, Suspend, Interrupt binding
}{
	Screen:    bind("0-9", "screen", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9"),
	Console:   bind(":", "command", ":"),
	Palette:   bind("ctrl+p", "find anything", "ctrl+p"),
	NextQP:    bind(">", "next queue pair", ">"),
	PrevQP:    bind("<", "previous queue pair", "<"),
	Map:       bind("M", "map of objects", "M"),
	Strip:     as(Verb.Strip, "strip: line, pane, hidden"),
	Help:      as(Verb.Help, "help"),
	Quit:      bind("q", "quit", "q"),
	Suspend:   bind("ctrl+z", "suspend", "ctrl+z"),
	Interrupt: bind("ctrl+c", "stop or quit", "ctrl+c"),
}

// Map works while the objects lie over a screen. Its movement keys are those of List.
var Map = struct{ Open, Close binding }{
	Open:  as(Verb.Run, "open"),
	Close: bind("esc", "close", "esc", "q", "M"),
}

// MapOpen is the context of the objects over a screen.
var MapOpen = Context{"Objects", []Group{group("Objects", Map), {Name: listGroup.Name, Keys: mapMove}, alwaysGroup}}

// mapMove walks over the objects.
var mapMove = []binding{List.Up, List.Down, List.PageUp, List.PageDown, List.Home, List.End, List.Left, List.Right}

// Waiting works while the bottom line shows a waiting command.
var Waiting = struct{ Stop binding }{Stop: bind("esc", "stop", "esc")}

// Pane moves between the panes of a screen.
var Pane = struct{ Copy, Zoom, Next, Prev binding }{
	Next: bind("tab/]", "next pane", "tab", "]"),
	Prev: bind("shift+tab/[", "previous pane", "shift+tab", "["),
	Copy: as(Verb.Copy, "copy"),
	Zoom: as(Verb.Zoom, "zoom"),
}

var (
	globalGroup = group("Everywhere", Global)
	paneGroup   = group("Panes", Pane)
	alwaysGroup = Group{Name: "Always", Keys: []binding{Global.Suspend, Global.Interrupt}}
)

// ScreenKey is the number key of a screen.
func ScreenKey(i int) binding {
	name := Global.Screen.Keys()[i]
	return bind(name, Global.Screen.Help().Desc, name)
}

// ScreenIndex returns the screen of a number key.
func ScreenIndex(k fmt.Stringer) (int, bool) {
	if !Matches(k, Global.Screen) {
		return 0, false
	}
	return int(k.String()[0] - '0'), true
}
