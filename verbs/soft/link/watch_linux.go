package link

import (
	"cmp"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Watch reports that packets wait at a link's socket, once each time that it is armed. It is an epoll(7) instance
// inside the runtime poller's, from which the socket itself is kept: see [descriptor].
type Watch struct {
	sock    *descriptor
	file    *os.File // the instance
	raw     syscall.RawConn
	arrived func()
	ended   chan struct{}
}

// watches reports whether this system has watches, so that a link need not listen.
const watches = true

// Watch creates a watch that calls arrived from its own goroutine; close it before the link. Packets for multicast
// groups arrive at separate sockets, which the link's wake reports.
func (u *UDP) Watch(arrived func()) (*Watch, error) {
	ep, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("epoll_create1", err)
	}
	if err := unix.SetNonblock(ep, true); err != nil { // the runtime's poller accepts only non-blocking descriptors
		unix.Close(ep)
		return nil, os.NewSyscallError("fcntl", err)
	}
	w := &Watch{
		sock: u.sock.raw.(*descriptor), file: os.NewFile(uintptr(ep), "epoll"),
		arrived: arrived, ended: make(chan struct{}),
	}
	if w.raw, err = w.file.SyscallConn(); err == nil {
		err = w.control(unix.EPOLL_CTL_ADD, 0)
	}
	if err != nil {
		w.file.Close()
		return nil, err
	}
	go w.run(u)
	return w, nil
}

// control sets the events to watch for.
func (w *Watch) control(op int, events uint32) (err error) {
	e := w.raw.Control(func(ep uintptr) {
		e := w.sock.Control(func(fd uintptr) {
			err = unix.EpollCtl(int(ep), op, int(fd), &unix.EpollEvent{Events: events | unix.EPOLLONESHOT})
		})
		err = cmp.Or(e, err)
	})
	return os.NewSyscallError("epoll_ctl", cmp.Or(e, err))
}

// Arm requests one call when packets wait, now or later.
func (w *Watch) Arm() error { return w.control(unix.EPOLL_CTL_MOD, unix.EPOLLIN) }

func (w *Watch) run(u *UDP) {
	defer close(w.ended)
	defer u.opts.Crashed.Catch()
	var events [1]unix.EpollEvent
	w.raw.Read(func(ep uintptr) bool {
		if n, _ := unix.EpollWait(int(ep), events[:], 0); n > 0 {
			w.arrived()
		}
		return false // until it is closed
	})
}

// Close ends the watch; it may be called again.
func (w *Watch) Close() {
	w.file.Close()
	<-w.ended
}
