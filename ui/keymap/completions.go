package keymap

// Completions is the Completions screen's own keys.
var Completions = struct{ Pause, Failed, Mode, Arm, Clear, Export binding }{
	Pause:  bind("p", "pause", "p"),
	Failed: bind("f", "failed only", "f"),
	Mode:   bind("m", "polling or events", "m"),
	Arm:    bind("a", "req_notify_cq", "a"),
	Clear:  bind("c", "clear", "c"),
	Export: bind("x", "export", "x"),
}

// CompletionsScreen is what the Completions screen listens to.
var CompletionsScreen = screen("Completions", group("Completions", Completions), listGroup, paneGroup)
