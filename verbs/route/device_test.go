package route

import (
	"errors"
	"net/netip"
	"testing"

	"rdmatui/verbs"
)

// TestChooseDevice checks the precedence: the routing table, then the state of ports, then the
// order of devices.
func TestChooseDevice(t *testing.T) {
	const down verbs.PortState = 1
	link := func(name, netdev string) verbs.GIDEntry {
		e := entry(1, 0, name, verbs.GIDTypeRoCEv2)
		e.Netdev = netdev
		return e
	}
	one := Candidate{"rxe0", []verbs.PortState{verbs.PortActive},
		[]verbs.GIDEntry{entry(1, 1, "10.9.0.1", verbs.GIDTypeRoCEv2), link("fe80::1", "d0")}}
	two := Candidate{"rxe1", []verbs.PortState{down, verbs.PortActive},
		[]verbs.GIDEntry{entry(2, 1, "10.8.0.1", verbs.GIDTypeRoCEv2), link("fe80::1", "e0")}}
	three := Candidate{"rxe2", []verbs.PortState{down}, []verbs.GIDEntry{entry(1, 1, "10.7.0.1", verbs.GIDTypeRoCEv2)}}
	soft := Candidate{"soft0", []verbs.PortState{verbs.PortActive},
		[]verbs.GIDEntry{entry(1, 0, "127.0.0.1", verbs.GIDTypeRoCEv2)}}
	ways := map[string]string{"10.9.0.2": "10.9.0.1", "10.8.0.1": "10.8.0.1", "10.8.0.2": "10.8.0.1",
		"10.7.0.2":  "10.7.0.1",
		"127.0.0.1": "127.0.0.1", "192.0.2.9": "10.2.2.2", "fe80::2%e0": "fe80::1", "fe80::2%d0": "fe80::1",
		"fe80::2": "fe80::1"}
	n := Network{Source: func(dst netip.Addr) (netip.Addr, error) {
		if from, ok := ways[dst.String()]; ok {
			return netip.MustParseAddr(from), nil
		}
		return netip.Addr{}, errors.New("network is unreachable")
	}}
	for _, tt := range []struct {
		name string
		all  []Candidate
		peer string
		want ChosenDevice
	}{
		{"one", []Candidate{three}, "10.9.0.2", ChosenDevice{"rxe2", "the only device"}},
		{"no peer", []Candidate{one, two}, "", ChosenDevice{"rxe0", "the first of 2 devices, with an ACTIVE port"}},
		{"the first is down", []Candidate{three, two}, "",
			ChosenDevice{"rxe1", "the first device with an ACTIVE port; rxe2 has none"}},
		{"all are down", []Candidate{three, {Name: "rxe3"}}, "",
			ChosenDevice{"rxe2", "none of 2 devices has an ACTIVE port"}},
		{"the first one's subnet", []Candidate{two, one}, "10.9.0.2",
			ChosenDevice{"rxe0", "the route to 10.9.0.2 leaves from 10.9.0.1"}},
		{"the second one's subnet", []Candidate{one, two}, "10.8.0.2",
			ChosenDevice{"rxe1", "the route to 10.8.0.2 leaves from 10.8.0.1"}},
		{"an own address", []Candidate{one, two}, "10.8.0.1",
			ChosenDevice{"rxe1", "the route to 10.8.0.1 leaves from 10.8.0.1"}},
		{"the way leaves by a port that is down", []Candidate{one, three}, "10.7.0.2",
			ChosenDevice{"rxe2", "the route to 10.7.0.2 leaves from 10.7.0.1"}},
		{"the way leaves by no device", []Candidate{one, two}, "192.0.2.9",
			ChosenDevice{"rxe0", "the first of 2 devices, with an ACTIVE port"}},
		{"no way", []Candidate{one, two}, "10.5.0.1",
			ChosenDevice{"rxe0", "the first of 2 devices, with an ACTIVE port"}},
		{"loopback", []Candidate{one, soft}, "127.0.0.1",
			ChosenDevice{"rxe0", "the first of 2 devices, with an ACTIVE port"}},
		{"link-local on the second", []Candidate{one, two}, "fe80::2%e0",
			ChosenDevice{"rxe1", "the route to fe80::2%e0 leaves from fe80::1"}},
		{"link-local on the first", []Candidate{two, one}, "fe80::2%d0",
			ChosenDevice{"rxe0", "the route to fe80::2%d0 leaves from fe80::1"}},
		{"link-local on no link", []Candidate{one, two}, "fe80::2",
			ChosenDevice{"rxe0", "the first of 2 devices, with an ACTIVE port"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			peer, _ := netip.ParseAddr(tt.peer) // "" gives the invalid address
			if got := n.Device(tt.all, peer); got != tt.want {
				t.Errorf("%+v, want %+v", got, tt.want)
			}
		})
	}
}
