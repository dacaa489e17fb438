package verbs

import (
	"errors"
	"net/netip"
	"testing"
)

// TestChooseDevice: the routing table counts before the state of ports, and that before the order.
func TestChooseDevice(t *testing.T) {
	const down PortState = 1
	link := func(name, netdev string) GIDEntry {
		e := entry(1, 0, name, GIDTypeRoCEv2)
		e.Netdev = netdev
		return e
	}
	one := DeviceCandidate{"rxe0", []PortState{PortActive}, []GIDEntry{entry(1, 1, "10.9.0.1", GIDTypeRoCEv2), link("fe80::1", "d0")}}
	two := DeviceCandidate{"rxe1", []PortState{down, PortActive}, []GIDEntry{entry(2, 1, "10.8.0.1", GIDTypeRoCEv2), link("fe80::1", "e0")}}
	three := DeviceCandidate{"rxe2", []PortState{down}, []GIDEntry{entry(1, 1, "10.7.0.1", GIDTypeRoCEv2)}}
	soft := DeviceCandidate{"soft0", []PortState{PortActive}, []GIDEntry{entry(1, 0, "127.0.0.1", GIDTypeRoCEv2)}}
	ways := map[string]string{"10.9.0.2": "10.9.0.1", "10.8.0.1": "10.8.0.1", "10.8.0.2": "10.8.0.1", "10.7.0.2": "10.7.0.1",
		"127.0.0.1": "127.0.0.1", "192.0.2.9": "10.2.2.2", "fe80::2%e0": "fe80::1", "fe80::2%d0": "fe80::1", "fe80::2": "fe80::1"}
	n := Network{Source: func(dst netip.Addr) (netip.Addr, error) {
		if from, ok := ways[dst.String()]; ok {
			return netip.MustParseAddr(from), nil
		}
		return netip.Addr{}, errors.New("network is unreachable")
	}}
	for _, tt := range []struct {
		name string
		all  []DeviceCandidate
		peer string
		want DeviceChoice
	}{
		{"one", []DeviceCandidate{three}, "10.9.0.2", DeviceChoice{"rxe2", "the only device"}},
		{"no peer", []DeviceCandidate{one, two}, "", DeviceChoice{"rxe0", "the first of 2 devices, with an ACTIVE port"}},
		{"the first is down", []DeviceCandidate{three, two}, "", DeviceChoice{"rxe1", "the first device with an ACTIVE port; rxe2 has none"}},
		{"all are down", []DeviceCandidate{three, {Name: "rxe3"}}, "", DeviceChoice{"rxe2", "none of 2 devices has an ACTIVE port"}},
		{"the first one's subnet", []DeviceCandidate{two, one}, "10.9.0.2", DeviceChoice{"rxe0", "the way to 10.9.0.2 leaves from 10.9.0.1"}},
		{"the second one's subnet", []DeviceCandidate{one, two}, "10.8.0.2", DeviceChoice{"rxe1", "the way to 10.8.0.2 leaves from 10.8.0.1"}},
		{"an own address", []DeviceCandidate{one, two}, "10.8.0.1", DeviceChoice{"rxe1", "the way to 10.8.0.1 leaves from 10.8.0.1"}},
		{"the way leaves by a port that is down", []DeviceCandidate{one, three}, "10.7.0.2", DeviceChoice{"rxe2", "the way to 10.7.0.2 leaves from 10.7.0.1"}},
		{"the way leaves by no device", []DeviceCandidate{one, two}, "192.0.2.9", DeviceChoice{"rxe0", "the first of 2 devices, with an ACTIVE port"}},
		{"no way", []DeviceCandidate{one, two}, "10.5.0.1", DeviceChoice{"rxe0", "the first of 2 devices, with an ACTIVE port"}},
		{"loopback", []DeviceCandidate{one, soft}, "127.0.0.1", DeviceChoice{"rxe0", "the first of 2 devices, with an ACTIVE port"}},
		{"link-local on the second", []DeviceCandidate{one, two}, "fe80::2%e0", DeviceChoice{"rxe1", "the way to fe80::2%e0 leaves from fe80::1"}},
		{"link-local on the first", []DeviceCandidate{two, one}, "fe80::2%d0", DeviceChoice{"rxe0", "the way to fe80::2%d0 leaves from fe80::1"}},
		{"link-local on no link", []DeviceCandidate{one, two}, "fe80::2", DeviceChoice{"rxe0", "the first of 2 devices, with an ACTIVE port"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			peer, _ := netip.ParseAddr(tt.peer) // "" is none
			if got := n.ChooseDevice(tt.all, peer); got != tt.want {
				t.Errorf("%+v, want %+v", got, tt.want)
			}
		})
	}
}
