package link

import (
	"errors"
	"net"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/verbs/wire"
)

// scripted is a socket that a test plays: each call of Read or Write calls the function as often as the script says,
// and then fails.
type scripted struct {
	syscall.RawConn
	t      *testing.T
	script []turn
}

type turn struct {
	calls int // of the function; it must return false each time but the last if err is nil
	err   error
}

func (s *scripted) Control(do func(uintptr)) error {
	do(0)
	return nil
}

func (s *scripted) play(do func(uintptr) bool) error {
	now := s.script[0]
	s.script = s.script[1:]
	for n := range now.calls {
		if done := do(0); done != (now.err == nil && n == now.calls-1) {
			s.t.Errorf("call %d of %d: done %t", n+1, now.calls, done)
		}
	}
	return now.err
}

func (s *scripted) Read(do func(uintptr) bool) error  { return s.play(do) }
func (s *scripted) Write(do func(uintptr) bool) error { return s.play(do) }

// onScript makes a link whose socket is scripted. It counts its wakeups.
func onScript(t *testing.T, script ...turn) (u *UDP, woken *int) {
	woken = new(int)
	u = &UDP{wake: func() { *woken++ }, blocked: make(chan struct{}, 1), quit: make(chan struct{})}
	u.Endpoint = &Endpoint{sock: &socket{raw: &scripted{t: t, script: script}}}
	u.out.init(u, false)
	return u, woken
}

var errDown = errors.New("network is down")

// TestListenerGoesOn: a listener wakes the link for each packet, and goes on after an error until the socket is closed.
func TestListenerGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		u, woken := onScript(t, turn{2, errDown}, turn{3, net.ErrClosed})
		r := &receiver{link: u, sock: u.sock}
		r.listen()
		if rested := time.Since(begin); *woken != 5 || rested != 10*time.Millisecond {
			t.Errorf("woken %d times, rested %s", *woken, rested)
		}
	})
}

// TestDrainGoesOn: packets wait for room in the socket, also after an error; the link is woken when they are sent.
func TestDrainGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u, woken := onScript(t, turn{2, errDown}, turn{3, nil}, turn{1, nil}, turn{1, net.ErrClosed})
		tries := 0
		u.sock.pass = func(uintptr) {
			if tries++; tries < 5 || tries == 7 {
				u.sock.passed, u.sock.passErr = 0, syscall.EAGAIN
			} else {
				u.sock.passed, u.sock.passErr = 1, nil
			}
		}
		drained := make(chan struct{})
		go func() { u.drain(); close(drained) }()
		way := path(t, addrA, addrB)
		for round, want := range []struct{ tries, woken int }{{5, 1}, {6, 2}, {7, 2}} {
			u.out.mu.Lock()
			u.out.add(packets(u, way, 1))
			u.out.full = true
			u.block()
			u.out.mu.Unlock()
			time.Sleep(time.Second)
			synctest.Wait()
			if left := len(u.out.packets); tries != want.tries || *woken != want.woken || u.Ready() != (left == 0) ||
				left != round/2 {
				t.Errorf("round %d: %d attempts, woken %d times, %d packets left, ready %t", round, tries, *woken, left,
					u.Ready())
			}
		}
		<-drained // the socket is closed
	})
}

// TestFullSocket: a socket takes some of the packets; the others wait, in order, and later ones behind them.
func TestFullSocket(t *testing.T) {
	u, _ := onScript(t)
	room := 2
	u.sock.pass = func(uintptr) {
		if u.sock.passed, u.sock.passErr = min(room, 1), nil; room == 0 {
			u.sock.passErr = syscall.EAGAIN
		}
		room -= u.sock.passed
	}
	u.Send(packets(u, path(t, addrA, addrB), 5))
	want := func(when string, psn wire.PSN, packets int, full bool, pauses uint64) {
		t.Helper()
		o := &u.out
		got := psns(t, o.packets)
		if len(got) != packets || len(o.messages) != packets || o.first != 0 || o.full != full || u.Ready() == full ||
			u.Counters().Pauses != pauses || packets > 0 && got[0] != psn {
			t.Errorf("%s: %d, %d messages from %d, full %t, %+v", when, got, len(o.messages), o.first,
				o.full, u.Counters())
		}
		for _, p := range o.packets[packets:cap(o.packets)] {
			if p != nil {
				t.Errorf("%s: the outbox holds a packet that was sent", when)
			}
		}
	}
	want("two of five", 2, 3, true, 1)
	u.Send(packets(u, path(t, addrA, addrB), 1))
	want("one more", 2, 4, true, 1)
	<-u.blocked
	room = 9
	u.out.push()
	u.out.paused.Store(u.out.full)
	want("all", 0, 0, false, 1)
}
