package cm

import (
	"net/netip"

	"rdmatui/session/command/syntax"
)

// cChannel is a channel argument; NULL makes an identifier synchronous.
func cChannel(ec *EventChannel) string {
	switch {
	case ec.mode == ModeSync:
		return "NULL"
	case ec.own:
		return "channel"
	}
	return ec.Name
}

// cAddr formats an address as text: as a struct sockaddr it would be unreadable.
func cAddr(a netip.AddrPort) string {
	if !a.IsValid() {
		return "NULL"
	}
	return `"` + a.String() + `"`
}

// cData formats bytes as a string literal.
func cData(p []byte) string {
	if len(p) == 0 {
		return "NULL"
	}
	return syntax.Quote(string(p))
}
