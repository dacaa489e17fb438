package link

import (
	"net"
	"net/netip"
	"syscall"
)

// socket is a UDP socket that moves one datagram at a time.
type socket struct {
	conn *net.UDPConn
	raw  syscall.RawConn

	// What the call in transmit works on; it is made once, so that sending does not allocate.
	transmit func(fd uintptr)
	datagram *Packet
	err      error
	to4      syscall.SockaddrInet4
	to6      syscall.SockaddrInet6
}

// bufferSize is what the socket's buffers are asked to hold, in bytes; the system may give less.
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
	raw, err := conn.SyscallConn()
	if err != nil {
		conn.Close()
		return nil, err
	}
	for n := bufferSize; conn.SetReadBuffer(n) != nil && n > 1<<16; n /= 2 { // some systems refuse what is too much
	}
	for n := bufferSize; conn.SetWriteBuffer(n) != nil && n > 1<<16; n /= 2 {
	}
	s := &socket{conn: conn, raw: raw}
	s.transmit = func(fd uintptr) { s.err = syscall.Sendto(int(fd), s.datagram.Data, 0, s.to()) }
	return s, nil
}

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

// receive waits for datagrams.
func (s *socket) receive(b *batch) (n int, err error) {
	size, _, flags, from, err := s.conn.ReadMsgUDPAddrPort(b.packets[0].room[:], nil)
	if err != nil {
		return 0, err
	}
	if flags&syscall.MSG_TRUNC != 0 {
		size = tooLong
	}
	b.size[0], b.from[0] = size, from
	return 1, nil
}

// send passes messages of one packet on and returns how many were taken; err says what became of the next.
func (s *socket) send(ps []*Packet, ms []message) (sent int, err error) {
	for i := range ms {
		s.datagram = ps[i]
		if err := s.raw.Control(s.transmit); err != nil {
			return i, err
		}
		if s.err != nil {
			return i, s.err
		}
	}
	return len(ms), nil
}

// whenWritable calls f until it returns true, each time when the socket has room.
func (s *socket) whenWritable(f func() bool) error {
	return s.raw.Write(func(uintptr) bool { return f() })
}
