package soft_test

import (
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"

	"rdmatui/verbs"
	"rdmatui/verbs/soft"
	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/verbstest"
)

// overUDP makes a provider whose devices are on addresses of 127.0.0.0/8 that no other test is likely to use at the
// moment; the test is skipped if the port is in use.
func overUDP(t testing.TB, devices int) *soft.Provider {
	t.Helper()
	var why []string
	for range 20 {
		var addrs []netip.Addr
		for range devices {
			addrs = append(addrs,
				netip.AddrFrom4([4]byte{127, byte(1 + rand.N(250)), byte(rand.N(250)), byte(1 + rand.N(250))}))
		}
		p := soft.New(soft.Options{UDP: &soft.UDPOptions{Addrs: addrs}})
		if why = verbs.NotesOn(p, ""); len(why) == 0 {
			return p
		}
	}
	if e, err := link.Bind(netip.MustParseAddr("127.99.99.99"), link.Options{}); err == nil {
		e.Close()
		t.Fatal(strings.Join(why, "\n"))
	}
	t.Skip(why)
	return nil
}

// TestConformanceUDP runs the same suite over sockets.
func TestConformanceUDP(t *testing.T) {
	p := overUDP(t, 2)
	for device, peer := range map[string]string{"soft0": "soft1", "soft1": "soft0"} {
		t.Run(device, func(t *testing.T) {
			verbstest.Run(t, verbstest.Env{Provider: p, Device: device, Peer: peer, Quirks: quirks, Placement: true,
				OnDemand: true, DeviceMemory: true, DMABuf: true, DataInOrder: true})
		})
	}
}

// TestConformanceIPv6 does the same over the only IPv6 address that every host has; the device is its own peer.
func TestConformanceIPv6(t *testing.T) {
	p := soft.New(soft.Options{UDP: &soft.UDPOptions{Addrs: []netip.Addr{netip.IPv6Loopback()}}})
	if why := p.Notes(); len(why) > 0 {
		t.Skip(why)
	}
	if infos, err := p.Devices(); err != nil || len(infos) != 1 || infos[0].Name != "soft0" {
		t.Errorf("devices %+v, %v; want soft0 alone", infos, err)
	}
	verbstest.Run(t,
		verbstest.Env{Provider: p, Device: "soft0", Quirks: append([]verbstest.Quirk{verbstest.NoMulticast}, quirks...),
			Placement: true, OnDemand: true, DeviceMemory: true, DMABuf: true, DataInOrder: true})
}
