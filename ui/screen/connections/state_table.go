package connections

import (
	"rdmatui/session"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// meaning says what a state is, and what comes next.
var meaning = map[session.IDState]string{
	session.IDIdle:          "In IDLE it has no address. As a client it resolves the peer's (c), as a server it takes one of its own (l).",
	session.IDBound:         "In BOUND it has a local address. A server listens now; a client resolves the peer's address.",
	session.IDAddrResolved:  "In ADDR_RESOLVED the device and the neighbour are known: objects for the queue pair can be made. The route comes next.",
	session.IDRouteResolved: "In ROUTE_RESOLVED the path to the peer is known. What is missing is the peer's consent: connect asks for it.",
	session.IDListening:     "In LISTENING it lets requests in. Each is a CONNECT_REQUEST and gets an identifier of its own.",
	session.IDRequest:       "A peer asks for a connection and waits. Left alone, it gives up by itself and sees UNREACHABLE.",
	session.IDConnecting:    "In CONNECTING the other end is to answer. The next event says what comes of it.",
	session.IDConnected:     "In CONNECTED both ends may send: 3 posts requests, 4 shows what becomes of them.",
	session.IDDisconnected:  "In DISCONNECTED the connection is over. Requests that were not done are flushed; what is left is to clean up.",
	session.IDError:         "The last step failed; the event says why.",
}

// Ways through the states.
var (
	clientWay  = []session.IDState{session.IDIdle, session.IDAddrResolved, session.IDRouteResolved, session.IDConnecting, session.IDConnected, session.IDDisconnected}
	serverWay  = []session.IDState{session.IDIdle, session.IDBound, session.IDListening}
	requestWay = []session.IDState{session.IDRequest, session.IDConnecting, session.IDConnected, session.IDDisconnected}

	rejectedWay = []session.IDState{session.IDRequest, session.IDDisconnected}
)

// wasRejected reports whether an identifier is a request that was refused here.
func wasRejected(id *session.IDView) bool {
	return id.Listen != "" && id.State == session.IDDisconnected && id.Last != nil && id.Last.Type == verbs.CMConnectRequest
}

// wayOf is the way that an identifier takes.
func wayOf(id *session.IDView, serves bool) []session.IDState {
	switch {
	case wasRejected(id):
		return rejectedWay
	case id.Listen != "" || id.State == session.IDRequest:
		return requestWay
	case id.State == session.IDListening, serves, id.State == session.IDBound:
		return serverWay
	}
	return clientWay
}

// failedIn is the state that an identifier was in when a step failed.
var failedIn = map[string]session.IDState{
	"resolve_addr": session.IDIdle, "resolve_route": session.IDAddrResolved,
	"connect": session.IDConnecting, "accept": session.IDConnecting,
}

// reached is the state on the way that an identifier has come to; of one in
// ERROR the one where it failed.
func reached(id *session.IDView) session.IDState {
	if id.State != session.IDError {
		return id.State
	}
	for i := len(id.Steps) - 1; i >= 0; i-- {
		if st := &id.Steps[i]; st.Failed {
			if at, ok := failedIn[st.Name]; ok {
				return at
			}
		}
	}
	if id.Listen != "" {
		return session.IDRequest
	}
	return session.IDIdle
}

// mode is a way of waiting for events.
type mode struct{ name, doc string }

// modes are the ways of waiting that a new identifier can have.
var modes = []mode{
	{"event", "a thread sleeps until one comes"},
	{"poll", "asked again and again, never sleeping"},
	{"sync", "no channel, each call waits for its own"},
}

// space is a port space with what it is for.
type space struct{ name, doc string }

var spaces = []space{
	{"TCP", "reliable connections (RC)"},
	{"UDP", "datagrams (UD)"},
}

// comesOf says what a step under way waits for.
var comesOf = map[string]string{
	"resolve_addr":   "the neighbour is asked: ADDR_RESOLVED is to come, or ADDR_ERROR",
	"resolve_route":  "the path is asked for: ROUTE_RESOLVED is to come, or ROUTE_ERROR",
	"connect":        "the peer is asked: it accepts, rejects, or lets it time out",
	"accept":         "the peer is told: ESTABLISHED is to come",
	"disconnect":     "the other end is told; DISCONNECTED comes when it has called rdma_disconnect, too, or not in time",
	"join_multicast": "MULTICAST_JOIN is to come, or MULTICAST_ERROR",
}

func isCM(e *timeline.Event) bool { return e.CM != nil }
