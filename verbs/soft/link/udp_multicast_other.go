//go:build !linux

package link

import (
	"net"
	"net/netip"
	"syscall"
)

// openGroup opens a socket that receives packets to a group on an interface.
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

// sendBy sets the interface through which packets to groups leave, and their hop limit. If it fails, only those packets
// are affected.
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
