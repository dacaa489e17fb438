package oob

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"rdmatui/verbs"
)

// PeerLimit is how long a client that has connected may take for each part of the
// dialogue.
const PeerLimit = 30 * time.Second

// maxPending bounds the clients that are heard at a time.
const maxPending = 8

// Listener waits for a client.
type Listener struct {
	ls []net.Listener
}

// Listen begins the server's part, on those of the addresses that this host has;
// it fails with EADDRNOTAVAIL if that is none. Without addresses it listens on
// all of the host's. Port 0 takes a free one, the same on each address.
func Listen(port uint16, addrs ...netip.Addr) (*Listener, error) {
	if len(addrs) == 0 {
		addrs = []netip.Addr{{}}
	}
	return listen(port, func(l *Listener) error { return l.open(port, addrs) })
}

// listen opens a listener. For port 0 it tries several times, since a port that is free on one address may be taken on
// another.
func listen(port uint16, open func(*Listener) error) (*Listener, error) {
	const attempts = 8
	for i := 1; ; i++ {
		l := &Listener{}
		err := open(l)
		if err == nil {
			return l, nil
		}
		err = errors.Join(err, l.Close())
		if port != 0 || i == attempts || !errors.Is(err, syscall.EADDRINUSE) {
			return nil, err
		}
	}
}

// open listens on those of the addresses that this host has; after a failure it
// may listen on some.
func (l *Listener) open(port uint16, addrs []netip.Addr) error {
	for _, a := range addrs {
		one, err := net.ListenTCP("tcp", net.TCPAddrFromAddrPort(netip.AddrPortFrom(a, port)))
		switch {
		case isElsewhere(a, err):
			continue
		case err != nil:
			return err
		}
		l.ls = append(l.ls, one)
		port = l.Port()
	}
	if len(l.ls) == 0 {
		return fmt.Errorf("listen on %v: %w", addrs, syscall.EADDRNOTAVAIL)
	}
	return nil
}

// isElsewhere reports whether listening failed because this host does not have the address, or has it on another
// interface.
func isElsewhere(a netip.Addr, err error) bool {
	return errors.Is(err, syscall.EADDRNOTAVAIL) || a.IsLinkLocalUnicast() && errors.Is(err, syscall.EINVAL)
}

// loopback is where most users connect to who run both ends on one host.
var loopback = netip.AddrFrom4([4]byte{127, 0, 0, 1})

// ListenFor listens for the peers of a device: at the address, given as text, or at every address with [AnyAddress]. If
// it is "", at the device's addresses, at the others of their interfaces, and at loopback; at every address if the
// device has none, or has those of another network namespace. An error of the text follows its name.
func ListenFor(device []netip.Addr, name, text string, port uint16) (*Listener, error) {
	if text == AnyAddress {
		return Listen(port)
	}
	if text != "" {
		addr, err := netip.ParseAddr(text)
		if err != nil {
			return nil, fmt.Errorf("%s%s: any, or an IP address of this host is expected", name, text)
		}
		return Listen(port, addr)
	}
	addrs := Beside(device)
	if len(addrs) == 0 {
		return Listen(port)
	}
	l, err := listen(port, func(l *Listener) error {
		if err := l.open(port, addrs); err != nil || slices.Contains(addrs, loopback) {
			return err
		}
		return l.Add(loopback)
	})
	if errors.Is(err, syscall.EADDRNOTAVAIL) {
		return Listen(port)
	}
	return l, err
}

// String lists the addresses, "every address" for all.
func (l *Listener) String() string {
	var words []string
	for _, at := range l.Addrs() {
		if at.Addr().IsUnspecified() {
			return EveryAddress
		}
		words = append(words, at.Addr().String())
	}
	return strings.Join(words, ", ")
}

// Add listens on one more address, on the same port.
func (l *Listener) Add(addr netip.Addr) error { return l.open(l.Port(), []netip.Addr{addr}) }

// Port returns the port that it listens on.
func (l *Listener) Port() uint16 { return l.Addrs()[0].Port() }

// Addrs returns where it listens; the unspecified address stands for all.
func (l *Listener) Addrs() []netip.AddrPort {
	at := make([]netip.AddrPort, len(l.ls))
	for i := range l.ls {
		a := l.ls[i].Addr().(*net.TCPAddr).AddrPort()
		at[i] = netip.AddrPortFrom(a.Addr().Unmap(), a.Port())
	}
	return at
}

