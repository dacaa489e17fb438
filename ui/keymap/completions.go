package keymap

// Completions is the Completions screen's own keys.
var Completions = struct{ Pause, Failed, Mode, Way, Solicited, Export, Arm, Clear binding }{
	Pause:     bind("p", "pause", "p"),
	Failed:    bind("f", "failed only", "f"),
	Mode:      bind("m", "live polling on or off", "m"),
	Way:       bind("w", "poll or wait", "w"),
	Solicited: bind("o", "solicited only", "o"),
	Export:    bind("x", "export", "x"),
	Arm:       bind("a", "req_notify_cq", "a"),
	Clear:     bind("c", "clear", "c"),
}

// logMove is what the screens that follow a log take from List.
var logMove = Group{Name: listGroup.Name, Keys: []binding{List.Up, List.Down, List.PageUp, List.PageDown,
	List.Home, List.End, List.Filter, List.Back}}

// CompletionsScreen is what the Completions screen listens to.
var CompletionsScreen = screen("Completions", group("Completions", Completions), logMove, paneExplain)
