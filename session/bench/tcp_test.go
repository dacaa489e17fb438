package bench

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"rdmatui/session/oob"
	"rdmatui/verbs"
)

var usual = Common{CycleBuffer: 4096, CacheLine: 64, MTU: verbs.MTU1024}

// ignored is for notes that a test does not look at.
func ignored(string, ...any) {}

// TestStrangers: strangers that say nothing, too little or something else do not keep the client away, whenever they
// come; what was wrong with them is told.
func TestStrangers(t *testing.T) {
	for name, says := range map[string]string{
		"nothing": "", "a byte": "5", "HTTP": "GET / HTTP/1.1\r\nHost: x\r\n\r\n", "zeros": strings.Repeat("\x00", 100),
		"a version, then nothing": Version + strings.Repeat("\x00", 16-len(Version)),
		"an old version":          "5.10" + strings.Repeat("\x00", 60),
	} {
		for _, leaves := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				var mu sync.Mutex
				var notes []string
				ended := make(chan error, 1)
				l, err := oob.Listen(0)
				if err != nil {
					t.Fatal(err)
				}
				at := l.Port()
				go func() {
					a, err := waitForClient(t.Context(), nil, l, Exchange{}, usual,
						func(format string, _ ...any) {
							mu.Lock()
							defer mu.Unlock()
							notes = append(notes, format)
						})
					if err == nil && (a.x.Peer != Version || a.MTU != verbs.MTU512 || a.x.Link != a.link) {
						t.Errorf("agreed on %+v", a)
					}
					ended <- err
				}()
				stranger, err := dial(t.Context(), nil, "127.0.0.1", at)
				if err != nil {
					t.Fatal(err)
				}
				defer stranger.Close()
				_, _ = stranger.conn.Write([]byte(says))
				if leaves {
					stranger.Close()
				}
				time.Sleep(time.Millisecond) // most often the stranger is heard before the client comes
				us, err := dial(t.Context(), nil, "127.0.0.1", at)
				if err != nil {
					t.Fatal(err)
				}
				defer us.Close()
				small := usual
				small.MTU = verbs.MTU512
				x := Exchange{Link: us, Client: true}
				if _, err := x.Agree(t.Context(), small); err != nil {
					t.Errorf("the client: %v", err)
				}
				if err := <-ended; err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// links returns both ends of a TCP connection.
func links(t *testing.T) (a, b *tcpLink) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if a, err = dial(t.Context(), nil, "127.0.0.1", uint16(l.Addr().(*net.TCPAddr).Port)); err != nil {
		t.Fatal(err)
	}
	conn, err := l.Accept()
	if err == nil {
		b, err = newTCPLink(conn, nil)
	}
	if err != nil {
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
