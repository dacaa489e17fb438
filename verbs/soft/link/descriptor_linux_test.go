package link

import (
	"errors"
	"net"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// pipe is a descriptor with a peer that has taken nothing yet, and no room for more.
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

// TestDescriptorWaits lets a writer wait for room, and for what else may end it.
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
			tt.end(d, peer)
			if err := <-got; !errors.Is(err, tt.want) && !(tt.name == "closed" && errors.Is(err, net.ErrClosed)) {
				t.Errorf("%v, want %v", err, tt.want)
			}
		})
	}
}

// TestDescriptorAfterDeadline waits again once the deadline is taken back.
func TestDescriptorAfterDeadline(t *testing.T) {
	d, _ := pipe(t)
	d.SetDeadline(time.Unix(1, 0))
	if err := d.Write(func(uintptr) bool { return false }); !errors.Is(err, os.ErrDeadlineExceeded) {
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

// TestDescriptorsAreClosed makes endpoints, links and sleepers and closes them: no descriptor of the process stays open.
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
	round() // the runtime opens what it needs itself
	before := open()
	for range 10 {
		round()
	}
	if after := open(); after >= before+10 { // links of earlier tests may be closing meanwhile, but none is opened
		t.Errorf("%d descriptors before, %d now", before, after)
	}
}

// TestSleeper is woken by packets and by others, also by those that came first, and ends with the link.
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
	go s.Wake()
	want("woken meanwhile", -1, false, nil)
	a.UDP.Close()
	want("closed link", -1, false, os.ErrDeadlineExceeded)
	a.Endpoint.Close()
	want("closed socket", -1, false, net.ErrClosed)
}
