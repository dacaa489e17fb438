package link

import (
	"net"
	"time"

	"golang.org/x/sys/unix"
)

// Sleeper lets a goroutine sleep at a link's socket, in the system call, so that what arrives wakes it and nobody else. It serves one
// goroutine at a time.
type Sleeper struct {
	sock *descriptor
	bell alarm
}

// NewSleeper makes a sleeper, to be closed before the link.
func (u *UDP) NewSleeper() (*Sleeper, error) {
	bell, err := newAlarm()
	if err != nil {
		return nil, err
	}
	return &Sleeper{u.sock.raw.(*descriptor), bell}, nil
}

// Sleep returns when packets wait at the socket, then with true; when Wake is called or was since the last sleep; and when the time is
// over, which is counted in whole milliseconds and negative without end. It fails where the link is closed or the system cannot poll.
// Packets for multicast groups have sockets of their own: the link's wake tells of them.
func (s *Sleeper) Sleep(limit time.Duration) (arrived bool, err error) {
	timeout := -1
	if limit >= 0 {
		timeout = int(limit.Milliseconds())
	}
	s.sock.mu.RLock()
	defer s.sock.mu.RUnlock()
	if s.sock.fd < 0 {
		return false, net.ErrClosed
	}
	arrived, rung, err := s.sock.poll(unix.POLLIN, s.bell, timeout)
	if rung {
		s.bell.silence()
	}
	return arrived, err
}

// Wake ends the sleep, or the next one.
func (s *Sleeper) Wake() { s.bell.ring() }

// Close gives the sleeper up.
func (s *Sleeper) Close() { s.bell.close() }
