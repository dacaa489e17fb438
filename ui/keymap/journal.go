package keymap

// Journal is the Journal screen's own keys.
var Journal = struct{ Again, Copy, Kind, Failed, Save binding }{
	Again:  as(Verb.Again, "run again"),
	Copy:   as(Verb.Edit, "edit and run"),
	Kind:   bind("t", "kinds of events", "t"),
	Failed: bind("F", "failed only", "F"),
	Save:   as(Verb.Write, "write"),
}

// JournalScreen is the Journal screen's context.
var JournalScreen = screen("Journal", group("Journal", Journal), logMove, paneExplain)
