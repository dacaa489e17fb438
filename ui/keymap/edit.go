package keymap

// Edit works in every text line while it is edited.
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
	Accept:       bind("enter", "OK", "enter"),
	Cancel:       bind("esc", "cancel", "esc"),
	Complete:     bind("tab", "complete", "tab"),
	CompletePrev: bind("shift+tab", "complete backwards", "shift+tab"),
	Up:           bind("↑", "OK, previous field", "up"),
	Down:         bind("↓", "OK, next field", "down"),
}

// Pick works while the user chooses from a few options. It has no letters: they, as any
// other key, close the choice and do what they do on the screen.
var Pick = struct{ Number, Accept, Next, Prev, Cancel binding }{
	Number: bind("1-9", "choose", "1", "2", "3", "4", "5", "6", "7", "8", "9"),
	Accept: bind("enter", "OK", "enter"),
	Next:   bind("→", "next", "right", "tab", "down"),
	Prev:   bind("←", "previous", "left", "shift+tab", "up"),
	Cancel: bind("esc", "cancel", "esc"),
}

// Flags works in an open list of flags.
var Flags = struct{ Up, Down, Toggle, Accept, Cancel binding }{
	Up:     bind("↑/k", "up", "up", "k"),
	Down:   bind("↓/j", "down", "down", "j"),
	Toggle: bind("space", "on or off", "space"),
	Accept: bind("enter", "OK", "enter"),
	Cancel: bind("esc", "cancel", "esc"),
}

// Console works beside Edit in the console.
var Console = struct {
	Accept, Close, Complete, CompletePrev, HistoryUp, HistoryDown, Search, PageUp, PageDown, Enlarge, Copy binding
}{
	Accept:       bind("enter", "run", "enter"),
	Close:        bind("esc", "close", "esc"),
	Complete:     bind("tab", "complete", "tab"),
	CompletePrev: bind("shift+tab", "complete backwards", "shift+tab"),
	HistoryUp:    bind("↑", "earlier command", "up"),
	HistoryDown:  bind("↓", "later command", "down"),
	Search:       bind("ctrl+r", "search the history", "ctrl+r"),
	PageUp:       bind("pgup", "scroll up", "pgup"),
	PageDown:     bind("pgdn", "scroll down", "pgdown"),
	Enlarge:      bind("ctrl+o", "enlarge", "ctrl+o", "alt+z"),
	Copy:         bind("ctrl+y", "copy the last result", "ctrl+y"),
}

// Palette works beside Edit in the palette.
var Palette = struct{ Accept, Close, Up, Down, PageUp, PageDown binding }{
	Accept:   bind("enter", "do it", "enter"),
	Close:    bind("esc", "close", "esc", "ctrl+p"),
	Up:       bind("↑", "up", "up", "shift+tab"),
	Down:     bind("↓", "down", "down", "tab"),
	PageUp:   bind("pgup", "page up", "pgup"),
	PageDown: bind("pgdn", "page down", "pgdown"),
}

// Answer works beside Edit in the line that answers a command; keys that the line
// does not use pass through.
var Answer = struct{ Send, End, Next, Prev binding }{
	Send: bind("enter", "send", "enter"),
	End:  bind("esc", "end", "esc"),
	Next: bind("tab", "next screen", "tab"),
	Prev: bind("shift+tab", "previous screen", "shift+tab"),
}

// Dialog works in a question.
var Dialog = struct{ Yes, No, Accept, Next, Prev, Cancel binding }{
	Yes:    bind("y", "yes", "y"),
	No:     bind("n", "no", "n"),
	Accept: bind("enter", "OK", "enter"),
	Next:   bind("→", "next answer", "right", "tab", "l"),
	Prev:   bind("←", "previous answer", "left", "shift+tab", "h"),
	Cancel: bind("esc", "cancel", "esc"),
}

// Overlay works while the help covers a screen.
var Overlay = struct{ Close, Search binding }{Close: bind("esc", "close", "esc", "?", "q", "enter"),
	Search: as(Verb.Filter, "search")}

// Keys works while the keys of a screen are shown.
var Keys = struct{ Close, Search, Manual binding }{Overlay.Close, Overlay.Search,
	bind("m", "manual page of this screen", "m")}

// Resume works while the lines of the session that ended last are shown. Enter, which closes other texts, does nothing.
var Resume = struct{ Yes, No binding }{Yes: bind("y", "run the lines", "y"), No: bind("n", "run none", "n", "esc", "q")}

var pageGroup = Group{
	Name: "Page", Keys: []binding{List.Up, List.Down, List.PageUp, List.PageDown, List.Home, List.End},
}

// Contexts of widgets that take the whole keyboard.
var (
	ConsoleOpen = Context{"Console", []Group{group("Console", Console), group("Editing", Edit), alwaysGroup}}
	PaletteOpen = Context{"Palette", []Group{group("Palette", Palette), group("Editing", Edit), alwaysGroup}}
	AnswerOpen  = Context{"Answer", []Group{group("Answer", Answer), group("Editing", Edit), alwaysGroup}}
	FieldOpen   = Context{"Field", []Group{group("Field", Entry), group("Editing", Edit), alwaysGroup}}
	FilterOpen  = Context{"Filter", []Group{group("Filter", Entry), group("Editing", Edit), alwaysGroup}}
	PickOpen    = Context{"Choice", []Group{group("Choice", Pick), alwaysGroup}}
	FlagsOpen   = Context{"Flags", []Group{group("Flags", Flags), alwaysGroup}}
	WaitShown   = Context{"A command waits", []Group{group("A command waits", Waiting), alwaysGroup}}
	DialogOpen  = Context{"Question", []Group{group("Question", Dialog), alwaysGroup}}
	HelpOpen    = Context{"Keys", []Group{group("Keys", Keys), pageGroup, alwaysGroup}}
	ResumeOpen  = Context{"Last session", []Group{group("Last session", Resume), pageGroup, alwaysGroup}}
	TextOpen    = Context{"Text", []Group{group("Text", Overlay), group("Matches", Find), pageGroup, alwaysGroup}}
)
