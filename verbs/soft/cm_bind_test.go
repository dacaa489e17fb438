package soft

import (
	"net/netip"
	"syscall"
	"testing"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/link"
)

// TestCMListenOnWhatCannotOpen listens on all devices, one of which cannot be opened: the failed listener keeps none of
// the others open.
func TestCMListenOnWhatCannotOpen(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		devices := p.devices()
		attach := devices[1].attach
		devices[1].attach = func(func()) (link.Link, error) { return nil, syscall.EMFILE }
		s := newCMSide(t, p, verbs.PortSpaceTCP)
		wantErr(t, "Listen", s.ID.Listen(0), syscall.EMFILE)
		if n := devices[0].opens; n != 0 {
			t.Errorf("%d contexts of the first device left", n)
		}
		devices[1].attach = attach
		ok(t, s.ID.Listen(0))
	})
}

// TestCMBindBesideDevices binds to addresses of this host that no device has. The kernel's addresses count only over
// UDP.
func TestCMBindBesideDevices(t *testing.T) {
	at := netip.MustParseAddrPort("127.0.0.9:5")
	wantErr(t, "in memory", newCMSide(t, New(Options{}), verbs.PortSpaceTCP).ID.BindAddr(at), syscall.EADDRNOTAVAIL)
	p := loopbackProvider(t)
	wantErr(t, "over UDP", newCMSide(t, p, verbs.PortSpaceTCP).ID.BindAddr(at), syscall.ENODEV)
	wantErr(t, "over UDP, to another host's",
		newCMSide(t, p, verbs.PortSpaceTCP).ID.BindAddr(netip.MustParseAddrPort("192.0.2.1:5")), syscall.EADDRNOTAVAIL)
}
