package mmsg

import (
	"net/netip"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ReceiveBatch is the most datagrams that one call takes.
const ReceiveBatch = 64

// Receiver takes datagrams into buffers that are put in place before.
type Receiver struct {
	// Headers has the kernel tell of IP headers, as far as the socket's options ask for it. Where nobody looks at them it saves a fifth of
	// the time that a small datagram takes.
	Headers bool

	headers  [ReceiveBatch]unix.Mmsghdr
	vectors  [ReceiveBatch]unix.Iovec
	from     [ReceiveBatch]address
	controls [ReceiveBatch]control
}

// SetBuffer says where datagram i goes. buf must stay as long as Receive may be called; what does not fit is cut off.
func (r *Receiver) SetBuffer(i int, buf []byte) {
	r.vectors[i].Base = unsafe.SliceData(buf)
	r.vectors[i].SetLen(len(buf))
}

// Receive takes what waits at a socket, at most n datagrams, for which there must be buffers. It does not wait: where there is nothing
// it returns EAGAIN.
func (r *Receiver) Receive(fd uintptr, n int) (int, error) {
	for i := range r.headers[:n] {
		h := &r.headers[i].Hdr
		h.Name, h.Namelen = &r.from[i][0], uint32(len(r.from[i]))
		h.Iov = &r.vectors[i]
		h.SetIovlen(1)
		h.Control = nil
		h.SetControllen(0)
		if r.Headers {
			room := r.controls[i].bytes()
			h.Control = &room[0]
			h.SetControllen(len(room))
		}
	}
	return call(unix.SYS_RECVMMSG, fd, r.headers[:n])
}

// Datagram tells how long datagram i is, whether it was cut off, and where it comes from.
func (r *Receiver) Datagram(i int) (size int, cut bool, from netip.AddrPort) {
	h := &r.headers[i]
	return int(h.Len), h.Hdr.Flags&unix.MSG_TRUNC != 0, r.from[i].get()
}

// Header tells what of its IP header datagram i came with, where Headers asked for it.
func (r *Receiver) Header(i int) Header {
	return r.controls[i].header(int(r.headers[i].Hdr.Controllen))
}

// call is recvmmsg or sendmmsg, without waiting. There must be a header.
func call(number, fd uintptr, headers []unix.Mmsghdr) (int, error) {
	for {
		n, _, errno := unix.Syscall6(number, fd, uintptr(unsafe.Pointer(&headers[0])), uintptr(len(headers)), unix.MSG_DONTWAIT, 0, 0)
		switch errno {
		case 0:
			return int(n), nil
		case unix.EINTR:
		default:
			return 0, errno
		}
	}
}
