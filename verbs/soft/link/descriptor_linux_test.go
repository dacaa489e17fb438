package link

import (
	"errors"
	"net"
	"net/netip"
	"os"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// pipe returns a descriptor whose peer has read nothing yet and whose buffer is full.
func pipe(t *testing.T) (d *descriptor, peer int) {
	t.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	stop, err := newAlarm()
	if err != nil {
		t.Fatal(err)
	}
	d = &descriptor{fd: fds[0], stop: stop}
	t.Cleanup(func() {
		d.Close()
		unix.Close(fds[1])
	})
	for err == nil {
		_, err = unix.Write(fds[0], make([]byte, 4096))
	}
	if err != unix.EAGAIN {
		t.Fatal(err)
	}
	return d, fds[1]
}

// TestDescriptorWaits makes a writer wait for room, and ends the wait in each way.
func TestDescriptorWaits(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  func(d *descriptor, peer int)
		want error
	}{
		{"room", func(_ *descriptor, peer int) {
			buf := make([]byte, 4096)
			for err := error(nil); err == nil; {
				_, err = unix.Read(peer, buf)
			}
		}, nil},
		{"deadline", func(d *descriptor, _ int) { d.SetDeadline(time.Unix(1, 0)) }, os.ErrDeadlineExceeded},
		{"closed", func(d *descriptor, _ int) { d.Close() }, os.ErrDeadlineExceeded},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, peer := pipe(t)
			got := make(chan error)
			go func() {
				got <- d.Write(func(fd uintptr) bool {
					_, err := unix.Write(int(fd), make([]byte, 4096))
					return err == nil
				})
			}()
			for d.mu.TryLock() { // until the writer waits, which holds it for reading
				d.mu.Unlock()
				runtime.Gosched()
			}
			tt.end(d, peer)
			if err := <-got; !errors.Is(err, tt.want) {
				t.Errorf("%v, want %v", err, tt.want)
			}
		})
	}
}

// TestDescriptorAfterDeadline waits again after the deadline is removed.
func TestDescriptorAfterDeadline(t *testing.T) {
	d, _ := pipe(t)
	d.SetDeadline(time.Unix(1, 0))
	if err := d.Write(func(uintptr) bool { t.Error("called after the deadline"); return true }); !errors.Is(err,
		os.ErrDeadlineExceeded) {
		t.Fatal(err)
	}
	d.SetDeadline(time.Time{})
	if ready, _, err := d.poll(unix.POLLOUT, d.stop, 0); ready || err != nil {
		t.Errorf("%v, %v", ready, err)
	}
	d.Close()
	if err := d.Close(); !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
	if err := d.Control(func(uintptr) { t.Error("called though it is closed") }); !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
}

// TestDescriptorsAreClosed makes endpoints, links and sleepers and closes them: no descriptor of the process stays
// open.
func TestDescriptorsAreClosed(t *testing.T) {
	open := func() int {
		files, err := os.ReadDir("/proc/self/fd")
		must(t, err)
		return len(files)
	}
	round := func() {
		e := freeLoopback(t, Options{})
		u, err := e.Attach(func() {})
		must(t, err)
		s, err := u.NewSleeper()
		must(t, err)
		w, err := u.Watch(func() {})
		must(t, err)
		w.Close()
		s.Close()
		must(t, u.Close())
		must(t, e.Close())
	}
	round() // the runtime opens its own descriptors
	before := open()
	for range 10 {
		round()
	}
	// links of earlier tests may be closing meanwhile, but none is being opened
	if after := open(); after >= before+10 {
		t.Errorf("%d descriptors before, %d now", before, after)
	}
}

// TestSleeper is woken by packets and by calls, also by those before the sleep, and ends with the link.
func TestSleeper(t *testing.T) {
	a := attachUDP(t, freeLoopback(t, Options{}))
	s, err := a.NewSleeper()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	want := func(why string, limit time.Duration, arrived bool, fails error) {
		t.Helper()
		if got, err := s.Sleep(limit); got != arrived || !errors.Is(err, fails) {
			t.Errorf("%s: %v, %v", why, got, err)
		}
	}
	want("nothing", 0, false, nil)
	s.Wake()
	want("woken before", -1, false, nil)
	want("once only", 0, false, nil)
	a.Send(packets(a, pathUDP(t, a.Endpoint, a.Endpoint), 1))
	want("a packet", -1, true, nil)
	want("it is still there", -1, true, nil)
	a.await(t, 1)
	want("taken", 0, false, nil)
	var late atomic.Bool
	go func() {
		for range 1000 {
			runtime.Gosched()
		}
		late.Store(true)
		s.Wake()
	}()
	want("woken meanwhile", -1, false, nil)
	if !late.Load() {
		t.Error("it did not sleep")
	}
	a.UDP.Close()
	want("closed link", -1, false, os.ErrDeadlineExceeded)
	a.Endpoint.Close()
	want("closed socket", -1, false, net.ErrClosed)
}

