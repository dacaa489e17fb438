package keymap

// Wire is the Wire screen's own keys.
var Wire = struct{ Pause, Talk, Fault, Write, Device, Tap, Clear, Next, Prev binding }{
	Pause:  as(Verb.Pause, "pause"),
	Talk:   bind("v", "this conversation only", "v"),
	Fault:  bind("f", "faults", "f"),
	Write:  as(Verb.Write, "write pcapng"),
	Device: bind("d", "next device", "d"),
	Tap:    bind("t", "tap on, off", "t"),
	Clear:  bind("c", "clear", "c"),
	Next:   as(Find.Next, "next NAK or loss"),
	Prev:   as(Find.Prev, "previous NAK or loss"),
}

// WireScreen is the Wire screen's context.
var WireScreen = screen("Wire", group("Wire", Wire), logMove, paneExplain)
