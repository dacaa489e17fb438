package session

import (
	"fmt"

	"rdmatui/session/core"
	"rdmatui/verbs"
	"rdmatui/verbs/route"
)

// gidTable is a device's GID table as last read.
type gidTable struct {
	rows    []verbs.GIDEntry
	network verbs.Network
}

// newGIDTable asks the host which rows are of this network namespace, once: choices are
// made whenever the screen is drawn.
func newGIDTable(s *core.Session, rows []verbs.GIDEntry) gidTable {
	network := network(s)
	here := map[verbs.GIDEntry]bool{}
	for _, e := range rows {
		here[e] = network.Here == nil || network.Here(e)
	}
	return gidTable{rows, verbs.Network{Source: network.Source, Here: func(e verbs.GIDEntry) bool { return here[e] }}}
}

// network is what the host says of routes and network namespaces.
func network(s *core.Session) verbs.Network {
	if s.Opts.Network != nil {
		return *s.Opts.Network
	}
	return route.Network
}

// chooseGID picks the row of a port that reaches a peer, as choose does, unless
// open_device named one. Session.mu is held.
func (d *device) chooseGID(port uint8, peer verbs.GID) (verbs.GIDChoice, error) {
	if d.namesGID(port) {
		return d.namedGID(port, d.sgid)
	}
	return d.gids.choose(port, peer)
}

// namesGID reports whether open_device named the row for a port.
func (d *device) namesGID(port uint8) bool { return d.onGID && port == d.usualPort().PortNum }

// namedGID is a row that was named.
func (d *device) namedGID(port uint8, index int) (verbs.GIDChoice, error) {
	e, ok := d.gidAt(port, index)
	if !ok {
		return verbs.GIDChoice{}, fmt.Errorf("row %d of the GID table of port %d is not in use", index, port)
	}
	return verbs.GIDChoice{GIDEntry: e, Why: "named"}, nil
}

// choose picks the row that reaches a peer; the zero GID stands for any.
func (t *gidTable) choose(port uint8, peer verbs.GID) (verbs.GIDChoice, error) {
	return t.network.ChooseGID(t.rows, port, peer)
}
