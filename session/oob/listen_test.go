package oob

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// piped is a listener that gets its connections from a test.
type piped struct {
	conns  chan net.Conn
	over   chan struct{}
	once   sync.Once
	broken atomic.Int32 // how many times Accept fails
}

func newPiped() *piped {
	return &piped{conns: make(chan net.Conn), over: make(chan struct{})}
}

func (p *piped) Accept() (net.Conn, error) {
	if p.broken.Add(-1) >= 0 {
		return nil, syscall.EMFILE
	}
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.over:
		return nil, net.ErrClosed
	}
}

func (p *piped) Close() error   { p.once.Do(func() { close(p.over) }); return nil }
func (p *piped) Addr() net.Addr { return &net.TCPAddr{} }

// dial connects a client, and returns once the server reads from it.
func (p *piped) dial(t *testing.T) net.Conn {
	t.Helper()
	ours, theirs := net.Pipe()
	p.conns <- theirs
	synctest.Wait()
	t.Cleanup(func() { ours.Close() })
	return ours
}

// testServer is a server under test, and its reasons for refusing clients.
type testServer struct {
	*piped
	ended   chan error
	refused []string
	mu      sync.Mutex
}

func open(ctx context.Context) *testServer {
	h := &testServer{piped: newPiped(), ended: make(chan error, 1)}
	l := &Listener{ls: []net.Listener{h.piped}}
	go func() {
		h.ended <- l.Serve(ctx, Part{
			Receive: receiveOne,
			Finish: func(ctx context.Context, c *Conn, _ []Record) error {
				if err := c.Send(ctx, sample); err != nil {
					return err
				}
				if err := c.ReceiveDone(ctx); err != nil {
					return err
				}
				return c.Close()
			},
			Refused: func(_ string, err error) {
				h.mu.Lock()
				defer h.mu.Unlock()
				h.refused = append(h.refused, err.Error())
			},
		})
	}()
	synctest.Wait()
	return h
}

// said returns the reasons since its last call.
func (h *testServer) said() string {
	synctest.Wait()
	h.mu.Lock()
	defer h.mu.Unlock()
	defer func() { h.refused = nil }()
	return strings.Join(h.refused, "; ")
}

// play plays a well-behaved client.
func play(t *testing.T, c net.Conn) {
	t.Helper()
	peer := &Conn{c}
	if err := peer.Send(t.Context(), sample); err != nil {
		t.Fatal(err)
	}
	if r, err := peer.Receive(t.Context()); err != nil || r != sample {
		t.Fatal(r, err)
	}
	if err := peer.SendDone(t.Context()); err != nil {
		t.Fatal(err)
	}
}

const tooLate = "the client did not continue the exchange within 30 s"

// TestClientsThatDoNotPlay: silent and misbehaving clients neither keep a well-behaved client away nor stop the server.
func TestClientsThatDoNotPlay(t *testing.T) {
	for name, tt := range map[string]struct {
		say  func(t *testing.T, c net.Conn)
		want string
	}{
		"silent": {func(*testing.T, net.Conn) {}, ""},
		"garbage": {func(t *testing.T, c net.Conn) { io.WriteString(c, strings.Repeat("\xff", RecordLen)) },
			"does not end with a NUL"},
		"cut short": {func(t *testing.T, c net.Conn) { io.WriteString(c, "0000"); c.Close() },
			"after 4 of the 52 bytes"},
		"no last word": {func(t *testing.T, c net.Conn) {
			(&Conn{c}).Send(t.Context(), sample)
			(&Conn{c}).Receive(t.Context())
			c.Close()
		}, `of the final "done"`},
		"silent last word": {func(t *testing.T, c net.Conn) {
			(&Conn{c}).Send(t.Context(), sample)
			(&Conn{c}).Receive(t.Context())
			time.Sleep(PeerLimit) // the next client waits as long for its turn
		}, tooLate},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := open(t.Context())
				tt.say(t, h.dial(t))
				play(t, h.dial(t))
				if err := <-h.ended; err != nil {
					t.Error(err)
				}
				if said := h.said(); tt.want == "" && said != "" || !strings.Contains(said, tt.want) {
					t.Errorf("reason %q, want %q", said, tt.want)
				}
			})
		})
	}
}

// TestSilentClientsAreHungUp: a silent client is disconnected after its time, or as soon as too many clients are
// connected.
func TestSilentClientsAreHungUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t.Context())
		h.dial(t)
		time.Sleep(PeerLimit - time.Nanosecond)
		if said := h.said(); said != "" {
			t.Errorf("too soon: %s", said)
		}
		time.Sleep(time.Nanosecond)
		if said := h.said(); said != tooLate {
			t.Errorf("%q", said)
		}
		var all []net.Conn
		for range maxPending {
			all = append(all, h.dial(t))
		}
		if said := h.said(); said != "" {
			t.Errorf("refused although there is room: %s", said)
		}
		for i := range 3 {
			h.dial(t)
			if said := h.said(); said != errEvicted.Error() {
				t.Errorf("one too many: %q", said)
			}
			if _, err := all[i].Read([]byte{0}); err != io.EOF {
				t.Errorf("the one that was silent longest: %v", err)
			}
		}
		play(t, h.dial(t))
		if err := <-h.ended; err != nil {
			t.Error(err)
		}
		if said := h.said(); said != errEvicted.Error() {
			t.Errorf("clients left at the end: %q", said)
		}
	})
}

