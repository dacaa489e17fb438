package keymap

// Bringup is the Bring-up screen's own keys.
var Bringup = struct{ New, Other, Target, Peer, AsIs, Connect, Query, Destroy binding }{
	New:     bind("n", "new QP", "n"),
	Other:   bind("o", "other QP", "o"),
	Target:  bind("t", "next state to reach", "t"),
	Peer:    bind("p", "paste peer", "p"),
	AsIs:    bind("x", "send as is", "x"),
	Connect: bind("c", "connect_qps", "c"),
	Query:   bind("u", "query_qp", "u"),
	Destroy: bind("D", "destroy", "D"),
}

// BringupScreen is what the Bring-up screen listens to.
var BringupScreen = screen("Bring-up", formGroup, group("Bring-up", Bringup), moveGroup, paneGroup)
