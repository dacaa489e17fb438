package keymap

// Verb is the keys that mean the same on every screen. A screen adds the object by
// [as]; its own letters must differ. TestVerbs checks both.
var Verb = struct {
	Run, New, Edit, Destroy, Mark, Again, Filter, Pause, Copy, Write, Other, Explain, Zoom, Strip, AsIs, Help binding
	Connect, Clear, Undo, Fix                                                                                 binding
}{
	Run:     bind("enter", "run", "enter"),
	New:     bind("n", "new", "n"),
	Edit:    bind("e", "edit", "e"),
	Destroy: bind("D", "destroy", "D"),
	Mark:    bind("space", "mark", "space"),
	Again:   bind("r", "refresh", "r"),
	Filter:  bind("/", "filter", "/"),
	Pause:   bind("p", "pause", "p"),
	Copy:    bind("y", "copy", "y"),
	Write:   bind("w", "write", "w"),
	Other:   bind("o", "other", "o"),
	Explain: bind("E", "explain", "E"),
	Zoom:    bind("z", "zoom", "z"),
	Strip:   bind("S", "strip", "S"),
	AsIs:    bind("x", "send as is", "x"),
	Help:    bind("?", "help", "?"),
	Connect: bind("c", "connect", "c"),
	Clear:   bind("C", "clear", "C"), // can be undone
	Undo:    bind("u", "undo", "u"),
	Fix:     bind("f", "fix", "f"),
}

// as names the object of a verb.
func as(verb binding, does string) binding { return bind(verb.Help().Key, does, verb.Keys()...) }
