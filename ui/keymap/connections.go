package keymap

// Connections is the Connections screen's own keys.
var Connections = struct {
	Connect, Listen, Accept, AcceptAs, Reject, Disconnect, All, Private, Other, Only, Mode, Space, Manager, Destroy binding
}{
	Connect:    bind("c", "connect to", "c"),
	Listen:     bind("l", "listen", "l"),
	Accept:     bind("a", "accept", "a"),
	AcceptAs:   bind("A", "accept with other parameters", "A"),
	Reject:     bind("r", "reject", "r"),
	Disconnect: bind("d", "disconnect", "d"),
	All:        bind("b", "all up to the next event", "b"),
	Private:    bind("P", "private data", "P"),
	Other:      bind("o", "other id", "o"),
	Only:       bind("v", "events of this id only", "v"),
	Mode:       bind("m", "how events are waited for", "m"),
	Space:      bind("p", "port space", "p"),
	Manager:    bind("t", "another provider's manager", "t"),
	Destroy:    bind("D", "destroy the id", "D"),
}

// ConnectionsScreen is what the Connections screen listens to.
var ConnectionsScreen = screen("Connections", runGroup, group("Connections", Connections), logMove, paneExplain)