// Close stops listening. It is idempotent.
func (l *Listener) Close() error {
	var errs []error
	for _, one := range l.ls {
		if err := one.Close(); !errors.Is(err, net.ErrClosed) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// Part is what a server does in its dialogues. Its functions end with ctx.
type Part struct {
	// Receive reads what a client says first. It is called for several at a time.
	Receive func(ctx context.Context, c *Conn) ([]Record, error)
	// Finish goes on with one that was heard, one at a time. It owns the Conn if it
	// returns nil.
	Finish func(ctx context.Context, c *Conn, theirs []Record) error
	// Refused is told why a client was hung up; from any goroutine.
	Refused func(address string, err error)
	// Crashed is told of a panic in one of the goroutines; may be nil.
	Crashed verbs.CrashHook
}

// Serve waits for one client that plays its part, and stops listening then, as the
// stock server does. One that says nothing, or something else, keeps nobody away:
// several are heard at a time, each for [PeerLimit], and when there are too many
// the one that has been silent longest goes.
func (l *Listener) Serve(ctx context.Context, p Part) error {
	ctx, cancel := context.WithCancel(ctx)
	s := &server{part: p, ctx: ctx, heard: make(chan *client)}
	defer s.wait.Wait()
	defer l.Close()
	defer cancel()
	for _, one := range l.ls {
		s.wait.Go(func() {
			defer p.Crashed.Catch()
			s.accept(one)
		})
	}
	for {
		select {
		case c := <-s.heard:
			err := limited(ctx, func(ctx context.Context) error { return p.Finish(ctx, c.Conn, c.records) })
			if err == nil {
				return nil
			}
			s.refuse(c, err)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// client is one that has connected.
type client struct {
	*Conn
	records []Record
	evict   context.CancelCauseFunc
}

// server is the clients of one Serve.
type server struct {
	part  Part
	ctx   context.Context
	heard chan *client // those that have said what is expected
	wait  sync.WaitGroup

	mu      sync.Mutex
	pending []*client // those that are heard, the oldest first
	waiting int       // those that were heard and wait for Finish
}

var errEvicted = errors.New("more clients connected, and this one had been silent longest")

// accept hears whoever connects.
func (s *server) accept(l net.Listener) {
	for s.ctx.Err() == nil {
		conn, err := l.Accept()
		if err != nil {
			rest(s.ctx, 100*time.Millisecond) // such as EMFILE: it may pass
			continue
		}
		ctx, evict := context.WithCancelCause(s.ctx)
		c := &client{Conn: &Conn{conn}, evict: evict}
		if !s.enter(c) {
			s.refuse(c, errors.New("too many clients are waiting"))
			continue
		}
		s.wait.Go(func() {
			defer s.part.Crashed.Catch()
			s.hear(ctx, c)
		})
	}
}

// enter makes room for a client; false: there is none.
func (s *server) enter(c *client) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.pending)+s.waiting >= maxPending {
		if len(s.pending) == 0 {
			return false
		}
		s.pending[0].evict(errEvicted)
		s.pending = s.pending[1:]
	}
	s.pending = append(s.pending, c)
	return true
}

// hear reads what a client says, and passes it on if that is as expected.
func (s *server) hear(ctx context.Context, c *client) {
	defer c.evict(nil)
	err := limited(ctx, func(ctx context.Context) (err error) {
		c.records, err = s.part.Receive(ctx, c.Conn)
		return err
	})
	s.mu.Lock()
	if i := slices.Index(s.pending, c); i >= 0 {
		s.pending = slices.Delete(s.pending, i, i+1)
	} else if err == nil {
		err = errEvicted
	}
	if err == nil {
		s.waiting++
	}
	s.mu.Unlock()
	if err != nil {
		s.refuse(c, err)
		return
	}
	select {
	case s.heard <- c:
	case <-s.ctx.Done():
		c.Close()
	}
	s.mu.Lock()
	s.waiting--
	s.mu.Unlock()
}

// refuse tells of a client that is hung up, unless the server is done, and hangs up: who sees the end finds the reason.
func (s *server) refuse(c *client, err error) {
	if s.ctx.Err() == nil {
		s.part.Refused(c.RemoteAddr(), err)
	}
	c.evict(nil) // its context ends with the client, not with the server
	c.Close()
}

// limited carries out one part of a dialogue, for up to [PeerLimit].
func limited(ctx context.Context, part func(context.Context) error) error {
	limit, cancel := context.WithTimeout(ctx, PeerLimit)
	defer cancel()
	err := part(limit)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("the client did not continue the exchange within %d s", PeerLimit/time.Second)
	}
	return err
}

func rest(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// AnyAddress stands for every address of the host in an argument, EveryAddress in a message.
const (
	AnyAddress   = "any"
	EveryAddress = "every address"
)
