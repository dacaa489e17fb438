package cm

import (
	"context"
	"errors"
	"net/netip"
	"syscall"
	"testing"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/memory"
)

// TestNear: a packet leaves from the first address of the destination's kind, or from the address that is bound.
func TestNear(t *testing.T) {
	m := newManager(&device{addrs: []netip.Addr{
		netip.MustParseAddr("fe80::1"), netip.MustParseAddr("127.0.0.7"), netip.MustParseAddr("127.0.0.8"),
		netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("2001:db8::1"),
	}})
	for _, tt := range []struct{ src, dst, want string }{
		{"", "127.0.0.1", "127.0.0.7"}, {"127.0.0.8", "127.0.0.1", "127.0.0.8"}, {"127.0.0.9", "127.0.0.1", ""},
		{"10.0.0.1", "127.0.0.1", ""},
		{"", "10.9.9.9", "10.0.0.1"}, {"", "fe80::9", "fe80::1"}, {"", "2001:db8::9", "2001:db8::1"},
		{"", "169.254.0.1", ""}, {"", "::1", ""},
	} {
		var src, want netip.Addr
		if tt.src != "" {
			src = netip.MustParseAddr(tt.src)
		}
		if tt.want != "" {
			want = netip.MustParseAddr(tt.want)
		}
		if got, found := m.near(src, netip.MustParseAddr(tt.dst)); got != want || found != want.IsValid() {
			t.Errorf("%+v: %s, %t", tt, got, found)
		}
	}
}

// TestAddrFor: the first address of the family, or of any.
func TestAddrFor(t *testing.T) {
	v4, v6 := netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("2001:db8::1")
	for _, tt := range []struct {
		addrs      []netip.Addr
		like, want netip.Addr
	}{
		{[]netip.Addr{v6, v4}, netip.IPv4Unspecified(), v4},
		{[]netip.Addr{v4, v6}, netip.IPv6Unspecified(), v6},
		{[]netip.Addr{v4}, netip.IPv6Unspecified(), v4},
	} {
		if got := addrFor(tt.addrs, tt.like); got != tt.want {
			t.Errorf("%+v: %s", tt, got)
		}
	}
}

// TestRouteBesideDevices resolves an address that this host reaches, but not from a device's address: an event reports
// it, and the identifier stays as it was.
func TestRouteBesideDevices(t *testing.T) {
	m := newManager(&device{addrs: []netip.Addr{netip.MustParseAddr("192.0.2.1")}})
	m.Memory = memory.New(1<<20, "a test's")
	channel, err := m.CreateEventChannel()
	if err != nil {
		t.Fatal(err)
	}
	id, err := channel.CreateID(verbs.PortSpaceTCP)
	if err != nil {
		t.Fatal(err)
	}
	if err := id.ResolveAddr(netip.AddrPort{}, netip.MustParseAddrPort("127.0.0.1:7"), time.Second); err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	ev, err := channel.GetEvent(ended)
	if err != nil || ev.Type != verbs.CMAddrError || ev.Status != -int(syscall.ENODEV) || ev.ID != id {
		t.Errorf("%+v, %v", ev, err)
	}
	if ev, err := channel.GetEvent(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("a second event %s, %v", ev.Type, err)
	}
	if id.Device() != nil || id.PeerAddr().IsValid() || !errors.Is(id.ResolveRoute(time.Second), syscall.EINVAL) {
		t.Errorf("resolved to %s on %v", id.PeerAddr(), id.Device())
	}
	if err := errors.Join(id.Close(), channel.Close()); err != nil {
		t.Error(err)
	}
}

// TestErrnoOf: the errno of an error is the status of its event.
func TestErrnoOf(t *testing.T) {
	for err, want := range map[error]int{
		syscall.ENOMEM: int(syscall.ENOMEM),
		verbs.NewOpError("ibv_modify_qp", "", syscall.EBUSY): int(syscall.EBUSY),
		errors.New("without a number"):                       int(syscall.EINVAL),
	} {
		if got := errnoOf(err); got != want {
			t.Errorf("%v: %d", err, got)
		}
	}
}
