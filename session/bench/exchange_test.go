package bench

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"

	"rdmatui/verbs"
)

// pipe is a Link over a pipe.
type pipe struct{ net.Conn }

func (p pipe) Write(_ context.Context, b []byte) error { _, err := p.Conn.Write(b); return err }

func (p pipe) Read(_ context.Context, b []byte, _ string) error {
	_, err := io.ReadFull(p.Conn, b)
	return err
}

// TestExchange plays both roles against each other.
func TestExchange(t *testing.T) {
	a, b := net.Pipe()
	server, client := &Exchange{Link: pipe{a}, GID: true}, &Exchange{Link: pipe{b}, Client: true, GID: true}
	theirs := Dest{QPN: 5, GID: verbs.GID{1}}
	done := make(chan error)
	go func() {
		defer a.Close()
		got, err := server.Agree(t.Context(), Common{65536, 64, verbs.MTU4096})
		if err == nil && got != (Common{65536, 128, verbs.MTU1024}) {
			t.Errorf("the server got %+v", got)
		}
		if err == nil {
			_, err = server.Dest(t.Context(), theirs)
		}
		if err == nil {
			_, err = server.Reports(t.Context(), Report{})
		}
		done <- err
	}()
	got, err := client.Agree(t.Context(), Common{4096, 128, verbs.MTU1024})
	if err != nil || got != (Common{65536, 128, verbs.MTU1024}) {
		t.Errorf("the client got %+v, %v", got, err)
	}
	if got, err := client.Dest(t.Context(), someDest); err != nil || got != theirs {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := client.Reports(t.Context(), Report{1, 2, 3, 4, 5}); err != nil || got != (Report{}) {
		t.Errorf("%+v, %v", got, err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if client.Peer != Version || !client.MiB() {
		t.Errorf("the peer's version is %q", client.Peer)
	}
}

// scripted is a peer that sends what it was given.
type scripted struct{ *bytes.Reader }

func (scripted) Write(context.Context, []byte) error { return nil }

func (s scripted) Read(_ context.Context, b []byte, _ string) error {
	_, err := io.ReadFull(s.Reader, b)
	return err
}

func versionOf(text string) string { return text + strings.Repeat("\x00", versionLen-len(text)) }

// TestAgreeRefuses checks that a peer that is no perftest, is too old or announces
// impossible sizes gets one clear line.
func TestAgreeRefuses(t *testing.T) {
	const page, cacheLine = "\x00\x00\x10\x00", "\x00\x00\x00\x40"
	for name, tt := range map[string]struct{ sent, want string }{
		"HTTP":         {"GET / HTTP/1.1\r\n", `"GET / HTTP/1.1\r\n" instead of a version`},
		"old":          {versionOf("5.31"), "is 5.31: 5.70 or later"},
		"older":        {versionOf("0.50"), "is 0.50: 5.70 or later"},
		"negative one": {versionOf("-0.5"), "instead of a version"},
		"NaN":          {versionOf("NaN"), "instead of a version"},
		"no NUL":       {"6.06666666666666", "instead of a version"},
		"page of 2^31": {versionOf("6.06") + "\x7f\xff\xff\xff", "2147483647 bytes as its page size"},
		"page of 0":    {versionOf("6.06") + "\x00\x00\x00\x00", "0 bytes as its page size"},
		"negative":     {versionOf("6.06") + page + "\xff\xff\xff\xff", "-1 bytes as the size of its cache lines"},
		"MTU":          {versionOf("6.06") + page + cacheLine + "9\x00", `"9\x00" as its MTU`},
	} {
		x := &Exchange{Link: scripted{bytes.NewReader([]byte(tt.sent))}, Client: true}
		_, err := x.Agree(t.Context(), Common{4096, 64, verbs.MTU1024})
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}

// FuzzAgree: no bytes of a peer make the exchange accept impossible values.
func FuzzAgree(f *testing.F) {
	f.Add([]byte(versionOf("6.24") + "\x00\x00\x10\x00\x00\x00\x00\x403\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		x := &Exchange{Link: scripted{bytes.NewReader(b)}, Client: true}
		got, err := x.Agree(t.Context(), Common{4096, 64, verbs.MTU1024})
		if err == nil && (got.CycleBuffer > maxCycleBuffer || got.CacheLine > maxCacheLine || got.MTU.Bytes() == 0 ||
			got.CacheLine < 64) {
			t.Errorf("%+v is accepted", got)
		}
	})
}

// deaf is a peer that takes nothing, or sends nothing.
type deaf struct {
	write, read error
	calls       string
}

func (d *deaf) Write(context.Context, []byte) error { d.calls += "w"; return d.write }

func (d *deaf) Read(context.Context, []byte, string) error { d.calls += "r"; return d.read }

// TestExchangeEnds: a step ends with its first failure. The client writes first, the server reads first.
func TestExchangeEnds(t *testing.T) {
	broken := errors.New("broken pipe")
	for _, tt := range []struct {
		client bool
		peer   deaf
		calls  string
	}{
		{true, deaf{write: broken}, "w"}, {true, deaf{read: broken}, "wr"}, {true, deaf{}, "wr"},
		{false, deaf{read: broken}, "r"}, {false, deaf{write: broken}, "rw"}, {false, deaf{}, "rw"},
	} {
		d, fails := tt.peer, tt.peer.write != nil || tt.peer.read != nil
		x := &Exchange{Link: &d, Client: tt.client}
		if err := x.swap(t.Context(), nil, nil, "its version"); errors.Is(err, broken) != fails || !fails &&
			err != nil || d.calls != tt.calls {
			t.Errorf("client %t, %+v: %v after %q", tt.client, tt.peer, err, d.calls)
		}
	}
}
