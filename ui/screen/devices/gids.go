package devices

import (
	"fmt"
	"net/netip"

	inv "rdmatui/devices"
	"rdmatui/verbs"
)

// gidRows lists the used rows of all GID tables. The default for sgid_index is
// marked.
func gidRows(d *inv.Detail) []row {
	var rows []row
	for i := range d.Ports {
		p := &d.Ports[i]
		for _, g := range p.GIDs {
			rows = append(rows, gidRow(d, p, &g))
		}
	}
	return rows
}

func gidRow(d *inv.Detail, p *inv.Port, g *inv.GID) row {
	chosen := g.Index == p.Usual.Index && !p.Usual.GID.IsZero()
	r := row{marked: chosen, about: gidMeaning(g), ask: ask{"gid", g.Type.String(), ""}}
	st := plain
	if chosen {
		st = good
		r.about += "; the default where sgid_index is unset and the route names no other"
	}
	r.cells = []cell{{text: fmt.Sprint(p.PortNum)}, {text: fmt.Sprint(g.Index)}, {text: g.GID.String(), tone: st},
		{text: g.Type.String()}, {text: orDash(g.Netdev)}, {text: gidAddress(d.Netdevs, g), tone: dim}}
	return r
}

// gidAddress returns the netdev's address of a GID, with its prefix length if the
// netdev is known.
func gidAddress(netdevs []inv.Netdev, g *inv.GID) string {
	addr := g.GID.Addr()
	for i := range netdevs {
		for _, p := range netdevs[i].Addresses {
			switch {
			case netdevs[i].Name != g.Netdev || p.Addr() != addr:
			case addr.Is4():
				return p.String()
			default: // the GID is the address
				return fmt.Sprintf("/%d", p.Bits())
			}
		}
	}
	if g.GID.IsIPv4() {
		return addr.String()
	}
	return "–"
}

// gidMeaning says what a GID is used for.
func gidMeaning(g *inv.GID) string {
	text := fmt.Sprintf("sgid_index %d: ", g.Index)
	switch {
	case g.Type == verbs.GIDTypeIB:
		text += "InfiniBand, routed by its subnet prefix"
	case g.Type == verbs.GIDTypeRoCEv1:
		text += "RoCE v1, Ethernet type 0x8915: not routable; used only if named"
	case g.GID.IsLinkLocal():
		text += "RoCE v2, link-local: does not cross a router"
	case g.GID.IsIPv4():
		text += "RoCE v2 over IPv4, UDP port 4791"
	default:
		text += "RoCE v2 over IPv6, UDP port 4791"
	}
	return text
}

func orDash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}

func prefixes(list []netip.Prefix) []string {
	out := make([]string, len(list))
	for i, p := range list {
		out[i] = p.String()
	}
	return out
}
