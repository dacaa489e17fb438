package scenario

import (
	"time"

	"rdmatui/session/cm"
	"rdmatui/session/command/syntax"
	"rdmatui/session/oob"
)

// The methods below are for the templates of scenarios that use the connection
// manager.

// ListenArg returns the argument for the address of a pingpong's server; "": the
// device's addresses.
func (p Params) ListenArg() string {
	if p.Bind == "" {
		return ""
	}
	return " listen=" + p.Bind
}

// BindAddr returns the address to listen on, preceded by a space; "": any.
func (p Params) BindAddr() string {
	if p.Bind == "" || p.Bind == oob.AnyAddress {
		return ""
	}
	return " " + p.Bind
}

// SrcArg returns the argument for the source address, "" to let the route decide.
func (p Params) SrcArg() string {
	if p.Bind == "" || p.Bind == oob.AnyAddress {
		return ""
	}
	return " src=" + p.Bind
}

// Sync reports whether each call waits for its event.
func (p Params) Sync() bool { return cm.Mode(p.CM) == cm.ModeSync }

// CMMode returns the event mode.
func (p Params) CMMode() string { return p.CM }

// Each returns the numbers of the connections.
func (p Params) Each() []int { return upTo(p.Connections) }

// PingText returns what rping sends: zero-terminated text.
func (p Params) PingText() string {
	text := []byte("rdma-ping-0: ")
	for c := byte('A'); len(text) < p.Size; c++ {
		if c > 'z' {
			c = 'A'
		}
		text = append(text, c)
	}
	text = text[:p.Size]
	text[p.Size-1] = 0
	return syntax.Quote(string(text))
}

// Reading reports whether regions are read rather than written.
func (p Params) Reading() bool { return p.Op == "read" }

// OpAccess returns the operation's name in flags and opcodes.
func (p Params) OpAccess() string {
	if p.Reading() {
		return "READ"
	}
	return "WRITE"
}

// OpVerb returns the operation as the first word of a sentence.
func (p Params) OpVerb() string {
	if p.Reading() {
		return "READ"
	}
	return "WRITE to"
}

// Side returns which end of the connection this is.
func (p Params) Side() string {
	if p.Server {
		return "passive"
	}
	return "active"
}

// Window returns how many RECVs a server of blast keeps posted.
func (p Params) Window() int { return min(p.RXDepth, 16) }

// Credits returns the maximum number of credits that a client of blast uses.
func (p Params) Credits() int { return 64 }

// minMessageRoom is the minimum size of a RECV if the peer chooses the size of its
// message, in bytes.
const minMessageRoom = 4096

// MessageRoom returns the size of a RECV if the peer chooses the message size.
func (p Params) MessageRoom() int { return max(p.Size, minMessageRoom) }

// Stays reports whether the server continues with the next client.
func (p Params) Stays() bool {
	sc := Named(p.Name)
	return p.Server && sc != nil && (sc.Forever || p.Persistent)
}

// stays is the default time that a persistent server waits for the next client.
const stays = 365 * 24 * time.Hour

// WaitForRequest returns how long a server waits for a client.
func (p Params) WaitForRequest() time.Duration {
	if p.Stays() && p.Wait == defaultWait {
		return stays
	}
	return p.Wait
}

// Patience returns how long a server waits for the next message of a client.
func (p Params) Patience() time.Duration {
	if p.Stays() {
		return p.Idle
	}
	return p.Wait
}

// pingRoom is the minimum size of a ping server's message buffer, in bytes.
const pingRoom = 1 << 20

// PingRoom returns the size of the message region, which each end chooses itself.
func (p Params) PingRoom() int {
	if p.Server {
		return max(p.Size, pingRoom)
	}
	return p.Size
}
