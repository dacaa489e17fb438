package soft

import (
	"net/netip"
	"testing"

	"rdmatui/verbs"
)

// BenchmarkCMConnect connects one device to the other and disconnects, in memory and over UDP.
func BenchmarkCMConnect(b *testing.B) {
	for _, c := range []struct {
		name string
		opts Options
	}{
		{"memory", Options{}},
		{"UDP", Options{UDP: &UDPOptions{Addrs: []netip.Addr{netip.MustParseAddr("127.0.71.1"),
			netip.MustParseAddr("127.0.71.2")}}}},
	} {
		b.Run(c.name, func(b *testing.B) {
			p := New(c.opts)
			if notes := p.Notes(); c.opts.UDP != nil && !p.kernelRoutes {
				b.Skip(notes)
			}
			listener := newCMSide(b, p, verbs.PortSpaceTCP)
			listener.Listen(netip.AddrPortFrom(p.adapters[1].addrs[len(p.adapters[1].addrs)-1], cmPort))
			keep := must(p.Open("soft0"))(b)
			defer keep.Close()
			for b.Loop() {
				a, s := connectTo(listener, p)
				ok(b, a.ID.Disconnect())
				s.Event(verbs.CMDisconnected)
				s.Close()
				a.Event(verbs.CMDisconnected)
				a.Close()
			}
		})
	}
}
