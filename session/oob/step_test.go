package oob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
)

// TestNextStep: each way in which a peer is not reached has a next step of its own, which names no address of any host.
func TestNextStep(t *testing.T) {
	dial := func(err error) error { return &net.OpError{Op: "dial", Net: "tcp", Err: err} }
	refused := func(no syscall.Errno) error { return dial(os.NewSyscallError("connect", no)) }
	told := map[string]string{}
	for _, tt := range []struct {
		name string
		err  error
		want string
	}{
		{"an unknown name", dial(&net.DNSError{Err: "no such host", IsNotFound: true}), "check the name's spelling"},
		{"no answer of the name server", dial(&net.DNSError{IsTimeout: true}), "the name server did not answer"},
		{"refused", refused(syscall.ECONNREFUSED), "no program listens there"},
		{"no answer in time", dial(os.ErrDeadlineExceeded), "nothing there answers TCP"},
		{"no answer to the end", refused(syscall.ETIMEDOUT), "nothing there answers TCP"},
		{"no route", refused(syscall.ENETUNREACH), "this host has no route"},
		{"no neighbour", refused(syscall.EHOSTUNREACH), "no host there answers"},
		{"interface down", refused(syscall.ENETDOWN), "the interface towards that address is down"},
		{"no source", refused(syscall.EADDRNOTAVAIL), "this host has no address of that family"},
		{"no zone", refused(syscall.EINVAL), "a link-local address needs its interface"},
		{"own firewall", refused(syscall.EPERM), "this host's own firewall"},
		{"reset", fmt.Errorf("x: %w", syscall.ECONNRESET), "read the last line of the peer's program"},
		{"closed", closedError{"the peer closed the connection"}, "read the last line of the peer's program"},
		{"silent", context.DeadlineExceeded, "the peer took the connection but sent nothing"},
		{"another", io.ErrClosedPipe, ""},
		{"nonsense of the peer", errors.New("the address record does not end with a NUL"), ""},
	} {
		got := NextStep(tt.err)
		if !strings.HasPrefix(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
		if other := told[got]; other != "" && got != "" && other != tt.want {
			t.Errorf("%s: the same as for %s", tt.name, other)
		}
		told[got] = tt.want
	}
}

// TestClosedEarly: a connection that the peer closes in the middle of a record has a next step.
func TestClosedEarly(t *testing.T) {
	a, b := net.Pipe()
	go func() {
		b.Write([]byte("0000:"))
		b.Close()
	}()
	_, err := (&Conn{a}).Receive(t.Context())
	if err == nil || !strings.Contains(err.Error(), "after 5 of the 52 bytes") || NextStep(err) == "" {
		t.Errorf("%v; %q", err, NextStep(err))
	}
}
