//go:build !linux

package link

import (
	"net"
	"net/netip"
	"sync/atomic"
	"syscall"
)

// socket is a UDP socket that handles one datagram per call.
type socket struct {
	conn *net.UDPConn
	raw  syscall.RawConn

	// The arguments and results of take and pass, which are created once.
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
	header     Header      // set by the socket's options
	shows      atomic.Bool // always false: see showHeaders
}

// oneByOne reports whether a call handles only one datagram.
const oneByOne = true

// bufferSize is the requested size of the socket's buffers in bytes; some systems refuse a size that is too large.
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

// choose sets the IP header of datagrams to send. These systems cannot set a flow label.
func (s *socket) choose(fd int, h Header) {
	if h == s.header {
		return
	}
	s.header = h
	for _, o := range []struct{ level, name, value int }{
		{syscall.IPPROTO_IP, syscall.IP_TOS, int(h.TrafficClass)},
		{syscall.IPPROTO_IP, syscall.IP_TTL, int(h.HopLimit)},
		{syscall.IPPROTO_IPV6, syscall.IPV6_TCLASS, int(h.TrafficClass)},
		{syscall.IPPROTO_IPV6, syscall.IPV6_UNICAST_HOPS, int(h.HopLimit)},
	} {
		syscall.SetsockoptInt(fd, o.level, o.name, o.value) // options of the other family fail
	}
}

// showHeaders does nothing: received packets are assumed to have the default IP header.
func (s *socket) showHeaders(bool) {}

// to returns the datagram's destination as a system address.
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

// canSegment reports whether one message may contain several datagrams.
func (s *socket) canSegment() bool { return false }

// place sets the buffer for the next datagram; there is one at a time.
func (s *socket) place(i int, buf []byte) {
	if i == 0 {
		s.room = buf
	}
}

// receive takes one datagram into the buffer in place.
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

// send sends messages of one packet and returns how many were sent; err is the reason why the next was refused.
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

// whenReadable calls f whenever packets have arrived, until f returns true.
func (s *socket) whenReadable(f func() bool) error {
	return s.raw.Read(func(uintptr) bool { return f() })
}

// whenWritable calls f whenever the socket has room, until f returns true.
func (s *socket) whenWritable(f func() bool) error {
	return s.raw.Write(func(uintptr) bool { return f() })
}
