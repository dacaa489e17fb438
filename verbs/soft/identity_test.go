package soft

import (
	"net/netip"
	"strings"
	"testing"

	"rdmatui/verbs"
)

// TestStableGUID: an address keeps its GUID, and differs from others and from the same address elsewhere.
func TestStableGUID(t *testing.T) {
	a, b := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("2001:db8::1")
	seen := map[verbs.GUID]bool{}
	for _, host := range []string{"one", "two"} {
		for _, addr := range []netip.Addr{a, b, {}} {
			g := stableGUID([]byte(host), addr)
			if seen[g] || g[0] != 0x02 || g != stableGUID([]byte(host), addr) {
				t.Errorf("%s on %s: %s", addr, host, g)
			}
			seen[g] = true
		}
	}
}

func TestPathMTU(t *testing.T) {
	v4, v6 := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("2001:db8::1")
	for _, tt := range []struct {
		bytes int
		addr  netip.Addr
		want  verbs.MTU
	}{
		{65536, v4, verbs.MTU4096}, {9000, v6, verbs.MTU4096}, {1500, v4, verbs.MTU1024}, {1500, v6, verbs.MTU1024},
		{4200, v6, verbs.MTU4096}, {4100, v4, verbs.MTU2048}, {1280, v6, verbs.MTU1024}, {0, v4, verbs.MTU256},
	} {
		if got := pathMTU(tt.bytes, tt.addr); got != tt.want {
			t.Errorf("%d bytes, %s: %s, want %s", tt.bytes, tt.addr, got, tt.want)
		}
	}
}

// TestFallBack requests addresses that are not available: both devices exist, in memory, and one line says why.
func TestFallBack(t *testing.T) {
	taken := loopbackProvider(t)
	for _, tt := range []struct {
		addr netip.Addr
		want []string
	}{
		{netip.MustParseAddr("192.0.2.99"), []string{"192.0.2.99", "'ip addr'"}},
		{taken.devices()[0].addrs[0], []string{"in use", "another program"}},
	} {
		p := New(Options{UDP: &UDPOptions{Addrs: []netip.Addr{tt.addr}}})
		infos, err := p.Devices()
		notes := verbs.NotesOn(p, "soft1")
		if err != nil || len(infos) != 2 || len(notes) != 1 || strings.Contains(notes[0], "\n") {
			t.Fatalf("%+v, %v, %q", infos, err, notes)
		}
		for _, want := range tt.want {
			if !strings.Contains(notes[0], want) {
				t.Errorf("%q lacks %q", notes[0], want)
			}
		}
		connect(t, p, "soft0", "soft1", pairOptions{})
	}
}

// TestFreeLoopback: devices without a configured address take free ones, and a second provider's devices take others.
func TestFreeLoopback(t *testing.T) {
	seen := map[verbs.GID]bool{}
	for range 2 {
		p := New(Options{UDP: &UDPOptions{}})
		if why := p.Notes(); len(why) > 0 {
			t.Skip(why)
		}
		for _, device := range []string{"soft0", "soft1"} {
			s := newSide(t, p, device, pairOptions{gidIndex: -1}.withDefaults())
			gids := must(s.dev.QueryGIDTable())(t)
			port := must(s.dev.QueryPort(1))(t)
			if len(gids) != 1 || !gids[0].GID.Addr().IsLoopback() || gids[0].Netdev == "" || seen[gids[0].GID] || port.ActiveMTU != verbs.MTU4096 {
				t.Errorf("%s: %+v, active_mtu %s", device, gids, port.ActiveMTU)
			}
			seen[gids[0].GID] = true
		}
	}
}
