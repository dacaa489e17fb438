package devices

import (
	"errors"
	"net"
	"net/netip"
	"syscall"

	"github.com/vishvananda/netlink"

	"rdmatui/verbs"
)

// neighbourStates are the states of a neighbour entry as ip-neighbour(8) prints them.
var neighbourStates = map[int]string{
	netlink.NUD_INCOMPLETE: "incomplete", netlink.NUD_REACHABLE: "reachable", netlink.NUD_STALE: "stale",
	netlink.NUD_DELAY: "delay", netlink.NUD_PROBE: "probe", netlink.NUD_FAILED: "failed",
	netlink.NUD_NOARP: "noarp", netlink.NUD_PERMANENT: "permanent",
}

// RouteBetween asks the kernel's routing table how packets between two addresses leave this network namespace, and what
// is known of the next hop. It sends no packet. That there is no route is part of the result.
func RouteBetween(from, to netip.Addr) (Route, error) {
	var r Route
	routes, err := netlink.RouteGetWithOptions(to.AsSlice(), &netlink.RouteGetOptions{SrcAddr: from.AsSlice()})
	var no syscall.Errno
	switch {
	case errors.As(err, &no):
		r.Errno = verbs.ErrnoName(no)
		return r, nil
	case err != nil:
		return r, err
	case len(routes) == 0:
		r.Errno = verbs.ErrnoName(syscall.ENETUNREACH)
		return r, nil
	}
	best := routes[0]
	r.Source, r.Gateway, r.MTU, r.Local = addrOf(best.Src), addrOf(best.Gw), best.MTU, best.Type == syscall.RTN_LOCAL
	link, err := netlink.LinkByIndex(best.LinkIndex)
	if err != nil {
		return r, err
	}
	r.Netdev = link.Attrs().Name
	hop := to
	if r.Gateway.IsValid() {
		hop = r.Gateway
	}
	r.HopMAC, r.HopState = neighbourOf(best.LinkIndex, hop)
	return r, nil
}

// neighbourOf returns what the neighbour table knows of an address.
func neighbourOf(ifindex int, addr netip.Addr) (mac, state string) {
	family := netlink.FAMILY_V4
	if addr.Is6() {
		family = netlink.FAMILY_V6
	}
	entries, err := netlink.NeighList(ifindex, family)
	if err != nil {
		return "", ""
	}
	for _, e := range entries {
		if addrOf(e.IP) == addr {
			return e.HardwareAddr.String(), neighbourStates[e.State]
		}
	}
	return "", ""
}

func addrOf(ip net.IP) netip.Addr {
	a, _ := netip.AddrFromSlice(ip) // the invalid address for none
	return a.Unmap()
}
