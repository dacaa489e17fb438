package link

import (
	"os"

	"golang.org/x/sys/unix"
)

// alarm is an eventfd(2) that ends a poll(2), including one that starts after the alarm
// was rung.
type alarm struct{ fd int }

func newAlarm() (alarm, error) {
	fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	return alarm{fd}, os.NewSyscallError("eventfd", err)
}

// ring makes the alarm readable until it is silenced.
func (a alarm) ring() {
	one := [8]byte{1, 1, 1, 1, 1, 1, 1, 1} // not 0 in either byte order
	unix.Write(a.fd, one[:])
}

func (a alarm) silence() {
	var count [8]byte
	unix.Read(a.fd, count[:])
}

func (a alarm) close() { unix.Close(a.fd) }
