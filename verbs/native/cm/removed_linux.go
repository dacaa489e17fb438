package cm

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// fileID tells one file from another; the zero value is none.
type fileID struct{ dev, ino uint64 }

func fileOf(fd int32) fileID {
	var st unix.Stat_t
	if err := unix.Fstat(int(fd), &st); err != nil {
		return fileID{}
	}
	return fileID{st.Dev, st.Ino}
}

// disconnect has the descriptors lead to nothing, so that the kernel may forget
// the device behind them; they stay open for who will close them.
func disconnect(fds ...int32) {
	null, err := unix.Open("/dev/null", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return // the kernel waits for the end of the program
	}
	defer func() { _ = syscall.Close(null) }()
	for _, fd := range fds {
		_ = unix.Dup3(null, int(fd), unix.O_CLOEXEC) // as above
	}
}
