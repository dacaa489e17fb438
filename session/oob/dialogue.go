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

// done is what a client says last.
var done = []byte("done\x00")

// Conn is one out-of-band dialogue. Its methods end early with ctx's error when
// ctx ends; a Conn is used by one goroutine.
type Conn struct {
	c net.Conn
}

// Dial begins the client's part: it connects to the server.
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

// RemoteAddr tells who is at the other end.
func (c *Conn) RemoteAddr() string { return c.c.RemoteAddr().String() }

// Peer is the other end's IP address, a link-local one with its zone; the zero value where it has none.
func (c *Conn) Peer() netip.Addr {
	at, _ := netip.ParseAddrPort(c.RemoteAddr())
	return at.Addr().Unmap()
}

// Send writes the own record, in one write: the stock programs demand the whole
// of it from a single read.
func (c *Conn) Send(ctx context.Context, own Record) error {
	return c.write(ctx, own.Wire())
}

// Receive reads the peer's record.
func (c *Conn) Receive(ctx context.Context) (Record, error) {
	var b [RecordLen]byte
	if err := c.read(ctx, b[:], "its address record"); err != nil {
		return Record{}, err
	}
	return ParseWire(b[:])
}

// SendDone is the client's last word, said when it has the server's record.
func (c *Conn) SendDone(ctx context.Context) error { return c.write(ctx, done) }

// ReceiveDone reads the client's last word.
func (c *Conn) ReceiveDone(ctx context.Context) error {
	b := make([]byte, len(done))
	if err := c.read(ctx, b, "its last word"); err != nil {
		return err
	}
	if !bytes.Equal(b, done) {
		return fmt.Errorf("the peer ended the exchange with %q instead of %q", b, done)
	}
	return nil
}

// past is a deadline that ends all waiting at once.
var past = time.Unix(1, 0)

// endWith ends what is waited for when ctx ends, until the returned function is called.
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
		return fmt.Errorf("the peer closed the connection after %d of the %d bytes of %s", n, len(b), what)
	}
	return ended(ctx, err)
}

// ended prefers ctx's error to the one that its end caused.
func ended(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}