// TestAcceptFails: a server that cannot accept a client tries again after a while.
func TestAcceptFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		h := open(ctx)
		h.broken.Store(6) // the first call still waits
		h.dial(t).Close()
		begin := time.Now()
		c := h.dial(t)
		if took := time.Since(begin); took != 600*time.Millisecond {
			t.Errorf("it accepts after %s", took)
		}
		cancel()
		if err := <-h.ended; err != context.Canceled {
			t.Error(err)
		}
		if _, err := c.Read([]byte{0}); err != io.EOF {
			t.Errorf("a client that it was hearing: %v", err)
		}
	})
}

// stuck is a listener that cannot be closed.
type stuck struct{ *piped }

func (stuck) Close() error { return syscall.EIO }

// TestCloseFails: what keeps a listener from closing is told.
func TestCloseFails(t *testing.T) {
	l := &Listener{ls: []net.Listener{stuck{newPiped()}, newPiped()}}
	if err := l.Close(); !errors.Is(err, syscall.EIO) {
		t.Error(err)
	}
}

// TestHangingUpMakesRoom: a disconnected client no longer counts towards the limit.
func TestHangingUpMakesRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t.Context())
		first := h.dial(t)
		for range 2 * maxPending {
			h.dial(t).Close()
		}
		if said := h.said(); strings.Contains(said, errEvicted.Error()) {
			t.Errorf("it says %q", said)
		}
		play(t, first)
		if err := <-h.ended; err != nil {
			t.Error(err)
		}
	})
}

// TestNoRoomForMore: if clients that wait for their turn take all places, a new client is disconnected; one that leaves
// makes room.
func TestNoRoomForMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		h := open(ctx)
		waiting := make([]*Conn, maxPending+1) // it is the first one's turn
		for i := range waiting {
			waiting[i] = &Conn{h.dial(t)}
			if err := waiting[i].Send(t.Context(), sample); err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				if _, err := waiting[i].Receive(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			synctest.Wait()
		}
		if said := h.said(); said != "" {
			t.Errorf("refused although there is room: %s", said)
		}
		h.dial(t)
		if said := h.said(); said != "too many clients are waiting" {
			t.Errorf("it says %q", said)
		}
		time.Sleep(PeerLimit) // the first does not continue
		if said := h.said(); said != tooLate {
			t.Errorf("it says %q", said)
		}
		h.dial(t)
		if said := h.said(); said != "" {
			t.Errorf("refused although there is room again: %s", said)
		}
		cancel()
		if err := <-h.ended; err != context.Canceled {
			t.Error(err)
		}
		if _, err := waiting[maxPending].c.Read([]byte{0}); err != io.EOF {
			t.Errorf("a client that waits for its turn when the server ends: %v", err)
		}
	})
}

// TestThoseWhoWaitTheirTurnStay: a client that has sent its record is not disconnected in favour of others.
func TestThoseWhoWaitTheirTurnStay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t.Context())
		first := &Conn{h.dial(t)}
		if err := first.Send(t.Context(), sample); err != nil { // and nothing else
			t.Fatal(err)
		}
		if _, err := first.Receive(t.Context()); err != nil {
			t.Fatal(err)
		}
		second := h.dial(t)
		if err := (&Conn{second}).Send(t.Context(), sample); err != nil {
			t.Fatal(err)
		}
		for range 2 * maxPending {
			h.dial(t)
		}
		time.Sleep(PeerLimit)
		if r, err := (&Conn{second}).Receive(t.Context()); err != nil || r != sample {
			t.Fatal(r, err)
		}
		if err := (&Conn{second}).SendDone(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := <-h.ended; err != nil {
			t.Error(err)
		}
	})
}

// TestListenAgain: a listener whose port is in use on one address tries another port, if it may choose the port.
func TestListenAgain(t *testing.T) {
	for _, tt := range []struct {
		port  uint16
		err   error
		fails int
		tries int
	}{
		{0, syscall.EADDRINUSE, 0, 1},
		{0, syscall.EADDRINUSE, 7, 8},
		{0, syscall.EADDRINUSE, 8, 8},
		{0, syscall.EACCES, 1, 1},
		{18515, syscall.EADDRINUSE, 1, 1},
	} {
		tries := 0
		var last *piped
		l, err := listen(tt.port, func(l *Listener) error {
			if last != nil {
				<-last.over // closed after the failure
			}
			last = newPiped()
			l.ls = append(l.ls, last)
			if tries++; tries > tt.fails {
				return nil
			}
			return tt.err
		})
		failed := tt.tries == tt.fails
		if tries != tt.tries || errors.Is(err, tt.err) != failed || (l == nil) != failed {
			t.Errorf("%+v: %d tries, %v, %v", tt, tries, l, err)
		}
	}
}

