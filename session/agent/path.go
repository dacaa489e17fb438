package agent

import (
	"context"
	"net/netip"

	"rdmatui/devices"
)

// Addresses are the ends of a path.
type Addresses struct {
	From netip.Addr `json:"from"`
	To   netip.Addr `json:"to"`
}

// path returns how packets between two addresses leave this host.
func (v *server) path(_ context.Context, p Addresses) (devices.Route, error) {
	return devices.RouteBetween(p.From, p.To)
}
