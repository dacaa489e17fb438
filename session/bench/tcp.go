package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"rdmatui/session/oob"
	"rdmatui/verbs"
)

// tcpLink carries the exchange over TCP.
type tcpLink struct {
	conn    net.Conn
	crashed verbs.CrashHook
	// While the test runs, the peer sends nothing, and watch waits for the end of the
	// connection. The byte that ends the wait is the first of the next message.
	early   []byte
	watched chan struct{} // closed when watch has ended; nil: it does not run
	ended   atomic.Bool   // the peer closed the connection
	spoke   atomic.Bool   // early has a byte
}

// dial connects to the server.
func dial(ctx context.Context, crashed verbs.CrashHook, host string, port uint16) (*tcpLink, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(int(port))))
	if errors.Is(err, syscall.ECONNREFUSED) {
		return nil, fmt.Errorf("no server on TCP port %d of %s: start the server first and compare -p", port, host)
	}
	if step := oob.NextStep(err); err != nil && step != "" && ctx.Err() == nil {
		return nil, fmt.Errorf("%w: %s", err, step)
	}
	if err != nil {
		return nil, err
	}
	return newTCPLink(conn, crashed)
}

// keepAlive finds a host that has failed within 35 s. Without it a server of a one-sided test would not notice.
var keepAlive = net.KeepAliveConfig{Enable: true, Idle: 15 * time.Second, Interval: 5 * time.Second, Count: 4}

func newTCPLink(conn net.Conn, crashed verbs.CrashHook) (*tcpLink, error) {
	if err := conn.(*net.TCPConn).SetKeepAliveConfig(keepAlive); err != nil {
		conn.Close()
		return nil, err
	}
	return &tcpLink{conn: conn, crashed: crashed}, nil
}

// agreement is what a server and a client have agreed on.
type agreement struct {
	link *tcpLink
	x    Exchange
	Common
}

// waitForClient waits until a client has agreed with x on the common parameters. Others keep nobody away: they are
// refused, and note is called.
func waitForClient(ctx context.Context, crashed verbs.CrashHook, l *oob.Listener, x Exchange,
	own Common, note func(format string, args ...any)) (*agreement, error) {
	var agreed sync.Map // with a client by its *oob.Conn
	var chosen any
	refusals := oob.Refusals{Note: note}
	err := l.Serve(ctx, oob.Part{
		Receive: func(ctx context.Context, c *oob.Conn) ([]oob.Record, error) {
			link, err := newTCPLink(c.NetConn(), crashed)
			if err != nil {
				return nil, err
			}
			a := &agreement{link: link, x: x}
			a.x.Link = link
			if a.Common, err = a.x.Agree(ctx, own); err == nil {
				agreed.Store(c, a)
			}
			return nil, err
		},
		Finish: func(_ context.Context, c *oob.Conn, _ []oob.Record) error {
			chosen, _ = agreed.Load(c)
			return nil
		},
		Refused: refusals.Refused,
		Crashed: crashed,
	})
	refusals.End()
	if err != nil {
		return nil, orCause(ctx, err)
	}
	return chosen.(*agreement), nil
}

// Write implements [Link].
func (l *tcpLink) Write(ctx context.Context, message []byte) error {
	l.unwatch()
	defer l.until(ctx)()
	if _, err := l.conn.Write(message); err != nil {
		return orCause(ctx, left("the peer closed the connection: %w", err))
	}
	return nil
}

// Read implements [Link].
func (l *tcpLink) Read(ctx context.Context, message []byte, what string) error {
	l.unwatch()
	defer l.until(ctx)()
	n := copy(message, l.early)
	l.early = l.early[n:]
	l.spoke.Store(len(l.early) > 0)
	got, err := io.ReadFull(l.conn, message[n:])
	if n += got; errors.Is(err, syscall.ETIMEDOUT) {
		return orCause(ctx, fmt.Errorf("the peer's host no longer answers: %s did not arrive", what))
	}
	if err != nil {
		return orCause(ctx,
			left("the peer closed the connection after %d of the %d bytes of %s", n, len(message), what))
	}
	return nil
}

// leftError says that the peer has left: why it did is known there.
type leftError struct{ error }

// Unwrap returns what the error says.
func (e leftError) Unwrap() error { return e.error }

func left(format string, args ...any) error { return leftError{fmt.Errorf(format, args...)} }

// PeerLeft reports whether a run has ended only because its peer had left.
func PeerLeft(err error) bool { return errors.As(err, new(leftError)) }

// Cause returns which error of the two ends of a run, in the order of time, tells why it ended: one that only says that
// the other end has left does not. first may be nil.
func Cause(first, second error) error {
	if first == nil || PeerLeft(first) {
		return second
	}
	return first
}

// past is a deadline that ends every wait at once.
var past = time.Unix(1, 0)

// until ends reads and writes when ctx ends, until the returned function is called.
func (l *tcpLink) until(ctx context.Context) (stop func() bool) {
	l.conn.SetDeadline(time.Time{})
	return context.AfterFunc(ctx, func() {
		defer l.crashed.Catch()
		l.conn.SetDeadline(past)
	})
}

// orCause returns the reason for which ctx ended, if it has.
func orCause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// watch implements [link]: it waits for the end of the connection, until the next Read
// or Write.
func (l *tcpLink) watch() {
	l.conn.SetDeadline(time.Time{})
	watched := make(chan struct{})
	l.watched = watched
	go func() {
		defer close(watched)
		defer l.crashed.Catch()
		var b [1]byte
		n, err := l.conn.Read(b[:])
		l.early = append(l.early, b[:n]...)
		l.spoke.Store(len(l.early) > 0)
		if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			l.ended.Store(true)
		}
	}()
}

func (l *tcpLink) unwatch() {
	if l.watched != nil {
		l.conn.SetReadDeadline(past)
		<-l.watched
		l.watched = nil
	}
}

// left implements [link].
func (l *tcpLink) left() bool { return l.ended.Load() }

// ahead implements [link].
func (l *tcpLink) ahead() bool { return l.spoke.Load() }

// part implements [link]. It ends this end's part of the connection first, so that two
// that wait for each other do not.
func (l *tcpLink) part(ctx context.Context) {
	l.unwatch()
	ctx, cancel := context.WithTimeout(ctx, parting)
	defer cancel()
	defer l.until(ctx)()
	if c, ok := l.conn.(*net.TCPConn); ok {
		_ = c.CloseWrite() // fails if the peer has left
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(l.conn, 1<<20))
}

// parting is how long a peer may take to end its part.
const parting = 5 * time.Second

// peer returns the address of the peer's end.
func (l *tcpLink) peer() netip.Addr {
	at, _ := netip.ParseAddrPort(l.conn.RemoteAddr().String())
	return at.Addr().Unmap()
}

// Close ends the exchange.
func (l *tcpLink) Close() error {
	l.unwatch()
	return l.conn.Close()
}
