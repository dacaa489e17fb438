// Package route asks the kernel which way packets take. Nothing is sent.
package route

import (
	"net"
	"net/netip"

	"rdmatui/verbs"
	"rdmatui/verbs/choice"
)

// anyPort is the port of the sockets that ask for a way; it decides nothing.
const anyPort = 4791

// Source asks the kernel's routing table which address packets to dst leave from.
// Where src is valid, it is asked whether they may leave from there, and src is
// returned. It fails with ENETUNREACH where there is no way, and with EADDRNOTAVAIL
// where src is not this host's.
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

// IsLocal reports whether an address is this host's.
func IsLocal(addr netip.Addr) bool {
	conn, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(netip.AddrPortFrom(addr, 0)))
	if err != nil {
		return false
	}
	conn.Close()
	return true
}

// Network is this network namespace, for the choice of a GID.
var Network = choice.Network{
	Source: func(dst netip.Addr) (netip.Addr, error) { return Source(netip.Addr{}, dst) },
	Here:   here,
}

// here reports whether a row of a GID table is of this network namespace: the kernel
// shows those of all. A link-local GID may be made of the hardware address where the
// netdev has another one, so that the netdev counts.
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
