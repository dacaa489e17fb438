package route

import (
	"net"
	"net/netip"

	"rdmatui/verbs"
)

// anyPort is the port of the sockets that query the routing table; its value does not
// matter.
const anyPort = 4791

// Source returns the source address that the kernel's routing table selects for packets
// to dst. If src is valid, Source checks that packets may leave from it and returns
// src. It fails with ENETUNREACH if there is no route, and with EADDRNOTAVAIL if src is
// not an address of this host.
func Source(src, dst netip.Addr) (netip.Addr, error) {
	var from *net.UDPAddr
	if src.IsValid() {
		if src.IsLinkLocalUnicast() {
			src = src.WithZone(dst.Zone())
		}
		from = net.UDPAddrFromAddrPort(netip.AddrPortFrom(src, 0))
	}
	conn, err := net.DialUDP("udp", from, net.UDPAddrFromAddrPort(netip.AddrPortFrom(dst, anyPort)))
	if err != nil {
		return netip.Addr{}, err
	}
	defer conn.Close()
	return conn.LocalAddr().(*net.UDPAddr).AddrPort().Addr().Unmap().WithZone(""), nil
}

// IsLocal reports whether addr is an address of this host.
func IsLocal(addr netip.Addr) bool {
	conn, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(netip.AddrPortFrom(addr, 0)))
	if err != nil {
		return false
	}
	conn.Close()
	return true
}

// Host describes this network namespace, for the choice of a GID.
var Host = Network{
	Source: func(dst netip.Addr) (netip.Addr, error) { return Source(netip.Addr{}, dst) },
	Here:   here,
}

// here reports whether a row of a GID table belongs to this network namespace: the
// kernel lists the rows of all. A link-local GID may be derived from the hardware
// address while the netdev uses another address, so the netdev decides.
func here(e verbs.GIDEntry) bool {
	if e.Type == verbs.GIDTypeIB {
		return true
	}
	if !e.GID.IsLinkLocal() {
		return IsLocal(e.GID.Addr())
	}
	_, err := net.InterfaceByName(e.Netdev)
	return e.Netdev == "" || err == nil
}
