package route

import (
	"errors"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"rdmatui/verbs"
)

func entry(port uint8, index int, gid string, typ verbs.GIDType) verbs.GIDEntry {
	g, err := verbs.ParseGID(gid)
	if err != nil {
		panic(err)
	}
	return verbs.GIDEntry{PortNum: port, Index: index, GID: g, Type: typ}
}

func TestGID(t *testing.T) {
	table := []verbs.GIDEntry{
		entry(1, 0, "fe80::1", verbs.GIDTypeRoCEv1),
		entry(1, 1, "fe80::1", verbs.GIDTypeRoCEv2),
		entry(1, 2, "10.9.0.1", verbs.GIDTypeRoCEv1),
		entry(1, 3, "10.9.0.1", verbs.GIDTypeRoCEv2),
		entry(1, 4, "fd00::1", verbs.GIDTypeRoCEv2),
		entry(2, 0, "fe80::2", verbs.GIDTypeRoCEv2),
		entry(3, 0, "fe80::3", verbs.GIDTypeRoCEv1),
		entry(4, 0, "fe80::4", verbs.GIDTypeIB),
	}
	gid := func(s string) verbs.GID { return entry(1, 0, s, 0).GID }
	tests := []struct {
		name string
		port uint8
		peer verbs.GID
		want int // -1: none
	}{
		{"IPv4 first", 1, verbs.GID{}, 3},
		{"peer is IPv4", 1, gid("10.9.0.2"), 3},
		{"peer is global IPv6", 1, gid("fd00::2"), 4},
		{"peer is link-local", 1, gid("fe80::2"), 1},
		{"link-local is better than nothing", 2, verbs.GID{}, 0},
		{"RoCE v1 is never chosen", 3, verbs.GID{}, -1},
		{"InfiniBand", 4, verbs.GID{}, 0},
		{"no such port", 9, verbs.GID{}, -1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e, err := GID(table, tt.port, tt.peer)
			if tt.want < 0 {
				if err == nil {
					t.Fatalf("chose %v", e)
				}
				return
			}
			if err != nil || e.Index != tt.want {
				t.Fatalf("chose %v, %v; want index %d", e, err, tt.want)
			}
		})
	}
}

// TestGIDByRoute checks that the routing table and the network namespace take precedence over the general order.
func TestGIDByRoute(t *testing.T) {
	table := []verbs.GIDEntry{
		entry(1, 0, "fe80::1", verbs.GIDTypeRoCEv2),
		entry(1, 1, "10.9.0.1", verbs.GIDTypeRoCEv2),
		entry(1, 2, "10.100.0.1", verbs.GIDTypeRoCEv1),
		entry(1, 3, "10.100.0.1", verbs.GIDTypeRoCEv2),
		entry(1, 4, "fd00::1", verbs.GIDTypeRoCEv2),
		entry(1, 5, "fd00:64::1", verbs.GIDTypeRoCEv2),
		entry(2, 0, "10.200.0.1", verbs.GIDTypeRoCEv2),
	}
	gid := func(s string) verbs.GID { return entry(1, 0, s, 0).GID }
	ways := map[string]string{
		"10.9.0.2": "10.9.0.1", "10.100.0.2": "10.100.0.1", "fd00:64::2": "fd00:64::1",
		"10.200.0.2": "10.200.0.1", "192.0.2.9": "10.2.2.2",
	}
	source := func(dst netip.Addr) (netip.Addr, error) {
		if from, ok := ways[dst.String()]; ok {
			return netip.MustParseAddr(from), nil
		}
		return netip.Addr{}, errors.New("network is unreachable")
	}
	hidden := func(indices ...int) func(verbs.GIDEntry) bool {
		return func(e verbs.GIDEntry) bool { return !slices.Contains(indices, e.Index) }
	}
	for _, tt := range []struct {
		name string
		here func(verbs.GIDEntry) bool
		port uint8
		peer verbs.GID
		want int
		why  string
	}{
		{"own subnet", nil, 1, gid("10.9.0.2"), 1, "the route to 10.9.0.2 leaves from 10.9.0.1"},
		{"a VLAN", nil, 1, gid("10.100.0.2"), 3, "the route to 10.100.0.2 leaves from 10.100.0.1"},
		{"IPv6 of a VLAN", nil, 1, gid("fd00:64::2"), 5, "the route to fd00:64::2 leaves from fd00:64::1"},
		{"another port's way", nil, 1, gid("10.200.0.2"), 1, "the first row that is an IPv4 address"},
		{"that port", nil, 2, gid("10.200.0.2"), 0, "the route to 10.200.0.2 leaves from 10.200.0.1"},
		{"another device's way", nil, 1, gid("192.0.2.9"), 1, "the first row that is an IPv4 address"},
		{"no way", nil, 1, gid("fd00:9::9"), 4, "the first row that is a global IPv6 address"},
		{"no peer, all rows", hidden(), 1, verbs.GID{}, 1, "the first row that is an IPv4 address"},
		{"no peer, in a pod", hidden(0, 1, 4), 1, verbs.GID{}, 3, "the first row that is an IPv4 address"},
		{"a pod without IPv4", hidden(0, 1, 2, 3, 4), 1, verbs.GID{}, 5, "the first row that is a global IPv6 address"},
		{"link-local says no way", hidden(), 1, gid("fe80::2"), 0, "the first row that is link-local"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := Network{source, tt.here}.GID(table, tt.port, tt.peer)
			_, elsewhere := Network{source, tt.here}.OnOtherPort(table, tt.port, tt.peer)
			if elsewhere != (tt.name == "another port's way") {
				t.Errorf("on another port: %v", elsewhere)
			}
			if err != nil || c.Index != tt.want || c.Why != tt.why ||
				c.Routed != strings.HasPrefix(tt.why, "the route") {
				t.Errorf("row %d, %q, %v; want %d, %q", c.Index, c.Why, err, tt.want, tt.why)
			}
		})
	}
}

// TestGIDOnALink checks that a link-local peer's zone, if known, determines the row.
func TestGIDOnALink(t *testing.T) {
	table := []verbs.GIDEntry{entry(1, 0, "fe80::1", verbs.GIDTypeRoCEv2), entry(1, 1, "10.9.0.1", verbs.GIDTypeRoCEv2),
		entry(1, 2, "fe80::1", verbs.GIDTypeRoCEv2)}
	table[0].Netdev, table[2].Netdev = "d0", "d0.100"
	n := Network{Source: func(netip.Addr) (netip.Addr, error) { return netip.MustParseAddr("fe80::1"), nil }}
	for _, tt := range []struct {
		peer   string
		want   int
		routed bool
	}{
		{"fe80::2%d0", 0, true}, {"fe80::2%d0.100", 2, true}, {"fe80::2", 0, false}, {"fe80::2%e0", 0, false},
	} {
		if c, err := n.GIDTo(table, 1, netip.MustParseAddr(tt.peer)); err != nil || c.Index != tt.want ||
			c.Routed != tt.routed {
			t.Errorf("to %s: row %d, routed %t, %v; want %d, %t", tt.peer, c.Index, c.Routed, err, tt.want, tt.routed)
		}
	}
}