// TestIsElsewhere: only some errors mean that an address belongs to another host or interface.
func TestIsElsewhere(t *testing.T) {
	linkLocal, global := netip.MustParseAddr("fe80::1"), netip.MustParseAddr("10.0.0.1")
	for _, tt := range []struct {
		addr netip.Addr
		err  error
		want bool
	}{
		{global, syscall.EADDRNOTAVAIL, true}, {global, syscall.EINVAL, false}, {global, nil, false},
		{linkLocal, syscall.EADDRNOTAVAIL, true}, {linkLocal, syscall.EINVAL, true},
		{linkLocal, syscall.EADDRINUSE, false}, {linkLocal, nil, false},
	} {
		if got := isElsewhere(tt.addr, tt.err); got != tt.want {
			t.Errorf("%s, %v: %v", tt.addr, tt.err, got)
		}
	}
}

// TestEvictedOnce: each new client evicts another one, the oldest first.
func TestEvictedOnce(t *testing.T) {
	s := &server{}
	var evicted []int
	for i := range maxPending + 2 {
		if !s.enter(&client{evict: func(error) { evicted = append(evicted, i) }}) {
			t.Errorf("client %d does not enter", i)
		}
	}
	if !slices.Equal(evicted, []int{0, 1}) || len(s.pending) != maxPending {
		t.Errorf("evicted %v, %d are left", evicted, len(s.pending))
	}
}

// TestRefusedLeavesNothing: the context of a client that is refused ends with it, not with the server.
func TestRefusedLeavesNothing(t *testing.T) {
	s := &server{ctx: t.Context(), part: Part{Refused: func(string, error) {}}}
	ctx, evict := context.WithCancelCause(s.ctx)
	ours, theirs := net.Pipe()
	defer ours.Close()
	s.refuse(&client{Conn: &Conn{theirs}, evict: evict}, io.EOF)
	if ctx.Err() == nil {
		t.Error("the context goes on")
	}
}

// TestEvictedTooLate: an evicted client is refused although its record arrived before it was disconnected.
func TestEvictedTooLate(t *testing.T) {
	for _, tt := range []struct{ received, want error }{{nil, errEvicted}, {io.EOF, io.EOF}} {
		synctest.Test(t, func(t *testing.T) {
			var refused error
			s := &server{ctx: t.Context(), heard: make(chan *client), part: Part{
				Receive: func(context.Context, *Conn) ([]Record, error) { return nil, tt.received },
				Refused: func(_ string, err error) { refused = err },
			}}
			ours, theirs := net.Pipe()
			defer ours.Close()
			s.hear(t.Context(), &client{Conn: &Conn{theirs}, evict: func(error) {}})
			if refused != tt.want || s.waiting != 0 {
				t.Errorf("%v: refused with %v, %d waiting", tt.received, refused, s.waiting)
			}
		})
	}
}

// TestListenOnSomeAddresses: a device's server listens only on the device's addresses.
func TestListenOnSomeAddresses(t *testing.T) {
	local, nowhere := netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("192.0.2.1")
	l, err := Listen(0, nowhere, local)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if want := []netip.AddrPort{netip.AddrPortFrom(local, l.Port())}; !slices.Equal(l.Addrs(), want) || l.Port() == 0 {
		t.Errorf("listens on %v, want %v", l.Addrs(), want)
	}
	if runtime.GOOS == "linux" { // where all of 127/8 belongs to this host
		if err := l.Add(netip.MustParseAddr("127.0.0.2")); err != nil || len(l.Addrs()) != 2 ||
			l.Addrs()[1].Port() != l.Port() {
			t.Errorf("%v, %v", l.Addrs(), err)
		}
		if c, err := Dial(t.Context(), "127.0.0.3", l.Port()); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("another address: %v, %v", c, err)
		}
	}
	if _, err := Listen(0, nowhere); !errors.Is(err, syscall.EADDRNOTAVAIL) {
		t.Errorf("no address: %v", err)
	}
	if _, err := Listen(l.Port(), local); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("a port in use: %v", err)
	}
	if _, err := Listen(0, local, local); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("an address twice: %v", err)
	}
	for range 2 {
		if err := l.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
	}
	all, err := Listen(0)
	if err != nil {
		t.Fatal(err)
	}
	defer all.Close()
	if at := all.Addrs(); len(at) != 1 || !at[0].Addr().IsUnspecified() {
		t.Errorf("%v", at)
	}
}
