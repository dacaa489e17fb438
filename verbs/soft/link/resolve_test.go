package link

import (
	"errors"
	"net"
	"net/netip"
	"testing"

	"rdmatui/verbs"
)

func TestResolverErrors(t *testing.T) {
	for want, err := range map[verbs.AddrInfoError]error{
		verbs.AddrInfoNoName:     &net.DNSError{IsNotFound: true},
		verbs.AddrInfoAgain:      &net.DNSError{IsTimeout: true},
		verbs.AddrInfoAddrFamily: &net.AddrError{Err: "no suitable address found"},
		verbs.AddrInfoFail:       errors.New("something else"),
	} {
		if got := resolverError(err); got != want {
			t.Errorf("%v is %v, want %v", err, got, want)
		}
	}
	if got := resolverError(&net.DNSError{IsTemporary: true}); got != verbs.AddrInfoAgain {
		t.Error(got)
	}
}

// TestInterfaceOf: the interface that has an address, within its zone; any address of 127.0.0.0/8 belongs to the
// loopback interface.
func TestInterfaceOf(t *testing.T) {
	lo := interfaceOf(netip.MustParseAddr("127.0.0.1"))
	if lo.Index == 0 || lo.Flags&net.FlagLoopback == 0 {
		t.Fatalf("%+v", lo)
	}
	want := map[netip.Addr]int{netip.MustParseAddr("127.200.3.4"): lo.Index, addrA: 0, netip.MustParseAddr("::2"): 0}
	own, err := lo.Addrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range own {
		if p := netip.MustParsePrefix(a.String()); p.Addr().Is6() {
			want[p.Addr()], want[p.Addr().WithZone(lo.Name)], want[p.Addr().WithZone(lo.Name+"x")] = lo.Index, lo.Index,
				0
		}
	}
	for addr, index := range want {
		if got := interfaceOf(addr); got.Index != index {
			t.Errorf("%s: %+v, want %d", addr, got, index)
		}
	}
}

func TestResolveNumbers(t *testing.T) {
	if port, err := ResolvePort(t.Context(), "tcp", "7471"); port != 7471 || err != nil {
		t.Error(port, err)
	}
	if port, err := ResolvePort(t.Context(), "udp", "no-such-service"); err != verbs.AddrInfoService {
		t.Error(port, err)
	}
	if addr, err := ResolveHost(t.Context(), "127.0.0.9", verbs.FamilyInet); addr.String() != "127.0.0.9" ||
		err != nil {
		t.Error(addr, err)
	}
	if addr, err := ResolveHost(t.Context(), "127.0.0.9", verbs.FamilyInet6); err != verbs.AddrInfoAddrFamily {
		t.Error(addr, err)
	}
}
