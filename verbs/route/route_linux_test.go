package route

import (
	"errors"
	"net/netip"
	"syscall"
	"testing"
)

// TestSource asks for routes that every host has, and for one that no host has.
func TestSource(t *testing.T) {
	loop, other := netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("127.0.0.9")
	foreign := netip.MustParseAddr("203.0.113.7")
	if got, err := Source(netip.Addr{}, loop); err != nil || got != loop {
		t.Errorf("to %s from %s, %v", loop, got, err)
	}
	if got, err := Source(other, loop); err != nil || got != other {
		t.Errorf("from %s: %s, %v", other, got, err)
	}
	if _, err := Source(foreign, loop); !errors.Is(err, syscall.EADDRNOTAVAIL) {
		t.Errorf("from %s: %v", foreign, err)
	}
	if !IsLocal(loop) || IsLocal(foreign) {
		t.Errorf("%s is local: %t; %s is: %t", loop, IsLocal(loop), foreign, IsLocal(foreign))
	}
}
