package soft

import (
	"net/netip"
	"testing"

	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/wire"
)

// TestSendWhenClosed: a datagram of the connection manager that is due when its device has been closed is dropped.
func TestSendWhenClosed(t *testing.T) {
	p := New(Options{})
	a := p.adapters[0]
	path, err := link.NewPath(netip.AddrPortFrom(a.addrs[0], 0xc001), netip.AddrPortFrom(a.addrs[0], wire.Port))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // before it was opened, and afterwards
		a.SendMAD(path, make([]byte, wire.MADLen))
		c, err := a.Open()
		if err != nil {
			t.Fatal(err)
		}
		c.Release()
	}
}
