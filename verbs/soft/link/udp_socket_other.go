//go:build !linux

package link

import (
	"net"
	"net/netip"
	"sync/atomic"
	"syscall"
)

// socket is a UDP socket that moves one datagram at a time.
type socket struct {
	conn *net.UDPConn
	raw  syscall.RawConn

	// What the calls work on; they are made once.
	take, pass func(fd uintptr)
	room       []byte
	size       int
	flags      int
	from       syscall.Sockaddr
	takeErr    error
	datagram   *Packet
	passErr    error
	to4        syscall.SockaddrInet4
	to6        syscall.SockaddrInet6
	header     Header      // that the socket's options make
	shows      atomic.Bool // never: see showHeaders
}

// oneByOne says that a call takes one datagram at most.
const oneByOne = true

// bufferSize is what the socket's buffers are asked to hold, in bytes; some systems refuse what is too much for them.
const bufferSize = 4 << 20

func openSocket(at netip.AddrPort) (*socket, error) {
	network := "udp6"
	if at.Addr().Is4() {
		network = "udp4"
	}
	conn, err := net.ListenUDP(network, net.UDPAddrFromAddrPort(at))
	if err != nil {
		return nil, err
	}
	return newSocket(conn)
}

func newSocket(conn *net.UDPConn) (*socket, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		conn.Close()
		return nil, err
	}
	for n := bufferSize; conn.SetReadBuffer(n) != nil && n > 1<<16; n /= 2 {
	}
	for n := bufferSize; conn.SetWriteBuffer(n) != nil && n > 1<<16; n /= 2 {
	}
	s := &socket{conn: conn, raw: raw, header: defaultHeader}
	s.take = func(fd uintptr) { s.size, _, s.flags, s.from, s.takeErr = syscall.Recvmsg(int(fd), s.room, nil, 0) }
	s.pass = func(fd uintptr) {
		s.choose(int(fd), s.datagram.Path.Header)
		s.passErr = syscall.Sendto(int(fd), s.datagram.Data, 0, s.to())
	}
	return s, nil
}

// choose has the socket send with an IP header. A flow label cannot be chosen on these systems.
func (s *socket) choose(fd int, h Header) {
	if h == s.header {
		return
	}
	s.header = h
	for _, o := range []struct{ level, name, value int }{
		{syscall.IPPROTO_IP, syscall.IP_TOS, int(h.TrafficClass)}, {syscall.IPPROTO_IP, syscall.IP_TTL, int(h.HopLimit)},
		{syscall.IPPROTO_IPV6, syscall.IPV6_TCLASS, int(h.TrafficClass)}, {syscall.IPPROTO_IPV6, syscall.IPV6_UNICAST_HOPS, int(h.HopLimit)},
	} {
		syscall.SetsockoptInt(fd, o.level, o.name, o.value) // those of the other family fail
	}
}

// showHeaders does nothing: what arrives is taken to bear the IP header that a packet bears by default.
func (s *socket) showHeaders(bool) {}

// to returns where the datagram goes in the system's form.
func (s *socket) to() syscall.Sockaddr {
	dst := s.datagram.Path.Dst
	if dst.Addr().Is4() {
		s.to4 = syscall.SockaddrInet4{Port: int(dst.Port()), Addr: dst.Addr().As4()}
		return &s.to4
	}
	s.to6 = syscall.SockaddrInet6{Port: int(dst.Port()), Addr: dst.Addr().As16()}
	return &s.to6
}

func (s *socket) receiveBuffer() (bytes int) {
	s.raw.Control(func(fd uintptr) { bytes, _ = syscall.GetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF) })
	return bytes
}

// canSegment reports whether one message may hold several datagrams.
func (s *socket) canSegment() bool { return false }

// place says where the next datagrams go: there is one at a time.
func (s *socket) place(i int, buf []byte) {
	if i == 0 {
		s.room = buf
	}
}

// receive takes a datagram into the buffer in place.
func (s *socket) receive(b *batch, _ int) (n int, err error) {
	if err := s.raw.Control(s.take); err != nil {
		return 0, err
	}
	if s.takeErr != nil {
		return 0, s.takeErr
	}
	b.size[0] = s.size
	if s.flags&syscall.MSG_TRUNC != 0 {
		b.size[0] = tooLong
	}
	switch from := s.from.(type) {
	case *syscall.SockaddrInet4:
		b.from[0] = netip.AddrPortFrom(netip.AddrFrom4(from.Addr), uint16(from.Port))
	case *syscall.SockaddrInet6:
		b.from[0] = netip.AddrPortFrom(netip.AddrFrom16(from.Addr), uint16(from.Port))
	default:
		b.from[0] = netip.AddrPort{}
	}
	return 1, nil
}

// send passes messages of one packet on and returns how many were taken; err says what became of the next.
func (s *socket) send(ps []*Packet, ms []message) (sent int, err error) {
	for i := range ms {
		s.datagram = ps[i]
		if err := s.raw.Control(s.pass); err != nil {
			return i, err
		}
		if s.passErr != nil {
			return i, s.passErr
		}
	}
	return len(ms), nil
}

// whenReadable calls f until it returns true, each time when something has arrived.
func (s *socket) whenReadable(f func() bool) error {
	return s.raw.Read(func(uintptr) bool { return f() })
}

// whenWritable calls f until it returns true, each time when the socket has room.
func (s *socket) whenWritable(f func() bool) error {
	return s.raw.Write(func(uintptr) bool { return f() })
}
