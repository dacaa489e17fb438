package verbs

import "fmt"

// gidRank orders the entries of a GID table by how likely each is the one that
// reaches a peer; 0 is never chosen without being asked for.
func gidRank(e GIDEntry) int {
	switch {
	case e.GID.IsZero(), e.Type == GIDTypeRoCEv1:
		return 0
	case e.Type == GIDTypeIB:
		return 1
	case e.GID.IsLinkLocal():
		return 1
	case e.GID.IsIPv4():
		return 3
	default:
		return 2
	}
}

// ChooseGID picks the GID that most connections want on a port: RoCE v2 with
// an IPv4-mapped address, then with a global IPv6 address, then what is left
// but RoCE v1; the lowest index of equals. With peer set, entries of the
// peer's address family come first. It fails where nothing is usable.
func ChooseGID(table []GIDEntry, port uint8, peer GID) (GIDEntry, error) {
	var best GIDEntry
	bestRank := 0
	for _, e := range table {
		if e.PortNum != port {
			continue
		}
		rank := gidRank(e)
		if rank > 0 && !peer.IsZero() && sameFamily(e.GID, peer) {
			rank += 4
		}
		if rank > bestRank {
			best, bestRank = e, rank
		}
	}
	if bestRank == 0 {
		return GIDEntry{}, fmt.Errorf("port %d has no usable GID: give its netdev an IP address, or name sgid_index", port)
	}
	return best, nil
}

func sameFamily(a, b GID) bool {
	return a.IsIPv4() == b.IsIPv4() && a.IsLinkLocal() == b.IsLinkLocal()
}
