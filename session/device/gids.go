package device

import (
	"fmt"

	"rdmatui/session/core"
	"rdmatui/verbs"
	"rdmatui/verbs/route"
)

// GIDTable is a device's GID table as last read.
type GIDTable struct {
	Rows    []verbs.GIDEntry
	Network route.Network
}

// newGIDTable asks the host once which rows belong to this network namespace, since
// rows are chosen on every redraw.
func newGIDTable(s *core.Session, rows []verbs.GIDEntry) GIDTable {
	network := network(s)
	here := map[verbs.GIDEntry]bool{}
	for _, e := range rows {
		here[e] = network.Here == nil || network.Here(e)
	}
	return GIDTable{rows, route.Network{Source: network.Source, Here: func(e verbs.GIDEntry) bool { return here[e] }}}
}

// network returns the host's routes and network namespaces.
func network(s *core.Session) route.Network {
	if s.Opts.Network != nil {
		return *s.Opts.Network
	}
	return route.Host
}

// ChooseGID returns the row of a port to use towards a peer, unless open_device named
// one. Session.mu is held.
func (d *Device) ChooseGID(port uint8, peer verbs.GID) (route.ChosenGID, error) {
	if d.NamesGID(port) {
		return d.NamedGID(port, d.sgid)
	}
	return d.GIDs.choose(port, peer)
}

// NamesGID reports whether open_device named the row for a port.
func (d *Device) NamesGID(port uint8) bool { return d.onGID && port == d.UsualPort().PortNum }

// NamedGID returns a row that the user named.
func (d *Device) NamedGID(port uint8, index int) (route.ChosenGID, error) {
	e, ok := d.gidAt(port, index)
	if !ok {
		return route.ChosenGID{}, fmt.Errorf("row %d of the GID table of port %d is not in use", index, port)
	}
	return route.ChosenGID{GIDEntry: e, Why: "named"}, nil
}

// choose returns the row to use towards a peer; the zero GID stands for any.
func (t *GIDTable) choose(port uint8, peer verbs.GID) (route.ChosenGID, error) {
	return t.Network.GID(t.Rows, port, peer)
}
