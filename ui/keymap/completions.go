package keymap

// Completions is the Completions screen's own keys.
var Completions = struct{ Pause, Fix, Failed, Hand, Way, Export, Mode, All, Arm, Solicited, Clear, Undo binding }{
	Pause:     as(Verb.Pause, "pause"),
	Fix:       as(Verb.Fix, "fix"),
	Failed:    bind("F", "failed only", "F"),
	Hand:      bind("v", "this QP only", "v"),
	Way:       bind("m", "poll or event mode", "m"),
	Export:    as(Verb.Write, "write"),
	Arm:       bind("a", "req_notify_cq", "a"),
	Solicited: bind("s", "solicited only", "s"),
	All:       bind(".", "queue statistics", "."),
	Mode:      bind("L", "live polling", "L"),
	Clear:     as(Verb.Clear, "clear"),
	Undo:      as(Verb.Undo, "undo the clear"),
}

// logMove is the keys of List on screens that follow a log.
var logMove = Group{Name: listGroup.Name, Keys: []binding{List.Up, List.Down, List.PageUp, List.PageDown,
	List.Home, List.End, List.Filter, List.Back}}

// CompletionsScreen is the Completions screen's context.
var CompletionsScreen = screen("Completions", Group{Name: "Completions",
	Keys: append([]binding{OpenIncident}, group("", Completions).Keys...)}, logMove, paneExplain)
