package eventfile

import (
	"errors"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// newWatcher makes events non-blocking, and returns an epoll instance for Go's poller to watch in its
// place. The poller never lets go of a file: if it watched events itself, each event would also wake a
// thread that has nothing to do, though the waiter has taken the event.
func newWatcher(events int) (int, error) {
	watcher, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return 0, err
	}
	err = errors.Join(
		unix.SetNonblock(events, true),
		unix.SetNonblock(watcher, true), // os.NewFile has only such files polled
		watch(watcher, events),          // fails for what cannot be polled
		unwatch(watcher, events))
	if err != nil {
		_ = unix.Close(watcher)
		return 0, err
	}
	return watcher, nil
}

// watch lets events wake the poller, also for what is there already.
func watch(watcher, events int) error {
	return unix.EpollCtl(watcher, unix.EPOLL_CTL_ADD, events, &unix.EpollEvent{Events: unix.EPOLLIN})
}

func unwatch(watcher, events int) error {
	return unix.EpollCtl(watcher, unix.EPOLL_CTL_DEL, events, nil)
}

func rawPoll(fds *[1]unix.PollFd, limit time.Duration) (readable bool) {
	end := unix.NsecToTimespec(limit.Nanoseconds())
	n, _, err := syscall.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&fds[0])), uintptr(len(fds)),
		uintptr(unsafe.Pointer(&end)), 0, 0, 0)
	return err == 0 && n > 0
}
