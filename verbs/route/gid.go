package route

import (
	"fmt"
	"net/netip"
	"slices"

	"rdmatui/verbs"
)

// Network holds the queries to the host that the choice of a GID needs. The zero value
// answers none.
type Network struct {
	// Source returns the source address of packets to dst according to the routing table.
	Source func(dst netip.Addr) (netip.Addr, error)
	// Here reports whether a row belongs to this network namespace.
	Here func(e verbs.GIDEntry) bool
}

// ChosenGID is a row of a GID table, and the reason for choosing it.
type ChosenGID struct {
	verbs.GIDEntry
	Why    string // "the route to 10.9.0.2 leaves from 10.9.0.1"
	Routed bool   // the routing table selected it
}

// gidKinds orders the rows of a GID table by how likely each reaches a peer. Rows of no
// listed kind are never chosen by default.
var gidKinds = []struct {
	name string
	is   func(e verbs.GIDEntry) bool
}{
	{"an IPv4 address", func(e verbs.GIDEntry) bool { return e.Type == verbs.GIDTypeRoCEv2 && e.GID.IsIPv4() }},
	{"a global IPv6 address", func(e verbs.GIDEntry) bool {
		return e.Type == verbs.GIDTypeRoCEv2 && !e.GID.IsLinkLocal()
	}},
	{"link-local", func(e verbs.GIDEntry) bool { return e.Type == verbs.GIDTypeRoCEv2 }},
	{"a port's GID", func(e verbs.GIDEntry) bool { return e.Type == verbs.GIDTypeIB }},
}

// GID is [Network.GID] without knowledge of the network.
func GID(table []verbs.GIDEntry, port uint8, peer verbs.GID) (verbs.GIDEntry, error) {
	c, err := Network{}.GID(table, port, peer)
	return c.GIDEntry, err
}

// GID picks the row of a port's GID table that reaches a peer: the row whose address
// the routing table uses as the source of packets to the peer. If that is no row of the
// port, or no peer is given, it picks the row that most connections need: RoCE v2 with
// an IPv4-mapped address, then with a global IPv6 address, then any other except RoCE
// v1. Rows of this network namespace come before others, then rows of the peer's
// address family, then the lowest index. It fails if no row is usable.
func (n Network) GID(table []verbs.GIDEntry, port uint8, peer verbs.GID) (ChosenGID, error) {
	return n.GIDTo(table, port, destination(peer))
}

// GIDTo is GID for an IP address, which may have a zone: the routing table can route a
// link-local address only with one. The invalid address means any peer.
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
		return ChosenGID{},
			fmt.Errorf("port %d has no usable GID; give its netdev an IP address or set sgid_index", port)
	}
	return best, nil
}

// rank orders the rows by preference; 0 means unusable.
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

// byRoute returns the row that the routing table selects.
func (n Network) byRoute(table []verbs.GIDEntry, port uint8, peer netip.Addr) (ChosenGID, bool) {
	for _, c := range n.routed(table, peer) {
		if c.PortNum == port {
			return c, true
		}
	}
	return ChosenGID{}, false
}

// routed returns the rows, of any port, that the routing table selects. It selects none
// for link-local addresses without a zone: those are valid on every link.
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

// OnOtherPort returns the row through which packets to the peer leave if it belongs to
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

// destination returns the GID as an address to send to; invalid for the zero GID.
func destination(g verbs.GID) netip.Addr {
	if g.IsZero() {
		return netip.Addr{}
	}
	return g.Addr()
}
