package mmsg

import (
	"net/netip"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The most that one call passes on: messages, and buffers of all of them.
const (
	sendMessages = 64
	sendBuffers  = 512
)

// Sender collects messages and passes them on.
type Sender struct {
	// Scope is the index of the interface that IPv6 link-local addresses are meant on.
	Scope uint32

	headers  [sendMessages]unix.Mmsghdr
	vectors  [sendBuffers]unix.Iovec
	to       [sendMessages]address
	controls [sendMessages]control
	messages int
	buffers  int
}

// control is a control message with the size of segments.
type control struct {
	unix.Cmsghdr
	size uint16
	_    [6]byte
}

// Reset forgets all messages.
func (s *Sender) Reset() { s.messages, s.buffers = 0, 0 }

// Room reports whether a message of n buffers can be added. There is room for 512 in an empty sender.
func (s *Sender) Room(n int) bool { return s.messages < sendMessages && s.buffers+n <= sendBuffers }

// Message adds a message, which AddBuffer fills. Where segment is not 0 the kernel cuts it into datagrams of so many bytes.
func (s *Sender) Message(to netip.AddrPort, segment int) {
	h := &s.headers[s.messages].Hdr
	h.Name = &s.to[s.messages][0]
	h.Namelen = s.to[s.messages].set(to, s.Scope)
	h.Iov = &s.vectors[s.buffers]
	h.SetIovlen(0)
	h.Control = nil
	h.SetControllen(0)
	if segment > 0 {
		c := &s.controls[s.messages]
		c.Level, c.Type, c.size = unix.SOL_UDP, unix.UDP_SEGMENT, uint16(segment)
		c.SetLen(unix.CmsgLen(2))
		h.Control = (*byte)(unsafe.Pointer(c))
		h.SetControllen(unix.CmsgSpace(2))
	}
	s.messages++
}

// AddBuffer puts buf, which must not be empty, at the end of the last message. It must stay until the message is sent.
func (s *Sender) AddBuffer(buf []byte) {
	v := &s.vectors[s.buffers]
	v.Base = unsafe.SliceData(buf)
	v.SetLen(len(buf))
	s.buffers++
	h := &s.headers[s.messages-1].Hdr
	h.SetIovlen(int(h.Iovlen) + 1)
}

// Send passes the messages on and returns how many were taken; there must be one. It does not wait. Where the first is refused the error
// says why, and EAGAIN that the socket is full; of a later one only the next call tells.
func (s *Sender) Send(fd uintptr) (int, error) {
	return call(unix.SYS_SENDMMSG, fd, s.headers[:s.messages])
}
