package session

import (
	"fmt"

	"rdmatui/session/core"
	"rdmatui/verbs"
	"rdmatui/verbs/choice"
	"rdmatui/verbs/route"
)

// gidTable is a device's GID table as last read.
type gidTable struct {
	rows    []verbs.GIDEntry
	network choice.Network
}

// newGIDTable asks the host which rows are of this network namespace, once: choices are
// made whenever the screen is drawn.
func newGIDTable(s *core.Session, rows []verbs.GIDEntry) gidTable {
	network := network(s)
	here := map[verbs.GIDEntry]bool{}
	for _, e := range rows {
		here[e] = network.Here == nil || network.Here(e)
	}
	return gidTable{rows, choice.Network{Source: network.Source, Here: func(e verbs.GIDEntry) bool { return here[e] }}}
}

// network is what the host says of routes and network namespaces.
func network(s *core.Session) choice.Network {
	if s.Opts.Network != nil {
		return *s.Opts.Network
	}
	return route.Network
}

// chooseGID picks the row of a port that reaches a peer, as choose does, unless
// open_device named one. Session.mu is held.
func (d *device) chooseGID(port uint8, peer verbs.GID) (choice.ChosenGID, error) {
	if d.namesGID(port) {
		return d.namedGID(port, d.sgid)
	}
	return d.gids.choose(port, peer)
}

// namesGID reports whether open_device named the row for a port.
func (d *device) namesGID(port uint8) bool { return d.onGID && port == d.usualPort().PortNum }

// namedGID is a row that was named.
func (d *device) namedGID(port uint8, index int) (choice.ChosenGID, error) {
	e, ok := d.gidAt(port, index)
	if !ok {
		return choice.ChosenGID{}, fmt.Errorf("row %d of the GID table of port %d is not in use", index, port)
	}
	return choice.ChosenGID{GIDEntry: e, Why: "named"}, nil
}

// choose picks the row that reaches a peer; the zero GID stands for any.
func (t *gidTable) choose(port uint8, peer verbs.GID) (choice.ChosenGID, error) {
	return t.network.GID(t.rows, port, peer)
}
