package keymap

import "slices"

// Wire is the Wire screen's own keys.
var Wire = struct{ Next, Prev, Talk, Write, Fault, Pause, Fold, Device, Tap, Clear, Undo binding }{
	Next:   as(Find.Next, "next trouble"),
	Prev:   as(Find.Prev, "previous trouble"),
	Talk:   bind("v", "this conversation only", "v"),
	Fold:   bind(".", "fold messages", "."),
	Pause:  as(Verb.Pause, "pause"),
	Fault:  bind("f", "faults", "f"),
	Write:  as(Verb.Write, "write pcapng"),
	Device: bind("d", "next device", "d"),
	Tap:    bind("t", "tap on, off", "t"),
	Clear:  as(Verb.Clear, "clear"),
	Undo:   as(Verb.Undo, "undo the clear"),
}

// Faults is the keys of the panel of faults on the Wire screen.
var Faults = struct{ More, Less, Off, Other, Close binding }{
	More:  bind("+", "more", "+", "="),
	Less:  bind("-", "less", "-"),
	Off:   as(Verb.Clear, "clear all faults"),
	Other: as(Verb.Other, "other device"),
	Close: bind("f/esc", "close", "f", "esc"),
}

// WireFaults is the context while that panel has the focus.
var WireFaults = screen("Wire: faults", Group{Name: "Faults", Keys: []binding{Faults.More, Faults.Less, Form.Edit,
	as(Form.Clear, "no such fault"), Faults.Off, Faults.Other, Faults.Close, List.Up, List.Down}}, paneGroup)

// WireScreen is the Wire screen's context.
var WireScreen = screen("Wire", Group{Name: "Wire", Keys: append([]binding{List.Filter}, group("", Wire).Keys...)},
	wireMove, paneExplain)

// wireMove is logMove without the filter, which comes first on this screen.
var wireMove = Group{Name: logMove.Name, Keys: slices.DeleteFunc(slices.Clone(logMove.Keys), func(b binding) bool {
	return b.Help() == List.Filter.Help()
})}
