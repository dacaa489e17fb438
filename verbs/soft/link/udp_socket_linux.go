package link

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/netip"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"rdmatui/verbs/soft/internal/mmsg"
)

// socket is a UDP socket that moves many datagrams at a time. It is never connected: the kernel then would number its IPv4 packets, and
// the ICRC covers the number.
type socket struct {
	conn interface {
		SetDeadline(time.Time) error
		Close() error
	}
	raw syscall.RawConn

	in  mmsg.Receiver
	out mmsg.Sender
	// What follows is made once, so that calls do not allocate.
	take, pass func(fd uintptr)
	shows      atomic.Bool // the IP headers of datagrams that arrive
	takeMost   int
	taken      int
	passed     int
	takeErr    error
	passErr    error
}

// oneByOne says that a call takes one datagram at most.
const oneByOne = false

// bufferSize is what the socket's buffers are asked to hold, in bytes; without privileges the kernel gives less.
const bufferSize = 4 << 20

// option is one that is set before the port is taken.
type option struct{ level, name, value int }

var (
	bufferOptions = []option{
		{unix.SOL_SOCKET, unix.SO_RCVBUF, bufferSize},
		{unix.SOL_SOCKET, unix.SO_SNDBUF, bufferSize},
		{unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, bufferSize},
		{unix.SOL_SOCKET, unix.SO_SNDBUFFORCE, bufferSize},
	}
	// With path MTU discovery, and only then, IPv4 packets bear "don't fragment" and identification 0.
	options4 = []option{
		{unix.IPPROTO_IP, unix.IP_MTU_DISCOVER, unix.IP_PMTUDISC_DO},
		{unix.IPPROTO_IP, unix.IP_TTL, DefaultHopLimit},
	}
	// The kernel's RoCE sends UDP checksum 0, which IPv6 sockets refuse unless told otherwise.
	options6 = []option{
		{unix.IPPROTO_IPV6, unix.IPV6_MTU_DISCOVER, unix.IPV6_PMTUDISC_DO},
		{unix.IPPROTO_IPV6, unix.IPV6_UNICAST_HOPS, DefaultHopLimit},
		{unix.IPPROTO_IPV6, mmsg.FlowInfoSend, 1},
		{unix.IPPROTO_IPV6, unix.IPV6_AUTOFLOWLABEL, 0},
		{unix.SOL_UDP, unix.UDP_NO_CHECK6_RX, 1},
	}
)

func openSocket(at netip.AddrPort) (*socket, error) {
	network, needed := "udp6", options6
	if at.Addr().Is4() {
		network, needed = "udp4", options4
	}
	config := net.ListenConfig{Control: func(_, _ string, raw syscall.RawConn) (err error) {
		return errors.Join(raw.Control(func(fd uintptr) { err = setOptions(int(fd), needed) }), err)
	}}
	pc, err := config.ListenPacket(context.Background(), network, at.String())
	if err != nil {
		return nil, err
	}
	d, err := detach(pc.(*net.UDPConn))
	if err != nil {
		return nil, err
	}
	s := &socket{conn: d, raw: d}
	s.init()
	return s, nil
}

// listeningSocket leaves a connection's socket to the runtime's poller.
func listeningSocket(conn *net.UDPConn) (*socket, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		conn.Close()
		return nil, err
	}
	s := &socket{conn: conn, raw: raw}
	s.init()
	return s, nil
}

func (s *socket) init() {
	s.take = func(fd uintptr) { s.taken, s.takeErr = s.in.Receive(fd, s.takeMost) }
	s.pass = func(fd uintptr) { s.passed, s.passErr = s.out.Send(fd) }
}

// setOptions sets what is needed, and of the buffers what it is given.
func setOptions(fd int, needed []option) error {
	for _, o := range bufferOptions {
		unix.SetsockoptInt(fd, o.level, o.name, o.value)
	}
	for _, o := range needed {
		if err := unix.SetsockoptInt(fd, o.level, o.name, o.value); err != nil {
			return os.NewSyscallError("setsockopt", err)
		}
	}
	return nil
}

