package link

import (
	"cmp"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Watch tells that packets wait at a link's socket, once for each time that it is asked to. It is an epoll(7) instance inside that of the
// runtime's poller, which the socket itself is kept from: see [descriptor].
type Watch struct {
	sock    *descriptor
	file    *os.File // the instance
	raw     syscall.RawConn
	arrived func()
	ended   chan struct{}
}

// watches says that there are any, so that a link need not listen.
const watches = true

// Watch makes a watch, to be closed before the link. It calls arrived, from a goroutine of its own. Packets for multicast groups have
// sockets of their own, which the link's wake tells of.
func (u *UDP) Watch(arrived func()) (*Watch, error) {
	ep, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("epoll_create1", err)
	}
	if err := unix.SetNonblock(ep, true); err != nil { // what lets the runtime's poller have it
		unix.Close(ep)
		return nil, os.NewSyscallError("fcntl", err)
	}
	w := &Watch{sock: u.sock.raw.(*descriptor), file: os.NewFile(uintptr(ep), "epoll"), arrived: arrived, ended: make(chan struct{})}
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

// control says what is watched for.
func (w *Watch) control(op int, events uint32) (err error) {
	e := w.raw.Control(func(ep uintptr) {
		e := w.sock.Control(func(fd uintptr) {
			err = unix.EpollCtl(int(ep), op, int(fd), &unix.EpollEvent{Events: events | unix.EPOLLONESHOT})
		})
		err = cmp.Or(e, err)
	})
	return os.NewSyscallError("epoll_ctl", cmp.Or(e, err))
}

// Arm asks for one call when packets wait, be it now or later.
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
