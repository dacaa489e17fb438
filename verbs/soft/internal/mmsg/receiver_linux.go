package mmsg

import (
	"net/netip"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ReceiveBatch is the maximum number of datagrams in one call.
const ReceiveBatch = 64

// Receiver receives datagrams into buffers set beforehand.
type Receiver struct {
	// Headers requests the IP headers that the socket's options enable. Leaving it off saves a fifth of the time for a
	// small datagram.
	Headers bool

	headers  [ReceiveBatch]unix.Mmsghdr
	vectors  [ReceiveBatch]unix.Iovec
	from     [ReceiveBatch]address
	controls [ReceiveBatch]control
}

// SetBuffer sets the buffer for datagram i. buf must stay valid as long as Receive may be called; a longer datagram is
// truncated.
func (r *Receiver) SetBuffer(i int, buf []byte) {
	r.vectors[i].Base = unsafe.SliceData(buf)
	r.vectors[i].SetLen(len(buf))
}

// Receive receives at most n waiting datagrams; n buffers must be set. It does not block: without a datagram it returns
// EAGAIN.
func (r *Receiver) Receive(fd uintptr, n int) (int, error) {
	for i := range r.headers[:n] {
		h := &r.headers[i].Hdr
		h.Name, h.Namelen = &r.from[i][0], uint32(len(r.from[i]))
		h.Iov = &r.vectors[i]
		h.SetIovlen(1)
		h.SetControllen(0)
		if r.Headers {
			room := r.controls[i].bytes()
			h.Control = &room[0]
			h.SetControllen(len(room))
		}
	}
	return call(unix.SYS_RECVMMSG, fd, r.headers[:n])
}

// Datagram returns the length of datagram i, whether it was truncated, and its sender.
func (r *Receiver) Datagram(i int) (size int, cut bool, from netip.AddrPort) {
	h := &r.headers[i]
	return int(h.Len), h.Hdr.Flags&unix.MSG_TRUNC != 0, r.from[i].get()
}

// Header returns the IP header fields of datagram i that were received, if Headers was set.
func (r *Receiver) Header(i int) Header {
	return r.controls[i].header(int(r.headers[i].Hdr.Controllen))
}

// call calls recvmmsg or sendmmsg without blocking. headers must not be empty.
func call(number, fd uintptr, headers []unix.Mmsghdr) (int, error) {
	for {
		n, _, errno := unix.Syscall6(number, fd, uintptr(unsafe.Pointer(&headers[0])), uintptr(len(headers)),
			unix.MSG_DONTWAIT, 0, 0)
		switch errno {
		case 0:
			return int(n), nil
		case unix.EINTR:
		default:
			return 0, errno
		}
	}
}
