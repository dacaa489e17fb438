package choice

import (
	"fmt"
	"net/netip"
	"slices"

	"rdmatui/verbs"
)

// Network is what the choice of a GID asks the host. The zero value knows nothing.
type Network struct {
	// Source returns the address that packets to dst leave from, as the routing
	// table says.
	Source func(dst netip.Addr) (netip.Addr, error)
	// Here reports whether a row is of this network namespace.
	Here func(e verbs.GIDEntry) bool
}

// ChosenGID is a row of a GID table, and why it was taken.
type ChosenGID struct {
	verbs.GIDEntry
	Why    string // "the route to 10.9.0.2 leaves from 10.9.0.1"
	Routed bool   // the routing table named it
}

// gidKinds orders the rows of a GID table by how likely each is the one that
// reaches a peer; what fits none is never chosen without being asked for.
var gidKinds = []struct {
	name string
	is   func(e verbs.GIDEntry) bool
}{
	{"an IPv4 address", func(e verbs.GIDEntry) bool { return e.Type == verbs.GIDTypeRoCEv2 && e.GID.IsIPv4() }},
	{"a global IPv6 address", func(e verbs.GIDEntry) bool { return e.Type == verbs.GIDTypeRoCEv2 && !e.GID.IsLinkLocal() }},
	{"link-local", func(e verbs.GIDEntry) bool { return e.Type == verbs.GIDTypeRoCEv2 }},
	{"a port's GID", func(e verbs.GIDEntry) bool { return e.Type == verbs.GIDTypeIB }},
}

// GID is [Network.GID] where nothing is known of the network.
func GID(table []verbs.GIDEntry, port uint8, peer verbs.GID) (verbs.GIDEntry, error) {
	c, err := Network{}.GID(table, port, peer)
	return c.GIDEntry, err
}

// GID picks the row of a port's GID table that reaches a peer: the one whose
// address the routing table has packets to the peer leave from. Where that is no row
// of the port, or no peer is given, it is the one that most connections want: RoCE v2
// with an IPv4-mapped address, then with a global IPv6 address, then what is left but
// RoCE v1; rows of this network namespace before others, those of the peer's address
// family before others, the lowest index of equals. It fails where nothing is usable.
func (n Network) GID(table []verbs.GIDEntry, port uint8, peer verbs.GID) (ChosenGID, error) {
	return n.GIDTo(table, port, destination(peer))
}

// GIDTo is GID of an IP address, which may have a zone: of a link-local
// one the routing table knows the way only then. The invalid address stands for any.
func (n Network) GIDTo(table []verbs.GIDEntry, port uint8, peer netip.Addr) (ChosenGID, error) {
	if c, ok := n.byRoute(table, port, peer); ok {
		return c, nil
	}
	var best ChosenGID
	bestRank := 0
	for _, e := range table {
		if rank, kind := n.rank(e, peer); e.PortNum == port && rank > bestRank {
			best, bestRank = ChosenGID{GIDEntry: e, Why: "the first row that is " + kind}, rank
		}
	}
	if bestRank == 0 {
		return ChosenGID{}, fmt.Errorf("port %d has no usable GID; give its netdev an IP address or set sgid_index", port)
	}
	return best, nil
}

// rank is 0 for a row that is not usable.
func (n Network) rank(e verbs.GIDEntry, peer netip.Addr) (rank int, kind string) {
	if e.GID.IsZero() {
		return 0, ""
	}
	for i, k := range gidKinds {
		if !k.is(e) {
			continue
		}
		rank = len(gidKinds) - i
		if peer.IsValid() && e.GID.SameKind(verbs.GIDFromAddr(peer)) {
			rank += 10
		}
		if n.Here == nil || n.Here(e) {
			rank += 100
		}
		return rank, k.name
	}
	return 0, ""
}

// byRoute is the row that the routing table names.
func (n Network) byRoute(table []verbs.GIDEntry, port uint8, peer netip.Addr) (ChosenGID, bool) {
	for _, c := range n.routed(table, peer) {
		if c.PortNum == port {
			return c, true
		}
	}
	return ChosenGID{}, false
}

// routed are the rows, of any port, that the routing table names. Of link-local
// addresses without a zone it knows nothing: they are the same on each link.
func (n Network) routed(table []verbs.GIDEntry, peer netip.Addr) (rows []ChosenGID) {
	if n.Source == nil || !peer.IsValid() || peer.IsLinkLocalUnicast() && peer.Is6() && peer.Zone() == "" {
		return nil
	}
	from, err := n.Source(peer)
	if err != nil {
		return nil
	}
	for _, e := range table {
		if e.Type == verbs.GIDTypeRoCEv2 && e.GID.Addr() == from && (peer.Zone() == "" || e.Netdev == peer.Zone()) {
			rows = append(rows, ChosenGID{e, fmt.Sprintf("the route to %s leaves from %s", peer, from), true})
		}
	}
	return rows
}

// OnOtherPort returns the row by which the way to a peer leaves where that row is of
// another port. A peer that is itself in the table can be reached from any port.
func (n Network) OnOtherPort(table []verbs.GIDEntry, port uint8, peer verbs.GID) (other ChosenGID, ok bool) {
	if slices.ContainsFunc(table, func(e verbs.GIDEntry) bool { return e.GID == peer }) {
		return other, false
	}
	rows := n.routed(table, destination(peer))
	if len(rows) == 0 || slices.ContainsFunc(rows, func(c ChosenGID) bool { return c.PortNum == port }) {
		return other, false
	}
	return rows[0], true
}

// destination is the GID as an address to send to; invalid for the zero GID.
func destination(g verbs.GID) netip.Addr {
	if g.IsZero() {
		return netip.Addr{}
	}
	return g.Addr()
}
