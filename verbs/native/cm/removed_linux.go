package cm

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// fileID identifies an open file; the zero value means none.
type fileID struct{ dev, ino uint64 }

func fileOf(fd int32) fileID {
	var st unix.Stat_t
	if err := unix.Fstat(int(fd), &st); err != nil {
		return fileID{}
	}
	return fileID{st.Dev, st.Ino}
}

// disconnect redirects the descriptors to /dev/null, so that the kernel may
// release the device behind them; they stay open for the owner to close.
func disconnect(fds ...int32) {
	null, err := unix.Open("/dev/null", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return // the kernel then waits for the end of the program
	}
	defer func() { _ = syscall.Close(null) }()
	for _, fd := range fds {
		_ = unix.Dup3(null, int(fd), unix.O_CLOEXEC) // as above
	}
}
