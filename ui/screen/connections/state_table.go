package connections

import (
	"rdmatui/session"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// meaning explains each state and what follows.
var meaning = map[session.IDState]string{
	session.IDIdle:          "IDLE: no address yet. A client resolves the peer's address (c); a server binds a local one (l).",
	session.IDBound:         "BOUND: it has a local address. A server listens next; a client resolves the peer's address.",
	session.IDAddrResolved:  "ADDR_RESOLVED: the device and the neighbour are known. Create the queue pair, then resolve the route.",
	session.IDRouteResolved: "ROUTE_RESOLVED: the path to the peer is known. Send the connection request.",
	session.IDListening:     "LISTENING: each request arrives as CONNECT_REQUEST with its own identifier.",
	session.IDRequest:       "A peer waits for an answer. Without one it times out with UNREACHABLE.",
	session.IDConnecting:    "CONNECTING: waiting for the peer's answer. The next event reports it.",
	session.IDConnected:     "CONNECTED: both ends can send. Post requests on 3; completions appear on 4.",
	session.IDDisconnected:  "DISCONNECTED: the connection has ended and outstanding requests were flushed. Destroy the objects.",
	session.IDError:         "The last step failed. The event says why.",
}

// Sequences of states.
var (
	clientWay = []session.IDState{session.IDIdle, session.IDAddrResolved, session.IDRouteResolved,
		session.IDConnecting, session.IDConnected, session.IDDisconnected}
	serverWay  = []session.IDState{session.IDIdle, session.IDBound, session.IDListening}
	requestWay = []session.IDState{session.IDRequest, session.IDConnecting, session.IDConnected, session.IDDisconnected}

	rejectedWay = []session.IDState{session.IDRequest, session.IDDisconnected}
)

// wasRejected reports whether an identifier is a request that was refused here.
func wasRejected(id *session.IDView) bool {
	return id.Listen != "" && id.State == session.IDDisconnected && id.Last != nil &&
		id.Last.Type == verbs.CMConnectRequest
}

// wayOf returns the sequence of states of an identifier.
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

// failedIn is the state in which each step fails.
var failedIn = map[string]session.IDState{
	"resolve_addr": session.IDIdle, "resolve_route": session.IDAddrResolved,
	"connect": session.IDConnecting, "accept": session.IDConnecting,
}

// reached returns the state that an identifier has reached; in ERROR, the one in
// which it failed.
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

// modes are the ways of waiting for events offered for a new identifier.
var modes = []mode{
	{"event", "a thread blocks until an event arrives"},
	{"poll", "busy polling: uses one full core"},
	{"sync", "no channel: each call waits for its event"},
}

// space is a port space and its purpose.
type space struct{ name, doc string }

var spaces = []space{
	{"TCP", "reliable connections (RC)"},
	{"UDP", "datagrams (UD)"},
}

// comesOf says what each step under way waits for.
var comesOf = map[string]string{
	"resolve_addr":   "Resolving the neighbour. Expect ADDR_RESOLVED or ADDR_ERROR.",
	"resolve_route":  "Resolving the path. Expect ROUTE_RESOLVED or ROUTE_ERROR.",
	"connect":        "Request sent. The peer accepts, rejects or lets it time out.",
	"accept":         "Accepted. Expect ESTABLISHED.",
	"disconnect":     "Disconnect sent. DISCONNECTED follows when the peer disconnects or the request times out.",
	"join_multicast": "Joining. Expect MULTICAST_JOIN or MULTICAST_ERROR.",
}

func isCM(e *timeline.Event) bool { return e.CM != nil }