func (s *socket) getOption(level, name int) (value int, err error) {
	e := s.raw.Control(func(fd uintptr) { value, err = unix.GetsockoptInt(int(fd), level, name) })
	return value, cmp.Or(e, err)
}

func (s *socket) receiveBuffer() (bytes int) {
	bytes, _ = s.getOption(unix.SOL_SOCKET, unix.SO_RCVBUF)
	return bytes
}

// canSegment reports whether one message may hold several datagrams.
func (s *socket) canSegment() bool {
	_, err := s.getOption(unix.SOL_UDP, unix.UDP_SEGMENT)
	return err == nil
}

// place says where the next datagrams go.
func (s *socket) place(i int, buf []byte) { s.in.SetBuffer(i, buf) }

// receive takes what waits, at most limit datagrams, into the buffers in place.
func (s *socket) receive(b *batch, limit int) (n int, err error) {
	s.takeMost, s.in.Headers = limit, s.shows.Load()
	if err := s.raw.Control(s.take); err != nil {
		return 0, err
	}
	if s.takeErr != nil {
		return 0, s.takeErr
	}
	for i := range s.taken {
		size, cut, from := s.in.Datagram(i)
		if cut {
			size = tooLong
		}
		b.size[i], b.from[i] = size, from
		if s.in.Headers {
			b.header[i] = s.header(i)
		}
	}
	return s.taken, nil
}

// header is the IP header of datagram i, where it shows.
func (s *socket) header(i int) Header { return Header(s.in.Header(i)) }

// The options that show the IP header of datagrams that arrive; those of the other family fail.
var headerOptions = []struct{ level, name int }{
	{unix.IPPROTO_IP, unix.IP_RECVTOS},
	{unix.IPPROTO_IP, unix.IP_RECVTTL},
	{unix.IPPROTO_IPV6, mmsg.FlowInfo},
	{unix.IPPROTO_IPV6, unix.IPV6_RECVHOPLIMIT},
}

// showHeaders says whether receive is to tell of IP headers. It holds for what waits at the socket already.
func (s *socket) showHeaders(on bool) {
	value := 0
	if on {
		value = 1
	}
	s.raw.Control(func(fd uintptr) {
		for _, o := range headerOptions {
			unix.SetsockoptInt(int(fd), o.level, o.name, value)
		}
	})
	s.shows.Store(on)
}

// send passes messages on and returns how many were taken; err says what became of the next.
func (s *socket) send(ps []*Packet, ms []message) (sent int, err error) {
	for sent < len(ms) {
		k := s.load(ps, ms[sent:])
		if err := s.raw.Control(s.pass); err != nil {
			return sent, err
		}
		if s.passErr != nil {
			return sent, s.passErr
		}
		for _, m := range ms[sent : sent+min(k, s.passed)] {
			ps = ps[m.n:]
		}
		sent += s.passed
	}
	return sent, nil
}

// load puts as many messages as there is room for into the sender.
func (s *socket) load(ps []*Packet, ms []message) (n int) {
	s.out.Reset()
	for _, m := range ms {
		if !s.out.Room(m.n) {
			break
		}
		segment := 0
		if m.n > 1 {
			segment = m.size
		}
		s.out.Message(ps[0].Path.Dst, segment)
		if h := ps[0].Path.Header; h != defaultHeader {
			s.out.SetHeader(mmsg.Header(h))
		}
		for _, p := range ps[:m.n] {
			s.out.AddBuffer(p.Data)
		}
		ps = ps[m.n:]
		n++
	}
	return n
}

// whenReadable calls f until it returns true, each time when something has arrived.
func (s *socket) whenReadable(f func() bool) error {
	return s.raw.Read(func(uintptr) bool { return f() })
}

// whenWritable calls f until it returns true, each time when the socket has room.
func (s *socket) whenWritable(f func() bool) error {
	return s.raw.Write(func(uintptr) bool { return f() })
}
