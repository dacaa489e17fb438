//go:build !linux

package nexthop

import (
	"net/netip"

	"rdmatui/verbs"
)

// Find asks the kernel's routing table how packets between two addresses leave this host.
func Find(_, _ netip.Addr) (Route, error) {
	return Route{}, &verbs.UnsupportedError{Feature: "reading the routing table"}
}
