//go:build !linux

package eventfile

import (
	"time"

	"golang.org/x/sys/unix"
)

// newWatcher makes events non-blocking, and returns a duplicate for Go's poller to watch.
func newWatcher(events int) (int, error) {
	if err := unix.SetNonblock(events, true); err != nil {
		return 0, err
	}
	return unix.FcntlInt(uintptr(events), unix.F_DUPFD_CLOEXEC, 0)
}

func watch(watcher, events int) error { return nil }

func unwatch(watcher, events int) error { return nil }

func rawPoll(fds *[1]unix.PollFd, limit time.Duration) (readable bool) { return false }
