package oob

import (
	"net/netip"
	"slices"
	"testing"
)

func TestBeside(t *testing.T) {
	addr := netip.MustParseAddr
	lan := []netip.Addr{addr("10.9.0.2"), addr("fd00:9::2"), addr("fe80::2%d1")}
	lo := []netip.Addr{addr("127.0.0.1"), addr("::1")}
	for _, c := range []struct {
		name        string
		given, want []netip.Addr
	}{
		{"none", nil, nil},
		{"IPv6 alone", lan[1:2], []netip.Addr{lan[1], lan[0], lan[2]}},
		{"all", lan, lan},
		{"loopback", lo[:1], lo},
		{"on no interface", []netip.Addr{addr("10.1.1.1")}, []netip.Addr{addr("10.1.1.1")}},
	} {
		if got := beside(c.given, [][]netip.Addr{lo, lan}); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	if local := hostAddrs(); !slices.ContainsFunc(local, func(a []netip.Addr) bool {
		return slices.Contains(a, lo[0])
	}) {
		t.Errorf("no interface of %v has %v", local, lo[0])
	}
}
