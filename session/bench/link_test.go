package bench

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"

	"rdmatui/session/oob"
	"testing/synctest"
	"time"

	"rdmatui/session/cm"
	"rdmatui/session/core"
	"rdmatui/session/queue"
	"rdmatui/verbs"
)

// TestWatch: while a test runs, the peer that closes the connection has left, and one that sends is ahead. What it has
// sent is the beginning of its next message.
func TestWatch(t *testing.T) {
	us, peer := links(t)
	if us.left() || us.ahead() || !us.peer().IsLoopback() || us.peer().Is4In6() {
		t.Errorf("left %v, ahead %v, of %s", us.left(), us.ahead(), us.peer())
	}
	for _, sent := range []string{"", "hello", "again"} { // the watch may end before anything comes, and begin again
		us.watch()
		if sent != "" {
			if err := peer.Write(t.Context(), []byte(sent)); err != nil {
				t.Fatal(err)
			}
			<-us.watched
		}
		if us.ahead() != (sent != "") || us.left() {
			t.Errorf("%q came: ahead %v, left %v", sent, us.ahead(), us.left())
		}
		us.unwatch()
		us.unwatch()
		got := make([]byte, len(sent))
		if err := us.Read(t.Context(), got, "a greeting"); err != nil || string(got) != sent || us.ahead() {
			t.Errorf("%q came: read %q, %v, ahead %v", sent, got, err, us.ahead())
		}
	}
	us.watch()
	peer.Close()
	<-us.watched
	if !us.left() || us.ahead() {
		t.Errorf("the peer closed: left %v, ahead %v", us.left(), us.ahead())
	}
	err := us.Read(t.Context(), make([]byte, 4), "its version")
	if want := "the peer closed the connection after 0 of the 4 bytes of its version"; err == nil ||
		err.Error() != want || !PeerLeft(err) {
		t.Errorf("%v, want %q", err, want)
	}
}

// TestReadInPieces: a message that comes in pieces is read as a whole, or reported with how much of it has come.
func TestReadInPieces(t *testing.T) {
	us, peer := links(t)
	us.watch()
	if err := peer.Write(t.Context(), []byte("a")); err != nil {
		t.Fatal(err)
	}
	<-us.watched
	if err := peer.Write(t.Context(), []byte("bcde")); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 3)
	if err := us.Read(t.Context(), got, "x"); err != nil || string(got) != "abc" {
		t.Errorf("%q, %v", got, err)
	}
	peer.Close()
	err := us.Read(t.Context(), got, "its address")
	if err == nil || !strings.Contains(err.Error(), "after 2 of the 3 bytes of its address") {
		t.Error(err)
	}
}

// TestStoppedLink: an exchange that waits for its peer ends with the reason for which its context ended, and can go on
// with another one.
func TestStoppedLink(t *testing.T) {
	errStop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	us, peer := links(t)
	done := make(chan error)
	go func() { done <- us.Read(ctx, make([]byte, 1), "x") }()
	cancel(errStop)
	if err := <-done; err != errStop {
		t.Error(err)
	}
	if err := peer.Write(t.Context(), []byte("y")); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 1)
	if err := us.Read(t.Context(), got, "y"); err != nil || got[0] != 'y' {
		t.Errorf("%q, %v", got, err)
	}
	l, err := oob.Listen(0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := waitForClient(ctx, nil, l, Exchange{}, usual, ignored); err != errStop {
		t.Errorf("a server that is stopped: %v", err)
	}
}

// TestPorts: a client says that nobody listens, and a server that somebody else does.
func TestPorts(t *testing.T) {
	l, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	port := uint16(l.Addr().(*net.TCPAddr).Port)
	_, err = listen(newLined(params(Write, false, func(p *Params) { p.Port = port })).Run)
	if err == nil || !strings.Contains(err.Error(), "another program") {
		t.Errorf("the port is taken: %v", err)
	}
	l.Close()
	for host, listens := range map[string]bool{"127.0.0.1": false, "no such host": true} {
		_, err := dial(t.Context(), nil, host, port)
		if err == nil || strings.Contains(err.Error(), "no server on") == listens {
			t.Errorf("%s: %v", host, err)
		}
	}
	us, peer := links(t)
	peer.Close()
	for {
		if err = us.Write(t.Context(), []byte("x")); err != nil {
			break
		}
	}
	if !PeerLeft(err) || !strings.HasPrefix(err.Error(), "the peer closed the connection: ") {
		t.Error(err)
	}
}

// TestControlConnectionEnds: a message that is awaited on the control connection comes, also the last one of a peer
// that has disconnected; without one the wait ends with the connection or with its context.
func TestControlConnectionEnds(t *testing.T) {
	errStop := errors.New("stop")
	for _, tt := range []struct {
		name      string
		connected bool
		come      time.Duration // when the message comes; 0: never
		stop      time.Duration
		after     time.Duration
		want      string
		left      bool
	}{
		{"it comes", true, 10 * time.Millisecond, time.Hour, 10 * time.Millisecond, "", false},
		{"it is there", true, 1, time.Hour, time.Millisecond, "", false},
		{"stopped", true, 0, 10 * time.Millisecond, 10 * time.Millisecond, "stop", false},
		{"disconnected", false, 0, time.Hour, time.Millisecond, "the peer disconnected", true},
		{"the last message", false, time.Microsecond, time.Hour, time.Millisecond, "", false},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer time.AfterFunc(tt.stop, func() { cancel(errStop) }).Stop()
			s, id := &core.Session{}, &cm.ID{Node: &core.Node{Name: "id"}}
			if tt.connected {
				cm.SetIDState(s, id, core.IDIdle, core.IDConnected)
			}
			start := time.Now()
			recv := &completions{}
			recv.idle = func(int) {
				if tt.come > 0 && time.Since(start)+time.Millisecond > tt.come {
					recv.wcs = append(recv.wcs, verbs.WC{ByteLen: 7})
				}
			}
			l := &cmLink{s: s, id: id, q: &queue.QP{}}
			wc, err := l.await(ctx, &queue.CQ{CQ: recv})
			if (err == nil) != (tt.want == "") || err != nil && err.Error() != tt.want || PeerLeft(err) != tt.left ||
				err == nil && wc.ByteLen != 7 {
				t.Errorf("%s: %+v, %v", tt.name, wc, err)
			}
			if took := time.Since(start); took > tt.after+time.Millisecond {
				t.Errorf("%s: after %s, want %s", tt.name, took, tt.after)
			}
		})
	}
}
