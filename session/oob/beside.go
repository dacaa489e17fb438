package oob

import (
	"net"
	"net/netip"
	"slices"
)

// Beside returns the addresses, and with each all others of the interface that has it: a client that was told one of
// them knows no other. Those that no interface has stay as they are.
func Beside(addrs []netip.Addr) []netip.Addr {
	return beside(addrs, hostAddrs())
}

func beside(addrs []netip.Addr, interfaces [][]netip.Addr) []netip.Addr {
	all := slices.Clone(addrs)
	for _, own := range interfaces {
		if !slices.ContainsFunc(own, func(a netip.Addr) bool { return slices.Contains(addrs, a) }) {
			continue
		}
		for _, a := range own {
			if !slices.Contains(all, a) {
				all = append(all, a)
			}
		}
	}
	return all
}

// hostAddrs returns the addresses of each interface, link-local ones with the zone. There are none where the host does
// not say.
func hostAddrs() (all [][]netip.Addr) {
	interfaces, _ := net.Interfaces()
	for _, i := range interfaces {
		var own []netip.Addr
		prefixes, _ := i.Addrs()
		for _, p := range prefixes {
			prefix, err := netip.ParsePrefix(p.String())
			if err != nil {
				continue
			}
			a := prefix.Addr().Unmap()
			if a.Is6() && a.IsLinkLocalUnicast() {
				a = a.WithZone(i.Name)
			}
			own = append(own, a)
		}
		all = append(all, own)
	}
	return all
}
