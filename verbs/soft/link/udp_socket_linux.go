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

// socket is a UDP socket that sends and receives many datagrams per call. It is never connected: for a connected socket
// the kernel numbers IPv4 packets, and the ICRC covers that number.
type socket struct {
	conn interface {
		SetDeadline(time.Time) error
		Close() error
	}
	raw syscall.RawConn

	in  mmsg.Receiver
	out mmsg.Sender
	// The functions are created once, so that calls do not allocate.
	take, pass func(fd uintptr)
	shows      atomic.Bool // reports the IP headers of received datagrams
	takeMost   int
	taken      int
	passed     int
	takeErr    error
	passErr    error
}

// oneByOne reports whether a call handles only one datagram.
const oneByOne = false

// bufferSize is the requested size of the socket's buffers in bytes; an unprivileged process gets less.
const bufferSize = 4 << 20

// option is a socket option that is set before the port is bound.
type option struct{ level, name, value int }

var (
	bufferOptions = []option{
		{unix.SOL_SOCKET, unix.SO_RCVBUF, bufferSize},
		{unix.SOL_SOCKET, unix.SO_SNDBUF, bufferSize},
		{unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, bufferSize},
		{unix.SOL_SOCKET, unix.SO_SNDBUFFORCE, bufferSize},
	}
	// With path MTU discovery, and only then, IPv4 packets have "don't fragment" set and identification 0.
	options4 = []option{
		{unix.IPPROTO_IP, unix.IP_MTU_DISCOVER, unix.IP_PMTUDISC_DO},
		{unix.IPPROTO_IP, unix.IP_TTL, DefaultHopLimit},
	}
	// The kernel's RoCE sends UDP checksum 0, which an IPv6 socket rejects by default.
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

// listeningSocket leaves a connection's socket with the runtime's poller.
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

// setOptions sets the required options, and the buffer sizes as far as the system allows.
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

// canSegment reports whether one message may contain several datagrams.
func (s *socket) canSegment() bool {
	_, err := s.getOption(unix.SOL_UDP, unix.UDP_SEGMENT)
	return err == nil
}

// place sets the buffer for datagram i.
func (s *socket) place(i int, buf []byte) { s.in.SetBuffer(i, buf) }

// receive takes at most limit waiting datagrams into the buffers in place.
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

// header returns the IP header of datagram i, if headers are shown.
func (s *socket) header(i int) Header { return Header(s.in.Header(i)) }

// Options that report the IP header of received datagrams; those of the other address family fail.
var headerOptions = []struct{ level, name int }{
	{unix.IPPROTO_IP, unix.IP_RECVTOS},
	{unix.IPPROTO_IP, unix.IP_RECVTTL},
	{unix.IPPROTO_IPV6, mmsg.FlowInfo},
	{unix.IPPROTO_IPV6, unix.IPV6_RECVHOPLIMIT},
}

// showHeaders selects whether receive reports IP headers. It also applies to packets already at the socket.
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

// send sends messages and returns how many the kernel took; err is the reason why it refused the next.
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

// load puts as many messages into the sender as fit.
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

// whenReadable calls f whenever packets have arrived, until f returns true.
func (s *socket) whenReadable(f func() bool) error {
	return s.raw.Read(func(uintptr) bool { return f() })
}

// whenWritable calls f whenever the socket has room, until f returns true.
func (s *socket) whenWritable(f func() bool) error {
	return s.raw.Write(func(uintptr) bool { return f() })
}
