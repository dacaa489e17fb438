package keymap

// Journal is the Journal screen's own keys.
var Journal = struct{ Again, Copy, Kind, Failed, Save, Export, Script binding }{
	Again:  bind("r", "run the line again", "r"),
	Copy:   bind("c", "line to the command", "c"),
	Kind:   bind("t", "kinds of events", "t"),
	Failed: bind("f", "failed only", "f"),
	Save:   bind("w", "save", "w"),
	Export: bind("x", "export as C", "x"),
	Script: bind("X", "export as script", "X"),
}

// JournalScreen is what the Journal screen listens to.
var JournalScreen = screen("Journal", group("Journal", Journal), logMove, paneExplain)
