package oob

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strconv"
	"time"
)

// DefaultPort is where the stock programs listen (-p changes it).
const DefaultPort = 18515

// done is the client's last message.
var done = []byte("done\x00")

// Conn is one out-of-band dialogue. Its methods return ctx's error early when ctx ends.
// Only one goroutine may use a Conn.
type Conn struct {
	c net.Conn
}

// Dial connects to the server, which begins the client's part.
func Dial(ctx context.Context, address string, port uint16) (*Conn, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, "tcp", net.JoinHostPort(address, strconv.Itoa(int(port))))
	if err != nil {
		return nil, err
	}
	return &Conn{c}, nil
}

// Close ends the dialogue. It is idempotent.
func (c *Conn) Close() error {
	if err := c.c.Close(); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// NetConn returns the connection, for a dialogue of another protocol.
func (c *Conn) NetConn() net.Conn { return c.c }

// RemoteAddr returns the peer's TCP address and port.
func (c *Conn) RemoteAddr() string { return c.c.RemoteAddr().String() }

// Peer returns the peer's IP address, a link-local one with its zone; the zero value if it is unknown.
func (c *Conn) Peer() netip.Addr {
	at, _ := netip.ParseAddrPort(c.RemoteAddr())
	return at.Addr().Unmap()
}

// Send sends the own record in a single write: the stock programs expect to read all of
// it at once.
func (c *Conn) Send(ctx context.Context, own Record) error {
	return c.write(ctx, own.Wire())
}

// Receive reads the peer's record.
func (c *Conn) Receive(ctx context.Context) (Record, error) {
	var b [RecordLen]byte
	if err := c.read(ctx, b[:], "the address record"); err != nil {
		return Record{}, err
	}
	return ParseWire(b[:])
}

// SendDone sends the client's last message, once it has the server's record.
func (c *Conn) SendDone(ctx context.Context) error { return c.write(ctx, done) }

// ReceiveDone reads the client's last message.
func (c *Conn) ReceiveDone(ctx context.Context) error {
	b := make([]byte, len(done))
	if err := c.read(ctx, b, "the final \"done\""); err != nil {
		return err
	}
	if !bytes.Equal(b, done) {
		return fmt.Errorf("the peer ended the exchange with %q instead of %q", b, done)
	}
	return nil
}

// past is a deadline that ends every wait at once.
var past = time.Unix(1, 0)

// endWith ends pending reads and writes when ctx ends, until the returned function is called.
func (c *Conn) endWith(ctx context.Context) (stop func() bool) {
	return context.AfterFunc(ctx, func() { c.c.SetDeadline(past) })
}

func (c *Conn) write(ctx context.Context, b []byte) error {
	defer c.endWith(ctx)()
	_, err := c.c.Write(b)
	return ended(ctx, err)
}

func (c *Conn) read(ctx context.Context, b []byte, what string) error {
	defer c.endWith(ctx)()
	n, err := io.ReadFull(c.c, b)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return closedError{fmt.Sprintf("the peer closed the connection after %d of the %d bytes of %s", n, len(b),
			what)}
	}
	return ended(ctx, err)
}

// ended returns ctx's error instead of the error that the end of ctx caused.
func ended(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}
