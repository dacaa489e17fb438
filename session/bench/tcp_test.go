package bench

import (
	"context"
	"errors"
	"io"
	"testing"
)

// links returns both ends of a TCP connection.
func links(t *testing.T) (a, b *tcpLink) {
	t.Helper()
	port, accepted := make(chan uint16, 1), make(chan *tcpLink, 1)
	go func() {
		l, err := listen(t.Context(), nil, 0, func(p uint16) { port <- p })
		if err != nil {
			t.Error(err)
		}
		accepted <- l
	}()
	a, err := dial(t.Context(), nil, "127.0.0.1", <-port)
	if b = <-accepted; err != nil || b == nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close(); b.Close() })
	return a, b
}

// TestPart: an end that parts tells the peer, and waits until the peer has closed the connection, parts too, or nobody
// waits any more.
func TestPart(t *testing.T) {
	for name, answer := range map[string]func(t *testing.T, peer *tcpLink, cancel func()){
		"the peer closes": func(_ *testing.T, peer *tcpLink, _ func()) { peer.Close() },
		"the peer parts":  func(t *testing.T, peer *tcpLink, _ func()) { peer.part(t.Context()) },
		"stopped":         func(_ *testing.T, _ *tcpLink, cancel func()) { cancel() },
	} {
		t.Run(name, func(t *testing.T) {
			us, peer := links(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			us.watch()
			done := make(chan struct{})
			go func() {
				us.part(ctx)
				close(done)
			}()
			if n, err := peer.conn.Read(make([]byte, 1)); n != 0 || err != io.EOF {
				t.Errorf("the peer reads %d bytes, %v; want the end", n, err)
			}
			select {
			case <-done:
				t.Error("parted before the peer answered")
			default:
			}
			answer(t, peer, cancel)
			<-done
		})
	}
}

// TestCause: of the errors of both ends, the first one that is more than "the other end has left" counts.
func TestCause(t *testing.T) {
	gone, broken := left("the peer left"), errors.New("broken")
	for _, tt := range []struct{ first, second, want error }{
		{nil, gone, gone}, {nil, broken, broken}, {gone, broken, broken}, {broken, gone, broken},
		{broken, errors.New("later"), broken},
	} {
		if got := Cause(tt.first, tt.second); got != tt.want {
			t.Errorf("%v, then %v: %v", tt.first, tt.second, got)
		}
	}
}
