package link

import (
	"cmp"
	"net"
	"net/netip"
	"os"

	"golang.org/x/sys/unix"
)

// Options that let several sockets of this host bind to a group, each receiving only packets to that group on its
// interface.
var groupOptions4 = []option{
	{unix.SOL_SOCKET, unix.SO_REUSEADDR, 1},
	{unix.IPPROTO_IP, unix.IP_MULTICAST_ALL, 0},
}

var groupOptions6 = []option{
	{unix.SOL_SOCKET, unix.SO_REUSEADDR, 1},
	{unix.IPPROTO_IPV6, unix.IPV6_MULTICAST_ALL, 0},
	{unix.SOL_UDP, unix.UDP_NO_CHECK6_RX, 1},
}

// openGroup opens a socket that receives packets to a group on an interface.
func openGroup(at netip.AddrPort, _ netip.Addr, index int) (*socket, error) {
	if index == 0 {
		return nil, errNoInterface
	}
	needed := groupOptions6
	if at.Addr().Is4() {
		needed = groupOptions4
	}
	s, err := bindGroup(at, needed, index)
	if err != nil {
		return nil, err
	}
	e := s.raw.Control(func(fd uintptr) {
		if at.Addr().Is4() {
			err = unix.SetsockoptIPMreqn(int(fd), unix.IPPROTO_IP, unix.IP_ADD_MEMBERSHIP,
				&unix.IPMreqn{Multiaddr: at.Addr().As4(), Ifindex: int32(index)})
			return
		}
		err = unix.SetsockoptIPv6Mreq(int(fd), unix.IPPROTO_IPV6, unix.IPV6_JOIN_GROUP,
			&unix.IPv6Mreq{Multiaddr: at.Addr().As16(), Interface: uint32(index)})
	})
	if err = cmp.Or(e, err); err != nil {
		s.conn.Close()
		return nil, os.NewSyscallError("setsockopt", err)
	}
	return s, nil
}

// bindGroup binds a socket to a group's address. The net package would bind it to all addresses, which conflicts with
// the link's own.
func bindGroup(at netip.AddrPort, needed []option, index int) (*socket, error) {
	family, name := unix.AF_INET6, unix.Sockaddr(&unix.SockaddrInet6{
		Port: int(at.Port()), ZoneId: uint32(index), Addr: at.Addr().As16(),
	})
	if at.Addr().Is4() {
		family, name = unix.AF_INET, &unix.SockaddrInet4{Port: int(at.Port()), Addr: at.Addr().As4()}
	}
	fd, err := unix.Socket(family, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, unix.IPPROTO_UDP)
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	file := os.NewFile(uintptr(fd), "multicast "+at.String())
	defer file.Close()
	if err := setOptions(fd, needed); err != nil {
		return nil, err
	}
	if err := unix.Bind(fd, name); err != nil {
		return nil, os.NewSyscallError("bind", err)
	}
	pc, err := net.FilePacketConn(file)
	if err != nil {
		return nil, err
	}
	return listeningSocket(pc.(*net.UDPConn))
}

// sendBy sets the interface through which packets to groups and link-local addresses leave, and the hop limit of
// packets to groups. If it fails, only those packets are affected.
func (s *socket) sendBy(index int, local netip.Addr) {
	s.out.Scope = uint32(index)
	s.raw.Control(func(fd uintptr) {
		if local.Is4() {
			unix.SetsockoptIPMreqn(int(fd), unix.IPPROTO_IP, unix.IP_MULTICAST_IF, &unix.IPMreqn{Ifindex: int32(index)})
			unix.SetsockoptInt(int(fd), unix.IPPROTO_IP, unix.IP_MULTICAST_TTL, multicastTTL)
			return
		}
		unix.SetsockoptInt(int(fd), unix.IPPROTO_IPV6, unix.IPV6_MULTICAST_IF, index)
		unix.SetsockoptInt(int(fd), unix.IPPROTO_IPV6, unix.IPV6_MULTICAST_HOPS, multicastTTL)
	})
}
