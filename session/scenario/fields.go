package scenario

import (
	"time"

	"rdmatui/session/cm"
	"rdmatui/session/command/syntax"
	"rdmatui/session/oob"
)

// The methods below are for the templates of the scenarios that connect by the
// connection manager.

// ListenArg is the argument that says where a pingpong's server listens; "": at
// the device's addresses.
func (p Params) ListenArg() string {
	if p.Bind == "" {
		return ""
	}
	return " listen=" + p.Bind
}

// BindAddr is the address to listen at, with a space before it; "": any.
func (p Params) BindAddr() string {
	if p.Bind == "" || p.Bind == oob.AnyAddress {
		return ""
	}
	return " " + p.Bind
}

// SrcArg is the argument that names the own address, "" where the route decides.
func (p Params) SrcArg() string {
	if p.Bind == "" || p.Bind == oob.AnyAddress {
		return ""
	}
	return " src=" + p.Bind
}

// Sync is whether each call waits for its event.
func (p Params) Sync() bool { return cm.Mode(p.CM) == cm.ModeSync }

// CMMode is how events are waited for.
func (p Params) CMMode() string { return p.CM }

// Each numbers the connections.
func (p Params) Each() []int { return upTo(p.Connections) }

// PingText is what rping sends: text with a zero at its end.
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

// Reading is whether regions are READ, not written to.
func (p Params) Reading() bool { return p.Op == "read" }

// OpAccess is the operation's name in flags and opcodes.
func (p Params) OpAccess() string {
	if p.Reading() {
		return "READ"
	}
	return "WRITE"
}

// OpVerb begins a sentence.
func (p Params) OpVerb() string {
	if p.Reading() {
		return "READ"
	}
	return "WRITE to"
}

// Side is which end this is, in the words of those who connect.
func (p Params) Side() string {
	if p.Server {
		return "passive"
	}
	return "active"
}

// Window is how many RECVs a server of blast keeps posted.
func (p Params) Window() int { return min(p.RXDepth, 16) }

// Credits is the most that a client of blast makes use of.
func (p Params) Credits() int { return 64 }

// minMessageRoom is what a RECV takes at least where the peer chooses the size of
// its message, in bytes.
const minMessageRoom = 4096

// MessageRoom is the size of a RECV where the peer chooses that of its message.
func (p Params) MessageRoom() int { return max(p.Size, minMessageRoom) }

// Stays is whether the server goes on with the next client.
func (p Params) Stays() bool {
	sc := Named(p.Name)
	return p.Server && sc != nil && (sc.Forever || p.Persistent)
}

// stays is how long a server that stays waits for the next client where nothing
// else is wanted.
const stays = 365 * 24 * time.Hour

// WaitForRequest is how long a server waits for a client.
func (p Params) WaitForRequest() time.Duration {
	if p.Stays() && p.Wait == defaultWait {
		return stays
	}
	return p.Wait
}

// Patience is how long a server waits for the next message of a client.
func (p Params) Patience() time.Duration {
	if p.Stays() {
		return p.Idle
	}
	return p.Wait
}

// pingRoom is what a server of ping has for a message at least, in bytes.
const pingRoom = 1 << 20

// PingRoom is the size of the region for messages, which is this end's choice.
func (p Params) PingRoom() int {
	if p.Server {
		return max(p.Size, pingRoom)
	}
	return p.Size
}
