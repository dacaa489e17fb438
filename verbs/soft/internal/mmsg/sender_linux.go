package mmsg

import (
	"net/netip"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Limits of one call: the number of messages, and of all their buffers.
const (
	sendMessages = 64
	sendBuffers  = 512
)

// Sender collects messages and sends them.
type Sender struct {
	// Scope is the index of the interface for IPv6 link-local addresses.
	Scope uint32

	headers  [sendMessages]unix.Mmsghdr
	vectors  [sendBuffers]unix.Iovec
	to       [sendMessages]address
	controls [sendMessages]control
	messages int
	buffers  int
}

// Reset removes all messages.
func (s *Sender) Reset() { s.messages, s.buffers = 0, 0 }

// Room reports whether a message of n buffers can be added. An empty sender has room for 512.
func (s *Sender) Room(n int) bool { return s.messages < sendMessages && s.buffers+n <= sendBuffers }

// Message adds a message, which AddBuffer fills. If segment is not 0, the kernel cuts it into datagrams of that many
// bytes.
func (s *Sender) Message(to netip.AddrPort, segment int) {
	h := &s.headers[s.messages].Hdr
	h.Name = &s.to[s.messages][0]
	h.Namelen = s.to[s.messages].set(to, s.Scope)
	h.Iov = &s.vectors[s.buffers]
	h.SetIovlen(0)
	h.SetControllen(0)
	s.controls[s.messages].used = 0
	s.messages++
	if segment > 0 {
		s.attach(unix.SOL_UDP, unix.UDP_SEGMENT, 2, uint32(segment))
	}
}

// attach adds a control message to the last message.
func (s *Sender) attach(level, kind int32, size int, value uint32) {
	c, h := &s.controls[s.messages-1], &s.headers[s.messages-1].Hdr
	c.add(level, kind, size, value)
	h.Control = &c.bytes()[0]
	h.SetControllen(c.used)
}

// SetHeader sets the IP header of the last message. The hop limit must be at least 1; IPv4 has no flow label.
func (s *Sender) SetHeader(header Header) {
	class, hops := uint32(header.TrafficClass), uint32(header.HopLimit)
	if to := &s.to[s.messages-1]; to.is4() {
		s.attach(unix.IPPROTO_IP, unix.IP_TOS, 4, class)
		s.attach(unix.IPPROTO_IP, unix.IP_TTL, 4, hops)
	} else {
		to.setFlow(header.FlowLabel)
		s.attach(unix.IPPROTO_IPV6, unix.IPV6_TCLASS, 4, class)
		s.attach(unix.IPPROTO_IPV6, unix.IPV6_HOPLIMIT, 4, hops)
	}
}

// AddBuffer appends buf, which must not be empty, to the last message. buf must stay valid until the message is sent.
func (s *Sender) AddBuffer(buf []byte) {
	v := &s.vectors[s.buffers]
	v.Base = unsafe.SliceData(buf)
	v.SetLen(len(buf))
	s.buffers++
	h := &s.headers[s.messages-1].Hdr
	h.SetIovlen(int(h.Iovlen) + 1)
}

// Send sends the messages, of which there must be at least one, and returns how many the kernel took. It does not
// block. If the first message is refused, Send returns the reason, EAGAIN if the socket is full; the reason for a later
// one is returned by the next call.
func (s *Sender) Send(fd uintptr) (int, error) {
	return call(unix.SYS_SENDMMSG, fd, s.headers[:s.messages])
}
