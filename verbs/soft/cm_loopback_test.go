package soft

import (
	"net/netip"
	"testing"
)

// TestCMLoopbackOfAnotherProcess finds a way to a loopback address although the one
// that the kernel would send from is not one of the devices'.
func TestCMLoopbackOfAnotherProcess(t *testing.T) {
	own := netip.MustParseAddr("127.0.0.77")
	p := &Provider{kernelRoutes: true, adapters: []*adapter{{carrier: &carrier{addrs: []netip.Addr{own}}}}}
	p.once.Do(func() {})
	for _, tt := range []struct{ dst, want string }{
		{"127.0.0.1", "127.0.0.77"},
		{"127.0.0.5", "127.0.0.77"},
		{"127.0.0.77", "127.0.0.77"},
	} {
		got, err := p.source(netip.Addr{}, netip.MustParseAddr(tt.dst))
		if err != nil || got.String() != tt.want {
			t.Errorf("to %s from %s, %v, want %s", tt.dst, got, err, tt.want)
		}
	}
	bound := netip.MustParseAddr("127.0.0.9")
	if got, err := p.source(bound, netip.MustParseAddr("127.0.0.1")); err != nil || got != bound {
		t.Errorf("what is bound to %s sends from %s, %v", bound, got, err)
	}
}
