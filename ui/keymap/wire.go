package keymap

// Wire is the Wire screen's own keys.
var Wire = struct{ Pause, Talk, Device, Fault, Tap, Clear, Write binding }{
	Pause:  bind("p", "pause", "p"),
	Talk:   bind("c", "this conversation", "c"),
	Device: bind("d", "device", "d"),
	Fault:  bind("f", "faults on, off", "f"),
	Tap:    bind("t", "tap on, off", "t"),
	Clear:  bind("x", "clear", "x"),
	Write:  bind("w", "write pcapng", "w"),
}

// WireScreen is what the Wire screen listens to.
var WireScreen = screen("Wire", group("Wire", Wire), logMove, paneGroup)
