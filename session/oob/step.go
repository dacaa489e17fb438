package oob

import (
	"context"
	"errors"
	"io"
	"net"
	"syscall"
)

// closedError says that the peer closed the connection before it had sent all.
type closedError struct{ text string }

// Error says how much of what came.
func (e closedError) Error() string { return e.text }

// Unwrap returns io.ErrUnexpectedEOF.
func (closedError) Unwrap() error { return io.ErrUnexpectedEOF }

// errDialed stands in steps for a connection that nobody answered in time.
var errDialed = errors.New("no answer to a connection")

// steps are what to do after an error of a connection.
var steps = []struct {
	errs []error
	text string
}{
	{[]error{syscall.ECONNREFUSED}, "no program listens there: start the server first and compare the ports"},
	{[]error{errDialed, syscall.ETIMEDOUT},
		"nothing there answers TCP: check the address, that the host is up, and that its firewall passes the port"},
	{[]error{syscall.ENETUNREACH}, "this host has no route to that address: compare it with 'ip route'"},
	{[]error{syscall.EHOSTUNREACH},
		"no host there answers, or a firewall rejects the packets: check the address, and the neighbour with 'ip neigh'"},
	{[]error{syscall.ENETDOWN}, "the interface towards that address is down: bring it up"},
	{[]error{syscall.EADDRNOTAVAIL}, "this host has no address of that family: give one of the peer's other addresses"},
	{[]error{syscall.EINVAL}, "a link-local address needs its interface: ADDRESS%INTERFACE"},
	{[]error{syscall.EACCES, syscall.EPERM}, "this host's own firewall refuses it, or it is a broadcast address"},
	{[]error{syscall.ECONNRESET, syscall.EPIPE, io.ErrUnexpectedEOF},
		"read the last line of the peer's program, and run the same program with the same options at both ends"},
	{[]error{context.DeadlineExceeded},
		"the peer took the connection but sent nothing: run the same program with the same options at both ends"},
}

// NextStep returns what to do after a peer was not reached over TCP or has closed the connection, or after a host's
// name was not resolved; "" if the error is no such one.
func NextStep(err error) string {
	var name *net.DNSError
	var op *net.OpError
	switch {
	case errors.As(err, &name) && name.IsNotFound:
		return "check the name's spelling, the hosts file and DNS, or give the peer's IP address"
	case errors.As(err, &name):
		return "the name server did not answer: check that it is reachable, or give the peer's IP address"
	case errors.As(err, &op) && op.Op == "dial" && op.Timeout():
		err = errDialed
	}
	for _, s := range steps {
		for _, e := range s.errs {
			if errors.Is(err, e) {
				return s.text
			}
		}
	}
	return ""
}
