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

// descriptor is a socket outside the runtime's poller. The poller would wake a thread for every packet even while a
// program receives the packets itself; that thread gets in the program's way, or takes its place if there is only one
// processor. descriptor implements [syscall.RawConn] nevertheless.
type descriptor struct {
	mu   sync.RWMutex // held for reading while the socket is in use
	fd   int          // -1: closed
	stop alarm        // ends all waiting calls
}

// detach takes over the socket of a connection.
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

// Read calls f whenever data waits at the socket, until f returns true.
func (d *descriptor) Read(f func(fd uintptr) bool) error { return d.until(unix.POLLIN, f) }

// Write calls f whenever the socket has room, until f returns true.
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

// poll waits until the socket is ready for events, bell rings, or timeout milliseconds have passed; a negative timeout
// is infinite. It fails with os.ErrDeadlineExceeded if stop rings. mu is held for reading.
func (d *descriptor) poll(events int16, bell alarm, timeout int) (ready, rung bool, err error) {
	fds := [...]unix.PollFd{{Fd: int32(d.fd), Events: events}, {Fd: int32(bell.fd), Events: unix.POLLIN},
		{Fd: int32(d.stop.fd), Events: unix.POLLIN}}
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

// SetDeadline ends all waiting calls if t is in the past; otherwise it clears the deadline.
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

// Close ends all waiting calls, then closes the socket.
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
