package tour

import (
	"rdmatui/session"
	"rdmatui/session/timeline"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
	"rdmatui/verbs"
)

// connectCM connects two ends in this session through the connection manager.
var connectCM = &Tour{
	ID: "rdma-cm", Name: "Connect with rdma_cm",
	About: "A listener and a client here: REQ, REP, RTU, a WRITE, disconnect.",
	Steps: []*Step{&listening, &requested, &accepted, &writeCM, &disconnected},
	Learned: [3]string{
		"rdma_cm finds device and path from an IP address, and moves the QPs to RTS.",
		"connect sends REQ, accept answers REP, RTU follows: ESTABLISHED twice.",
		"After DISCONNECTED a queue pair is in ERR: what is outstanding is flushed.",
	},
	Next: "7 plays hello and rping step by step; 6 shows REQ, REP and RTU.",
}

var listening = Step{
	Name: "listen",
	Why:  "An rdma_cm_id is to RDMA what a socket is to TCP: bind it, then listen.",
	Parts: []Part{{Name: "an identifier in LISTENING", State: func(w *World) bool {
		return ids(&w.Session, session.IDListening) > 0
	}}},
	Moves: list([]Move{
		{When: both(field("editing", "listen on"), filled("bound")), Typing: true, On: screen.Connections,
			Does: "type 7471, then enter"},
		{When: field("editing", "listen on"), Typing: true, On: screen.Connections, Key: &keymap.Entry.Accept,
			Does: "take port 7471 of every device"},
		{When: filled("bound"), On: screen.Connections, Key: &keymap.Connections.Listen,
			Does: "listen on every device"},
	}, plain, []Move{
		{When: field("role", "server"), On: screen.Connections, Key: &keymap.Connections.All,
			Does: "run the lines up to rdma_listen"},
		{On: screen.Connections, Key: &keymap.Connections.Listen, Does: "listen on a port"},
	}),
}

// plain lists the moves that bring back the settings of new identifiers that the tour uses.
var plain = []Move{
	{When: not(field("space", "TCP")), On: screen.Connections, Key: &keymap.Connections.Space,
		Does: "choose the port space TCP"},
	{When: not(field("mode", "event")), On: screen.Connections, Key: &keymap.Connections.Mode,
		Does: "choose the mode event"},
}

var requested = Step{
	Name:  "ask for a connection",
	Why:   "A client resolves the address, then the route; rdma_connect sends the REQ.",
	Needs: []*Step{&listening},
	Parts: []Part{
		{Name: "ADDR_RESOLVED", Event: cmEvent(verbs.CMAddrResolved)},
		{Name: "ROUTE_RESOLVED", Event: cmEvent(verbs.CMRouteResolved)},
		{Name: "CONNECT_REQUEST at the listener", Event: cmEvent(verbs.CMConnectRequest)},
	},
	Moves: ask,
}

// ask lists the moves by which a client sends its request.
var ask = list([]Move{
	{When: field("editing", "connect to"), Typing: true, On: screen.Connections,
		Says: func(w *World) string { return "type " + w.Field("reach") + ", then enter" }},
}, plain, []Move{
	{When: filled("elsewhere"), On: screen.Connections, Key: &keymap.Connections.Connect,
		Does: "give it an address of this host"},
	{When: field("role", "client"), On: screen.Connections, Key: &keymap.Connections.All,
		Does: "run the lines up to rdma_connect"},
	{On: screen.Connections, Key: &keymap.Connections.Connect, Does: "make a client"},
})

var accepted = Step{
	Name:  "accept it",
	Why:   "The request waits with an identifier of its own. rdma_accept sends the REP.",
	Needs: []*Step{&listening},
	Parts: []Part{
		{Name: "ESTABLISHED", Event: cmEvent(verbs.CMEstablished)},
		{Name: "both ends CONNECTED", State: func(w *World) bool { return joined(&w.Session) > 1 }},
	},
	Moves: append([]Move{
		{When: func(w *World) bool { return ids(&w.Session, session.IDRequest) > 0 },
			On: screen.Connections, Key: &keymap.Connections.Accept, Does: "accept the request"},
		{When: func(w *World) bool { return ids(&w.Session, session.IDConnecting) > 0 }, On: screen.Connections,
			Does: "wait for the answer"},
	}, ask...),
}

var writeCM = Step{
	Name:  "post an RDMA_WRITE",
	Why:   "Both queue pairs are in RTS by now, and each end has registered memory.",
	Needs: []*Step{&accepted},
	Parts: written,
	Moves: list([]Move{
		{When: not(managed), On: screen.Post, Key: &keymap.Post.Other, Does: "go to a queue pair of the connection"},
		{When: needsRegions, On: screen.Post, Key: &keymap.Post.Bench, Does: "register two regions"},
		chooseWrite, turnEnd,
	}, ready("unmend"), []Move{submit}),
}

var disconnected = Step{
	Name: "disconnect",
	Why:  "rdma_disconnect at one end brings DISCONNECTED to the other, which answers.",
	Parts: []Part{
		{Name: "DISCONNECTED", Event: cmEvent(verbs.CMDisconnected), State: func(w *World) bool {
			return ids(&w.Session, session.IDConnected)+ids(&w.Session, session.IDDisconnected) == 0
		}},
		{Name: "both ends DISCONNECTED", State: func(w *World) bool {
			return ids(&w.Session, session.IDConnected) == 0
		}},
	},
	Moves: []Move{
		{When: func(w *World) bool {
			return ids(&w.Session, session.IDDisconnected) == 0 && w.Field("state") == session.IDConnected.String()
		}, On: screen.Connections, Key: &keymap.Connections.Disconnect, Does: "disconnect"},
		{When: field("state", session.IDDisconnected.String()), On: screen.Connections, Key: &keymap.Connections.All,
			Does: "answer: rdma_disconnect"},
		{On: screen.Connections, Key: &keymap.Connections.Other, Does: "go to the other end"},
	},
}

// ids counts the identifiers in a state.
func ids(s *session.Snapshot, state session.IDState) (n int) {
	for i := range s.IDs {
		if s.IDs[i].State == state && s.IDs[i].PortSpace == verbs.PortSpaceTCP {
			n++
		}
	}
	return n
}

// joined counts the identifiers of connections that carry requests.
func joined(s *session.Snapshot) (n int) {
	for i := range s.IDs {
		if q := s.QP(s.IDs[i].QP); s.IDs[i].State == session.IDConnected && q != nil && q.State == verbs.QPRTS {
			n++
		}
	}
	return n
}

// cmEvent returns the condition that a connection manager event reports success.
func cmEvent(kind verbs.CMEventType) func(*World, *timeline.Event) bool {
	return func(_ *World, e *timeline.Event) bool {
		return e.Kind == timeline.KindCM && e.CM != nil && e.CM.Type == kind && !e.CM.Failed()
	}
}

// managed reports whether the queue pair of the form belongs to a connection.
func managed(w *World) bool {
	for i := range w.Session.IDs {
		if id := &w.Session.IDs[i]; id.State == session.IDConnected && id.QP == w.Field("qp") {
			return true
		}
	}
	return false
}

// needsRegions reports whether the queue pair of the form has fewer than two regions.
func needsRegions(w *World) bool {
	q, n := w.Session.QP(w.Field("qp")), 0
	for i := range w.Session.MRs {
		if q != nil && w.Session.MRs[i].PD == q.PD {
			n++
		}
	}
	return n < 2
}
