package soft

import (
	"net/netip"
	"syscall"
	"testing"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/link"
)

// TestCMThousand connects and disconnects a thousand times in a row; no queue pair number is reused within its
// time-wait, although there are only 4096. A goroutine that is left would make synctest.Test panic.
func TestCMThousand(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		all := p.random.Next
		p.random.Next = func() uint64 { return all() & 0xfff << 32 }
		listener := newCMSide(t, p, verbs.PortSpaceTCP)
		listener.Listen(soft1)
		seen := [2]map[verbs.QPN]bool{{}, {}} // by device
		start := time.Now()
		for range 1000 {
			a, b := connectTo(listener, p)
			for i, s := range []*cmSide{a, b} {
				if seen[i][s.QP.Num()] {
					t.Fatalf("%s is used again", s.QP.Num())
				}
				seen[i][s.QP.Num()] = true
			}
			ok(t, a.ID.Disconnect())
			b.Event(verbs.CMDisconnected)
			b.Close()
			a.Event(verbs.CMDisconnected)
			a.Close()
			ok(t, a.Channel.Close())
		}
		if d := time.Since(start); d > 0 {
			t.Errorf("it took %s of virtual time: a message was repeated", d)
		}
		listener.Quiet()
		time.Sleep(time.Minute)
		ok(t, listener.ID.Close())
		nothingKept(t, p)
	})
}

// TestCMAddressesRefused resolves and binds invalid addresses and then valid ones: the failures leave no state behind.
func TestCMAddressesRefused(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		devices := p.devices()
		attach := devices[0].attach
		s := newCMSide(t, p, verbs.PortSpaceTCP)
		wantErr(t, "to no address", s.ID.ResolveAddr(netip.AddrPort{}, netip.AddrPort{}, time.Second),
			syscall.EAFNOSUPPORT)
		wantErr(t, "from an address of nobody",
			s.ID.ResolveAddr(netip.MustParseAddrPort("10.1.2.3:5"), soft1, time.Second), syscall.EADDRNOTAVAIL)
		devices[0].attach = func(func()) (link.Link, error) { return nil, syscall.EMFILE }
		wantErr(t, "bind to a device that cannot be opened", s.ID.BindAddr(soft0), syscall.EMFILE)
		if s.ID.LocalAddr().IsValid() || s.ID.Device() != nil || p.manager.Tables().Ports != 0 {
			t.Errorf("bound to %s, %d ports taken", s.ID.LocalAddr(), p.manager.Tables().Ports)
		}
		wantErr(t, "resolve by a device that cannot be opened", s.ID.ResolveAddr(netip.AddrPort{}, soft1, time.Second),
			syscall.EMFILE)
		if s.ID.PeerAddr().IsValid() || s.ID.Device() != nil {
			t.Errorf("resolved to %s", s.ID.PeerAddr())
		}
		devices[0].attach = attach
		s.Resolve(soft1)
		if s.ID.PeerAddr() != soft1 || s.ID.LocalAddr().Addr() != soft0.Addr() {
			t.Errorf("from %s to %s", s.ID.LocalAddr(), s.ID.PeerAddr())
		}
		wantErr(t, "resolve again", s.ID.ResolveAddr(netip.AddrPort{}, soft1, time.Second), syscall.EINVAL)
		wantErr(t, "resolve the route again", s.ID.ResolveRoute(time.Second), syscall.EINVAL)
	})
}

// TestCMResolveIPv6 resolves a link-local address, and the device itself by IPv6.
func TestCMResolveIPv6(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		own, peer := p.devices()[0].addrs[0], p.devices()[1].addrs[0]
		for _, tt := range []struct{ to, want netip.Addr }{
			{peer, peer}, {peer.WithZone("eth0"), peer}, {netip.IPv6Unspecified(), own},
		} {
			s := newCMSide(t, p, verbs.PortSpaceTCP)
			s.Resolve(netip.AddrPortFrom(tt.to, 5))
			if s.ID.LocalAddr().Addr() != own || s.ID.PeerAddr() != netip.AddrPortFrom(tt.want, 5) {
				t.Errorf("%s: from %s to %s", tt.to, s.ID.LocalAddr(), s.ID.PeerAddr())
			}
		}
	})
}
