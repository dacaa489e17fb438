package link

import (
	"net"
	"time"

	"golang.org/x/sys/unix"
)

// Sleeper lets a goroutine block in poll(2) on a link's socket, so that arriving packets wake that goroutine and no
// other. It serves one goroutine at a time.
type Sleeper struct {
	sock *descriptor
	bell alarm
}

// NewSleeper creates a sleeper; close it before the link.
func (u *UDP) NewSleeper() (*Sleeper, error) {
	bell, err := newAlarm()
	if err != nil {
		return nil, err
	}
	return &Sleeper{u.sock.raw.(*descriptor), bell}, nil
}

// Sleep returns true when packets wait at the socket. It returns false when Wake is called, or was called since the
// last Sleep, and when limit has passed; limit counts in whole milliseconds, and a negative one is infinite. It fails
// if the link is closed or the system cannot poll. Packets for multicast groups arrive at separate sockets: the link's
// wake reports those.
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

// Wake ends the current Sleep, or the next one.
func (s *Sleeper) Wake() { s.bell.ring() }

// Close closes the sleeper.
func (s *Sleeper) Close() { s.bell.close() }
