package session

import (
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
func (s *Session) newGIDTable(rows []verbs.GIDEntry) gidTable {
	network := route.Network
	if s.opts.Network != nil {
		network = *s.opts.Network
	}
	here := map[verbs.GIDEntry]bool{}
	for _, e := range rows {
		here[e] = network.Here == nil || network.Here(e)
	}
	return gidTable{rows, verbs.Network{Source: network.Source, Here: func(e verbs.GIDEntry) bool { return here[e] }}}
}

// choose picks the row that reaches a peer; the zero GID stands for any.
func (t *gidTable) choose(port uint8, peer verbs.GID) (verbs.GIDChoice, error) {
	return t.network.ChooseGID(t.rows, port, peer)
}
