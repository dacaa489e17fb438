//go:build !linux

package link

import (
	"net"
	"net/netip"
	"syscall"
)

// openGroup opens a socket that gets what is sent to a group on an interface.
func openGroup(at netip.AddrPort, local netip.Addr, index int) (*socket, error) {
	f, err := net.InterfaceByIndex(index)
	if err != nil {
		return nil, errNoInterface
	}
	network := "udp6"
	if local.Is4() {
		network = "udp4"
	}
	conn, err := net.ListenMulticastUDP(network, f, net.UDPAddrFromAddrPort(at))
	if err != nil {
		return nil, err
	}
	return newSocket(conn)
}

// sendBy says which interface packets to groups leave by, and how far they go. Where it fails only they suffer.
func (s *socket) sendBy(index int, local netip.Addr) {
	s.raw.Control(func(fd uintptr) {
		if local.Is4() {
			syscall.SetsockoptInet4Addr(int(fd), syscall.IPPROTO_IP, syscall.IP_MULTICAST_IF, local.As4())
			syscall.SetsockoptByte(int(fd), syscall.IPPROTO_IP, syscall.IP_MULTICAST_TTL, multicastTTL)
			return
		}
		syscall.SetsockoptInt(int(fd), syscall.IPPROTO_IPV6, syscall.IPV6_MULTICAST_IF, index)
		syscall.SetsockoptInt(int(fd), syscall.IPPROTO_IPV6, syscall.IPV6_MULTICAST_HOPS, multicastTTL)
	})
}