// TestWatchEnds arms a watch that is closed, and one whose socket is closed.
func TestWatchEnds(t *testing.T) {
	u := attachUDP(t, freeLoopback(t, Options{}))
	other, err := u.Watch(func() {})
	must(t, err)
	must(t, other.Arm())
	other.Close()
	if other.Arm() == nil {
		t.Error("a closed watch can be armed")
	}
	must(t, u.Endpoint.Close())
	if err := u.watch.Arm(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("a closed socket: %v", err)
	}
	if _, err := u.UDP.Watch(func() {}); !errors.Is(err, net.ErrClosed) {
		t.Errorf("a watch of a closed socket: %v", err)
	}
}

// TestSocketClosed uses a closed socket: each call returns an error.
func TestSocketClosed(t *testing.T) {
	e := freeLoopback(t, Options{})
	u := attachUDP(t, e)
	if !e.sock.canSegment() || e.ReceiveBuffer() == 0 {
		t.Errorf("%t, a buffer of %d bytes", e.sock.canSegment(), e.ReceiveBuffer())
	}
	ps := packets(u, pathUDP(t, e, e), 1)
	must(t, e.Close())
	if n, err := e.sock.send(ps, []message{{1, len(ps[0].Data)}}); n != 0 || !errors.Is(err, net.ErrClosed) {
		t.Errorf("send: %d, %v", n, err)
	}
	if n, err := e.sock.receive(&u.in.batch, 1); n != 0 || !errors.Is(err, net.ErrClosed) {
		t.Errorf("receive: %d, %v", n, err)
	}
	if _, err := e.sock.getOption(unix.SOL_SOCKET, unix.SO_RCVBUF); !errors.Is(err, net.ErrClosed) ||
		e.ReceiveBuffer() != 0 || e.sock.canSegment() {
		t.Errorf("options: %v", err)
	}
	if err := e.sock.conn.SetDeadline(time.Time{}); !errors.Is(err, net.ErrClosed) {
		t.Errorf("deadline: %v", err)
	}
	must(t, u.UDP.Close())
	if _, err := e.Attach(func() {}); !errors.Is(err, net.ErrClosed) {
		t.Errorf("attach: %v", err)
	}
	if _, err := e.Attach(func() {}); !errors.Is(err, net.ErrClosed) {
		t.Errorf("attach again: %v", err)
	}
}

// TestSocketOptionRefused sets an invalid option.
func TestSocketOptionRefused(t *testing.T) {
	d, _ := pipe(t)
	if err := setOptions(d.fd, []option{{unix.SOL_SOCKET, unix.SO_REUSEADDR, 1}}); err != nil {
		t.Error(err)
	}
	if err := setOptions(d.fd, []option{{unix.SOL_SOCKET, 0x7fff, 1},
		{unix.SOL_SOCKET, unix.SO_REUSEADDR, 1}}); !errors.Is(err, unix.ENOPROTOOPT) {
		t.Error(err)
	}
}

// TestUDPJoinRefused joins groups that cannot be joined.
func TestUDPJoinRefused(t *testing.T) {
	u := attachUDP(t, freeLoopback(t, Options{}))
	for name, tt := range map[string]struct {
		err, want error
	}{
		"no group":                           {u.Join(u.Addr()), unix.EINVAL},
		"another family":                     {u.Join(group6), unix.EINVAL},
		"leaving a group that is not joined": {u.Leave(group4), unix.EADDRNOTAVAIL},
		"no interface": {second(openGroup(netip.AddrPortFrom(group4, 4791), u.Addr(), 0)),
			errNoInterface},
		"an interface that does not exist": {second(openGroup(netip.AddrPortFrom(group4, 4791), u.Addr(), 1<<30)),
			unix.ENODEV},
	} {
		if !errors.Is(tt.err, tt.want) {
			t.Errorf("%s: %v, want %v", name, tt.err, tt.want)
		}
	}
	free := len(u.pool.idle)
	must(t, u.Join(group4))
	must(t, u.Join(group4))
	must(t, u.Leave(group4))
	if u.groups.byAddr[group4] == nil {
		t.Error("left after one of two")
	}
	must(t, u.Leave(group4))
	if n := len(u.pool.idle); len(u.groups.byAddr) != 0 || n != max(free, receiveBatch) {
		t.Errorf("%d groups, %d free packets, %d before", len(u.groups.byAddr), n, free)
	}
	u.groups.byAddr = map[netip.Addr]*membership{}
	for i := range maxMemberships {
		u.groups.byAddr[netip.AddrFrom4([4]byte{239, 9, byte(i >> 8), byte(i)})] = nil
	}
	if err := u.Join(group4); !errors.Is(err, unix.ENOMEM) {
		t.Errorf("one group too many: %v", err)
	}
	clear(u.groups.byAddr)
	must(t, u.Join(group4))
	must(t, u.UDP.Close())
	if err := u.Leave(group4); !errors.Is(err, unix.EADDRNOTAVAIL) {
		t.Errorf("leaving after Close: %v", err)
	}
	if err := u.Join(group4); !errors.Is(err, net.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}

func second[T any](_ T, err error) error { return err }
