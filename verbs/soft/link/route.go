package link

import (
	"net"
	"net/netip"

	"rdmatui/verbs/wire"
)

// Source asks the kernel's routing table which address packets to dst leave from; nothing is sent. Where src is valid, it is asked whether
// they may leave from there, and src is returned. It fails with ENETUNREACH where there is no way, and with EADDRNOTAVAIL where src is
// not this host's.
func Source(src, dst netip.Addr) (netip.Addr, error) {
	var from *net.UDPAddr
	if src.IsValid() {
		if src.IsLinkLocalUnicast() {
			src = src.WithZone(dst.Zone())
		}
		from = net.UDPAddrFromAddrPort(netip.AddrPortFrom(src, 0))
	}
	conn, err := net.DialUDP("udp", from, net.UDPAddrFromAddrPort(netip.AddrPortFrom(dst, wire.Port)))
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
