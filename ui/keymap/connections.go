package keymap

// Connections is the Connections screen's own keys.
var Connections = struct {
	Fix, Connect, Listen, Accept, AcceptAs, Reject, RejectAll, Disconnect, All, Private, Other, Only, Mode, Space,
	Manager, Destroy binding
}{
	Fix:        as(Verb.Fix, "fix"),
	Connect:    as(Verb.Connect, "connect"),
	Listen:     bind("l", "listen", "l"),
	Accept:     bind("a", "accept", "a"),
	AcceptAs:   bind("A", "accept with parameters", "A"),
	Reject:     bind("R", "reject", "R"),
	RejectAll:  bind("ctrl+r", "reject all", "ctrl+r"),
	Disconnect: bind("d", "disconnect", "d"),
	All:        bind("b", "run all", "b"),
	Private:    bind("P", "private data", "P"),
	Other:      as(Verb.Other, "other id"),
	Only:       bind("v", "this id only", "v"),
	Mode:       bind("m", "event mode", "m"),
	Space:      bind("s", "port space", "s"),
	Manager:    bind("t", "next manager", "t"),
	Destroy:    as(Verb.Destroy, "destroy id"),
}

// ConnectionsNow is what exists on the Connections screen at the moment; some keys
// need it.
type ConnectionsNow struct {
	Manager   bool // a connection manager
	Managers  bool // several managers to choose from for a new identifier
	New       bool // a new identifier is drafted, or none exists
	ID        bool // an identifier is shown
	Others    bool // identifiers besides the one shown
	Next      bool // a next command line
	Asked     bool // a request waits for an answer
	Connected bool // the identifier shown is connected
	Fixable   bool // a connection that has ended can be made anew at both ends
}

// connectionKeys are the screen's keys in the order of the bottom line, each with its
// condition.
var connectionKeys = []struct {
	key  binding
	when func(ConnectionsNow) bool
}{
	{Connections.Accept, func(n ConnectionsNow) bool { return n.Asked }},
	{Connections.Reject, func(n ConnectionsNow) bool { return n.Asked }},
	{Connections.Fix, func(n ConnectionsNow) bool { return n.Fixable }},
	{Connections.Disconnect, func(n ConnectionsNow) bool { return n.Connected }},
	{Form.Submit, func(n ConnectionsNow) bool { return n.Next }},
	{Form.Edit, func(n ConnectionsNow) bool { return n.Next }},
	{Connections.All, func(n ConnectionsNow) bool { return n.Next }},
	{Connections.Connect, func(n ConnectionsNow) bool { return n.Manager }},
	{Connections.Listen, func(n ConnectionsNow) bool { return n.Manager }},
	{Meet.Wait, func(n ConnectionsNow) bool { return n.Manager && n.New }},
	{Meet.Join, func(n ConnectionsNow) bool { return n.Manager && n.New }},
	{Connections.Mode, func(n ConnectionsNow) bool { return n.Manager && n.New }},
	{Connections.Space, func(n ConnectionsNow) bool { return n.Manager && n.New }},
	{Connections.Manager, func(n ConnectionsNow) bool { return n.Managers && n.New }},
	{Connections.Other, func(n ConnectionsNow) bool { return n.Others }},
	{Connections.Destroy, func(n ConnectionsNow) bool { return n.ID }},
	{Connections.AcceptAs, func(n ConnectionsNow) bool { return n.Asked }},
	{Connections.RejectAll, func(n ConnectionsNow) bool { return n.Asked }},
	{Connections.Private, func(n ConnectionsNow) bool { return n.Next }},
	{Connections.Only, func(n ConnectionsNow) bool { return n.ID }},
}

// ConnectionsIn is the Connections screen's context. Keys that cannot be used at the
// moment are in the help but not on the bottom line.
func ConnectionsIn(now ConnectionsNow) Context {
	use, later := Group{Name: "Now"}, Group{Name: laterName}
	for _, k := range connectionKeys {
		if k.when(now) {
			use.Keys = append(use.Keys, k.key)
		} else {
			later.Keys = append(later.Keys, k.key)
		}
	}
	var groups []Group
	for _, g := range []Group{use, later} {
		if len(g.Keys) > 0 {
			groups = append(groups, g)
		}
	}
	return screen("Connections", append(groups, logMove, paneExplain)...)
}

// ConnectionsScreen is the context at first.
var ConnectionsScreen = ConnectionsIn(ConnectionsNow{Manager: true, New: true})
