package link

import (
	"cmp"
	"net"
	"os"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// descriptor is a socket that the runtime's poller does not know of. That would wake a thread for every packet, also while a program takes
// the packets itself; with more than one processor it runs into that program's way, and with one it takes its place. It serves as
// [syscall.RawConn] nevertheless.
type descriptor struct {
	mu   sync.RWMutex // held for reading while the socket is in use
	fd   int          // -1: closed
	stop alarm        // ends what waits
}

// detach takes a connection's socket over.
func detach(conn *net.UDPConn) (*descriptor, error) {
	defer conn.Close()
	raw, err := conn.SyscallConn()
	if err != nil {
		return nil, err
	}
	stop, err := newAlarm()
	if err != nil {
		return nil, err
	}
	d := &descriptor{fd: -1, stop: stop}
	e := raw.Control(func(fd uintptr) { d.fd, err = unix.FcntlInt(fd, unix.F_DUPFD_CLOEXEC, 0) })
	if err = cmp.Or(e, err); err != nil {
		stop.close()
		return nil, os.NewSyscallError("fcntl", err)
	}
	runtime.SetFinalizer(d, (*descriptor).Close)
	return d, nil
}

// Control calls f with the socket.
func (d *descriptor) Control(f func(fd uintptr)) error {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if d.fd < 0 {
		return net.ErrClosed
	}
	f(uintptr(d.fd))
	return nil
}

// Read calls f until it returns true, each time when something waits at the socket.
func (d *descriptor) Read(f func(fd uintptr) bool) error { return d.until(unix.POLLIN, f) }

// Write calls f until it returns true, each time when the socket has room.
func (d *descriptor) Write(f func(fd uintptr) bool) error { return d.until(unix.POLLOUT, f) }

func (d *descriptor) until(events int16, f func(fd uintptr) bool) error {
	for done := false; !done; {
		var err error
		e := d.Control(func(fd uintptr) {
			if _, _, err = d.poll(events, d.stop, -1); err == nil {
				done = f(fd)
			}
		})
		if err = cmp.Or(e, err); err != nil {
			return err
		}
	}
	return nil
}

// poll waits until the socket is ready for events, bell rings, or a time is over, in milliseconds; negative ones are for ever. It fails with
// os.ErrDeadlineExceeded where stop rings. mu is held for reading.
func (d *descriptor) poll(events int16, bell alarm, timeout int) (ready, rung bool, err error) {
	fds := [...]unix.PollFd{{Fd: int32(d.fd), Events: events}, {Fd: int32(bell.fd), Events: unix.POLLIN}, {Fd: int32(d.stop.fd), Events: unix.POLLIN}}
	for {
		switch _, err = unix.Poll(fds[:], timeout); {
		case err == unix.EINTR:
			continue
		case err == nil && fds[2].Revents != 0:
			err = os.ErrDeadlineExceeded
		}
		return fds[0].Revents != 0, fds[1].Revents != 0, err
	}
}

// SetDeadline ends all that waits where t is in the past, and lets it wait for ever otherwise.
func (d *descriptor) SetDeadline(t time.Time) error {
	d.mu.RLock()
	defer d.mu.RUnlock()
	switch {
	case d.fd < 0:
		return net.ErrClosed
	case !t.IsZero() && t.Before(time.Now()):
		d.stop.ring()
	default:
		d.stop.silence()
	}
	return nil
}

// Close ends what waits, and then closes the socket.
func (d *descriptor) Close() error {
	d.SetDeadline(time.Unix(1, 0))
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fd < 0 {
		return net.ErrClosed
	}
	runtime.SetFinalizer(d, nil)
	err := unix.Close(d.fd)
	d.fd = -1
	d.stop.close()
	return os.NewSyscallError("close", err)
}
