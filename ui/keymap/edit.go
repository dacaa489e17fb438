package keymap

// Edit works in every line of text that is being edited.
var Edit = struct {
	Left, Right, WordLeft, WordRight, Home, End, Backspace, Delete, KillEnd, KillStart, KillWord binding
}{
	Left:      bind("←", "left", "left", "ctrl+b"),
	Right:     bind("→", "right", "right", "ctrl+f"),
	WordLeft:  bind("alt+b", "word left", "alt+b", "ctrl+left", "alt+left"),
	WordRight: bind("alt+f", "word right", "alt+f", "ctrl+right", "alt+right"),
	Home:      bind("ctrl+a", "to the start", "home", "ctrl+a"),
	End:       bind("ctrl+e", "to the end", "end", "ctrl+e"),
	Backspace: bind("backspace", "delete before", "backspace", "ctrl+h", "shift+backspace"),
	Delete:    bind("del", "delete at", "delete", "ctrl+d"),
	KillEnd:   bind("ctrl+k", "delete to the end", "ctrl+k"),
	KillStart: bind("ctrl+u", "delete to the start", "ctrl+u"),
	KillWord:  bind("ctrl+w", "delete the word before", "ctrl+w", "alt+backspace"),
}

// Entry works beside Edit in the field of a form and in a filter.
var Entry = struct{ Accept, Cancel, Complete, CompletePrev, Up, Down binding }{
	Accept:       bind("enter", "take it", "enter"),
	Cancel:       bind("esc", "leave it as it was", "esc"),
	Complete:     bind("tab", "complete", "tab"),
	CompletePrev: bind("shift+tab", "complete backwards", "shift+tab"),
	Up:           bind("↑", "take it, field above", "up"),
	Down:         bind("↓", "take it, field below", "down"),
}

// Flags works in an open list of flags.
var Flags = struct{ Up, Down, Toggle, Accept, Cancel binding }{
	Up:     bind("↑/k", "up", "up", "k"),
	Down:   bind("↓/j", "down", "down", "j"),
	Toggle: bind("space", "on or off", "space"),
	Accept: bind("enter", "take it", "enter"),
	Cancel: bind("esc", "leave it as it was", "esc"),
}

// Palette works beside Edit in the command line.
var Palette = struct{ Accept, Close, Complete, CompletePrev, HistoryUp, HistoryDown binding }{
	Accept:       bind("enter", "run", "enter"),
	Close:        bind("esc", "close", "esc"),
	Complete:     bind("tab", "complete", "tab"),
	CompletePrev: bind("shift+tab", "complete backwards", "shift+tab"),
	HistoryUp:    bind("↑", "earlier command", "up", "ctrl+p"),
	HistoryDown:  bind("↓", "later command", "down", "ctrl+n"),
}

// Answer works beside Edit in the line that answers a command, and beside what the
// line has no use for.
var Answer = struct{ Send, End binding }{
	Send: bind("enter", "send", "enter"),
	End:  bind("esc", "end", "esc"),
}

// Dialog works in a question.
var Dialog = struct{ Yes, No, Accept, Next, Prev, Cancel binding }{
	Yes:    bind("y", "yes", "y"),
	No:     bind("n", "no", "n"),
	Accept: bind("enter", "take the marked answer", "enter"),
	Next:   bind("→", "next answer", "right", "tab", "l"),
	Prev:   bind("←", "previous answer", "left", "shift+tab", "h"),
	Cancel: bind("esc", "cancel", "esc"),
}

// Overlay works while the help lies over a screen.
var Overlay = struct{ Close binding }{Close: bind("esc", "close", "esc", "?", "q", "enter")}

// Contexts of widgets that take the whole keyboard.
var (
	PaletteOpen = Context{"Command line", []Group{group("Command line", Palette), group("Editing", Edit), alwaysGroup}}
	AnswerOpen  = Context{"Answer", []Group{group("Answer", Answer), group("Editing", Edit), {Name: "Screens", Keys: []binding{Global.Next, Global.Prev}}, alwaysGroup}}
	FieldOpen   = Context{"Field", []Group{group("Field", Entry), group("Editing", Edit), alwaysGroup}}
	FilterOpen  = Context{"Filter", []Group{group("Filter", Entry), group("Editing", Edit), alwaysGroup}}
	FlagsOpen   = Context{"Flags", []Group{group("Flags", Flags), alwaysGroup}}
	WaitShown   = Context{"A command waits", []Group{group("A command waits", Waiting), alwaysGroup}}
	DialogOpen  = Context{"Question", []Group{group("Question", Dialog), alwaysGroup}}
	HelpOpen    = Context{"Keys", []Group{group("Keys", Overlay),
		{Name: "Page", Keys: []binding{List.Up, List.Down, List.PageUp, List.PageDown, List.Home, List.End}}, alwaysGroup}}
)
