package keymap

// Journal is the Journal screen's own keys.
var Journal = struct{ Save, ExportC, Again, Copy, Kind binding }{
	Save:    bind("w", "save", "w"),
	ExportC: bind("x", "export as C", "x"),
	Again:   bind("r", "run the line again", "r"),
	Copy:    bind("c", "line to the command", "c"),
	Kind:    bind("t", "kinds of events", "t"),
}

// JournalScreen is what the Journal screen listens to.
var JournalScreen = screen("Journal", group("Journal", Journal), listGroup, paneGroup)
